// phi(z) = (z - b)^2/2,  phi*(y) = b y + y^2/2.
#pragma once

namespace fenchel {

struct Squared {
    double value(double z, double b) const noexcept { return (z - b) * (z - b) / 2; }
    double gradient(double z, double b) const noexcept { return z - b; }
    double curvature(double, double) const noexcept { return 1; }
    double damping_curvature(double, double) const noexcept { return 1; }
    double conjugate(double y, double b) const noexcept { return y * (b + y / 2); }
    double prox_conjugate(double v, double b, double c) const noexcept { return (v - c * b) / (1 + c); }
    Interval conjugate_slopes(double y, double b) const noexcept { return {b + y, b + y}; }
};

} // namespace fenchel
