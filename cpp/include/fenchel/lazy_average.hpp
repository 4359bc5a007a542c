// The weighted average of the points of a method that moves a few coordinates at a time.
#pragma once

#include <cstdint>
#include <span>

namespace fenchel {

// total_k = sum over the past of weight times value; since_k, the weight of the past that it holds. The value
// since then is the present one, so that a coordinate is charged only when it moves.
struct LazyAverage {
    std::span<double> total, since;

    // To be called before value_k changes; clock is the weight of all points so far.
    void charge(std::int64_t k, double value, double clock) const noexcept {
        total[k] += value * (clock - since[k]);
        since[k] = clock;
    }
};

} // namespace fenchel
