// Cholesky factors of small matrices.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "fenchel/loops.hpp"

namespace fenchel {

// M = L L' for a symmetric positive definite M, of which the lower triangle is read, row after row with `stride`
// values each; L takes its place. False where a pivot is not positive; the rows before it are done. Cost m^3 / 6.
inline bool factor(double* M, std::size_t m, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < m; ++i) {
        double* const row = M + i * stride;
        for (std::size_t j = 0; j < i; ++j) {
            const double* const above = M + j * stride;
            row[j] = (row[j] - dense_dot(row, above, std::int64_t(j))) / above[j];
        }
        const double pivot = row[i] - dense_dot(row, row, std::int64_t(i));
        if (!(pivot > 0))
            return false;
        row[i] = std::sqrt(pivot);
    }
    return true;
}

// x <- (L L')^{-1} x. Cost m^2.
inline void solve_factored(const double* L, std::size_t m, std::size_t stride, double* x) noexcept {
    for (std::size_t i = 0; i < m; ++i)
        x[i] = (x[i] - dense_dot(L + i * stride, x, std::int64_t(i))) / L[i * stride + i];
    for (std::size_t i = m; i-- > 0;) {
        x[i] /= L[i * stride + i];
        dense_add(-x[i], L + i * stride, x, std::int64_t(i));
    }
}

} // namespace fenchel
