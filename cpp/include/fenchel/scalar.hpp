// Scalar functions shared by the losses and the kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace fenchel {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

// A dual value this far outside its domain is rounding, and is clipped (DOMAIN_SLACK in Python).
inline constexpr double domain_slack = 1e-13;

inline bool outside(double y, double lower, double upper) noexcept {
    return !(y >= lower - domain_slack && y <= upper + domain_slack);
}

// min(max(x, lower), upper), without branches; a NaN passes through.
inline double clip(double x, double lower, double upper) noexcept {
    const double raised = lower > x ? lower : x;
    return upper < raised ? upper : raised;
}

// sign(x) max(|x| - threshold, 0)
inline double soft_threshold(double x, double threshold) noexcept {
    return x - clip(x, -threshold, threshold);
}

inline double sign(double x) noexcept {
    return double(x > 0) - double(x < 0);
}

// 1 / (1 + exp(-x)) with full relative accuracy in both tails.
inline double sigmoid(double x) noexcept {
    const double e = std::exp(-std::abs(x));
    return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

struct Interval {
    double lower, upper;

    double distance(double x) const noexcept { return std::max(0.0, std::max(lower - x, x - upper)); }
};

// The scores whose margin b z, for a label b of -1 or +1, lies between the two ends.
inline Interval scores_of_margins(double b, double lower, double upper) noexcept {
    return b > 0 ? Interval{lower, upper} : Interval{-upper, -lower};
}

// x log(x), continued by 0 at 0.
inline double x_log_x(double x) noexcept {
    return x > 0 ? x * std::log(x) : 0.0;
}

} // namespace fenchel
