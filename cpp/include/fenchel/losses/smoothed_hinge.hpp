// The hinge loss with its kink rounded over a margin of length q = width:
// phi(z) = r - q/2 if r >= q, r^2/(2q) if 0 <= r <= q, 0 else, with r = 1 - b z.
// phi*(y) = b y + q y^2/2,  s = -b y in [0, 1].
#pragma once

#include "fenchel/scalar.hpp"

namespace fenchel {

struct SmoothedHinge {
    double width;

    double value(double z, double b) const noexcept {
        const double r = std::max(0.0, 1 - b * z);
        return r >= width ? r - width / 2 : r * r / (2 * width);
    }
    double gradient(double z, double b) const noexcept { return -b * clip((1 - b * z) / width, 0, 1); }
    double curvature(double z, double b) const noexcept {
        const double r = 1 - b * z;
        return r > 0 && r < width ? 1 / width : 0;
    }
    double damping_curvature(double z, double b) const noexcept {
        return 0.5 / std::max(width / 2, std::abs(1 - b * z - width / 2));
    }
    double conjugate(double y, double b) const noexcept {
        if (outside(-b * y, 0, 1))
            return infinity;
        const double s = clip(-b * y, 0, 1);
        return s * (width * s / 2 - 1);
    }
    double prox_conjugate(double v, double b, double c) const noexcept {
        return -b * clip((c - b * v) / (1 + c * width), 0, 1);
    }
    Interval conjugate_slopes(double y, double b) const noexcept {
        const double s = -b * y, margin = 1 - width * s;
        return scores_of_margins(b, s < 1 ? margin : -infinity, s > 0 ? margin : infinity);
    }
};

} // namespace fenchel
