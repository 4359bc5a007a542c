// The quadratic model of the loss at given scores, row by row, and its value along a direction.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "fenchel/at_level.hpp"
#include "fenchel/blocks.hpp"
#include "fenchel/losses.hpp"
#include "fenchel/row_terms.hpp"

namespace fenchel {

// (1/n) sum_i value_i, where set(first, rows, value) fills in the values of the rows first .. first + rows - 1.
inline double mean_in_blocks(std::size_t n, const auto& set) noexcept {
    double value[block_size], total = 0;
    for_each_block(n, [&](std::size_t first, std::size_t rows) {
        set(first, rows, value);
        total += sum_of(value, rows);
    });
    return total / double(n);
}

// u_i <- phi_i'(z_i),   root_i <- sqrt(h_i),
// h_i = (s_i / n) max(phi_i''(z_i), damping * damping_curvature_i(z_i)); returns (1/n) sum_i s_i phi_i(z_i).
// For a smooth loss. Cost O(n).
inline double row_model(const AnyLoss& loss, std::span<const double> z, std::span<const double> b,
                        std::span<const double> sample_weight, double damping, std::span<double> u,
                        std::span<double> root) noexcept {
    const double n = double(z.size());
    const auto sum_rows = [&](const auto& phi, const auto damped) {
        return mean_in_blocks(z.size(), [&](std::size_t first, std::size_t rows, double* value) {
            const double *const z_ = &z[first], *const b_ = &b[first], *const s = &sample_weight[first];
            double slope[block_size], h[block_size]; // the compiler sees that these do not overlap
            for (std::size_t i = 0; i < rows; ++i) {
                const RowTerms row = row_terms(phi, z_[i], b_[i]);
                slope[i] = row.gradient;
                h[i] = (damped ? std::max(row.curvature, damping * row.damping_curvature) : row.curvature) * s[i] / n;
                value[i] = s[i] * row.value;
            }
            for (std::size_t i = 0; i < rows; ++i) {
                u[first + i] = slope[i];
                root[first + i] = std::sqrt(h[i]);
            }
        });
    };
    // Without damping its curvature, which may be the larger part of the work, is not computed.
    const auto sum = [&](const auto& phi) {
        return damping > 0 ? sum_rows(phi, std::true_type{}) : sum_rows(phi, std::false_type{});
    };
    return at_level([&] { return loss.visit(sum); });
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
