// Products of a data matrix with several vectors at once.
//
// The vectors are the columns of C, stored by rows. Every product adds its terms in the order of the lines
// and of the entries in a line, so a column of the result does not depend on the columns beside it.
#pragma once

#include <cstdint>
#include <span>

#include "fenchel/lines.hpp"

namespace fenchel {

// out_l <- sum_i a_li C_i for every line l: the product A C when the lines are the rows of A.
// C and out have `width` columns, out is 0 at first. Cost: the entries of all lines times the width.
template <class Lines>
std::int64_t products_along(const Lines& lines, std::span<const double> C, std::int64_t width,
                            std::span<double> out) noexcept {
    const auto soon = [&](std::int64_t i) { prefetch_values(C.data() + i * width, width); };
    std::int64_t entries_read = 0;
    for (std::int64_t l = 0; l < lines.n_lines; ++l) {
        double* __restrict const row = out.data() + l * width;
        lines.for_each_ahead(l, soon, [&](std::int64_t i, double a) {
            const double* __restrict const c = C.data() + i * width;
            for (std::int64_t k = 0; k < width; ++k)
                row[k] += a * c[k];
        });
        entries_read += lines.entries(l);
    }
    return entries_read;
}

// out_i <- sum_l a_li C_l for every position i: the product A' C when the lines are the rows of A.
// C and out have `width` columns, out is 0 at first; values and places have room for a row of them. Lines
// whose row of C is zero are not read. Cost: the entries of the others, each times the non-zeros of its row.
template <class Lines>
std::int64_t products_across(const Lines& lines, std::span<const double> C, std::int64_t width,
                             std::span<double> out, double* values, std::int32_t* places) noexcept {
    const auto soon = [&](std::int64_t i) { prefetch_values(out.data() + i * width, width); };
    std::int64_t entries_read = 0;
    for (std::int64_t l = 0; l < lines.n_lines; ++l) {
        const double* __restrict const whole = C.data() + l * width;
        std::int64_t count = 0;
        for (std::int64_t k = 0; k < width; ++k) {
            values[count] = whole[k];
            places[count] = std::int32_t(k);
            count += whole[k] != 0;
        }
        if (count == 0)
            continue;
        const double* __restrict const c = values;
        lines.for_each_ahead(l, soon, [&](std::int64_t i, double a) {
            double* __restrict const row = out.data() + i * width;
            if (count == width)
                for (std::int64_t k = 0; k < width; ++k)
                    row[k] += a * c[k];
            else
                for (std::int64_t m = 0; m < count; ++m)
                    row[places[m]] += a * c[m];
        });
        entries_read += lines.entries(l);
    }
    return entries_read;
}

} // namespace fenchel
