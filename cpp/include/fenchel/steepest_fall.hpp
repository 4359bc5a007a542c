// How fast an objective falls when one coordinate moves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fenchel/coordinate.hpp"

namespace fenchel {

// The rates at which G x + g_k(x) falls when x moves up and down; negative where it rises, and minus infinity
// where a bound is in the way.
struct Falls {
    double up, down;
};

inline Falls falls(const CoordinateForm& form, std::int64_t k, double G, double x) noexcept {
    const double slope = G + form.l2[k] * x, l1 = form.l1[k];
    return {x < form.upper[k] ? -slope - (x >= 0 ? l1 : -l1) : -infinity,
            x > form.lower[k] ? slope - (x <= 0 ? l1 : -l1) : -infinity};
}

inline double steepest_fall(const CoordinateForm& form, std::int64_t k, double G, double x) noexcept {
    const auto [up, down] = falls(form, k, G, x);
    return std::max(up, down);
}

} // namespace fenchel
