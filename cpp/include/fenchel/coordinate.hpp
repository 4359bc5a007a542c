// One pass of a coordinate method over a given order of coordinates.
//
// A kernel does not allocate, throw, draw random numbers or decide when to stop. Both work on
//     P(w) = (1/n) sum_i s_i phi_i(<a_i, w>) + g(w),    g(w) = sum_j g_j(w_j),
//     g_j(x) = l1_j |x| + l2_j/2 x^2 + 1[lower_j <= x <= upper_j].
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>

#include "fenchel/at_level.hpp"
#include "fenchel/lines.hpp"
#include "fenchel/losses.hpp"
#include "fenchel/scalar.hpp"

namespace fenchel {

using Input = std::span<const double>;
using InOut = std::span<double>;
using Order = std::span<const std::int64_t>;

struct CoordinateForm {
    Input l1, l2, lower, upper;

    // argmin_x  curvature/2 x^2 - linear x + g_k(x): shrink, scale, clip (exact in one dimension).
    double minimiser(std::int64_t k, double linear, double curvature) const noexcept {
        return clip(soft_threshold(linear, l1[k]) / (l2[k] + curvature), lower[k], upper[k]);
    }

    // argmin_x  step g_k(x) + (x - y)^2/2
    double prox(std::int64_t k, double y, double step) const noexcept {
        return clip(soft_threshold(y, step * l1[k]) / (1 + step * l2[k]), lower[k], upper[k]);
    }
};

struct PassReport {
    std::int64_t entries_read; // of the visited lines, each line counted once a visit
    double largest_change;     // max_j sqrt(L_j) |change of w_j|
};

// Proximal coordinate descent on the primal.
//
// Problem: min_w P(w), with phi_i differentiable; z = A w and u = phi'(z) are kept up to date.
// Update, for j in the order, along the direction e_j - m_j e_last (last: the intercept):
//     grad = (1/n) sum_i s_i (a_ij - m_j) u_i
//     w_j <- prox_{g_j / L_j}(w_j - grad / L_j),   L_j = (smoothness/n) sum_i s_i (a_ij - m_j)^2
//     z_i <- z_i + delta (a_ij - m_j),   u_i <- phi_i'(z_i),   w_last <- w_last - delta m_j
// The intercept is neither penalised nor bounded, so the direction is one of descent for any m_j; the
// weighted column mean makes the steps longest. Where L_j = 0 only g_j counts, and w_j <- clip(0).
// Source: PrimalRCD, the primal baseline of Lei, Yen, Wu, Dhillon and Ravikumar, "Doubly Greedy
// Primal-Dual Coordinate Descent for Sparse Empirical Risk Minimization", ICML 2017, section 5, that is
// UCDC of Richtarik and Takac, "Iteration complexity of randomized block-coordinate descent methods for
// minimizing a composite function", Mathematical Programming 144, 2014, with the order left to the caller.
// Cost of a step: the entries of column j, or O(n) where m_j is not zero.
template <class Lines>
PassReport primal_cd_pass(const Lines& columns, Order order, const AnyLoss& loss, Input b,
                          Input sample_weight, const CoordinateForm& form, Input curvature, Input centre,
                          InOut w, InOut z, InOut u) noexcept {
    const double n = double(z.size());
    PassReport report{0, 0.0};
    for (const std::int64_t j : order) {
        const double m = centre[j];
        report.entries_read += columns.entries(j);
        double moved = clip(0, form.lower[j], form.upper[j]);
        if (curvature[j] > 0) {
            const double sum = columns.sum(j, m, [&](std::int64_t i) { return sample_weight[i] * u[i]; });
            moved = form.minimiser(j, curvature[j] * w[j] - sum / n, curvature[j]);
        }
        const double delta = moved - w[j];
        if (delta == 0)
            continue;
        w[j] = moved;
        if (m != 0)
            w[w.size() - 1] -= delta * m;
        loss.visit([&](const auto& phi) {
            if (m == 0) {
                columns.for_each(j, [&](std::int64_t i, double a) {
                    z[i] += delta * a;
                    u[i] = phi.gradient(z[i], b[i]);
                });
            } else {
                columns.for_each_shifted(j, m, [&](std::int64_t i, double a) { z[i] += delta * a; });
                for (std::size_t i = 0; i < z.size(); ++i)
                    u[i] = phi.gradient(z[i], b[i]);
            }
        });
        report.largest_change = std::max(report.largest_change, std::sqrt(curvature[j]) * std::abs(delta));
    }
    return report;
}

// How w answers to a change of v by scale a_i, for the dual ascent below: in general through the
// one-dimensional problems of h,
struct FormResponse {
    const CoordinateForm& form;
    Input alpha, anchor;
    InOut v, w;

    template <class Lines>
    void move(const Lines& rows, std::int64_t i, double scale) const noexcept {
        rows.for_each(i, [&](std::int64_t k, double a) {
            v[k] += scale * a;
            w[k] = form.minimiser(k, alpha[k] * anchor[k] - v[k], alpha[k]);
        });
    }
};

// and for g = l2/2 |w|^2 without an anchor as w = -v / l2, so that v need not be kept.
struct RidgeResponse {
    double inverse; // 1 / l2: a step waits for its factors, and for a division longest
    InOut w;

    RidgeResponse(double l2, InOut response) noexcept : inverse(1 / l2), w(response) {}

