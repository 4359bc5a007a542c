// Products with the lines of a data matrix. All sums are in double precision; those of along and
// across are in the order of the lines, so that a product is the same to the last bit from either view of the matrix.
//
// A line whose factor is 0 is not read: a sparse vector costs only the lines of its support.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fenchel/at_level.hpp"
#include "fenchel/lines.hpp"

namespace fenchel {

template <bool squared>
double power(double entry) noexcept {
    return squared ? entry * entry : entry;
}

// out_l = sum_i a_li x_i, or sum_i a_li^2 x_i. Cost: all entries.
template <bool squared, class Lines>
void along(const Lines& lines, std::span<const double> x, std::span<double> out) noexcept {
    for (std::int64_t line = 0; line < lines.n_lines; ++line) {
        double sum = 0;
        lines.for_each(line, [&](std::int64_t i, double a) { sum += power<squared>(a) * x[i]; });
        out[line] = sum;
    }
}

// out_i += sum_l x_l a_li, or sum_l x_l a_li^2. Cost: the entries of the lines with x_l != 0.
template <bool squared, class Lines>
void across(const Lines& lines, std::span<const double> x, std::span<double> out) noexcept {
    for (std::int64_t line = 0; line < lines.n_lines; ++line) {
        const double factor = x[line];
        if (factor != 0)
            lines.for_each(line, [&](std::int64_t i, double a) { out[i] += power<squared>(a) * factor; });
    }
}

// out_l = sum_i a_li x_i with several running sums, which is quicker. Cost: all entries.
template <class Lines>
void dots(const Lines& lines, std::span<const double> x, std::span<double> out) noexcept {
    for (std::int64_t line = 0; line < lines.n_lines; ++line)
        out[line] = lines.dot(line, x.data());
}

// out_l = sum_i a_li^2 with several running sums. Cost: all entries, but not their positions.
template <class Lines>
void squares(const Lines& lines, std::span<double> out) noexcept {
    at_level([&] {
        for (std::int64_t line = 0; line < lines.n_lines; ++line)
            out[line] = lines.square(line);
    });
}

// out_k = sum_i a_li x_i for the k-th named line l. Cost: the entries of the named lines.
template <class Lines>
void along_named(const Lines& lines, std::span<const std::int64_t> named, std::span<const double> x,
                 std::span<double> out) noexcept {
    for (std::size_t k = 0; k < named.size(); ++k)
        out[k] = lines.dot(named[k], x.data());
}

// out_i += sum_k x_k a_li over the named lines l. Cost: the entries of the named lines with x_k != 0.
template <class Lines>
void across_named(const Lines& lines, std::span<const std::int64_t> named, std::span<const double> x,
                  std::span<double> out) noexcept {
    for (std::size_t k = 0; k < named.size(); ++k)
        if (x[k] != 0)
            lines.for_each(named[k], [&](std::int64_t i, double a) { out[i] += a * x[k]; });
}

// out_kl = sum_i x_i a_ki a_li over the named lines k and l, symmetric (row-major). Line after line is spread over
// `spread`, one zero for every position, which are zeros again at the end. Of a pair the shorter line is read.
// Cost: the entries of each named line, as many times as there are longer ones, and 3 times more.
template <class Lines>
void gram_named(const Lines& lines, std::span<const std::int64_t> named, std::span<const double> x,
                std::span<double> spread, std::span<double> out) noexcept {
    const std::size_t m = named.size();
    for (std::size_t k = 0; k < m; ++k) {
        lines.for_each(named[k], [&](std::int64_t i, double a) { spread[i] = a * x[i]; });
        const std::int64_t length = lines.entries(named[k]);
        for (std::size_t l = 0; l < m; ++l) {
            const std::int64_t other = lines.entries(named[l]);
            if (other < length || (other == length && l <= k))
                out[k * m + l] = out[l * m + k] = lines.dot(named[l], spread.data());
        }
        lines.for_each(named[k], [&](std::int64_t i, double) { spread[i] = 0; });
    }
}

// out += factor a a' in the lower triangle, for a dense line a.
template <class T>
void add_square(const DenseLines<T>& lines, std::int64_t line, double factor, std::span<double> out) noexcept {
    lines.for_each(line, [&](std::int64_t i, double a) {
        double* const row = out.data() + i * lines.length;
        lines.for_each(line, [&](std::int64_t j, double c) {
            if (j <= i)
                row[j] += factor * a * c;
        });
    });
}

// The same for a sparse line: each pair of its entries once.
template <class T>
void add_square(const SparseLines<T>& lines, std::int64_t line, double factor, std::span<double> out) noexcept {
    const std::int64_t d = lines.length;
    if (lines.is_ones(line)) {
        for (std::int64_t i = 0; i < d; ++i)
            for (std::int64_t j = 0; j <= i; ++j)
                out[i * d + j] += factor;
        return;
    }
    const std::int64_t first = lines.indptr[line], last = lines.indptr[line + 1];
    for (std::int64_t k = first; k < last; ++k) {
        const std::int64_t i = lines.indices[k];
        const double a = factor * double(lines.data[k]);
        // In any order within a line: the larger position names the row.
        for (std::int64_t l = first; l <= k; ++l) {
            const std::int64_t j = lines.indices[l];
            out[std::max(i, j) * d + std::min(i, j)] += a * double(lines.data[l]);
        }
        if (lines.ones == Ones::entry)
            out[(d - 1) * d + i] += a;
    }
    if (lines.ones == Ones::entry)
        out[d * d - 1] += factor;
}

// The upper triangle of an m x m matrix is set to the lower one.
inline void mirror_lower(std::span<double> out, std::int64_t m) noexcept {
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < i; ++j)
            out[j * m + i] = out[i * m + j];
}

