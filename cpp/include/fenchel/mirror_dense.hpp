// Stochastic mirror descent on l1-penalised multiclass problems with dense data, O(n + d + k) a step.
//
// Problem: min_{|w|_1 <= R} max_V (1/n) sum_i s_i (<V_i - e_{y_i}, w' a_i> - f(V_i)) + lambda |w|_1, rows of V
// in the simplex, f(V_i) = V_{i, y_i} - 1 (multiclass hinge) or sum_l V_il log V_il (softmax).
// Update: one or more draws (j, h, i, m), then one step of composite mirror descent (entropies on both sides)
// with the estimates of the gradients that have one column each:
//     j ~ s_j tau_j rho_j or s_j tau_j,  h ~ |V_j - e_{y_j}|,  (1/n) a_j sign(V_jh - e_h) (scale of j) / tau_j
//     i ~ sigma_i U_i,  m ~ U_im,                              a_{:,i} Z / sigma_i,   Z = sum_i sigma_i U_i
// where U >= 0 has 2d rows, w = U_{:d} - U_{d:}, tau_j = max_f |a_jf|, sigma_i^2 = sum_r s_r a_ri^2,
// rho_j = |V_j - e_{y_j}|_1. A step changes one column of U and one of V by factors, and everything by factors
// that its row or all entries share: U = alpha (W, 1 / W), V_r = Vt_r / sum Vt_r. The shared factors are kept
// apart, and so are their sums over time, from which the averages come lazily: an entry that was W since the sum
// of the alphas stood at A_0 adds (W - 1/W) (A - A_0). When alpha or the sum of Vt_r has changed by the window,
// these sums are flushed and the factor absorbed: without this the sums lose their last terms to rounding.
// Source: Babichev, Ostrovskii and Bach, "Efficient primal-dual algorithms for large-scale multiclass
// classification", 2019, Algorithm 1 with its errors mended (softmax, weights and flushes are additions).
// Cost: n + d entries and exponentials a draw, a pass over the k classes of a row, and O(sqrt(k)) scattered
// weights (softmax: d + k exponentials). With optimal rows the n entries are scattered too.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/categorical.hpp"
#include "fenchel/entropic.hpp"
#include "fenchel/mirror_dense_dual.hpp"
#include "fenchel/mirror_dense_primal.hpp"

namespace fenchel {

template <class T>
struct DenseGame {
    const T* rows; // (n, d)
    std::span<const std::int64_t> label;
    std::span<const double> row_size, row_weight, column_size; // tau, s tau, sigma

    std::int64_t n() const noexcept { return std::int64_t(row_size.size()); }
    std::int64_t d() const noexcept { return std::int64_t(column_size.size()); }
    const T* row(std::int64_t j) const noexcept { return rows + j * d(); }
};

// Rows with probabilities that never change, drawn by the caller.
struct StaticRows {
    std::span<const std::int64_t> order;
    double weight_sum; // sum_j s_j tau_j

    void refresh(const auto&, const auto&, std::int64_t) noexcept {}
    std::int64_t draw(std::int64_t at, double, const auto&, const auto&, std::int64_t) const noexcept {
        return order[at];
    }
    double scale(double rho) const noexcept { return rho * weight_sum; }
};

// Rows in proportion to s_j tau_j rho_j, all of which change at every step: no row may be late.
struct OptimalRows {
    BlockSums blocks;
    double weight_sum = 0; // sum_j s_j tau_j rho_j

    static auto weights(const auto& game, const auto& dual, std::int64_t step) noexcept {
        return [&game, &dual, step](std::int64_t j) { return game.row_weight[j] * dual.distance(j, step); };
    }
    void refresh(const auto& game, const auto& dual, std::int64_t step) noexcept {
        for (std::int64_t j = 0; j < game.n(); ++j)
            dual.catch_up(j, step);
        weight_sum = blocks.fill(weights(game, dual, step));
    }
    std::int64_t draw(std::int64_t, double u, const auto& game, const auto& dual, std::int64_t step) const noexcept {
        const std::int64_t j = blocks.draw(u * weight_sum, weights(game, dual, step)).index;
        return j < 0 ? 0 : j;
    }
    double scale(double) const noexcept { return weight_sum; }
};

// Steps for uniforms of shape (steps, draws, 4); the draws (j, h, i, m) are written to drawn, same shape.
// Afterwards all rows are up to date and all sums are settled. down has room for the draws of a step.
template <class T, class Dual, class Rows>
void mirror_dense_steps(const DenseGame<T>& game, const EntropicStep& step, DensePrimal primal, const Dual& dual,
                        Rows rows, std::span<const double> uniforms, std::span<std::int64_t> drawn,
                        const BlockSums& features, std::span<double> down) noexcept {
    const auto of_feature = [&](std::int64_t f) {
        return game.column_size[f] * (primal.plus[f] + primal.minus[f]);
    };
    const auto refresh = [&] {
        return entropic_loops->sum_blocks(game.d(), features.size, game.column_size.data(), primal.plus,
                                          primal.minus, features.sums.data());
    };
    const std::int64_t steps = std::int64_t(uniforms.size()) / (4 * step.draws);
    primal.sum_weights();
    dual.begin();
    refresh();
    for (std::int64_t t = 0; t < steps; ++t) {
        rows.refresh(game, dual, t);
        const double feature_sum = features.total();
        for (std::int64_t b = 0; b < step.draws; ++b) {
            const std::int64_t at = t * step.draws + b;
            const double* u = uniforms.data() + 4 * at;
            std::int64_t* draw = drawn.data() + 4 * at;
            const std::int64_t j = rows.draw(at, u[0], game, dual, t);
            const double scale = rows.scale(dual.visit(j, t));
            const std::int64_t h = dual.draw_class(j, u[1]);
            const Drawn i = features.draw(u[2] * feature_sum, of_feature);
            const std::int64_t f = i.index < 0 ? 0 : i.index;
            const bool positive = i.within < game.column_size[f] * primal.plus[f];
            draw[0] = j;
            draw[1] = h;
            draw[2] = positive ? f : f + game.d();
            draw[3] = primal.draw_class(f, positive, u[3]);
            down[b] = (h == game.label[j] ? 1 : -1) * step.primal * over_size(scale, game.row_size[j]);
            dual.note(at, f, draw[3],
                      (positive ? 1 : -1) * step.dual / double(step.draws) *
                          over_size(primal.clock.alpha * feature_sum, game.column_size[f]));
        }
        for (std::int64_t b = 0; b < step.draws; ++b) {
            const std::int64_t* draw = drawn.data() + 4 * (t * step.draws + b);
            primal.move(game.row(draw[0]), down[b], draw[1]);
        }
        dual.end_step(t + 1);
        end_primal_step(primal.clock, step, refresh(), false, [&] {
            primal.settle();
            primal.sum_weights();
            return refresh();
        });
    }
    primal.settle();
    dual.end(steps);
}

} // namespace fenchel
