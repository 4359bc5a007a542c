// The conjugate of a separable regularizer, and what a certificate asks of it. Each reads d values once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/coordinate.hpp"

namespace fenchel {

// sup_x v x - g_k(x); infinite where it is not attained. Without curvature the best x is an end of the interval,
// or the point nearest zero.
inline double conjugate_term(const CoordinateForm& form, std::int64_t k, double v) noexcept {
    const double l1 = form.l1[k], l2 = form.l2[k], lower = form.lower[k], upper = form.upper[k];
    double x = clip(0, lower, upper);
    if (l2 > 0)
        x = clip(soft_threshold(v, l1) / l2, lower, upper);
    else if (v < -l1)
        x = lower;
    else if (v > l1)
        x = upper;
    if (!std::isfinite(x))
        return infinity;
    // Factored: v x and l1 |x| nearly cancel when |v| is just above l1.
    return x * ((v - l1 * sign(x)) - 0.5 * l2 * x);
}

// sum_k g_k*(factor v_k), by blocks so that the rounding of a long sum does not grow with its length.
inline double form_conjugate(const CoordinateForm& form, Input v, double factor = 1) noexcept {
    constexpr std::size_t block = 256;
    double total = 0;
    for (std::size_t first = 0; first < v.size(); first += block) {
        double sum = 0;
        for (std::size_t k = first; k < std::min(v.size(), first + block); ++k)
            sum += conjugate_term(form, std::int64_t(k), factor * v[k]);
        total += sum;
    }
    return total;
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
    constexpr std::size_t block = 256;
    Excess excess{};
    for (std::size_t first = 0; first < v.size(); first += block) {
        double sum[2] = {};
        for (std::size_t k = first; k < std::min(v.size(), first + block); ++k) {
            const double x = factor * v[k], l1 = form.l1[k], term = conjugate_term(form, std::int64_t(k), x);
            const double beyond = std::max(std::abs(x) - l1, 0.0);
            const double share = l1 > 0 ? beyond / l1 : infinity;
            for (const int group : {0, 1}) {
                if (group == 0 ? l1 > 0 : term == infinity)
                    excess.largest[group] = std::max(excess.largest[group], share);
                else
                    sum[group] += term;
            }
        }
        excess.outside[0] += sum[0];
        excess.outside[1] += sum[1];
    }
    return excess;
}

} // namespace fenchel
