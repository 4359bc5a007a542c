// Minimising a quadratic model that is held as its matrix, for the price of m entries a step instead of a column.
//
//     Q(x) = <c, d> + d'M d/2 + sum_k g_k(x_k),    d = x - x_0,    M symmetric, m x m,
// with the derivative G = c + M d of the smooth part kept up to date.
// A kernel does not allocate, throw or draw random numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/coordinate.hpp"
#include "fenchel/loops.hpp"
#include "fenchel/prox_newton.hpp"
#include "fenchel/steepest_fall.hpp"

namespace fenchel {

struct GramModel {
    Input matrix; // row after row
    CoordinateForm form;
    InOut x, G;

    std::size_t size() const noexcept { return x.size(); }
    Input row(std::size_t k) const noexcept { return matrix.subspan(k * size(), size()); }

    // out <- out + factor M_k
    void add_row(std::size_t k, double factor, InOut out) const noexcept {
        dense_add(factor, row(k).data(), out.data(), std::int64_t(out.size()));
    }

    // out <- M d. Cost: m for every place that moves.
    void image(Input d, InOut out) const noexcept {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t k = 0; k < d.size(); ++k)
            if (d[k] != 0)
                add_row(k, d[k], out);
    }

    // Whether a place is inside its bounds and not at the kink of its l1 part.
    bool is_free(std::size_t k) const noexcept {
        return x[k] > form.lower[k] && x[k] < form.upper[k] && (x[k] != 0 || form.l1[k] == 0);
    }
};

// x_k <- argmin_t  G_k t + M_kk/2 (t - x_k)^2 + g_k(t),  G <- G + delta M_k,  for all k in turn.
// Returns the largest violation, each taken just before its step. Cost: m, and m more for every place that moves.
inline double gram_pass(const GramModel& model) noexcept {
    double largest = 0;
    for (std::size_t k = 0; k < model.size(); ++k) {
        const std::int64_t place = std::int64_t(k);
        const double fall = steepest_fall(model.form, place, model.G[k], model.x[k]);
        if (fall <= 0)
            continue;
        largest = std::max(largest, fall);
        const double moved = model_minimiser(model.form, place, model.G[k], model.row(k)[k], model.x[k]);
        const double delta = moved - model.x[k];
        if (delta == 0)
            continue;
        model.x[k] = moved;
        model.add_row(k, delta, model.G);
    }
    return largest;
}

// Vectors of m values for a step on a face; those of the step are 0 outside of it.
struct FaceVectors {
    InOut slope, step, image, ahead, product;

    explicit FaceVectors(InOut work) noexcept {
        const std::size_t m = work.size() / 5;
        slope = work.subspan(0, m), step = work.subspan(m, m), image = work.subspan(2 * m, m);
        ahead = work.subspan(3 * m, m), product = work.subspan(4 * m, m);
    }
};

// slope <- the derivative of Q on the face of the free places, where the signs are kept; returns its largest size.
inline double gram_slope(const GramModel& model, InOut slope) noexcept {
    double largest = 0;
    for (std::size_t k = 0; k < slope.size(); ++k) {
        const double x = model.x[k];
        slope[k] = model.is_free(k) ? model.G[k] + model.form.l1[k] * sign(x) + model.form.l2[k] * x : 0.0;
        largest = std::max(largest, std::abs(slope[k]));
    }
    return largest;
}

// Conjugate gradients for  (M_FF + diag(l2)) step = -slope, preconditioned by the diagonal; image <- M step.
// Ends after the iterations, or when no component of what is left of the slope is larger than the tolerance.
// Source: Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
// Cost of an iteration: m for every place of the face.
inline void gram_newton_step(const GramModel& model, int iterations, double tolerance,
                             const FaceVectors& at) noexcept {
    const std::size_t m = model.size();
    std::fill(at.step.begin(), at.step.end(), 0.0);
    std::fill(at.image.begin(), at.image.end(), 0.0);
    std::fill(at.ahead.begin(), at.ahead.end(), 0.0);
    double old = infinity;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        double inner = 0, residual = 0, bend = 0;
        for (std::size_t k = 0; k < m; ++k) {
            const double own = model.row(k)[k] + model.form.l2[k];
            at.product[k] = at.slope[k] / (own > 0 ? own : 1);
            inner += at.product[k] * at.slope[k];
            residual = std::max(residual, std::abs(at.slope[k]));
        }
        if (residual <= tolerance)
            return;
        for (std::size_t k = 0; k < m; ++k)
            at.ahead[k] = inner / old * at.ahead[k] - at.product[k];
        old = inner;
        model.image(at.ahead, at.product);
        for (std::size_t k = 0; k < m; ++k)
            bend += at.ahead[k] * (at.product[k] + model.form.l2[k] * at.ahead[k]);
        if (!(bend > 0))
            return;
        const double length = inner / bend;
        for (std::size_t k = 0; k < m; ++k) {
            at.step[k] += length * at.ahead[k];
            at.image[k] += length * at.product[k];
            if (model.is_free(k))
                at.slope[k] += length * (at.product[k] + model.form.l2[k] * at.ahead[k]);
        }
    }
}

