// The rows of prox-SDCA for several classes: how w answers to t, and what a row reads and writes of t.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "fenchel/at_level.hpp"
#include "fenchel/coordinate.hpp"

namespace fenchel {

// w_jl = argmin_x h_j(x) - t_jl x: shrink, scale, clip.
struct BlockResponse {
    Input l1, inverse, lower, upper;
    // Where all inverses are alike the first one serves for every coordinate, and stays in the nearest cache.
    std::int64_t mask = std::all_of(inverse.begin(), inverse.end(), [&](double x) { return x == inverse[0]; }) ? 0 : -1;

    double scale(std::int64_t j) const noexcept { return inverse[j & mask]; }

    // Whether w = inverse t: no l1 part and no bound anywhere.
    bool linear() const noexcept {
        for (std::size_t j = 0; j < l1.size(); ++j)
            if (l1[j] != 0 || std::isfinite(lower[j]) || std::isfinite(upper[j]))
                return false;
        return true;
    }
};

// A copy of the non-zero entries of a row, what they are worth in the scores, and the places of their lines of t.
struct RowEntries {
    std::int64_t count;
    double *entries, *gains;        // a_j and a_j inverse_j, as many as a row is long
    std::int64_t *columns, *places; // j and j k

    template <class Lines>
    void copy(const Lines& rows, std::int64_t i, const BlockResponse& response, std::int64_t k) noexcept {
        std::int64_t filled = 0; // in a register: a write to places could be one to count
        rows.for_each(i, [&](std::int64_t j, double a) {
            columns[filled] = j;
            places[filled] = j * k;
            entries[filled] = a;
            gains[filled] = a * response.scale(j);
            filled += a != 0;
        });
        count = filled;
    }
};

// scores_m <- sum_e a_e w_{j(e), class(m)} for any response.
template <class Class>
void response_scores(const RowEntries& row, const BlockResponse& response, const double* t, std::int64_t k,
                     double* __restrict scores, std::int64_t count, Class&& listed) noexcept {
    std::fill(scores, scores + count, 0.0);
    for (std::int64_t e = 0; e < row.count; ++e) {
        const std::int64_t j = row.columns[e];
        const double *const t_j = t + row.places[e], a = row.entries[e], l1 = response.l1[j];
        const double inverse = response.inverse[j], lower = response.lower[j], upper = response.upper[j];
        for (std::int64_t m = 0; m < count; ++m)
            scores[m] += a * clip(soft_threshold(t_j[listed(m)], l1) * inverse, lower, upper);
    }
}

// The same where w is linear in t, for all classes: four entries at a time, which saves loads and stores of
// the scores.
inline void linear_scores(const RowEntries& row, const double* t, std::int64_t k,
                          double* __restrict scores) noexcept {
    at_level([&] {
        const auto line = [&](std::int64_t e) { return t + row.places[e]; };
        const double* const gains = row.gains;
        std::fill(scores, scores + k, 0.0);
        std::int64_t e = 0;
        for (; e + 4 <= row.count; e += 4) {
            const double *const t0 = line(e), *const t1 = line(e + 1), *const t2 = line(e + 2), *const t3 = line(e + 3);
            const double a0 = gains[e], a1 = gains[e + 1], a2 = gains[e + 2], a3 = gains[e + 3];
            for (std::int64_t l = 0; l < k; ++l)
                scores[l] += (a0 * t0[l] + a1 * t1[l]) + (a2 * t2[l] + a3 * t3[l]);
        }
        for (; e < row.count; ++e) {
            const double *const t0 = line(e), a0 = gains[e];
            for (std::int64_t l = 0; l < k; ++l)
                scores[l] += a0 * t0[l];
        }
    });
}

// The classes that are left, fewer than so many.
template <int width, class Body>
void take_rest(std::int64_t first, std::int64_t rest, Body&& body) noexcept {
    if constexpr (width > 0) {
        if (rest == width)
            body(std::integral_constant<int, width>{}, first);
        else
            take_rest<width - 1>(first, rest, body);
    }
}

// Takes classes together, as many as eight: calls body(width, first) with the width as a type. Sums and changes
// of a known number stay in registers over one long loop, and the entries are read once for all of them. A short
// loop over the classes inside would end with a wrong guess of its length at most entries.
template <class Body>
void take_together(std::int64_t count, Body&& body) noexcept {
    constexpr int most = 8;
    std::int64_t first = 0;
    for (; first + most <= count; first += most)
        body(std::integral_constant<int, most>{}, first);
    take_rest<most - 1>(first, count - first, body);
}

// And for so many of the listed classes.
template <int width, class Class>
void few_scores(const RowEntries& row, const double* t, double* scores, std::int64_t first,
                Class&& listed) noexcept {
    const double* t_l[width];
    double sum[width] = {};
    for (int c = 0; c < width; ++c)
        t_l[c] = t + listed(first + c);
    for (std::int64_t e = 0; e < row.count; ++e) {
        const std::int64_t at = row.places[e];
        const double a = row.gains[e];
        for (int c = 0; c < width; ++c)
            sum[c] += a * t_l[c][at];
    }
    for (int c = 0; c < width; ++c)
        scores[first + c] = sum[c];
}

// t_{j(e), l} <- t_{j(e), l} - a_e change_l for so many classes.
template <int width>
void move_few(const RowEntries& row, double* t, const double* changes, const std::int64_t* moved) noexcept {
    double* t_l[width];
    double change[width];
    for (int c = 0; c < width; ++c) {
        t_l[c] = t + moved[c];
        change[c] = changes[c];
    }
    for (std::int64_t e = 0; e < row.count; ++e) {
        const std::int64_t at = row.places[e];
        const double a = row.entries[e];
        for (int c = 0; c < width; ++c)
            t_l[c][at] -= a * change[c];
    }
}

// The same for the classes that moved: line by line where these are all.
inline void move_lines(const RowEntries& row, double* t, std::int64_t k, const double* __restrict changes,
                       const std::int64_t* moved, std::int64_t moves, bool whole) noexcept {
    if (!whole)
        return take_together(moves, [&](auto width, std::int64_t first) {
            move_few<width.value>(row, t, changes + first, moved + first);
        });
    at_level([=, &row] {
        for (std::int64_t e = 0; e < row.count; ++e) {
            double* __restrict const t_j = t + row.places[e];
            const double a = row.entries[e];
            for (std::int64_t l = 0; l < k; ++l)
                t_j[l] -= a * changes[l];
        }
    });
}

} // namespace fenchel
