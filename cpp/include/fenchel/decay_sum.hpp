// sum_{m=0}^{M-1} 1 / (s + w exp(-c m)): what the scale of a row adds up to while only its own class decays.
#pragma once

#include <cmath>

namespace fenchel {

// Euler-Maclaurin for slow decay (relative error 5e-13 for c < 0.05); for faster decay the sum itself, until
// the decaying part has vanished, which takes O(1 / c) terms. s > 0, w >= 0, c >= 0, M >= 0.
inline double decay_sum(double s, double w, double c, double M) noexcept {
    if (M <= 8 || c >= 0.05) {
        double sum = 0, m = 0;
        for (const double ratio = std::exp(-c); m < M && w > 1e-18 * s; ++m) {
            sum += 1 / (s + w);
            w *= ratio;
        }
        return sum + (M - m) / s;
    }
    if (c == 0)
        return M / (s + w);
    const double last = w * std::exp(-c * M);
    // Below, not to overflow; above, s is all that is left unless it is as small.
    const double integral = c * M < 600 ? std::log1p(s * std::expm1(c * M) / (s + w)) / (c * s)
                                        : (M + std::log((s + last) / (s + w)) / c) / s;
    const auto first_derivative = [&](double h, double g) { return c * h * g * g; };
    const auto third_derivative = [&](double h, double g) {
        return c * c * c * h * g * g * (1 - 6 * h * g + 6 * h * h * g * g);
    };
    const double g0 = 1 / (s + w), g1 = 1 / (s + last);
    return integral + (g0 - g1) / 2 + (first_derivative(last, g1) - first_derivative(w, g0)) / 12 -
           (third_derivative(last, g1) - third_derivative(w, g0)) / 720;
}

} // namespace fenchel