// Where a place ends that moves by a step: within its bounds, and no further than the kink of its l1 part. The margin
// brings a place that was to end there to it whatever the rounding.
inline double projected(const CoordinateForm& form, std::size_t k, double x, double step) noexcept {
    constexpr double margin = 1e-12;
    const double end = clip(x + step, form.lower[k], form.upper[k]);
    return form.l1[k] > 0 && end * sign(x) <= margin * std::abs(x) ? 0.0 : end;
}

// The length at which the first place meets its kink or a bound; infinity where none does.
inline double first_end(const GramModel& model, Input step) noexcept {
    double length = infinity;
    for (std::size_t k = 0; k < step.size(); ++k) {
        if (step[k] == 0)
            continue;
        const double x = model.x[k];
        double end = step[k] > 0 ? model.form.upper[k] : model.form.lower[k];
        if (model.form.l1[k] > 0 && x * step[k] < 0 && x * end < 0)
            end = 0;
        length = std::min(length, (end - x) / step[k]);
    }
    return length;
}

// One try of move_on_face: goes there if Q falls.
inline bool gram_try(const GramModel& model, double length, const FaceVectors& at) noexcept {
    const std::size_t m = model.size();
    const InOut delta = at.ahead;
    bool whole = true;
    for (std::size_t k = 0; k < m; ++k) {
        const double move = length * at.step[k];
        const double end = move == 0 ? model.x[k] : projected(model.form, k, model.x[k], move);
        delta[k] = end - model.x[k];
        whole = whole && end == model.x[k] + move;
    }
    if (whole)
        for (std::size_t k = 0; k < m; ++k)
            at.product[k] = length * at.image[k];
    else
        model.image(delta, at.product);
    double change = 0;
    for (std::size_t k = 0; k < m; ++k) {
        const double x = model.x[k], end = x + delta[k];
        change += delta[k] * (model.G[k] + 0.5 * at.product[k] + 0.5 * model.form.l2[k] * (x + end)) +
                  model.form.l1[k] * (std::abs(end) - std::abs(x));
    }
    if (!(change < 0))
        return false;
    for (std::size_t k = 0; k < m; ++k) {
        if (delta[k] != 0)
            model.x[k] = projected(model.form, k, model.x[k], length * at.step[k]);
        model.G[k] += at.product[k];
    }
    return true;
}

// A Newton step on the face of the free places: the longest of some projected steps that lowers Q; the last one
// tried ends where the first place meets its kink or a bound. Otherwise nothing moves.
inline void gram_move_on_face(const GramModel& model, int iterations, double tolerance,
                              const FaceVectors& at) noexcept {
    constexpr double share = 0.01, shorter = 0.3;
    constexpr int trials = 4;
    const double largest = gram_slope(model, at.slope);
    if (largest <= 0.5 * tolerance)
        return;
    gram_newton_step(model, iterations, std::max(0.5 * tolerance, share * largest), at);
    double length = 1;
    for (int trial = 0; trial < trials; ++trial, length *= shorter)
        if (gram_try(model, length, at))
            return;
    gram_try(model, std::min(first_end(model, at.step), length), at);
}

// Passes of coordinate descent, and after every `block` of them a Newton step on the face, until a pass finds no
// violation larger than the tolerance. At most `passes` passes. work has 5 m values. Returns the violation.
inline double minimise_gram(const GramModel& model, int block, int passes, int iterations, double tolerance,
                            InOut work) noexcept {
    const FaceVectors at(work);
    double violation = infinity;
    for (int pass = 0; pass < passes; ++pass) {
        violation = gram_pass(model);
        if (violation <= tolerance)
            break;
        if ((pass + 1) % block == 0)
            gram_move_on_face(model, iterations, tolerance, at);
    }
    return violation;
}

} // namespace fenchel
