// A data matrix as a sequence of lines: its rows, or its columns.
//
// The intercept is a virtual last column of ones. Seen by columns it is one more line of ones; seen by
// rows it is one more entry, equal to 1, at the end of every line. Either way it is not stored, and
// for_each passes it to its function like any other entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fenchel/loops.hpp"

namespace fenchel {

// What is not stored: the last line (columns), or the last entry of every line (rows).
enum class Ones { none, line, entry };

struct LinesShape {
    std::int64_t n_lines; // the intercept included
    std::int64_t length;  // the intercept included
    Ones ones;

    bool is_ones(std::int64_t line) const noexcept { return ones == Ones::line && line == n_lines - 1; }
};

// Calls for the memory of values.
template <class T>
void prefetch_all(const T* values, std::int64_t count) noexcept {
#if defined(__GNUC__)
    constexpr std::int64_t line = 64 / sizeof(T);
    for (std::int64_t k = 0; k < count; k += line)
        __builtin_prefetch(values + k);
#else
    (void)values, (void)count;
#endif
}

// The same, 4 kB at most.
template <class T>
void prefetch_values(const T* values, std::int64_t count) noexcept {
    constexpr std::int64_t most = 4096 / sizeof(T);
    prefetch_all(values, count < most ? count : most);
}

// sum_i a_i^2 with several running sums: a single one would wait for every addition.
template <class T>
double square_of(const T* entry, std::int64_t count) noexcept {
    constexpr std::int64_t width = 8;
    double partial[width] = {};
    std::int64_t i = 0;
    for (; i + width <= count; i += width)
        for (std::int64_t k = 0; k < width; ++k)
            partial[k] += double(entry[i + k]) * double(entry[i + k]);
    for (; i < count; ++i)
        partial[0] += double(entry[i]) * double(entry[i]);
    return ((partial[0] + partial[4]) + (partial[1] + partial[5])) +
           ((partial[2] + partial[6]) + (partial[3] + partial[7]));
}

template <class T>
struct DenseLines : LinesShape {
    const T* data; // row-major, without the intercept

    std::int64_t entries(std::int64_t) const noexcept { return length; }

    // Calls for what says where a line is stored: its number does.
    void prefetch_start(std::int64_t) const noexcept {}

    // Calls for the entries of a line that will be read soon.
    void prefetch(std::int64_t line) const noexcept {
        const std::int64_t stored = ones == Ones::entry ? length - 1 : length;
        if (!is_ones(line))
            prefetch_values(data + line * stored, stored);
    }

    // Calls f(position, entry) for every position.
    template <class F>
    void for_each(std::int64_t line, F&& f) const {
        for_each_shifted(line, 0.0, f);
    }

    // Calls f(position, entry - shift) for every position.
    template <class F>
    void for_each_shifted(std::int64_t line, double shift, F&& f) const {
        if (is_ones(line)) {
            for (std::int64_t i = 0; i < length; ++i)
                f(i, 1.0 - shift);
            return;
        }
        const std::int64_t stored = ones == Ones::entry ? length - 1 : length;
        const T* entry = data + line * stored;
        for (std::int64_t i = 0; i < stored; ++i)
            f(i, double(entry[i]) - shift);
        if (ones == Ones::entry)
            f(stored, 1.0 - shift);
    }

    // Dense positions follow one another: nothing is to be called for.
    template <class G, class F>
    void for_each_ahead(std::int64_t line, G&&, F&& f) const {
        for_each(line, f);
    }

    double dot(std::int64_t line, const double* x) const noexcept {
        if (is_ones(line))
            return sum(line, 0, [&](std::int64_t i) { return x[i]; });
        const std::int64_t stored = ones == Ones::entry ? length - 1 : length;
        const double product = dense_dot(data + line * stored, x, stored);
        return ones == Ones::entry ? product + x[stored] : product;
    }

    // The same, where x has just been written.
    double fresh_dot(std::int64_t line, const double* x) const noexcept { return dot(line, x); }

    // sum_i entry_i^2
    double square(std::int64_t line) const noexcept {
        if (is_ones(line))
            return double(length);
        const std::int64_t stored = ones == Ones::entry ? length - 1 : length;
        return square_of(data + line * stored, stored) + (ones == Ones::entry);
    }

    // x_i += factor entry_i
    void add(std::int64_t line, double factor, double* x) const noexcept {
        if (is_ones(line))
            return for_each(line, [&](std::int64_t i, double entry) { x[i] += factor * entry; });
        const std::int64_t stored = ones == Ones::entry ? length - 1 : length;
        dense_add(factor, data + line * stored, x, stored);
        if (ones == Ones::entry)
            x[stored] += factor;
    }

