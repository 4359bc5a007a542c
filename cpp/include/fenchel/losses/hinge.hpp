// phi(z) = max(0, 1 - b z),  phi*(y) = b y,  s = -b y in [0, 1].
#pragma once

#include "fenchel/scalar.hpp"

namespace fenchel {

struct Hinge {
    double value(double z, double b) const noexcept { return std::max(0.0, 1 - b * z); }
    double gradient(double z, double b) const noexcept { return b * z < 1 ? -b : 0.0; }
    double conjugate(double y, double b) const noexcept {
        return outside(-b * y, 0, 1) ? infinity : -clip(-b * y, 0, 1);
    }
    double prox_conjugate(double v, double b, double c) const noexcept { return -b * clip(c - b * v, 0, 1); }
    Interval conjugate_slopes(double y, double b) const noexcept {
        const double s = -b * y;
        return scores_of_margins(b, s < 1 ? 1 : -infinity, s > 0 ? 1 : infinity);
    }
};

} // namespace fenchel
