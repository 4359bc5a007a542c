// Copies of some columns of a data matrix, scaled by the root of the curvature of each row.
//
// A quadratic model of the loss reads A_W' diag(h) A_W through X = diag(sqrt(h)) A_W. Its columns lie one
// behind the other, in the order in which a pass visits them; in single precision where that is enough, because
// the model is made anew before its rounding shows.
#pragma once

#include <cstdint>
#include <span>

#include "fenchel/lines.hpp"

namespace fenchel {

template <class T>
struct SparseColumns {
    T* data;
    std::int32_t* rows;
    std::int64_t* starts; // one more than the columns
    std::int64_t n_rows;

    std::int64_t entries(std::int64_t k) const noexcept { return starts[k + 1] - starts[k]; }

    // Four running sums: a single one would wait for every addition.
    double dot(std::int64_t k, const T* x) const noexcept {
        double sum[4] = {};
        std::int64_t e = starts[k];
        const std::int64_t last = starts[k + 1];
        for (; e + 4 <= last; e += 4)
            for (int lane = 0; lane < 4; ++lane)
                sum[lane] += double(data[e + lane] * x[rows[e + lane]]);
        for (; e < last; ++e)
            sum[0] += double(data[e] * x[rows[e]]);
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }

    void add(std::int64_t k, double factor, T* x) const noexcept {
        const T step = T(factor);
        for (std::int64_t e = starts[k]; e < starts[k + 1]; ++e)
            x[rows[e]] += step * data[e];
    }
};

template <class T>
struct DenseColumns {
    T* data; // column after column
    std::int64_t n_rows;

    std::int64_t entries(std::int64_t) const noexcept { return n_rows; }

    // Sums of at most a thousand products in the type of the entries, sums of these in double.
    double dot(std::int64_t k, const T* x) const noexcept {
        constexpr std::int64_t lanes = 32, block = 1024;
        const T* const a = data + k * n_rows;
        double total = 0;
        std::int64_t i = 0;
        while (i + lanes <= n_rows) {
            T sum[lanes] = {};
            const std::int64_t last = std::min(n_rows, i + block);
            for (; i + lanes <= last; i += lanes)
                for (std::int64_t lane = 0; lane < lanes; ++lane)
                    sum[lane] += a[i + lane] * x[i + lane];
            T half[lanes / 2];
            for (std::int64_t lane = 0; lane < lanes / 2; ++lane)
                half[lane] = sum[lane] + sum[lane + lanes / 2];
            for (std::int64_t lane = 0; lane < lanes / 2; ++lane)
                total += double(half[lane]);
        }
        for (; i < n_rows; ++i)
            total += double(a[i] * x[i]);
        return total;
    }

    void add(std::int64_t k, double factor, T* x) const noexcept {
        const T* const a = data + k * n_rows;
        const T step = T(factor);
        for (std::int64_t i = 0; i < n_rows; ++i)
            x[i] += step * a[i];
    }
};

// What a copy also tells of its columns: sum_i x_ik^2, and sum_i x_ik sqrt(h_i) (the intercept's share).
struct ColumnSums {
    std::span<double> squares, cross;
};

// x_ik <- a_i,named(k) root_i for all k, with its sums. starts are filled by the caller.
// Cost: the entries of the named columns.
template <class T, class S>
void copy_scaled(const SparseLines<S>& lines, std::span<const std::int64_t> named, std::span<const double> root,
                 const SparseColumns<T>& out, const ColumnSums& sums) noexcept {
    for (std::size_t k = 0; k < named.size(); ++k) {
        std::int64_t e = out.starts[k];
        double square = 0, cross = 0;
        for (std::int64_t from = lines.indptr[named[k]]; from < lines.indptr[named[k] + 1]; ++from, ++e) {
            const std::int32_t i = lines.indices[from];
            const T x = T(double(lines.data[from]) * root[i]);
            out.rows[e] = i;
            out.data[e] = x;
            square += double(x) * double(x);
            cross += double(x) * root[i];
        }
        sums.squares[k] = square;
        sums.cross[k] = cross;
    }
}

template <class T, class S>
void copy_scaled(const DenseLines<S>& lines, std::span<const std::int64_t> named, std::span<const double> root,
                 const DenseColumns<T>& out, const ColumnSums& sums) noexcept {
    constexpr std::int64_t lanes = 8;
    const std::int64_t n = out.n_rows;
    for (std::size_t k = 0; k < named.size(); ++k) {
        const S* const from = lines.data + named[k] * n;
        T* const to = out.data + std::int64_t(k) * n;
        double square[lanes] = {}, cross[lanes] = {};
        for (std::int64_t i = 0; i < n; ++i)
            to[i] = T(double(from[i]) * root[i]);
        std::int64_t i = 0;
        for (; i + lanes <= n; i += lanes)
            for (std::int64_t lane = 0; lane < lanes; ++lane) {
                square[lane] += double(to[i + lane]) * double(to[i + lane]);
                cross[lane] += double(to[i + lane]) * root[i + lane];
            }
        for (; i < n; ++i) {
            square[0] += double(to[i]) * double(to[i]);
            cross[0] += double(to[i]) * root[i];
        }
        sums.squares[k] = sums.cross[k] = 0;
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            sums.squares[k] += square[lane];
            sums.cross[k] += cross[lane];
        }
    }
}

} // namespace fenchel
