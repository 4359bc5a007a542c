// The doubly greedy primal-dual coordinate method, and its primal-dual baseline SPDC.
//
// Both work on the saddle function, convex in w and concave in u,
//     L(w, u) = g(w) + (1/n) sum_i s_i (u_i <a_i, w> - phi_i*(u_i)),   g(w) = sum_j g_j(w_j),
//     g_j(x) = l1_j |x| + l2_j/2 x^2 + 1[lower_j <= x <= upper_j],   l2_j > 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/coordinate.hpp"
#include "fenchel/lazy_coordinate.hpp"

namespace fenchel {

// The coordinate with the largest score above 0, the first of equal ones; -1 when there is none.
struct Greedy {
    std::int64_t chosen = -1;
    double best = 0;

    void offer(std::int64_t k, double score) noexcept {
        if (score > best) {
            best = score;
            chosen = k;
        }
    }
};

// The fall of L when w_k moves to x: v_k (w_k - x) + g_k(w_k) - g_k(x).
inline double fall(const CoordinateForm& form, std::int64_t k, double v, double w, double x) noexcept {
    return (w - x) * (v + form.l2[k] / 2 * (w + x)) + form.l1[k] * (std::abs(w) - std::abs(x));
}

// The conjugates with a proximal term, psi_i(y) = phi_i*(y) + beta/2 (y - centre_i)^2; phi_i* where beta is 0.
struct CentredConjugate {
    const AnyLoss& loss;
    double beta;
    Input b, centre;

    // The subdifferential of psi_i at y.
    Interval slopes(std::int64_t i, double y) const noexcept {
        const Interval own = loss.conjugate_slopes(y, b[i]);
        const double pull = beta * (y - centre[i]);
        return {own.lower + pull, own.upper + pull};
    }

    // argmin_t  step psi_i(t) + (t - y)^2/2: the two squares are one, around a point between y and the centre.
    double prox(std::int64_t i, double y, double step) const noexcept {
        const double pull = step * beta;
        return loss.prox_conjugate((y + pull * centre[i]) / (1 + pull), b[i], step / (1 + pull));
    }
};

// Doubly greedy primal-dual coordinate descent: a number of iterations of Algorithm 1.
//
// Problem: min_w max_u L(w, u) with psi_i(y) = phi_i*(y) + beta/2 (y - centre_i)^2 in place of phi_i*;
// z = A w and v = A'(s u)/n are kept up to date.
// Update, with xbar_k = argmin_x v_k x + g_k(x):
//     j = argmax_k fall of L by w_k <- xbar_k (rule (5));       w_j <- xbar_j,  z <- z + delta A_j
//     i = argmax_i s_i distance(z_i, subdifferential of psi_i at u_i)           (rule (7), projected)
//     u_i <- prox_{c_i psi_i}(u_i + c_i z_i),                   v <- v + (s_i delta / n) a_i
// The subdifferential has the normal cone at an end of the domain, so that a row which wants to leave
// its domain scores 0: the printed rule keeps choosing such a row and stalls. Ends early when neither
// coordinate moves. slopes_lower and slopes_upper (n) are scratch for the ends of the subdifferentials.
// Source: Lei, Yen, Wu, Dhillon and Ravikumar, "Doubly Greedy Primal-Dual Coordinate Descent for Sparse
// Empirical Risk Minimization", ICML 2017, Algorithm 1.
// Cost of an iteration: O(n + d) to select, the entries of column j and row i, one prox of the conjugate.
template <class Lines>
std::int64_t dgpd_steps(const Lines& rows, const Lines& columns, std::int64_t steps, const AnyLoss& loss,
                        Input b, Input sample_weight, Input step, double beta, Input centre,
                        const CoordinateForm& form, InOut w, InOut z, InOut u, InOut v, InOut slopes_lower,
                        InOut slopes_upper) noexcept {
    const auto n = std::int64_t(z.size()), d = std::int64_t(w.size());
    const CentredConjugate conjugate{loss, beta, b, centre};
    const auto store_slopes = [&](std::int64_t i) {
        const Interval slopes = conjugate.slopes(i, u[i]);
        slopes_lower[i] = slopes.lower;
        slopes_upper[i] = slopes.upper;
    };
    for (std::int64_t i = 0; i < n; ++i)
        store_slopes(i);
    std::int64_t entries_read = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
        Greedy column, row;
        for (std::int64_t k = 0; k < d; ++k)
            column.offer(k, fall(form, k, v[k], w[k], form.minimiser(k, -v[k], 0)));
        double moved_by = 0;
        if (const std::int64_t j = column.chosen; j >= 0) {
            const double moved = form.minimiser(j, -v[j], 0);
            moved_by = moved - w[j];
            w[j] = moved;
            columns.for_each(j, [&](std::int64_t i, double a) { z[i] += moved_by * a; });
            entries_read += columns.entries(j);
        }
        for (std::int64_t i = 0; i < n; ++i)
            row.offer(i, sample_weight[i] * Interval{slopes_lower[i], slopes_upper[i]}.distance(z[i]));
        double delta = 0;
        if (const std::int64_t i = row.chosen; i >= 0) {
            const double moved = conjugate.prox(i, u[i] + step[i] * z[i], step[i]);
            delta = moved - u[i];
            u[i] = moved;
            store_slopes(i);
            const double scale = sample_weight[i] * delta / double(n);
            rows.for_each(i, [&](std::int64_t k, double a) { v[k] += scale * a; });
            entries_read += rows.entries(i);
        }
        if (moved_by == 0 && delta == 0)
            break;
    }
    return entries_read;
}

