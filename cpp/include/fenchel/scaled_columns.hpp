// Copies of some columns of a data matrix, scaled by the root of the curvature of each row.
//
// A quadratic model of the loss reads A_W' diag(h) A_W through X = diag(sqrt(h)) A_W. Its columns lie one
// behind the other, in the order in which a pass visits them; in single precision where that is enough, because
// the model is made anew before its rounding shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fenchel/at_level.hpp"
#include "fenchel/blocks.hpp"
#include "fenchel/lines.hpp"
#include "fenchel/loops.hpp"

namespace fenchel {

template <class T>
struct SparseColumns {
    T* data;
    std::int32_t* rows;
    std::int64_t* starts; // one more than the columns
    std::int64_t n_rows;

    std::int64_t entries(std::int64_t k) const noexcept { return starts[k + 1] - starts[k]; }

    double dot(std::int64_t k, const T* x) const noexcept {
        return gather_dot(data + starts[k], rows + starts[k], entries(k), x);
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

    double dot(std::int64_t k, const T* x) const noexcept { return dense_dot(data + k * n_rows, x, n_rows); }
    void add(std::int64_t k, double factor, T* x) const noexcept {
        dense_add(T(factor), data + k * n_rows, x, n_rows);
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

// The same for a single dense line, in blocks that stay in the first cache between the product and its sums.
template <class T, class S>
void copy_line(const S* from, const double* root, std::size_t n, T* to, double& squares, double& cross) noexcept {
    squares = cross = 0;
    for_each_block(n, [&](std::size_t first, std::size_t size) {
        double square[block_size], share[block_size]; // the compiler sees that these do not overlap
        T x[block_size];
        const S* const a = from + first;
        const double* const r = root + first;
        for (std::size_t i = 0; i < size; ++i) {
            x[i] = T(double(a[i]) * r[i]);
            square[i] = double(x[i]) * double(x[i]);
            share[i] = double(x[i]) * r[i];
        }
        std::copy(x, x + size, to + first);
        squares += sum_of(square, size);
        cross += sum_of(share, size);
    });
}

template <class T, class S>
void copy_scaled(const DenseLines<S>& lines, std::span<const std::int64_t> named, std::span<const double> root,
                 const DenseColumns<T>& out, const ColumnSums& sums) noexcept {
    const std::size_t n = std::size_t(out.n_rows);
    at_level([&] {
        for (std::size_t k = 0; k < named.size(); ++k)
            copy_line(lines.data + std::size_t(named[k]) * n, root.data(), n, out.data + k * n, sums.squares[k],
                      sums.cross[k]);
    });
}

} // namespace fenchel
