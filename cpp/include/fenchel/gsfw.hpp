// Generalised stochastic Frank-Wolfe with a substitute gradient: iterations over given batches of rows.
//
// Problem: min_w (1/n) sum_i s_i phi_i(<a_i, w>) + g(w), phi_i smooth. Every row keeps a prediction p_i, its
// derivative u_i = phi_i'(p_i), and v = A'(s u)/n is the substitute for the gradient. Iteration t:
//     x <- argmin <v, x> + g(x),   p_i <- (1 - eta_t) p_i + eta_t <a_i, x>   for i in the batch
// and the primal point is the average of the x with weights gamma_t. In u it is mirror descent on
// D(u) = min_x <v, x> + g(x) - (1/n) sum_i s_i phi_i*(u_i), whose values come out for nothing.
// Source: Lu and Freund, "Generalized stochastic Frank-Wolfe algorithm with stochastic substitute gradient for
// structured convex optimization", Mathematical Programming 187, 2021, Algorithm 1; with batches.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fenchel/coordinate.hpp"
#include "fenchel/lazy_average.hpp"

namespace fenchel {

// The rows, what they remember, and the averages of it; the batches one after the other.
template <class Lines>
struct SubstituteGradient {
    const Lines& rows;
    Order order;
    std::size_t batch;
    const AnyLoss& loss;
    Input b, sample_weight, step, weight;
    double clock; // the weight of all iterations so far
    double mean_conjugate;
    InOut prediction, u, v;
    LazyAverage average; // of u
    InOut dual;
    std::int64_t entries_read = 0;

    std::span<const std::int64_t> rows_of(std::size_t t) const noexcept {
        return order.subspan(t * batch, batch);
    }
    double conjugate(std::int64_t i) const noexcept {
        // Fenchel's equality at the derivative.
        return u[i] * prediction[i] -
               loss.visit([&](const auto& known) { return known.value(prediction[i], b[i]); });
    }
    // The next derivative of row i; returns s_i / n times its change.
    double respond(std::int64_t i, std::size_t t, double score) noexcept {
        const double share = sample_weight[i] / double(u.size());
        mean_conjugate -= share * conjugate(i);
        average.charge(i, u[i], clock);
        prediction[i] += step[t] * (score - prediction[i]);
        const double moved = loss.gradient(prediction[i], b[i]), change = share * (moved - u[i]);
        u[i] = moved;
        mean_conjugate += share * conjugate(i);
        entries_read += rows.entries(i);
        return change;
    }
};

// x is plus or minus the radius along one axis, or zero where a penalty beats every axis.
//
// Cost of an iteration: a scan of the D coordinates, and the entries of the batch.
template <class Lines>
void gsfw_vertex_pass(SubstituteGradient<Lines>& game, double radius, double penalty, bool is_signed,
                      InOut numerator) noexcept {
    const std::int64_t d = std::int64_t(game.v.size());
    for (std::size_t t = 0; t < game.weight.size(); ++t) {
        std::int64_t best = 0;
        double largest = -infinity;
        for (std::int64_t k = 0; k < d; ++k) {
            const double size = is_signed ? std::abs(game.v[k]) : -game.v[k];
            if (size > largest) {
                largest = size;
                best = k;
            }
        }
        const double excess = is_signed ? std::max(largest - penalty, 0.0) : largest;
        const bool idle = is_signed && excess == 0;
        const double value = idle ? 0.0 : is_signed ? -std::copysign(radius, game.v[best]) : radius;
        game.dual[t] = -radius * excess - game.mean_conjugate;
        game.clock += game.weight[t];
        numerator[best] += game.weight[t] * value;
        for (const std::int64_t i : game.rows_of(t)) {
            double entry = 0;
            if (value != 0)
                game.rows.for_each(i, [&](std::int64_t k, double a) { entry += k == best ? a : 0.0; });
            const double change = game.respond(i, t, value * entry);
            if (change != 0)
                game.rows.for_each(i, [&](std::int64_t k, double a) { game.v[k] += change * a; });
        }
    }
}

// x = -c v with c = min(1/mu, radius/|v|): never formed. numerator_k is charged with v_k, over which it has
// stood still, when v_k is about to change. held (D) and moves (batch) are scratch.
//
// Cost of an iteration: the entries of the batch; and O(D) a call.
template <class Lines>
void gsfw_ray_pass(SubstituteGradient<Lines>& game, double radius, double l2, InOut numerator, InOut held,
                   InOut moves) noexcept {
    const std::int64_t d = std::int64_t(game.v.size());
    double total = 0, square = 0; // sum of gamma c, and |v|^2
    for (std::int64_t k = 0; k < d; ++k) {
        held[k] = 0;
        square += game.v[k] * game.v[k];
    }
    for (std::size_t t = 0; t < game.weight.size(); ++t) {
        const double norm = std::sqrt(std::max(square, 0.0));
        const double reach = norm < l2 * radius ? norm / l2 : radius, c = norm > 0 ? reach / norm : 0.0;
        game.dual[t] = (norm > 0 ? -reach * (norm - 0.5 * l2 * reach) : 0.0) - game.mean_conjugate;
        game.clock += game.weight[t];
        total += game.weight[t] * c;
        const auto batch = game.rows_of(t);
        for (std::size_t m = 0; m < batch.size(); ++m) {
            const double score = game.rows.sum(batch[m], 0, [&](std::int64_t k) { return game.v[k]; });
            moves[m] = game.respond(batch[m], t, -c * score);
        }
        for (std::size_t m = 0; m < batch.size(); ++m) {
            if (moves[m] == 0)
                continue;
            game.rows.for_each(batch[m], [&](std::int64_t k, double a) {
                numerator[k] -= game.v[k] * (total - held[k]);
                held[k] = total;
                square -= game.v[k] * game.v[k];
                game.v[k] += moves[m] * a;
                square += game.v[k] * game.v[k];
            });
        }
    }
    for (std::int64_t k = 0; k < d; ++k)
        numerator[k] -= game.v[k] * (total - held[k]);
}

} // namespace fenchel
