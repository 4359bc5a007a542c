// The conjugate of a separable regularizer, and what a certificate asks of it. Each reads d values once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/at_level.hpp"
#include "fenchel/blocks.hpp"
#include "fenchel/coordinate.hpp"

namespace fenchel {

// sup_x v x - g_k(x); infinite where it is not attained. Without curvature the best x is an end of the interval,
// or the point nearest zero. Without branches, so that loops over it become vector code.
inline double conjugate_term(const CoordinateForm& form, std::size_t k, double v) noexcept {
    const double l1 = form.l1[k], l2 = form.l2[k], lower = form.lower[k], upper = form.upper[k];
    const double curved = clip(soft_threshold(v, l1) / l2, lower, upper), nearest = clip(0, lower, upper);
    const double straight = v < -l1 ? lower : v > l1 ? upper : nearest;
    const double x = l2 > 0 ? curved : straight;
    // Factored: v x and l1 |x| nearly cancel when |v| is just above l1.
    const double value = x * ((v - l1 * sign(x)) - 0.5 * l2 * x);
    return std::abs(x) < infinity ? value : infinity;
}

// sum_k g_k*(factor v_k).
inline double form_conjugate(const CoordinateForm& form, Input v, double factor = 1) noexcept {
    return at_level([&] {
        return block_sum(v.size(), [&](std::size_t k) { return conjugate_term(form, k, factor * v[k]); });
    });
}

// The largest s in [0, 1] with lower <= s factor v <= upper, but for rounding; lower <= 0 <= upper.
inline double largest_scale(Input lower, Input upper, Input v, double factor = 1) noexcept {
    double scale = 1;
    for (std::size_t k = 0; k < v.size(); ++k) {
        const double x = factor * v[k];
        if (x > upper[k])
            scale = std::min(scale, upper[k] / x);
        else if (x < lower[k])
            scale = std::min(scale, lower[k] / x);
    }
    return scale;
}

// For J either the coordinates with an l1 part or those whose conjugate is infinite: the largest
// (|factor v_k| / l1_k - 1)_+ on J, and the sum of the conjugates outside of it.
struct Excess {
    double largest[2], outside[2];
};

inline Excess form_excess(const CoordinateForm& form, Input v, double factor = 1) noexcept {
    return at_level([&] {
        Excess excess{};
        double share[2][block_size], rest[2][block_size];
        for_each_block(v.size(), [&](std::size_t first, std::size_t size) {
            for (std::size_t i = 0; i < size; ++i) {
                const double x = factor * v[first + i], l1 = form.l1[first + i];
                const double term = conjugate_term(form, first + i, x), beyond = std::max(std::abs(x) - l1, 0.0);
                const double largest = l1 > 0 ? beyond / l1 : infinity;
                share[0][i] = l1 > 0 ? largest : 0.0;
                rest[0][i] = l1 > 0 ? 0.0 : term;
                share[1][i] = term == infinity ? largest : 0.0;
                rest[1][i] = term == infinity ? 0.0 : term;
            }
            for (const int group : {0, 1}) {
                excess.largest[group] = largest_of(share[group], size, excess.largest[group]);
                excess.outside[group] += sum_of(rest[group], size);
            }
        });
        return excess;
    });
}

} // namespace fenchel