// sum_l x_l a_l a_l', in out of zeros (length x length, row-major): the lower triangle, then the other one.
// Cost: half the squared numbers of entries of the lines with x_l != 0.
template <class Lines>
void gram(const Lines& lines, std::span<const double> x, std::span<double> out) noexcept {
    for (std::int64_t line = 0; line < lines.n_lines; ++line)
        if (x[line] != 0)
            add_square(lines, line, x[line], out);
    mirror_lower(out, lines.length);
}

// place_i <- the number of i among the positions, none of which is there twice; -1 where it is none of them.
inline void take_places(std::span<const std::int64_t> positions, std::span<std::int32_t> place) noexcept {
    std::fill(place.begin(), place.end(), -1);
    for (std::size_t p = 0; p < positions.size(); ++p)
        place[positions[p]] = std::int32_t(p);
}

// sum_l x_l a_l a_l' at the given m positions of the lines, none of them twice, in their order; in out of zeros (m x m,
// row-major). place, one for every position, and found and entry, with room for the longest line, are scratch. An entry
// is kept without a branch, as in copy_part.
// Cost: the entries of the lines with x_l != 0, half the squared numbers of those that are kept, and O(length).
template <class T>
void gram_part(const SparseLines<T>& lines, std::span<const std::int64_t> positions, std::span<const double> x,
               std::span<std::int32_t> place, std::span<std::int32_t> found, std::span<double> entry,
               std::span<double> out) noexcept {
    const auto m = std::int64_t(positions.size());
    take_places(positions, place);
    for (std::int64_t line = 0; line < lines.n_lines; ++line) {
        if (x[line] == 0)
            continue;
        std::int64_t kept = 0;
        for (std::int64_t e = lines.indptr[line]; e < lines.indptr[line + 1]; ++e) {
            found[kept] = place[lines.indices[e]];
            entry[kept] = double(lines.data[e]);
            kept += found[kept] >= 0;
        }
        for (std::int64_t k = 0; k < kept; ++k) {
            const double a = x[line] * entry[k];
            // In any order within a line: the larger place names the row.
            for (std::int64_t l = 0; l <= k; ++l)
                out[std::max(found[k], found[l]) * m + std::min(found[k], found[l])] += a * entry[l];
        }
    }
    mirror_lower(out, m);
}

// The entries of the named lines.
template <class Lines>
std::int64_t count_entries(const Lines& lines, std::span<const std::int64_t> named) noexcept {
    std::int64_t total = 0;
    for (const std::int64_t line : named)
        total += lines.entries(line);
    return total;
}

// The named lines at the given positions, none of them twice, which take their numbers in that order. place, one for every
// position, is scratch.
// Fills starts (one more than the lines), and data and indices up to the last of them; both have room for
// all entries of the named lines. Every entry is written, and the next one over it unless it is kept: a
// branch that half of the entries take would be guessed wrong half the time.
// Cost: the entries of the named lines, called for some lines ahead, and O(length).
template <class T>
void copy_part(const SparseLines<T>& lines, std::span<const std::int64_t> named,
               std::span<const std::int64_t> positions, std::span<std::int32_t> place,
               std::span<std::int64_t> starts, std::span<T> data, std::span<std::int32_t> indices) noexcept {
    constexpr std::size_t ahead = 8;
    take_places(positions, place);
    std::int64_t next = 0;
    starts[0] = 0;
    for (std::size_t k = 0; k < named.size(); ++k) {
        if (k + ahead < named.size())
            lines.prefetch(named[k + ahead]);
        for (std::int64_t e = lines.indptr[named[k]]; e < lines.indptr[named[k] + 1]; ++e) {
            const std::int32_t position = place[lines.indices[e]];
            indices[next] = position;
            data[next] = lines.data[e];
            next += position >= 0;
        }
        starts[k + 1] = next;
    }
}

} // namespace fenchel
