// The quadratic model of the loss at given scores, row by row, and its value along a direction.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "fenchel/losses.hpp"
#include "fenchel/row_terms.hpp"

namespace fenchel {

// u_i <- phi_i'(z_i),   root_i <- sqrt(h_i),
// h_i = (s_i / n) max(phi_i''(z_i), damping * damping_curvature_i(z_i)); returns (1/n) sum_i s_i phi_i(z_i).
// For a smooth loss. Cost O(n).
inline double row_model(const AnyLoss& loss, std::span<const double> z, std::span<const double> b,
                        std::span<const double> sample_weight, double damping, std::span<double> u,
                        std::span<double> root) noexcept {
    const double n = double(z.size());
    return loss.visit([&](const auto& phi) {
        double total = 0;
        for (std::size_t i = 0; i < z.size(); ++i) {
            const RowTerms row = row_terms(phi, z[i], b[i]);
            const double h = std::max(row.curvature, damping * row.damping_curvature);
            u[i] = row.gradient;
            root[i] = std::sqrt(h * sample_weight[i] / n);
            total += sample_weight[i] * row.value;
        }
        return total / n;
    });
}

// (1/n) sum_i s_i phi_i(z_i + step * dz_i). For a smooth loss. Cost O(n).
inline double mean_value_along(const AnyLoss& loss, std::span<const double> z, std::span<const double> dz,
                               double step, std::span<const double> b,
                               std::span<const double> sample_weight) noexcept {
    return loss.visit([&](const auto& phi) {
        double total = 0;
        for (std::size_t i = 0; i < z.size(); ++i)
            total += sample_weight[i] * row_terms(phi, z[i] + step * dz[i], b[i]).value;
        return total / double(z.size());
    });
}

} // namespace fenchel
