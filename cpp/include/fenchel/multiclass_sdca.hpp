// One pass of prox-SDCA for several classes: every row has a block of k dual variables, a point of a
// simplex.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "fenchel/coordinate.hpp"
#include "fenchel/multiclass_rows.hpp"
#include "fenchel/simplex.hpp"

namespace fenchel {

// What a pass works in: five times k values, two rows, and the class numbers that move.
struct BlockScratch {
    double *scores, *point, *work; // k, k and 3 k
    RowEntries now, next;
    std::int64_t* moved; // k
};

// The classes that a step may move: all of them, or those listed for the row, its own class first.
struct EveryClass {
    static constexpr bool in_order = true;
    std::int64_t k;
    std::span<const std::int64_t> label;

    std::int64_t count(std::int64_t) const noexcept { return k; }
    std::int64_t own(std::int64_t i) const noexcept { return label[i]; }
    auto of(std::int64_t) const noexcept {
        return [](std::int64_t m) { return m; };
    }
    void prefetch_start(std::int64_t i) const noexcept { prefetch_values(label.data() + i, 1); }
    void prefetch_list(std::int64_t) const noexcept {}
    void prefetch_block(std::int64_t, const double* block) const noexcept { prefetch_values(block, k); }
    void prefetch(std::int64_t, const RowEntries& row, const double* t) const noexcept {
        for (std::int64_t e = 0; e < row.count; ++e)
            prefetch_values(t + row.places[e], k);
    }
};

struct ListedClasses {
    static constexpr bool in_order = false;
    std::int64_t k;
    std::span<const std::int64_t> indptr;
    std::span<const std::int32_t> classes;

