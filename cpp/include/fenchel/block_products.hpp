// Products of a data matrix with several vectors at once.
//
// The vectors are the columns of C, whose rows are given as lines: sparse ones cost only their stored
// entries. Every product adds its terms in the order of the lines and of the entries in a line, so a
// column of the result does not depend on the columns beside it.
#pragma once

#include <cstdint>
#include <span>

#include "fenchel/lines.hpp"

namespace fenchel {

// out_l <- sum_i a_li C_i for every line l: the product A C when the lines are the rows of A.
// out has lines.n_lines rows of `width` entries, all 0 at first. Cost: the entries of all lines, each
// times the entries of one row of C.
template <class Lines, class Coefficients>
std::int64_t products_along(const Lines& lines, const Coefficients& coefficients,
                            std::span<double> out) noexcept {
    const std::int64_t width = coefficients.length;
    std::int64_t entries_read = 0;
    for (std::int64_t l = 0; l < lines.n_lines; ++l) {
        double* const row = out.data() + l * width;
        lines.for_each(l, [&](std::int64_t i, double a) {
            coefficients.for_each(i, [&](std::int64_t k, double c) { row[k] += a * c; });
        });
        entries_read += lines.entries(l);
    }
    return entries_read;
}

// out_i <- sum_l a_li C_l for every position i: the product A' C when the lines are the rows of A.
// out has lines.length rows of `width` entries, all 0 at first. Lines whose row of C is empty are not
// read. Cost: the entries of the other lines, each times the entries of its row of C.
template <class Lines, class Coefficients>
std::int64_t products_across(const Lines& lines, const Coefficients& coefficients,
                             std::span<double> out) noexcept {
    const std::int64_t width = coefficients.length;
    std::int64_t entries_read = 0;
    for (std::int64_t l = 0; l < lines.n_lines; ++l) {
        if (coefficients.entries(l) == 0)
            continue;
        lines.for_each(l, [&](std::int64_t i, double a) {
            double* const row = out.data() + i * width;
            coefficients.for_each(l, [&](std::int64_t k, double c) { row[k] += a * c; });
        });
        entries_read += lines.entries(l);
    }
    return entries_read;
}

} // namespace fenchel
