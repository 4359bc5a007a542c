// What a round of the active-set solver looks at in all rows or all columns, each by one scan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/at_level.hpp"
#include "fenchel/coordinate.hpp"

namespace fenchel {

using Mask = std::span<const bool>;

// active_k <- true for the `count` largest positive scores where neither active_k nor barred_k, the first of
// equal ones; all of them where they are fewer. A NaN is not positive. outside (size of scores) is scratch.
// Cost O(size of scores), expected.
inline void take_best(Input scores, Mask barred, std::int64_t count, std::span<bool> active,
                      std::span<std::int64_t> outside) noexcept {
    std::int64_t found = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) {
        outside[found] = std::int64_t(k);
        found += scores[k] > 0 && !active[k] && !barred[k];
    }
    const auto better = [&](std::int64_t k, std::int64_t l) {
        return scores[k] > scores[l] || (scores[k] == scores[l] && k < l);
    };
    count = std::min(count, found);
    if (count < found)
        std::nth_element(outside.begin(), outside.begin() + count, outside.begin() + found, better);
    for (std::int64_t t = 0; t < count; ++t)
        active[outside[t]] = true;
}

// w_k <- argmin_x v_k x + g_k(x), the best response to a correlation; 0 where zero_k. Every l2_k > 0.
// Returns the sum of counts_k over w_k != 0. Cost O(d).
inline std::int64_t respond(const CoordinateForm& form, Input v, Mask zero, Order counts, InOut w) noexcept {
    const double *const l1 = form.l1.data(), *const l2 = form.l2.data(), *const v_ = v.data();
    const double *const lower = form.lower.data(), *const upper = form.upper.data();
    const bool* const zero_ = zero.data();
    const std::int64_t* const counts_ = counts.data();
    double* const w_ = w.data();
    return at_level([=, size = w.size()] {
        std::int64_t total = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const double best = clip(soft_threshold(-v_[k], l1[k]) / l2[k], lower[k], upper[k]);
            w_[k] = zero_[k] ? 0.0 : best;
            total += w_[k] != 0 ? counts_[k] : 0;
        }
        return total;
    });
}

// sizes_k <- |argmin_x v_k x + g_k(x)| where l1_k is `share` of what it is. Every l2_k > 0. Cost O(d).
inline void response_sizes(const CoordinateForm& form, double share, Input v, InOut sizes) noexcept {
    const double *const l1 = form.l1.data(), *const l2 = form.l2.data(), *const v_ = v.data();
    const double *const lower = form.lower.data(), *const upper = form.upper.data();
    double* const sizes_ = sizes.data();
    at_level([=, size = sizes.size()] {
        for (std::size_t k = 0; k < size; ++k)
            sizes_[k] = std::abs(clip(soft_threshold(-v_[k], share * l1[k]) / l2[k], lower[k], upper[k]));
    });
}

// u_i <- fresh_t for the t-th named row i, none of them twice, and moves_i <- the change of s_i u_i or, where the rows of
// that have more entries, all of it, for which v is set to 0: n v rises by A' moves. Returns the entries of the rows where
// moves_i != 0. Cost O(n), and O(d) for v.
inline std::int64_t take_moves(Order named, Input fresh, Order counts, Input sample_weight, InOut u, InOut v,
                               InOut moves) noexcept {
    std::int64_t changed = 0, used = 0;
    std::fill(moves.begin(), moves.end(), 0.0);
    for (std::size_t t = 0; t < named.size(); ++t) {
        const std::int64_t i = named[t];
        moves[i] = sample_weight[i] * (fresh[t] - u[i]);
        changed += moves[i] != 0 ? counts[i] : 0;
        u[i] = fresh[t];
    }
    for (std::size_t i = 0; i < u.size(); ++i)
        used += sample_weight[i] * u[i] != 0 ? counts[i] : 0;
    if (used > changed)
        return changed;
    std::fill(v.begin(), v.end(), 0.0);
    for (std::size_t i = 0; i < u.size(); ++i)
        moves[i] = sample_weight[i] * u[i];
    return used;
}

// settled_i <- true where u_i = phi_i'(z_i - r_i) = phi_i'(z_i + r_i),
//     r_i = reach spread_i + slack (1 + |z_i|).
// The derivative is monotone: u_i is then phi_i' at every score that is so near. Cost O(n).
inline void settle_rows(const AnyLoss& loss, Input z, Input u, Input b, Input spread, double reach,
                        double slack, std::span<bool> settled) noexcept {
    const double *const z_ = z.data(), *const u_ = u.data(), *const b_ = b.data(), *const spread_ = spread.data();
    bool* const settled_ = settled.data();
    at_level([=, size = z.size(), &loss] {
        loss.visit([=](const auto& phi) {
            for (std::size_t i = 0; i < size; ++i) {
                const double radius = reach * spread_[i] + slack * (1 + std::abs(z_[i]));
                const double low = phi.gradient(z_[i] - radius, b_[i]), high = phi.gradient(z_[i] + radius, b_[i]);
                settled_[i] |= (u_[i] == low) & (low == high);
            }
        });
    });
}

} // namespace fenchel
