// phi(z) = max(0, |z - b| - e) with e = margin,  phi*(y) = b y + e |y|,  |y| <= 1.
#pragma once

#include "fenchel/scalar.hpp"

namespace fenchel {

struct EpsilonInsensitive {
    double margin;

    double value(double z, double b) const noexcept { return std::max(0.0, std::abs(z - b) - margin); }
    double gradient(double z, double b) const noexcept {
        const double r = z - b;
        return std::abs(r) > margin ? sign(r) : 0.0;
    }
    double conjugate(double y, double b) const noexcept {
        if (outside(y, -1, 1))
            return infinity;
        const double t = clip(y, -1, 1);
        return b * t + margin * std::abs(t);
    }
    double prox_conjugate(double v, double b, double c) const noexcept {
        return clip(soft_threshold(v - c * b, c * margin), -1, 1);
    }
    Interval conjugate_slopes(double y, double b) const noexcept {
        const double lower = y > 0 ? b + margin : b - margin;
        const double upper = y < 0 ? b - margin : b + margin;
        return {y > -1 ? lower : -infinity, y < 1 ? upper : infinity};
    }
};

} // namespace fenchel