    std::int64_t count(std::int64_t i) const noexcept { return indptr[i + 1] - indptr[i]; }
    std::int64_t own(std::int64_t) const noexcept { return 0; }
    auto of(std::int64_t i) const noexcept {
        const std::int32_t* const listed = classes.data() + indptr[i];
        return [listed](std::int64_t m) { return std::int64_t(listed[m]); };
    }
    void prefetch_start(std::int64_t i) const noexcept { prefetch_values(indptr.data() + i, 1); }
    void prefetch_list(std::int64_t i) const noexcept { prefetch_values(classes.data() + indptr[i], count(i)); }
    // A few classes lie on fewer cache lines than all of them.
    void prefetch_block(std::int64_t i, const double* block) const noexcept {
        for (std::int64_t m = indptr[i]; m < indptr[i + 1]; ++m)
            prefetch_values(block + classes[m], 1);
    }
    void prefetch(std::int64_t i, const RowEntries& row, const double* t) const noexcept {
        for (std::int64_t m = indptr[i]; m < indptr[i + 1]; ++m)
            for (std::int64_t e = 0; e < row.count; ++e)
                prefetch_values(t + row.places[e] + classes[m], 1);
    }
};

template <class Classes>
void block_scores(const RowEntries& row, const BlockResponse& response, bool linear, const double* t,
                  std::int64_t k, double* scores, const Classes& classes, std::int64_t i) noexcept {
    const std::int64_t count = classes.count(i);
    const auto listed = classes.of(i);
    if (!linear)
        return response_scores(row, response, t, k, scores, count, listed);
    if constexpr (Classes::in_order)
        return linear_scores(row, t, k, scores);
    take_together(count, [&](auto width, std::int64_t first) {
        few_scores<width.value>(row, t, scores, first, listed);
    });
}

// Problem: max_u -(1/n) sum_i s_i phi_i*(u_i) - h*(-v),  v = (1/n) sum_i s_i a_i u_i' of shape (D, k), where
// h(w) = sum_jl g_j(w_jl) + alpha_j/2 (w_jl - anchor_jl)^2 and inverse_j = 1 / (l2_j + alpha_j) is finite.
// alpha = 0 is plain prox-SDCA; alpha > 0 is one step of the proximal point method. All that is kept is
// t = alpha anchor - v, from which w_jl = clip(shrink(t_jl, l1_j) inverse_j, lower_j, upper_j) follows.
// Update, for i in the order:
//     u_i <- prox_{c_i phi_i*}(u_i + c_i q_i),   q_i = w' a_i,   c_i = n / (s_i sum_j a_ij^2 inverse_j)
//     t_j <- t_j - s_i delta a_ij / n     (j in the support of a_i)
// The quadratic model of h* is the same for every class, so the block moves as one. Classes whose dual
// variable did not change are left alone: under the hinge that is most of them. With listed classes the
// step is the same on the face of the simplex where the others are zero, which they must be already.
// What the steps met is left in q_i and in
//     gap_i <- s_i (phi_i(q_i) + phi_i*(u_i) - <u_i, q_i>)     before the step:
// w is the best response, so that the mean of these terms is the duality gap, but for what later steps change.
// Skipped: rows of weight 0, which the dual objective lacks, rows of step 0, and rows that list no two classes.
// Source: Prox-SDCA of Shalev-Shwartz and Zhang, "Accelerated Proximal Stochastic Dual Coordinate Ascent
// for Regularized Loss Minimization", Mathematical Programming 155, 2016, section 5 (option I). Lists of
// active classes: Keerthi, Sundararajan, Chang, Hsieh and Lin, "A sequential dual method for large scale
// multi-class linear SVMs", KDD 2008.
// Cost of a step: the listed classes times the entries of row i for the scores, the moved ones times them
// for the update, and one prox. All matrices are stored by rows.
template <class Block, class Lines, class Classes>
std::int64_t multiclass_sdca_pass(const Lines& rows, Order order, std::int64_t k, const Classes& classes,
                                  Input sample_weight, Input step, const BlockResponse& response, InOut t,
                                  InOut u, InOut q, InOut gap, BlockScratch scratch) noexcept {
    const double n = double(step.size());
    const bool linear = response.linear();
    double *const scores = scratch.scores, *const point = scratch.point;
    const auto size = std::int64_t(order.size());
    // What a step reads lies anywhere. It is called for as it becomes known where: the place of a row and of its
    // list, then their contents, then what these name of the blocks and of t: the lines of the next row come in
    // while this one's block is found, after its scores, which would wait for them.
    const auto fetch = [&](std::int64_t place) {
        if (place + 2 < size) {
            rows.prefetch_start(order[place + 2]);
            classes.prefetch_start(order[place + 2]);
        }
        if (place + 1 < size) {
            rows.prefetch(order[place + 1]);
            classes.prefetch_list(order[place + 1]);
        }
        if (place >= size)
            return;
        const std::int64_t i = order[place];
        for (const Input values : {step, sample_weight, Input(gap)})
            prefetch_values(values.data() + i, 1);
        for (const double* const blocks : {u.data(), q.data()})
            classes.prefetch_block(i, blocks + i * k);
        scratch.next.copy(rows, i, response, k);
    };
    std::int64_t entries_read = 0;
    fetch(0);
    for (std::int64_t place = 0; place < size; ++place) {
        std::swap(scratch.now, scratch.next);
        fetch(place + 1);
        const std::int64_t i = order[place], count = classes.count(i);
        if (sample_weight[i] == 0 || step[i] == 0 || count < 2)
            continue;
        entries_read += rows.entries(i);
        const RowEntries& row = scratch.now;
        const auto listed = classes.of(i);
        block_scores(row, response, linear, t.data(), k, scores, classes, i);
        double* const u_i = u.data() + i * k;
        const std::int64_t y = classes.own(i);
        for (std::int64_t m = 0; m < count; ++m)
            point[m] = u_i[listed(m)];
        double* const q_i = q.data() + i * k;
        for (std::int64_t m = 0; m < count; ++m)
            q_i[listed(m)] = scores[m];
        point[y] += 1;
        gap[i] = sample_weight[i] * Block::step(scores, point, count, y, step[i], scratch.work);
        if (place + 1 < size)
            classes.prefetch(order[place + 1], scratch.next, t.data());
        double others = 0;
        for (std::int64_t m = 0; m < count; ++m)
            others += m == y ? 0 : point[m];
        point[y] = -others;
        // From here on scores holds the changes, one for each class that moved.
        const double scale = sample_weight[i] / n;
        std::int64_t moves = 0;
        for (std::int64_t m = 0; m < count; ++m) {
            const std::int64_t l = listed(m);
            const double delta = point[m] - u_i[l];
            u_i[l] = point[m];
            scratch.moved[moves] = l;
            scores[moves] = scale * delta;
            moves += delta != 0;
        }
        move_lines(row, t.data(), k, scores, scratch.moved, moves, Classes::in_order && moves == k);
    }
    return entries_read;
}

} // namespace fenchel
