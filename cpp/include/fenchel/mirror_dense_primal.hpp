// The columns of U under stochastic mirror descent on dense data: a step changes one, and scales all.
#pragma once

#include <cstdint>

#include "fenchel/categorical.hpp"
#include "fenchel/entropic_loops.hpp"
#include "fenchel/mirror_clock.hpp"

namespace fenchel {

// Classes in groups of about sqrt(k): a draw reads the sums of the groups and one group, O(sqrt(k)) scattered
// weights in place of k.
struct ClassGroups {
    std::int64_t k, size;

    std::int64_t count() const noexcept { return (k + size - 1) / size; }

    template <class Sum>
    double total(Sum&& sum) const noexcept {
        double total = 0;
        for (std::int64_t g = 0; g < count(); ++g)
            total += sum(g) > 0 ? sum(g) : 0;
        return total;
    }

    template <class Sum, class Weight>
    std::int64_t draw(double u, double total, Sum&& sum, Weight&& weight) const noexcept {
        const Drawn group = scan(0, count(), u * total, sum);
        if (group.index < 0)
            return -1;
        const std::int64_t first = group.index * size, last = first + size < k ? first + size : k;
        return scan(first, last, group.within, weight).index;
    }
};

struct DensePrimal {
    std::int64_t d;
    ClassGroups groups;
    double *weight, *total;           // (k, d): W, and the settled sums of U_{:d} - U_{d:}
    double* since;                    // (k,): A_0, which all features of a class share
    double *plus, *minus;             // (d,): sums of W and of 1 / W over the classes
    double *group_plus, *group_minus; // (groups, d): the same over every group
    PrimalClock clock;

    // Multiply column h of W by exp(exponent x).
    template <class T>
    void move(const T* x, double exponent, std::int64_t h) const noexcept {
        const double now = clock.sum + clock.alpha;
        const std::int64_t at = h * d, group = h / groups.size * d;
        move_primal(d, x, exponent, now - since[h], weight + at, total + at, plus, minus, group_plus + group,
                    group_minus + group);
        since[h] = now;
    }

    // Take the sums of weights afresh.
    void sum_weights() const noexcept {
        for (std::int64_t f = 0; f < d; ++f)
            plus[f] = minus[f] = 0;
        for (std::int64_t l = 0; l < groups.k; ++l) {
            double *of_plus = group_plus + l / groups.size * d, *of_minus = group_minus + l / groups.size * d;
            const double* w = weight + l * d;
            for (std::int64_t f = 0; f < d; ++f) {
                const double inverse = 1 / w[f];
                of_plus[f] = l % groups.size == 0 ? w[f] : of_plus[f] + w[f];
                of_minus[f] = l % groups.size == 0 ? inverse : of_minus[f] + inverse;
                plus[f] += w[f];
                minus[f] += inverse;
            }
        }
    }

    // Settle the averages: O(dk).
    void settle() const noexcept {
        for (std::int64_t l = 0; l < groups.k; ++l) {
            for (std::int64_t e = l * d; e < (l + 1) * d; ++e)
                total[e] += (weight[e] - 1 / weight[e]) * (clock.sum - since[l]);
            since[l] = 0;
        }
        clock.sum = 0;
        clock.base = clock.alpha;
    }

    // The class, by U_i: W or 1 / W of feature i.
    std::int64_t draw_class(std::int64_t f, bool positive, double u) const noexcept {
        const double* sums = positive ? group_plus : group_minus;
        const auto sum = [&](std::int64_t g) { return sums[g * d + f]; };
        return groups.draw(
            u, groups.total(sum), sum, [&](std::int64_t l) { return positive ? weight[l * d + f] : 1 / weight[l * d + f]; });
    }
};

} // namespace fenchel
