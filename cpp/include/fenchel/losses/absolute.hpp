// phi(z) = |z - b|,  phi*(y) = b y,  |y| <= 1.
#pragma once

#include "fenchel/scalar.hpp"

namespace fenchel {

struct Absolute {
    double value(double z, double b) const noexcept { return std::abs(z - b); }
    double gradient(double z, double b) const noexcept { return sign(z - b); }
    double conjugate(double y, double b) const noexcept {
        return outside(y, -1, 1) ? infinity : b * clip(y, -1, 1);
    }
    double prox_conjugate(double v, double b, double c) const noexcept { return clip(v - c * b, -1, 1); }
    Interval conjugate_slopes(double y, double b) const noexcept {
        return {y > -1 ? b : -infinity, y < 1 ? b : infinity};
    }
};

} // namespace fenchel
