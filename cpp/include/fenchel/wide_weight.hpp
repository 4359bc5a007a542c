// Weights >= 0 from 2^-1900 on in a double: the weight itself, or, below 2^-500, minus 2^1000 times it.
//
// A class that has all but vanished may come back after thousands of steps, and then it matters where it was.
// A logarithm would hold it too, but only to its own rounding, which is 500 times that of a factor.
#pragma once

#include <algorithm>
#include <cmath>

#include "fenchel/entropic.hpp"

namespace fenchel {

inline constexpr double least_kept = 0x1p-500, largest_low = 0x1p500, least_low = 0x1p-900;

// Beside weights that are kept as they are, the others are nothing.
inline double weight_value(double w) noexcept { return w > 0 ? w : 0; }

// w times a factor within exp(+-300). A zero stays one.
inline double weight_times(double w, double factor) noexcept {
    const double moved = w * factor;
    if (moved >= least_kept || w == 0)
        return moved;
    if (w > 0) // in the order that neither overflows nor underflows
        return w < 1 ? -(w * 0x1p1000) * factor : -moved * 0x1p1000;
    return moved < -largest_low ? moved * -0x1p-1000 : std::min(moved, -least_low);
}

// w exp(exponent) for an exponent <= 0 of any size; what is below the range stays at its end. Short decays of one
// length come by the million, and the rounding of one factor would add up: their own rounding is that of the sum.
inline double weight_decayed(double w, double exponent) noexcept {
    if (exponent > -0.5)
        if (const double moved = w + w * std::expm1(exponent); moved >= least_kept)
            return moved;
    exponent = std::max(exponent, -8 * longest);
    for (; exponent < -longest; exponent += longest)
        w = weight_times(w, std::exp(-longest));
    return weight_times(w, std::exp(exponent));
}

} // namespace fenchel