    template <class Lines>
    void move(const Lines& rows, std::int64_t i, double scale) const noexcept {
        rows.add(i, -scale * inverse, w.data());
    }
};

// Proximal stochastic dual coordinate ascent, around an anchor.
//
// Problem: max_u -(1/n) sum_i s_i phi_i*(u_i) - h*(-v),  v = (1/n) sum_i s_i u_i a_i, where
// h(w) = g(w) + sum_k alpha_k/2 (w_k - anchor_k)^2 and l2_k + alpha_k > 0 for all k. alpha = 0 is plain
// SDCA; alpha > 0 is one step of the proximal point method.
// Update, for i in the order, with w = argmin_x <v, x> + h(x) kept up to date:
//     u_i <- prox_{c_i phi_i*}(u_i + c_i <a_i, w>),   c_i = n / (s_i sum_k a_ik^2 / (l2_k + alpha_k))
//     v_k <- v_k + s_i delta a_ik / n,   w_k <- argmin_x v_k x + h_k(x)      (k in the support of a_i)
// Skipped: rows of weight 0, which the dual objective lacks, and rows of step 0. A row of zeros has no
// finite step; its best u_i = phi_i'(0) is for the caller to set.
// Source: DualRCD, the dual baseline of the paper above, that is Prox-SDCA of Shalev-Shwartz and Zhang,
// "Accelerated Proximal Stochastic Dual Coordinate Ascent for Regularized Loss Minimization", ICML 2014,
// with the exact step in the quadratic model; the step sizes allow weights and a strength per coordinate.
// prox(i, v) gives the prox of v, or a point near it. Calls moved(i) for every row whose u_i has changed; that may
// write to the places of the order up to that of i.
// Cost of a step: the entries of row i, called for some rows ahead, and one prox of the conjugate.
template <class Lines, class Response>
std::int64_t sdca_pass(const Lines& rows, Order order, Input sample_weight, Input step, const Response& response,
                       InOut u, auto&& prox, auto&& moved) noexcept {
    constexpr std::size_t ahead = 4;
    const double mean = 1 / double(u.size());
    std::int64_t entries_read = 0;
    for (std::size_t t = 0; t < order.size(); ++t) {
        if (t + ahead < order.size())
            rows.prefetch(order[t + ahead]);
        const std::int64_t i = order[t];
        if (sample_weight[i] == 0 || step[i] == 0)
            continue;
        entries_read += rows.entries(i);
        const double score = rows.fresh_dot(i, response.w.data());
        const double best = prox(i, u[i] + step[i] * score);
        const double delta = best - u[i];
        if (delta == 0)
            continue;
        u[i] = best;
        response.move(rows, i, sample_weight[i] * delta * mean);
        moved(i);
    }
    return entries_read;
}

// The prox itself.
template <class Loss>
auto exact_steps(const Loss& loss, Input b, Input step, InOut u) noexcept {
    return [=](std::int64_t i, double v) {
        return prox_conjugate_near(loss, v, b[i], step[i], prox_start(loss, u[i], b[i], step[i]));
    };
}

// What is enough for the first passes of a method.
template <class Loss>
auto rough_steps(const Loss& loss, Input b, Input step) noexcept {
    return [=](std::int64_t i, double v) { return prox_conjugate_rough(loss, v, b[i], step[i]); };
}

struct RoundReport {
    std::int64_t entries_read;
    std::int64_t passes_added; // to the total
};

// A pass of the dual ascent, and up to `repeats` more over the rows that the pass before has moved, in another order
// each, until none moves or at least `most` entries are read. total <- total + w after every pass but the last. The
// order is overwritten.
//
// Passes over the rows that move are shrinking in its simplest form: near the optimum most rows rest at an end of their
// domain. The orders come from the draws, 32 random bits a row, by the exchanges of Fisher and Yates: the same draws
// exchange other rows each time, because the list is another one.
template <class Lines, class Loss, class Response>
RoundReport sdca_round(const Lines& rows, std::span<std::int64_t> order, const Loss& loss, Input b,
                       Input sample_weight, Input step, const Response& response, std::int64_t repeats,
                       std::int64_t most, std::span<const std::uint32_t> draws, InOut u, InOut total) noexcept {
    RoundReport report{0, 0};
    while (true) {
        std::size_t count = 0;
        report.entries_read += sdca_pass(rows, Order(order), sample_weight, step, response, u,
                                         exact_steps(loss, b, step, u), [&](std::int64_t i) { order[count++] = i; });
        if (report.passes_added >= repeats || count == 0 || report.entries_read >= most)
            return report;
        order = order.first(count);
        for (std::size_t t = count - 1; t > 0; --t)
            std::swap(order[t], order[std::size_t((draws[t] * std::uint64_t(t + 1)) >> 32)]);
        for (std::size_t k = 0; k < total.size(); ++k)
            total[k] += response.w[k];
        ++report.passes_added;
    }
}

// s max(phi(z) + phi*(u) - z u, 0) / n: what a row adds to the gap of u and its best response, with the score z. 0 for a
// row of weight 0.
template <class Loss>
double row_share(const Loss& phi, double z, double u, double b, double sample_weight, double n) noexcept {
    const double term = phi.value(z, b) + phi.conjugate(u, b) - z * u;
    // Rounding can leave a term below zero, and a NaN must show.
    return sample_weight == 0 || term < 0 ? 0.0 : sample_weight * term / n;
}

// shares_i <- that of row i. Cost O(n).
inline void row_shares(const AnyLoss& loss, Input z, Input u, Input b, Input sample_weight,
                       InOut shares) noexcept {
    const double n = double(shares.size());
    const double *const z_ = z.data(), *const u_ = u.data(), *const b_ = b.data(), *const s = sample_weight.data();
    double* const out = shares.data();
    at_level([=, size = shares.size(), &loss] {
        loss.visit([=](const auto& phi) {
            for (std::size_t i = 0; i < size; ++i)
                out[i] = row_share(phi, z_[i], u_[i], b_[i], s[i], n);
        });
    });
}

} // namespace fenchel
