// Products of a data matrix with several vectors at once, and Gram matrices.
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

// out <- sum_l weight_l a_l a_l': the Gram matrix A' diag(weight) A when the lines are the rows of A.
// out is (lines.length)^2, all 0 at first. Lines of weight 0 are not read. Cost: for every other line half
// the square of its entries.
template <class T>
void gram(const SparseLines<T>& lines, std::span<const double> weight, std::span<double> out) noexcept {
    const std::int64_t d = lines.length, stored = lines.ones == Ones::entry ? d - 1 : d;
    for (std::int64_t l = 0; l < lines.n_lines; ++l) {
        if (weight[l] == 0)
            continue;
        const std::int64_t first = lines.indptr[l], last = lines.indptr[l + 1];
        for (std::int64_t k = first; k < last; ++k) {
            double* const row = out.data() + std::int64_t(lines.indices[k]) * d;
            const double a = weight[l] * double(lines.data[k]);
            // Each pair once; the order within a line decides on which side of the diagonal.
            for (std::int64_t j = first; j <= k; ++j)
                row[lines.indices[j]] += a * double(lines.data[j]);
            if (stored < d)
                row[stored] += a;
        }
        if (stored < d)
            out[stored * d + stored] += weight[l];
    }
    for (std::int64_t i = 0; i < d; ++i)
        for (std::int64_t j = 0; j < i; ++j)
            out[i * d + j] = out[j * d + i] = out[i * d + j] + out[j * d + i];
}

} // namespace fenchel
