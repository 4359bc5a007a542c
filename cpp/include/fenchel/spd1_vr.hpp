// The inner steps of SPD1-VR: one entry of the matrix for a step of one coordinate of w and one of u.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/entries.hpp"
#include "fenchel/losses.hpp"
#include "fenchel/scalar.hpp"

namespace fenchel {

// All that a step needs of one coordinate of w, in one line of the cache.
//     prox_{h g}(w - h (rate_0 e + v + alpha (w - c))),  divided out:
//     base = h (alpha c - v),  rate = h rate_0,  threshold = h l1,  shrink = 1 / (1 + h (l2 + alpha))
struct PrimalCoordinate {
    double w, snapshot, base, rate, threshold, shrink, lower, upper;

    double stepped(double estimate) const noexcept {
        return clip(soft_threshold(w + base - rate * estimate, threshold) * shrink, lower, upper);
    }
    double change() const noexcept { return w - snapshot; }
};

// The same of one coordinate of u.
//     prox_{k (phi* + beta/2 (. - c)^2)}(u + k (rate_0 e + z)),  divided out:
//     base = k (z + beta c),  rate = k rate_0,  shrink = 1 / (1 + k beta),  prox_step = k shrink
struct DualCoordinate {
    double u, snapshot, base, rate, shrink, prox_step, b, weight;

    // What a search for the prox can use again: for the losses that need one.
    template <class Loss>
    auto begin(const Loss& phi) const noexcept {
        return prox_start(phi, u, b, prox_step);
    }
    template <class Loss>
    double stepped(const Loss& phi, double estimate, const auto& start) const noexcept {
        return prox_conjugate_near(phi, (u + base + rate * estimate) * shrink, b, prox_step, start);
    }
    double change() const noexcept { return weight * (u - snapshot); }
};

// Steps whose entries are found before the first of them is made.
inline constexpr std::size_t steps_ahead = 64;

static_assert(sizeof(PrimalCoordinate) == 64 && sizeof(DualCoordinate) == 64);

// The entries of one step: (i, j), (i', j) and (i, j').
struct EntryDraw {
    std::int32_t i, j, other_i, other_j;
    double a, column_a, row_a;
};

// Turns four words a step (for i, j, i', j') into entries, and asks for the coordinates they belong to.
//
// Three loops, so that the reads of one step do not wait for those of another: draws know nothing of w, u.
template <class Entries>
void draw_entries(const Entries& entries, AliasCells choice, Words words, const PrimalCoordinate* w,
                  const DualCoordinate* u, std::span<EntryDraw> draws) noexcept {
    std::array<std::int64_t, steps_ahead> own, other;
    for (std::size_t t = 0; t < draws.size(); ++t) {
        const std::int32_t i = draws[t].i = draw(choice, words[4 * t]);
        own[t] = entries.find_in_row(i, words[4 * t + 1]);
        other[t] = entries.find_in_row(i, words[4 * t + 3]);
        prefetch(&u[i]);
    }
    for (std::size_t t = 0; t < draws.size(); ++t) {
        EntryDraw& to = draws[t];
        const Entry entry = entries.of_row(to.i, own[t], words[4 * t + 1]);
        const Entry in_row = entries.of_row(to.i, other[t], words[4 * t + 3]);
        to.j = entry.index, to.a = entry.factor;
        to.other_j = in_row.index, to.row_a = in_row.factor;
        own[t] = entries.find_in_column(to.j, words[4 * t + 2]);
        prefetch(&w[to.j]);
        prefetch(&w[to.other_j]);
    }
    for (std::size_t t = 0; t < draws.size(); ++t) {
        EntryDraw& to = draws[t];
        const Entry in_column = entries.of_column(to.j, own[t], words[4 * t + 2]);
        to.other_i = in_column.index, to.column_a = in_column.factor;
        prefetch(&u[to.other_i]);
    }
}

// Steps of SPD1-VR from a snapshot (ws, us) whose products v = A'(s us)/n and z = A ws are known.
//
// Problem: min_w max_u (1/n) sum_i s_i (u_i <a_i, w> - phi_i*(u_i)) + g(w), g separable, with the terms
// alpha_j/2 (w_j - c_j)^2 and -beta/2 (u_i - c_i)^2 of a proximal-point step added where they are asked for.
// Update, for an entry (i, j) drawn with probability p_ij, i' from p(.|j) and j' from p(.|i):
//     wbar = prox_{h_j g_j}(w_j - h_j ((q_j / (n p)) a_{i'j} s_i' (u_i' - us_i') + v_j))
//     ubar = prox_{k_i phi_i*}(u_i + k_i ((pi_i / p) a_{ij'} (w_j' - ws_j') + z_i))
//     w_j <- prox_{h_j g_j}(w_j - h_j ((q_j / (n p)) a_ij s_i (ubar - us_i) + v_j))
//     u_i <- prox_{k_i phi_i*}(u_i + k_i ((pi_i / p) a_ij (wbar - ws_j) + z_i))
// with q and pi the marginals of p. Each bracket is an unbiased estimate of a partial derivative. All steps
// start from the old w_j and u_i. Uniform p over a dense matrix, h_j = eta and k_i = tau / d: the paper.
// Source: Tan, Zhang, Ma and Liu, "Stochastic primal-dual method for empirical risk minimization with O(1)
// per-iteration complexity", NeurIPS 2018, Algorithm 2, with the gradient Gy inside the bracket of tau.
// Cost of a step: three entries, two coordinates of w and two of u, four proxes: O(1).
template <class Loss>
void run_spd1_vr(const Loss& phi, std::span<const EntryDraw> draws, PrimalCoordinate* w,
                 DualCoordinate* u) noexcept {
    for (const EntryDraw& draw : draws) {
        PrimalCoordinate& column = w[draw.j];
        DualCoordinate& row = u[draw.i];
        const double ahead_w = column.stepped(draw.column_a * u[draw.other_i].change());
        const auto start = row.begin(phi);
        const double ahead_u = row.stepped(phi, draw.row_a * w[draw.other_j].change(), start);
        const double moved = column.stepped(draw.a * row.weight * (ahead_u - row.snapshot));
        row.u = row.stepped(phi, draw.a * (ahead_w - column.snapshot), start);
        column.w = moved;
    }
}

// All the steps that the words hold, some at a time: first their entries, then the steps themselves.
template <class Entries>
void spd1_vr_steps(const Entries& entries, AliasCells choice, Words words, const AnyLoss& loss,
                   PrimalCoordinate* w, DualCoordinate* u) noexcept {
    std::array<EntryDraw, steps_ahead> buffer;
    const std::size_t steps = words.size() / 4;
    for (std::size_t t = 0; t < steps; t += steps_ahead) {
        const std::span<EntryDraw> draws(buffer.data(), std::min(steps_ahead, steps - t));
        draw_entries(entries, choice, words.subspan(4 * t, 4 * draws.size()), w, u, draws);
        loss.visit([&](const auto& phi) { run_spd1_vr(phi, draws, w, u); });
    }
}

} // namespace fenchel
