// Sums and maxima over many values, by blocks that pass through a buffer: the loop that makes the values has no sum
// in it, and becomes vector code, and the rounding of a long sum does not grow with its length.
#pragma once

#include <algorithm>
#include <cstddef>

namespace fenchel {

inline constexpr std::size_t block_size = 256;

// The values of a block, with several running sums or maxima: a single one would wait for every step.
inline double sum_of(const double* values, std::size_t count) noexcept {
    constexpr std::size_t lanes = 8;
    double sum[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            sum[lane] += values[i + lane];
    for (; i < count; ++i)
        sum[0] += values[i];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// At least `least`; a NaN does not count.
inline double largest_of(const double* values, std::size_t count, double least) noexcept {
    constexpr std::size_t lanes = 8;
    double largest[lanes];
    std::fill(largest, largest + lanes, least);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane)
            largest[lane] = largest[lane] < values[i + lane] ? values[i + lane] : largest[lane];
    for (; i < count; ++i)
        largest[0] = largest[0] < values[i] ? values[i] : largest[0];
    return *std::max_element(largest, largest + lanes);
}

// Calls f(first, size) for the blocks of [0, count).
template <class F>
void for_each_block(std::size_t count, F&& f) noexcept {
    for (std::size_t first = 0; first < count; first += block_size)
        f(first, std::min(block_size, count - first));
}

// sum_i term(i)
template <class Term>
double block_sum(std::size_t count, const Term& term) noexcept {
    double value[block_size], total = 0;
    for_each_block(count, [&](std::size_t first, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            value[i] = term(first + i);
        total += sum_of(value, size);
    });
    return total;
}

} // namespace fenchel
