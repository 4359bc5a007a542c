// The quadratic model of the loss at given scores, row by row, and its value along a direction.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "fenchel/at_level.hpp"
#include "fenchel/losses.hpp"
#include "fenchel/row_terms.hpp"

namespace fenchel {

inline constexpr std::size_t rows_at_once = 256;

// (1/n) sum_i value_i, where set(first, rows, value) fills in the values of the rows first .. first + rows - 1.
// The values pass through a buffer: the loop over the rows has no sum in it, and becomes vector code.
inline double mean_in_blocks(std::size_t n, auto&& set) noexcept {
    constexpr std::size_t lanes = 4;
    double value[rows_at_once], total = 0;
    for (std::size_t first = 0; first < n; first += rows_at_once) {
        const std::size_t rows = std::min(rows_at_once, n - first);
        set(first, rows, value);
        double sum[lanes] = {};
        std::size_t i = 0;
        for (; i + lanes <= rows; i += lanes)
            for (std::size_t lane = 0; lane < lanes; ++lane)
                sum[lane] += value[i + lane];
        for (; i < rows; ++i)
            sum[0] += value[i];
        total += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    return total / double(n);
}

// u_i <- phi_i'(z_i),   root_i <- sqrt(h_i),
// h_i = (s_i / n) max(phi_i''(z_i), damping * damping_curvature_i(z_i)); returns (1/n) sum_i s_i phi_i(z_i).
// For a smooth loss. Cost O(n).
inline double row_model(const AnyLoss& loss, std::span<const double> z, std::span<const double> b,
                        std::span<const double> sample_weight, double damping, std::span<double> u,
                        std::span<double> root) noexcept {
    const double n = double(z.size());
    const auto sum_rows = [&](const auto& phi) {
        return mean_in_blocks(z.size(), [&](std::size_t first, std::size_t rows, double* value) {
            const double *const z_ = &z[first], *const b_ = &b[first], *const s = &sample_weight[first];
            double slope[rows_at_once], h[rows_at_once]; // the compiler sees that these do not overlap
            for (std::size_t i = 0; i < rows; ++i) {
                const RowTerms row = row_terms(phi, z_[i], b_[i]);
                slope[i] = row.gradient;
                h[i] = std::max(row.curvature, damping * row.damping_curvature) * s[i] / n;
                value[i] = s[i] * row.value;
            }
            for (std::size_t i = 0; i < rows; ++i) {
                u[first + i] = slope[i];
                root[first + i] = std::sqrt(h[i]);
            }
        });
    };
    return at_level([&] { return loss.visit(sum_rows); });
}

// (1/n) sum_i s_i phi_i(z_i + step * dz_i). For a smooth loss. Cost O(n).
inline double mean_value_along(const AnyLoss& loss, std::span<const double> z, std::span<const double> dz,
                               double step, std::span<const double> b,
                               std::span<const double> sample_weight) noexcept {
    const auto sum_rows = [&](const auto& phi) {
        return mean_in_blocks(z.size(), [&](std::size_t first, std::size_t rows, double* value) {
            const double *const z_ = &z[first], *const dz_ = &dz[first], *const b_ = &b[first];
            const double* const s = &sample_weight[first];
            for (std::size_t i = 0; i < rows; ++i)
                value[i] = s[i] * row_terms(phi, z_[i] + step * dz_[i], b_[i]).value;
        });
    };
    return at_level([&] { return loss.visit(sum_rows); });
}

} // namespace fenchel
