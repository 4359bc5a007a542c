// A step along a direction that lowers the objective, by Armijo's rule.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "fenchel/coordinate.hpp"
#include "fenchel/row_model.hpp"

namespace fenchel {

// A move of some coordinates, what it does to the scores z, and the slope of the mean loss along it.
struct Direction {
    CoordinateForm form; // of these coordinates
    Input w, dw, z, dz;
    double slope;
};

// g(w + step dw) - g(w), each part as it is small.
inline double penalty_change(const Direction& direction, double step) noexcept {
    double l1 = 0, l2 = 0;
    for (std::size_t k = 0; k < direction.w.size(); ++k) {
        const double old = direction.w[k], move = step * direction.dw[k], now = old + move;
        l1 += direction.form.l1[k] * (std::abs(now) - std::abs(old));
        l2 += direction.form.l2[k] * (move * (now + old));
    }
    return l1 + 0.5 * l2;
}

// g(w), within the bounds.
inline double penalty_value(const Direction& direction) noexcept {
    double sum = 0;
    for (std::size_t k = 0; k < direction.w.size(); ++k) {
        const double size = std::abs(direction.w[k]);
        sum += size * (direction.form.l1[k] + 0.5 * direction.form.l2[k] * size);
    }
    return sum;
}

struct Step {
    double length;  // 0 where none was found
    double fall;    // of P
    double penalty; // g(w + dw) - g(w)
};

// The first of 1, 1/2, 1/4, ... with
//     P(w + t d) <= P(w) + 1e-4 t D,    D = <grad f(w), d> + g(w + d) - g(w) <= 0.
// A step that the rounding of P drowns is taken when P does not rise by more than that. `value` is the mean loss
// at z; the coordinates that do not move are zero, or count little in P. Source: Armijo, "Minimization of functions having Lipschitz continuous first partial
// derivatives", 1966, in the form of Tseng and Yun for a sum with a simple part, 2009. Cost O(n) a trial.
inline Step line_search(const AnyLoss& loss, Input b, Input sample_weight, const Direction& direction,
                        double value) noexcept {
    constexpr double share = 1e-4;
    constexpr int halvings = 30;
    const double penalty = penalty_change(direction, 1), expected = direction.slope + penalty;
    const double rounding =
        16 * std::numeric_limits<double>::epsilon() * std::abs(value + penalty_value(direction));
    if (!(expected < 0))
        return {0, 0, penalty};
    double length = 1;
    for (int trial = 0; trial < halvings; ++trial, length *= 0.5) {
        const double now = mean_value_along(loss, direction.z, direction.dz, length, b, sample_weight);
        const double change = now - value + penalty_change(direction, length);
        const bool drowned = -length * expected <= rounding;
        if (change <= share * length * expected || (drowned && change <= rounding))
            return {length, std::max(-change, 0.0), penalty};
    }
    return {0, 0, penalty};
}

} // namespace fenchel
