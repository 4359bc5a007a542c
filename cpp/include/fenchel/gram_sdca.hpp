// Dual ascent under g = l2/2 |w|^2 by the matrix of the rows, where they are few beside the columns.
//
// With K = A A' and the scores z = A w of the best response w = -A'(s u) / (n l2), a move of u_i by delta takes
//     z <- z - s_i delta / (n l2) K_i,
// n values in place of two readings of row i, and the gap of u and w is known from n values as well.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "fenchel/coordinate.hpp"

namespace fenchel {

// The matrix as the rows of a design whose coefficients are the scores themselves: the score of row i is entry i.
struct GramRows {
    DenseLines<double> matrix;

    std::int64_t entries(std::int64_t) const noexcept { return matrix.length; }
    void prefetch(std::int64_t) const noexcept {}
    double fresh_dot(std::int64_t i, const double* z) const noexcept { return z[i]; }
    void add(std::int64_t i, double factor, double* z) const noexcept { matrix.add(i, factor, z); }
};

// The gap of u and its best response, which has the scores z, over the larger of |P| and |D|:
//     P = (1/n) sum_i s_i (phi_i(z_i) - u_i z_i / 2),   gap = (1/n) sum_i s_i (phi_i(z_i) + phi_i*(u_i) - u_i z_i).
template <class Loss>
double gram_gap(const Loss& loss, Input b, Input sample_weight, Input u, Input z) noexcept {
    double gap = 0, primal = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        if (sample_weight[i] == 0)
            continue;
        const double value = loss.value(z[i], b[i]), product = u[i] * z[i];
        gap += sample_weight[i] * (value + loss.conjugate(u[i], b[i]) - product);
        primal += sample_weight[i] * (value - 0.5 * product);
    }
    const double scale = std::max(std::abs(primal), std::abs(primal - gap));
    return gap <= 0 ? 0 : gap / scale;
}

struct GramReport {
    std::int64_t entries_read; // of the matrix
    bool closed;               // the gap is as small as was asked for
};

// Rounds, each a pass over all rows and up to `repeats` more over those that move, until the relative gap is at most
// `precision` and at most `share` of the first one, `most` entries are read, or the draws are used: n for a round.
// order and work have n values.
template <class Loss>
GramReport gram_sdca(const GramRows& rows, const Loss& loss, Input b, Input sample_weight, Input step, double l2,
                     std::int64_t repeats, std::int64_t most, double precision, double share,
                     std::span<const std::uint32_t> draws, InOut z, InOut u, std::span<std::int64_t> order,
                     InOut work) noexcept {
    constexpr double rounding = 1e-15;
    const std::size_t n = z.size();
    std::int64_t read = 0;
    double gap = gram_gap(loss, b, sample_weight, u, z);
    const double enough = std::max(std::min(precision, share * gap), rounding);
    while (gap > enough && read < most && draws.size() >= n) {
        // Fisher and Yates, from the first place on.
        for (std::size_t t = 0; t < n; ++t) {
            const std::size_t k = std::size_t((draws[t] * std::uint64_t(t + 1)) >> 32);
            order[t] = order[k];
            order[k] = std::int64_t(t);
        }
        read += sdca_round(rows, order, loss, b, sample_weight, step, RidgeResponse{l2, z}, repeats, most - read,
                           draws.first(n), u, work)
                    .entries_read;
        gap = gram_gap(loss, b, sample_weight, u, z);
        draws = draws.subspan(n);
    }
    return {read, gap <= enough};
}

} // namespace fenchel