// Stochastic primal-dual coordinate ascent with extrapolation.
//
// Problem: min_w max_u L(w, u); v = A'(s u)/n is kept up to date.
// Update, for i in the order, with w~ = w + theta (w - w_previous):
//     u_i <- prox_{sigma phi_i*}(u_i + sigma <a_i, w~>)
//     w_previous <- w,   w_k <- prox_{tau_k g_k}(w_k - tau_k (v_k + s_i delta a_ik))   for every k
//     v <- v + (s_i delta / n) a_i
// A row of weight 0 keeps its u_i, and w still moves.
// Between two rows that touch column k, v_k stands still: the steps of w_k are then made at once, by
// LazyCoordinate. stamp (D) is scratch, all 0: how many steps w_k has made. At the end all are made.
// Source: Zhang and Xiao, "Stochastic primal-dual coordinate method for regularized empirical risk
// minimization", JMLR 18, 2017, Algorithm 1 with batches of one row.
// Cost of a step: the entries of row i, each with a power and at times a logarithm; and O(d) a call.
template <class Lines>
std::int64_t spdc_pass(const Lines& rows, Order order, const AnyLoss& loss, Input b, Input sample_weight,
                       const CoordinateForm& form, Input tau, double sigma, double theta, InOut w,
                       InOut previous, InOut u, InOut v, std::span<std::int64_t> stamp) noexcept {
    const double n = double(u.size());
    const auto catch_up = [&](std::int64_t k, std::int64_t now) {
        const std::int64_t missing = now - stamp[k];
        if (missing == 0)
            return;
        const double rate = std::log1p(tau[k] * form.l2[k]);
        const LazyCoordinate lazy{v[k], form.l1[k], form.l2[k], tau[k], rate};
        previous[k] = clip(lazy.run(w[k], missing - 1), form.lower[k], form.upper[k]);
        w[k] = form.prox(k, previous[k] - tau[k] * v[k], tau[k]);
        stamp[k] = now;
    };
    std::int64_t entries_read = 0, now = 0;
    for (const std::int64_t i : order) {
        if (sample_weight[i] > 0) {
            entries_read += rows.entries(i);
            const double score = rows.sum(i, 0, [&](std::int64_t k) {
                catch_up(k, now);
                return w[k] + theta * (w[k] - previous[k]);
            });
            const double moved = loss.prox_conjugate(u[i] + sigma * score, b[i], sigma);
            const double change = sample_weight[i] * (moved - u[i]);
            u[i] = moved;
            rows.for_each(i, [&](std::int64_t k, double a) {
                previous[k] = w[k];
                w[k] = form.prox(k, w[k] - tau[k] * (v[k] + change * a), tau[k]);
                v[k] += change / n * a;
                stamp[k] = now + 1;
            });
        }
        ++now;
    }
    for (std::size_t k = 0; k < w.size(); ++k)
        catch_up(std::int64_t(k), now);
    return entries_read;
}

} // namespace fenchel
