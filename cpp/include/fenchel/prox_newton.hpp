// Minimising a quadratic model of the loss, plus a separable regularizer, over a working set of columns.
//
// With X = diag(sqrt(h)) A_W (m columns), x the coordinates on W, d = x - x_0 and v = X d, the kernels work on
//     Q(x) = <c, d> + |v|^2/2 - (g + <p, d>)^2 / (2 S) + sum_k g_k(x_k),
// where the third part is there with a free intercept only: it has the derivative g and the curvature
// S = sum_i h_i, p_k = sum_i h_i a_ik, and its best value e = -(g + <p, d>) / S has been put in. Without one,
// S = infinity.
// A kernel does not allocate, throw or draw random numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/at_level.hpp"
#include "fenchel/blocks.hpp"
#include "fenchel/conjugate_gradients.hpp"
#include "fenchel/coordinate.hpp"
#include "fenchel/scaled_columns.hpp"
#include "fenchel/steepest_fall.hpp"

namespace fenchel {

using Places = std::span<std::int64_t>;

struct Intercept {
    double derivative, curvature; // g, S
    Input cross;                  // p
};

// falls_k <- steepest_fall for all coordinates; returns the largest, at least 0. Cost O(d).
inline double violations(const CoordinateForm& form, Input c, Input w, InOut falls) noexcept {
    return at_level([&] {
        double largest = 0, fall[block_size];
        for_each_block(falls.size(), [&](std::size_t first, std::size_t size) {
            for (std::size_t i = 0; i < size; ++i)
                fall[i] = steepest_fall(form, std::int64_t(first + i), c[first + i], w[first + i]);
            std::copy(fall, fall + size, &falls[first]);
            largest = largest_of(fall, size, largest);
        });
        return largest;
    });
}

// argmin_t  G t + H/2 (t - x)^2 + g_k(t). Without any curvature it is the point nearest 0, or nowhere: then x.
inline double model_minimiser(const CoordinateForm& form, std::int64_t k, double G, double H, double x) noexcept {
    if (H > 0 || form.l2[k] > 0)
        return form.minimiser(k, H * x - G, H);
    return std::abs(G) <= form.l1[k] ? clip(0, form.lower[k], form.upper[k]) : x;
}

struct BlockReport {
    std::int64_t entries_read;
    std::int64_t left;  // the places that are still visited: the first of the list
    double violation;   // the largest of the last pass, each taken just before its step
    double moment;      // <p, d>
};

// Passes of coordinate descent on the model over a list of places that shrinks.
//
// Update, for k in the list, with the derivative G = c_k + <x_k, v> - p_k (g + <p, d>) / S of the smooth part:
//     x_k <- argmin_t  G t + H_k/2 (t - x_k)^2 + g_k(t),    v <- v + delta x_k
// A place that its bounds or its l1 part hold with more force than the largest violation of the pass before
// leaves the list. The block ends after the passes, or with the first whose largest violation is at most the
// tolerance. In the first pass nothing leaves: pass infinity as the violation before.
// Cost of a step: the entries of the column, twice where it moves.
template <class Columns, class T>
BlockReport model_descent(const Columns& columns, Places list, std::int64_t left, Input c, Input H,
                          const CoordinateForm& form, const Intercept& intercept, int passes, double tolerance,
                          double before, double moment, InOut x, std::span<T> v) noexcept {
    BlockReport report{0, left, before, moment};
    for (int pass = 0; pass < passes; ++pass) {
        double largest = 0;
        std::int64_t kept = 0;
        for (std::int64_t at = 0; at < report.left; ++at) {
            const std::int64_t k = list[at];
            const double G = c[k] + columns.dot(k, v.data()) -
                             intercept.cross[k] * (intercept.derivative + report.moment) / intercept.curvature;
            const double fall = steepest_fall(form, k, G, x[k]);
            report.entries_read += columns.entries(k);
            if (-fall > report.violation)
                continue;
            list[kept++] = k;
            largest = std::max(largest, fall);
            if (fall <= 0)
                continue;
            const double moved = model_minimiser(form, k, G, H[k], x[k]);
            const double delta = moved - x[k];
            if (delta == 0)
                continue;
            x[k] = moved;
            columns.add(k, delta, v.data());
            report.moment += delta * intercept.cross[k];
        }
        report.left = kept;
        report.violation = largest;
        if (largest <= tolerance)
            break;
    }
    return report;
}

// out_f <- <x_k, v> for the places k = face_f. Cost: their entries.
template <class Columns, class T>
void model_along(const Columns& columns, Order face, std::span<const T> v, InOut out) noexcept {
    for (std::size_t f = 0; f < face.size(); ++f)
        out[f] = columns.dot(face[f], v.data());
}

// v <- v + sum_f factor_f x_k, k = face_f. Cost: the entries of the columns whose factor is not 0.
template <class Columns, class T>
void model_across(const Columns& columns, Order face, Input factor, std::span<T> v) noexcept {
    for (std::size_t f = 0; f < face.size(); ++f)
        if (factor[f] != 0)
            columns.add(face[f], factor[f], v.data());
}

// Conjugate gradients for  (X_F' X_F + diag(l2) - p_F p_F' / S) step = -slope  on the places of a face,
// preconditioned by the diagonal; image <- X_F step. slope is overwritten by what is left of it.
// Ends after the iterations, or with the first residual whose largest component is at most the tolerance.
// work has two values a place of the face, image_work one a row.
// Cost of an iteration: twice the entries of the face.
template <class Columns, class T>
ConjugateReport face_step(const Columns& columns, Order face, Input diagonal, Input l2, const Intercept& intercept,
                          int iterations, double tolerance, InOut slope, InOut step, InOut work,
                          std::span<T> image, std::span<T> image_work) noexcept {
    std::fill(image.begin(), image.end(), T(0));
    const auto apply = [&](InOut ahead, InOut product) {
        double moment = 0;
        for (std::size_t f = 0; f < face.size(); ++f)
            moment += intercept.cross[face[f]] * ahead[f];
        std::fill(image_work.begin(), image_work.end(), T(0));
        model_across(columns, face, Input(ahead), image_work);
        model_along(columns, face, std::span<const T>(image_work), product);
        for (std::size_t f = 0; f < face.size(); ++f)
            product[f] += l2[f] * ahead[f] - intercept.cross[face[f]] * moment / intercept.curvature;
    };
    const auto moved = [&](double length) {
        for (std::size_t i = 0; i < image.size(); ++i)
            image[i] += T(length) * image_work[i];
    };
    return conjugate_gradients(diagonal, iterations, tolerance, slope, step, work, apply, moved,
                               [](Input left) { return largest_size(left); });
}

} // namespace fenchel
