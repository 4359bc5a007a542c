// The products of all pairs of rows of dense data, A A', for few rows: a matrix for steps, not for what proves them.
//
// Twice as many float as double products fit an instruction. Rows are divided by their lengths, so that no entry is
// above 1, and rounded; products are summed in float over blocks of 512 columns, and these in double:
//     K_ij = |a_i| |a_j| sum_blocks sum_{k in block} float(a_ik / |a_i|) float(a_jk / |a_j|),
// with an error of some 1e-8 |a_i| |a_j|.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fenchel/at_level.hpp"
#include "fenchel/loops.hpp"

namespace fenchel {

// Entries of a row in a block, and from row to row: lines a multiple of 4 kB apart would share places in the cache.
inline constexpr std::int64_t product_block = 512, product_stride = product_block + 16;

// The values of a block, with rows of zeros that fill the last tiles.
constexpr std::int64_t product_work(std::int64_t n) noexcept {
    return (n + std::max(tile_height, tile_width) - 1) * product_stride;
}

// block <- columns [first, first + size) of the rows over their lengths, and zeros that make up whole lanes; returns
// how many entries a row has then.
template <class T>
std::int64_t scaled_block(const T* A, std::int64_t n, std::int64_t d, const double* length, std::int64_t first,
                          std::int64_t size, float* block) noexcept {
    constexpr std::int64_t lanes = 8;
    const std::int64_t count = (size + lanes - 1) / lanes * lanes;
    at_level([=] {
        for (std::int64_t i = 0; i < n; ++i) {
            const T* const row = A + i * d + first;
            float* const line = block + i * product_stride;
            const double inverse = length[i] > 0 ? 1 / length[i] : 0;
            for (std::int64_t k = 0; k < size; ++k)
                line[k] = float(double(row[k]) * inverse);
            std::fill(line + size, line + count, 0.0f);
        }
    });
    return count;
}

// out <- A A' for n rows of d entries and their lengths; out is zero at first, and so are the product_work(n) values
// of the block. Cost n^2 d / 2.
template <class T>
void row_products(const T* A, std::int64_t n, std::int64_t d, const double* length, float* block, double* out) noexcept {
    float tile[tile_height * tile_width];
    for (std::int64_t first = 0; first < d; first += product_block) {
        const std::int64_t count = scaled_block(A, n, d, length, first, std::min(product_block, d - first), block);
        for (std::int64_t i = 0; i < n; i += tile_height)
            for (std::int64_t j = 0; j < std::min(n, i + tile_height); j += tile_width) {
                tile_products(block + i * product_stride, block + j * product_stride, product_stride, count, tile);
                for (std::int64_t r = 0; r < std::min(tile_height, n - i); ++r)
                    for (std::int64_t c = 0; c < std::min(tile_width, n - j); ++c)
                        out[(i + r) * n + j + c] += double(tile[r * tile_width + c]);
            }
    }
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j <= i; ++j)
            out[i * n + j] = out[j * n + i] = out[i * n + j] * (length[i] * length[j]);
}

} // namespace fenchel
