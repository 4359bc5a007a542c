// phi(z) = max(0, 1 - b z)^2,  phi*(y) = b y + y^2/4,  s = -b y >= 0.
#pragma once

#include "fenchel/scalar.hpp"
#include "fenchel/vector_math.hpp"

namespace fenchel {

struct SquaredHinge {
    double value(double z, double b) const noexcept {
        const double r = std::max(0.0, 1 - b * z);
        return r * r;
    }
    double gradient(double z, double b) const noexcept { return -2 * b * std::max(0.0, 1 - b * z); }
    double curvature(double z, double b) const noexcept { return b * z < 1 ? 2 : 0; }
    double damping_curvature(double z, double b) const noexcept {
        return 2 * exp_of_negative(std::clamp(2 * (1 - b * z), least_exponent, 0.0));
    }
    double conjugate(double y, double b) const noexcept {
        if (outside(-b * y, 0, infinity))
            return infinity;
        const double s = std::max(0.0, -b * y);
        return s * (s / 4 - 1);
    }
    double prox_conjugate(double v, double b, double c) const noexcept {
        return -b * std::max(0.0, (c - b * v) / (1 + c / 2));
    }
    Interval conjugate_slopes(double y, double b) const noexcept {
        const double s = -b * y;
        return scores_of_margins(b, 1 - s / 2, s > 0 ? 1 - s / 2 : infinity);
    }
};

} // namespace fenchel
