// SPD1: a primal-dual step on one random entry of the matrix.
//
// The saddle function is a sum over the stored entries of A, of which row i has r_i and column j has c_j:
//     L(w, u) = (1/n) sum_{(i,j)} [ s_i (a_ij u_i w_j - phi_i*(u_i) / r_i) + (n / c_j) g_j(w_j) ].
// Where all entries are stored, r_i = d and c_j = n.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/coordinate.hpp"
#include "fenchel/entries.hpp"
#include "fenchel/lazy_average.hpp"

namespace fenchel {

struct PlacedEntry {
    std::int64_t i, j;
    double value;
};

// The e-th entry in the order of the rows. rows_of holds the row of every stored entry of sparse lines; the
// ones of the intercept come after those.
template <class T>
PlacedEntry entry_at(const DenseLines<T>& rows, std::span<const std::int32_t>, std::int64_t e) noexcept {
    const std::int64_t i = e / rows.length, j = e - i * rows.length;
    const std::int64_t stored = rows.ones == Ones::entry ? rows.length - 1 : rows.length;
    return {i, j, j < stored ? double(rows.data[i * stored + j]) : 1.0};
}

template <class T>
PlacedEntry entry_at(const SparseLines<T>& rows, std::span<const std::int32_t> rows_of,
                     std::int64_t e) noexcept {
    const auto stored = std::int64_t(rows_of.size());
    if (e < stored)
        return {rows_of[e], rows.indices[e], double(rows.data[e])};
    return {e - stored, rows.length - 1, 1.0};
}

template <class T>
void prefetch_entry(const DenseLines<T>& rows, std::span<const std::int32_t>, std::int64_t e) noexcept {
    prefetch(rows.data + (rows.ones == Ones::entry ? e - e / rows.length : e));
}

template <class T>
void prefetch_entry(const SparseLines<T>& rows, std::span<const std::int32_t> rows_of,
                    std::int64_t e) noexcept {
    if (e < std::int64_t(rows_of.size())) {
        prefetch(rows_of.data() + e);
        prefetch(rows.indices + e);
        prefetch(rows.data + e);
    }
}

// 1 / step at time t = constant + linear t + root sqrt(t + 1), the three of every coordinate side by side.
struct StepRule {
    Input coefficients;

    double step(std::int64_t k, double t, double root) const noexcept {
        const double* c = coefficients.data() + 3 * k;
        return 1 / (c[0] + c[1] * t + c[2] * root);
    }
};

// SPD1: steps on given entries.
//
// Problem: min_w max_u L(w, u).
// Update at time t, for (i, j) in the order, with the old values on the right:
//     w_j <- prox_{eta (n / c_j) g_j}(w_j - eta s_i a_ij u_i),    eta = eta_{t,j}
//     u_i <- prox_{(tau / r_i) phi_i*}(u_i + tau a_ij w_j),       tau = tau_{t,i}
// s_i would divide both sides of the second line. Averages: w^t and u^t with weight 1 each. column_share is
// n / c, row_share is 1 / r, first is the time of the first step.
// Source: Tan, Zhang, Ma and Liu, "Stochastic Primal-Dual Method for Empirical Risk Minimization with O(1)
// Per-Iteration Complexity", NeurIPS 2018, Algorithm 1; on the stored entries alone.
// Cost of a step: O(1): one entry, two proxes.
template <class Lines>
void spd1_steps(const Lines& rows, std::span<const std::int32_t> rows_of, Order order, const AnyLoss& loss,
                Input b, Input sample_weight, const CoordinateForm& form, Input column_share, Input row_share,
                StepRule primal, StepRule dual, std::int64_t first, InOut w, InOut u, LazyAverage w_average,
                LazyAverage u_average) noexcept {
    constexpr std::size_t ahead = 16;
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (k + ahead < order.size())
            prefetch_entry(rows, rows_of, order[k + ahead]);
        const auto [i, j, a] = entry_at(rows, rows_of, order[k]);
        const double t = double(first) + double(k), root = std::sqrt(t + 1);
        const double eta = primal.step(j, t, root), tau = dual.step(i, t, root);
        const double w_old = w[j], u_old = u[i];
        w_average.charge(j, w_old, t + 1);
        u_average.charge(i, u_old, t + 1);
        w[j] = form.prox(j, w_old - eta * sample_weight[i] * a * u_old, eta * column_share[j]);
        // A step moves u_i little: the search for the prox begins where it stands.
        u[i] = loss.visit([&](const auto& phi) {
            const double v = u_old + tau * a * w_old, c = tau * row_share[i];
            return prox_conjugate_near(phi, v, b[i], c, prox_start(phi, u_old, b[i], c));
        });
    }
}

} // namespace fenchel