    // sum_i (entry_i - shift) weight(i). Eight running sums: a single one would wait for every addition.
    template <class F>
    double sum(std::int64_t line, double shift, F&& weight) const {
        constexpr std::int64_t width = 8;
        double partial[width] = {};
        std::int64_t i = 0;
        if (!is_ones(line)) {
            const std::int64_t stored = ones == Ones::entry ? length - 1 : length;
            const T* entry = data + line * stored;
            for (; i + width <= stored; i += width)
                for (std::int64_t k = 0; k < width; ++k)
                    partial[k] += (double(entry[i + k]) - shift) * weight(i + k);
            for (; i < stored; ++i)
                partial[0] += (double(entry[i]) - shift) * weight(i);
        }
        for (; i < length; ++i)
            partial[0] += (1.0 - shift) * weight(i);
        return ((partial[0] + partial[4]) + (partial[1] + partial[5])) +
               ((partial[2] + partial[6]) + (partial[3] + partial[7]));
    }
};

template <class T>
struct SparseLines : LinesShape {
    const T* data;
    const std::int32_t* indices; // in any order within a line
    const std::int64_t* indptr;

    std::int64_t entries(std::int64_t line) const noexcept {
        if (is_ones(line))
            return length;
        return indptr[line + 1] - indptr[line] + (ones == Ones::entry);
    }

    // As above.
    void prefetch_start(std::int64_t line) const noexcept { prefetch_values(indptr + line, 1); }

    void prefetch(std::int64_t line) const noexcept {
        if (is_ones(line))
            return;
        const std::int64_t start = indptr[line], stored = indptr[line + 1] - start;
        prefetch_values(data + start, stored);
        prefetch_values(indices + start, stored);
    }

    // Calls f(position, entry) for every stored entry.
    template <class F>
    void for_each(std::int64_t line, F&& f) const {
        if (is_ones(line)) {
            for (std::int64_t i = 0; i < length; ++i)
                f(i, 1.0);
            return;
        }
        for (std::int64_t k = indptr[line]; k < indptr[line + 1]; ++k)
            f(std::int64_t(indices[k]), double(data[k]));
        if (ones == Ones::entry)
            f(length - 1, 1.0);
    }

    // The same, after soon(position) for the entry that is stored some places further, in this line or a
    // later one: to call for the memory that f will want.
    template <class G, class F>
    void for_each_ahead(std::int64_t line, G&& soon, F&& f) const {
        constexpr std::int64_t ahead = 12;
        if (is_ones(line))
            return for_each(line, f);
        const std::int64_t last = indptr[n_lines - (ones == Ones::line)] - 1;
        for (std::int64_t k = indptr[line]; k < indptr[line + 1]; ++k) {
            soon(std::int64_t(indices[std::min(k + ahead, last)]));
            f(std::int64_t(indices[k]), double(data[k]));
        }
        if (ones == Ones::entry)
            f(length - 1, 1.0);
    }

    // Calls f(position, -shift) for every position, then f(position, entry) for every stored entry:
    // where f accumulates its second argument, the same as in DenseLines.
    template <class F>
    void for_each_shifted(std::int64_t line, double shift, F&& f) const {
        for (std::int64_t i = 0; i < length; ++i)
            f(i, -shift);
        for_each(line, f);
    }

    // sum_i entry_i x_i
    double dot(std::int64_t line, const double* x) const noexcept {
        if (is_ones(line))
            return sum(line, 0, [&](std::int64_t i) { return x[i]; });
        const std::int64_t start = indptr[line], stored = indptr[line + 1] - start;
        const double product = gather_dot(data + start, indices + start, stored, x);
        return ones == Ones::entry ? product + x[length - 1] : product;
    }

    // The same, where x has just been written: a gather would wait for all of these stores.
    double fresh_dot(std::int64_t line, const double* x) const noexcept {
        return sum(line, 0, [&](std::int64_t i) { return x[i]; });
    }

    // sum_i entry_i^2
    double square(std::int64_t line) const noexcept {
        if (is_ones(line))
            return double(length);
        const std::int64_t start = indptr[line];
        return square_of(data + start, indptr[line + 1] - start) + (ones == Ones::entry);
    }

    // x_i += factor entry_i
    void add(std::int64_t line, double factor, double* x) const noexcept {
        for_each(line, [&](std::int64_t i, double entry) { x[i] += factor * entry; });
    }

    // sum_i (entry_i - shift) weight(i)
    template <class F>
    double sum(std::int64_t line, double shift, F&& weight) const {
        if (shift == 0 && !is_ones(line))
            return sum_stored(line, weight);
        double total = 0;
        for_each_shifted(line, shift, [&](std::int64_t i, double entry) { total += entry * weight(i); });
        return total;
    }

    // The same without a shift. Four running sums: a single one would wait for every addition.
    template <class F>
    double sum_stored(std::int64_t line, F&& weight) const {
        constexpr std::int64_t width = 4;
        double partial[width] = {};
        std::int64_t k = indptr[line];
        const std::int64_t end = indptr[line + 1];
        for (; k + width <= end; k += width)
            for (std::int64_t lane = 0; lane < width; ++lane)
                partial[lane] += double(data[k + lane]) * weight(std::int64_t(indices[k + lane]));
        for (; k < end; ++k)
            partial[0] += double(data[k]) * weight(std::int64_t(indices[k]));
        const double last = ones == Ones::entry ? weight(length - 1) : 0.0;
        return ((partial[0] + partial[2]) + (partial[1] + partial[3])) + last;
    }
};

} // namespace fenchel
