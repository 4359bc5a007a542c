// One pass of prox-SDCA for several classes: every row has a block of k dual variables, a point of a
// simplex.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/coordinate.hpp"
#include "fenchel/simplex.hpp"

namespace fenchel {

// What a pass works in: k values for a row's scores and for its dual block, and k class numbers.
struct BlockScratch {
    double *scores, *point;
    std::int64_t* classes;
};

// v_jl <- v_jl + a change_l and w_jl <- argmin_x v_jl x + h_j(x), for the listed classes of coordinate j.
// pull_l is alpha_j anchor_jl.
template <class Class, class Pull>
void move_coordinate(std::int64_t count, Class&& listed, Pull&& pull, const double* change, double a,
                     double* v, double* w, double l1, double inverse, double lower, double upper) noexcept {
    for (std::int64_t m = 0; m < count; ++m) {
        const std::int64_t l = listed(m);
        v[l] += a * change[m];
        w[l] = clip(soft_threshold(pull(l) - v[l], l1) * inverse, lower, upper);
    }
}

// Problem: max_u -(1/n) sum_i s_i phi_i*(u_i) - h*(-v),  v = (1/n) sum_i s_i a_i u_i' of shape (D, k), where
// h(w) = sum_jl g_j(w_jl) + alpha_j/2 (w_jl - anchor_jl)^2 and l2_j + alpha_j > 0 for all j. alpha = 0 is
// plain prox-SDCA; alpha > 0 is one step of the proximal point method.
// Update, for i in the order, with w = argmin_x <v, x> + h(x) kept up to date:
//     u_i <- prox_{c_i phi_i*}(u_i + c_i w' a_i),   c_i = n / (s_i sum_j a_ij^2 / (l2_j + alpha_j))
//     v_j <- v_j + s_i delta a_ij / n,   w_j <- argmin_x <v_j, x> + h_j(x)     (j in the support of a_i)
// The quadratic model of h* is the same for every class, so the block moves as one. Classes whose dual
// variable did not change are left alone: under the hinge that is most of them.
// Skipped: rows of weight 0, which the dual objective lacks, and rows of step 0.
// Source: Prox-SDCA of Shalev-Shwartz and Zhang, "Accelerated Proximal Stochastic Dual Coordinate Ascent
// for Regularized Loss Minimization", Mathematical Programming 155, 2016, section 5 (option I).
// Cost of a step: k times the entries of row i for the scores, the moved classes times them for the
// update, and one prox. All matrices are stored by rows.
template <class Block, class Lines>
std::int64_t multiclass_sdca_pass(const Lines& rows, Order order, std::int64_t k,
                                  std::span<const std::int64_t> label, Input sample_weight, Input step,
                                  const CoordinateForm& form, Input alpha, Input anchor, InOut v, InOut w,
                                  InOut u, const BlockScratch& scratch) noexcept {
    const double n = double(step.size());
    double *const scores = scratch.scores, *const point = scratch.point;
    std::int64_t entries_read = 0;
    for (const std::int64_t i : order) {
        if (sample_weight[i] == 0 || step[i] == 0)
            continue;
        entries_read += rows.entries(i);
        std::fill(scores, scores + k, 0.0);
        rows.for_each(i, [&](std::int64_t j, double a) {
            if (a == 0)
                return;
            const double* w_j = w.data() + j * k;
            for (std::int64_t l = 0; l < k; ++l)
                scores[l] += a * w_j[l];
        });
        double* const u_i = u.data() + i * k;
        const std::int64_t y = label[i];
        for (std::int64_t l = 0; l < k; ++l) {
            point[l] = u_i[l] + (l == y);
            scores[l] = point[l] + step[i] * scores[l];
        }
        Block::prox_conjugate(scores, point, k, y, step[i]);
        double others = 0;
        for (std::int64_t l = 0; l < k; ++l)
            others += l == y ? 0 : point[l];
        point[y] = -others;
        // From here on scores holds the changes, one for each class that moved.
        const double scale = sample_weight[i] / n;
        std::int64_t count = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            const double delta = point[l] - u_i[l];
            u_i[l] = point[l];
            scratch.classes[count] = l;
            scores[count] = scale * delta;
            count += delta != 0;
        }
        if (count == 0)
            continue;
        rows.for_each(i, [&](std::int64_t j, double a) {
            if (a == 0)
                return;
            double *const v_j = v.data() + j * k, *const w_j = w.data() + j * k;
            const double* const anchor_j = anchor.data() + j * k;
            const double weight = alpha[j], inverse = 1 / (form.l2[j] + weight);
            const auto none = [](std::int64_t) { return 0.0; };
            const auto pull = [&](std::int64_t l) { return weight * anchor_j[l]; };
            const auto every = [](std::int64_t m) { return m; };
            const auto moved = [&](std::int64_t m) { return scratch.classes[m]; };
            const auto move = [&](auto listed, auto pulled) {
                move_coordinate(count, listed, pulled, scores, a, v_j, w_j, form.l1[j], inverse, form.lower[j],
                                form.upper[j]);
            };
            if (count == k)
                weight == 0 ? move(every, none) : move(every, pull);
            else
                weight == 0 ? move(moved, none) : move(moved, pull);
        });
    }
    return entries_read;
}

} // namespace fenchel
