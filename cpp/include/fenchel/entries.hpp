// Random entries of a data matrix from random words.
//
// An entry (i, j) is drawn in two stages, row i and then j | i; and a second entry of its row, j' | i, and
// of its column, i' | j, from the same probabilities p_ij conditioned. A 32-bit word w chooses one of c
// positions as floor(w c / 2^32): each has its probability up to 2^-32, relatively up to c 2^-32.
//
// Where an entry stands is found before it is read, so that the reads of many draws can be under way at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/lines.hpp"

namespace fenchel {

using Words = std::span<const std::uint32_t>;
using Starts = std::span<const std::int64_t>;

// Asks for the cache line of p before it is needed.
inline void prefetch(const void* p) noexcept {
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

inline std::int64_t position(std::uint32_t word, std::int64_t count) noexcept {
    return std::int64_t((std::uint64_t(word) * std::uint64_t(count)) >> 32);
}

// A position of an alias table: its own label with probability keep / 2^32, or else the other label.
struct AliasCell {
    std::uint32_t keep;
    std::int32_t own, other;

    // The label for the word that chose this one of c positions, without a branch: half of the guesses
    // would be wrong.
    std::int32_t label(std::uint32_t word, std::int64_t count) const noexcept {
        const auto yields = -std::int32_t(word * std::uint32_t(count) >= keep);
        return own ^ (yields & (own ^ other));
    }
};

static_assert(sizeof(AliasCell) == 12);

using AliasCells = std::span<const AliasCell>;

inline std::int32_t draw(AliasCells cells, std::uint32_t word) noexcept {
    const auto count = std::int64_t(cells.size());
    return cells[std::size_t(position(word, count))].label(word, count);
}

// Fills the tables of the lines first[0]..first[1], first[1]..first[2], ... from weights >= 0.
//
// Two hands sweep over a line: the light one over the positions below the mean weight, which need filling,
// the heavy one over the others, which fill them; a heavy position that has given too much is filled in its
// turn. O(length) a line. A line of zeros gets equal probabilities. Source: Walker, "An efficient method for
// generating discrete random variables with general distributions", ACM TOMS 3, 1977; the sweep of
// Huebschle-Schneider and Sanders, "Parallel weighted random sampling", ESA 2019.
inline void fill_alias_tables(std::span<const double> weights, Starts first,
                              std::span<const std::int32_t> labels, AliasCell* cells) noexcept {
    for (std::size_t line = 0; line + 1 < first.size(); ++line) {
        const std::int64_t begin = first[line], count = first[line + 1] - begin;
        double sum = 0;
        for (std::int64_t k = begin; k < begin + count; ++k) {
            sum += weights[k];
            cells[k] = {UINT32_MAX, labels[k], labels[k]};
        }
        const double mean = sum / double(count);
        const auto advance = [&](std::int64_t k, bool light) {
            do
                ++k;
            while (k < count && (weights[begin + k] <= mean) != light);
            return k;
        };
        std::int64_t light = advance(-1, true), heavy = advance(-1, false);
        double left = heavy < count ? weights[begin + heavy] : 0;
        while (heavy < count) {
            const bool gives = left > mean;
            const std::int64_t filled = gives ? light : heavy;
            const std::int64_t giver = gives ? heavy : advance(heavy, false);
            if (filled >= count || giver >= count)
                break; // what is left over is rounding
            const double has = gives ? weights[begin + light] : left;
            cells[begin + filled].keep = std::uint32_t(std::max(0.0, has / mean) * double(UINT32_MAX));
            cells[begin + filled].other = labels[begin + giver];
            left = (gives ? left : weights[begin + giver]) + has - mean;
            (gives ? light : heavy) = gives ? advance(light, true) : giver;
        }
    }
}

struct Entry {
    std::int32_t index;
    double factor; // what it counts in a step: a, up to a constant of its row and of its column, over p
};

// Every element of a dense matrix, zeros too, with the same probability.
template <class T>
struct DenseEntries {
    DenseLines<T> rows;

    std::int64_t stored() const noexcept { return rows.length - (rows.ones == Ones::entry); }
    double value(std::int64_t i, std::int64_t j) const noexcept {
        return j < stored() ? double(rows.data[i * stored() + j]) : 1.0;
    }
    std::int64_t find(std::int64_t i, std::int64_t j) const noexcept {
        if (j < stored())
            prefetch(rows.data + i * stored() + j);
        return 0;
    }

    std::int64_t find_in_row(std::int64_t i, std::uint32_t word) const noexcept {
        return find(i, position(word, rows.length));
    }
    std::int64_t find_in_column(std::int64_t j, std::uint32_t word) const noexcept {
        return find(position(word, rows.n_lines), j);
    }
    Entry of_row(std::int64_t i, std::int64_t, std::uint32_t word) const noexcept {
        const std::int64_t j = position(word, rows.length);
        return {std::int32_t(j), value(i, j)};
    }
    Entry of_column(std::int64_t j, std::int64_t, std::uint32_t word) const noexcept {
        const std::int64_t i = position(word, rows.n_lines);
        return {std::int32_t(i), value(i, j)};
    }
};

// The stored entries of a sparse matrix and the ones of its intercept, all with the same probability.
template <class T>
struct SparseEntries {
    SparseLines<T> rows, columns;

    static std::int64_t find(const SparseLines<T>& lines, std::int64_t line, std::uint32_t word) noexcept {
        const std::int64_t k = position(word, lines.entries(line));
        if (lines.is_ones(line))
            return k;
        const std::int64_t at = lines.indptr[line] + k;
        prefetch(lines.indices + at);
        prefetch(lines.data + at);
        return at;
    }
    static Entry read(const SparseLines<T>& lines, std::int64_t line, std::int64_t at) noexcept {
        if (lines.is_ones(line))
            return {std::int32_t(at), 1.0};
        if (at == lines.indptr[line + 1])
            return {std::int32_t(lines.length - 1), 1.0};
        return {lines.indices[at], double(lines.data[at])};
    }

    std::int64_t find_in_row(std::int64_t i, std::uint32_t word) const noexcept {
        return find(rows, i, word);
    }
    std::int64_t find_in_column(std::int64_t j, std::uint32_t word) const noexcept {
        return find(columns, j, word);
    }
    Entry of_row(std::int64_t i, std::int64_t at, std::uint32_t) const noexcept { return read(rows, i, at); }
    Entry of_column(std::int64_t j, std::int64_t at, std::uint32_t) const noexcept {
        return read(columns, j, at);
    }
};

// The entries of any matrix with probabilities in proportion to their size: a / p is then known but for its
// sign, which stands in the labels of the tables: j where a > 0, -1 - j where a < 0.
struct SignedEntries {
    struct Side {
        Starts first;
        const AliasCell* cells;

        std::int64_t find(std::int64_t line, std::uint32_t word) const noexcept {
            const std::int64_t at = first[line] + position(word, first[line + 1] - first[line]);
            prefetch(cells + at);
            return at;
        }
        Entry read(std::int64_t line, std::int64_t at, std::uint32_t word) const noexcept {
            const std::int32_t label = cells[at].label(word, first[line + 1] - first[line]);
            const std::int32_t negative = label >> 31;
            return {label ^ negative, double(1 + 2 * negative)};
        }
    };
    Side rows, columns;

    std::int64_t find_in_row(std::int64_t i, std::uint32_t word) const noexcept { return rows.find(i, word); }
    std::int64_t find_in_column(std::int64_t j, std::uint32_t word) const noexcept {
        return columns.find(j, word);
    }
    Entry of_row(std::int64_t i, std::int64_t at, std::uint32_t word) const noexcept {
        return rows.read(i, at, word);
    }
    Entry of_column(std::int64_t j, std::int64_t at, std::uint32_t word) const noexcept {
        return columns.read(j, at, word);
    }
};

} // namespace fenchel
