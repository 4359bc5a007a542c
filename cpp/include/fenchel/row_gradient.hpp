// Prox steps along the gradient of one row: SVRG and SAGA, with reduced variance.
//
// Both work on P(w) = (1/n) sum_i s_i phi_i(<a_i, w>) + g(w), phi_i differentiable, and keep for every row the
// derivative u_i of its loss at a point of the past, and their mean gradient v = A'(s u)/n. A step is
//     w_k <- prox_{h_k g_k}(w_k - h_k (v_k + c a_ik))   for every k,   c ~ s_i (phi_i'(<a_i, w>) - u_i).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fenchel/coordinate.hpp"
#include "fenchel/lazy_coordinate.hpp"

namespace fenchel {

// v <- v + drift a_i, in a loop of its own, which has fewer arrays to tell apart.
template <class Lines>
void move_gradient(const Lines& rows, std::int64_t i, double drift, InOut v) noexcept {
    if (drift != 0)
        rows.for_each(i, [&](std::int64_t k, double a) { v[k] += drift * a; });
}

// A point that takes such a step at every row.
//
// On sparse rows a step moves the coordinates of its row alone; those that wait catch up, in closed form, when
// a row needs them (v_k stands still as long as no row touches column k), and all of them in finish.
// rate = log(1 + h l2) and stamp, how many steps w_k has made, are scratch of length D.
template <class T>
struct SteppingPoint;

template <class T>
struct SteppingPoint<SparseLines<T>> {
    const SparseLines<T>& rows;
    const CoordinateForm& form;
    Input h;
    InOut w, v, rate;
    std::span<std::int64_t> stamp;
    std::int64_t now = 0;

    void begin() noexcept {
        for (std::size_t k = 0; k < w.size(); ++k) {
            rate[k] = std::log1p(h[k] * form.l2[k]);
            stamp[k] = 0;
        }
    }
    void catch_up(std::int64_t k) noexcept {
        if (const std::int64_t missing = now - stamp[k]; missing > 0) {
            const LazyCoordinate lazy{v[k], form.l1[k], form.l2[k], h[k], rate[k]};
            w[k] = clip(lazy.run(w[k], missing), form.lower[k], form.upper[k]);
            stamp[k] = now;
        }
    }
    double score(std::int64_t i) noexcept {
        return rows.sum(i, 0, [&](std::int64_t k) {
            catch_up(k);
            return w[k];
        });
    }
    // The step, after which v moves by drift times the row. The score of the same row came before.
    void step(std::int64_t i, double c, double drift) noexcept {
        ++now;
        rows.for_each(i, [&](std::int64_t k, double a) {
            w[k] = form.prox(k, w[k] - h[k] * (v[k] + c * a), h[k]);
            stamp[k] = now;
        });
        move_gradient(rows, i, drift, v);
    }
    // The step of a row without gradient.
    void skip() noexcept { ++now; }
    void finish() noexcept {
        for (std::size_t k = 0; k < w.size(); ++k)
            catch_up(std::int64_t(k));
    }
};

// Dense rows touch every coordinate, so that nothing waits and the scratch is idle.
template <class T>
struct SteppingPoint<DenseLines<T>> {
    const DenseLines<T>& rows;
    const CoordinateForm& form;
    Input h;
    InOut w, v, rate;
    std::span<std::int64_t> stamp;

    void begin() noexcept {}
    double score(std::int64_t i) const noexcept {
        return rows.sum(i, 0, [&](std::int64_t k) { return w[k]; });
    }
    void step(std::int64_t i, double c, double drift) noexcept {
        rows.for_each(i, [&](std::int64_t k, double a) {
            w[k] = form.prox(k, w[k] - h[k] * (v[k] + c * a), h[k]);
        });
        move_gradient(rows, i, drift, v);
    }
    void skip() noexcept {
        for (std::int64_t k = 0; k < std::int64_t(w.size()); ++k)
            w[k] = form.prox(k, w[k] - h[k] * v[k], h[k]);
    }
    void finish() noexcept {}
};

// Stochastic variance reduced gradient: the steps between two snapshots.
//
// Problem: min_w P(w), with phi_i differentiable; u_i = phi_i'(<a_i, ws>) and v = A'(s u)/n of the snapshot ws
// stand still.
// Update, for i in the order, drawn with the probabilities p:
//     w <- prox_{h g}(w - h (v + factor_i (phi_i'(<a_i, w>) - u_i) a_i)),    factor_i = s_i / (n p_i)
// Source: Johnson and Zhang, "Accelerating stochastic gradient descent using predictive variance reduction",
// NIPS 2013; with the prox and the probabilities of Xiao and Zhang, "A proximal stochastic gradient method
// with progressive variance reduction", SIAM Journal on Optimization 24, 2014; a step for every coordinate.
// Cost of a step: the entries of row i (each with an exponential, where rows are sparse); and O(d) a call.
template <class Lines>
std::int64_t svrg_pass(const Lines& rows, Order order, const AnyLoss& loss, Input b, Input factor,
                       const CoordinateForm& form, Input h, Input u, InOut v, InOut w, InOut rate,
                       std::span<std::int64_t> stamp) noexcept {
    SteppingPoint<Lines> point{rows, form, h, w, v, rate, stamp};
    point.begin();
    std::int64_t entries_read = 0;
    for (const std::int64_t i : order) {
        if (factor[i] == 0) {
            point.skip();
            continue;
        }
        entries_read += rows.entries(i);
        const double change = loss.gradient(point.score(i), b[i]) - u[i];
        point.step(i, factor[i] * change, 0);
    }
    point.finish();
    return entries_read;
}

// SAGA: every row remembers the last derivative of its own.
//
// Problem: min_w P(w), with phi_i differentiable; v = A'(s u)/n is kept up to date.
// Update, for i in the order, with delta = phi_i'(<a_i, w>) - u_i:
//     w <- prox_{h g}(w - h (v + s_i delta a_i)),   v <- v + (s_i delta / n) a_i,   u_i <- u_i + delta
// Source: Defazio, Bach and Lacoste-Julien, "SAGA: a fast incremental gradient method with support for
// non-strongly convex composite objectives", NIPS 2014; one number a row, because the gradient is phi_i' a_i.
// Cost of a step: the entries of row i (each with an exponential, where rows are sparse); and O(d) a call.
template <class Lines>
std::int64_t saga_pass(const Lines& rows, Order order, const AnyLoss& loss, Input b, Input sample_weight,
                       const CoordinateForm& form, Input h, InOut u, InOut v, InOut w, InOut rate,
                       std::span<std::int64_t> stamp) noexcept {
    SteppingPoint<Lines> point{rows, form, h, w, v, rate, stamp};
    point.begin();
    std::int64_t entries_read = 0;
    for (const std::int64_t i : order) {
        if (sample_weight[i] == 0) {
            point.skip();
            continue;
        }
        entries_read += rows.entries(i);
        const double moved = loss.gradient(point.score(i), b[i]);
        const double change = sample_weight[i] * (moved - u[i]);
        point.step(i, change, change / double(u.size()));
        u[i] = moved;
    }
    point.finish();
    return entries_read;
}

} // namespace fenchel
