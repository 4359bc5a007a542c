// phi(z) = max(q r, (q - 1) r) with r = b - z and q = level,  phi*(y) = b y,  -q <= y <= 1 - q.
#pragma once

#include "fenchel/scalar.hpp"

namespace fenchel {

struct Quantile {
    double level;

    double value(double z, double b) const noexcept {
        const double r = b - z;
        return std::max(level * r, (level - 1) * r);
    }
    double gradient(double z, double b) const noexcept { return z < b ? -level : (z > b ? 1 - level : 0.0); }
    double conjugate(double y, double b) const noexcept {
        return outside(y, -level, 1 - level) ? infinity : b * clip(y, -level, 1 - level);
    }
    double prox_conjugate(double v, double b, double c) const noexcept {
        return clip(v - c * b, -level, 1 - level);
    }
    Interval conjugate_slopes(double y, double b) const noexcept {
        return {y > -level ? b : -infinity, y < 1 - level ? b : infinity};
    }
};

} // namespace fenchel
