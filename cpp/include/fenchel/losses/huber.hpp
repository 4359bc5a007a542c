// phi(z) = r^2/2 if |r| <= k, k |r| - k^2/2 else, with r = z - b and k = threshold.
// phi*(y) = b y + y^2/2,  |y| <= k.
#pragma once

#include "fenchel/scalar.hpp"

namespace fenchel {

struct Huber {
    double threshold;

    double value(double z, double b) const noexcept {
        const double r = std::abs(z - b);
        return r <= threshold ? r * r / 2 : threshold * (r - threshold / 2);
    }
    double gradient(double z, double b) const noexcept { return clip(z - b, -threshold, threshold); }
    double curvature(double z, double b) const noexcept { return std::abs(z - b) < threshold; }
    double damping_curvature(double z, double b) const noexcept {
        return threshold / std::max(threshold, std::abs(z - b));
    }
    double conjugate(double y, double b) const noexcept {
        if (outside(y, -threshold, threshold))
            return infinity;
        const double t = clip(y, -threshold, threshold);
        return t * (b + t / 2);
    }
    double prox_conjugate(double v, double b, double c) const noexcept {
        return clip((v - c * b) / (1 + c), -threshold, threshold);
    }
    Interval conjugate_slopes(double y, double b) const noexcept {
        return {y > -threshold ? b + y : -infinity, y < threshold ? b + y : infinity};
    }
};

} // namespace fenchel
