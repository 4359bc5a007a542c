// Dual ascent on the copied sub-matrix of the active rows and columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>

#include "fenchel/coordinate.hpp"

namespace fenchel {

// How w answers to a change of v where g_k(x) = l1_k |x| + l2_k/2 x^2 has no bounds: w_k = -S(v_k, l1_k) / l2_k.
struct ElasticResponse {
    Input l1, inverse_l2;
    InOut v, w;

    template <class Lines>
    void move(const Lines& rows, std::int64_t i, double scale) const noexcept {
        rows.for_each(i, [&](std::int64_t k, double a) {
            v[k] += scale * a;
            w[k] = -soft_threshold(v[k], l1[k]) * inverse_l2[k];
        });
    }
};

// step_i <- n / (s_i sum_k a_ik^2 / l2_k), 0 where that is infinite; n counts rows that are not in S too. Reads S once.
template <class Lines>
void ascent_steps(const Lines& rows, Input sample_weight, Input inverse_l2, double n, InOut step) noexcept {
    for (std::size_t i = 0; i < step.size(); ++i) {
        double square = 0;
        rows.for_each(std::int64_t(i), [&](std::int64_t k, double a) { square += a * a * inverse_l2[k]; });
        step[i] = sample_weight[i] * square > 0 ? n / (sample_weight[i] * square) : 0.0;
    }
}

// Passes of prox-SDCA, whose problem and step sdca_pass (coordinate.hpp) states, here without a proximal term:
// the first over all rows in their order, the others over those that it moved by more than rounding. Most rows at
// rest, at zero or at an end of their interval, rest until the next look. before and order are scratch, one value a row.
// Returns the entries read. Cost: those, and O(rows) once.
template <class Lines, class Loss, class Response>
std::int64_t active_ascent(const Lines& rows, std::int64_t passes, const Loss& loss, Input b, Input sample_weight,
                           Input step, const Response& response, InOut u, InOut before,
                           std::span<std::int64_t> order) noexcept {
    constexpr double resting = 1e-12;
    std::copy(u.begin(), u.end(), before.begin());
    std::iota(order.begin(), order.end(), 0);
    const auto pass = [&](Order visited) {
        return sdca_pass(rows, visited, sample_weight, step, response, u, exact_steps(loss, b, step, u),
                         [](std::int64_t) {});
    };
    std::int64_t entries_read = pass(order);
    std::size_t moved = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        order[moved] = std::int64_t(i);
        moved += std::abs(u[i] - before[i]) > resting * std::abs(u[i]);
    }
    for (std::int64_t more = 1; more < passes; ++more)
        entries_read += pass(order.first(moved));
    return entries_read;
}

// The sum of row_share over the rows of S, whose scores are <S_i, w>; n counts rows that are not in S too. Reads S once.
template <class Lines, class Loss>
double active_gap(const Lines& rows, const Loss& loss, Input b, Input sample_weight, double n, Input w,
                  Input u) noexcept {
    double gap = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
        gap += row_share(loss, rows.fresh_dot(std::int64_t(i), w.data()), u[i], b[i], sample_weight[i], n);
    return gap;
}

} // namespace fenchel
