// Proximal steps on the dual of a loss with kinks under g = l2/2 |w|^2, by Newton's method in w.
//
// A proximal step of length c from u maximises D(x) - (1/2cn) sum_i s_i (x_i - u_i)^2. At its maximiser
//     x_i = T_i(z_i) = prox_{c phi_i*}(u_i + c z_i),   z = A w,   l2 w + (1/n) sum_i s_i T_i a_i = 0,
// and the left side of the last equation is the gradient of a smooth convex function of w.
// A kernel does not allocate, throw or draw random numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/at_level.hpp"
#include "fenchel/cholesky.hpp"
#include "fenchel/conjugate_gradients.hpp"
#include "fenchel/coordinate.hpp"
#include "fenchel/losses.hpp"

namespace fenchel {

// T of a row, and how far its score may move before T does: 0 for a row that is free, which no end of the domain
// and no kink of the conjugate holds.
struct ProximalRow {
    double target, room;

    bool free() const noexcept { return room == 0; }
};

template <class Loss>
ProximalRow proximal_row(const Loss& loss, double b, double u, double z, double c) noexcept {
    const double point = u + c * z, target = loss.prox_conjugate(point, b, c);
    const Interval scores = loss.conjugate_slopes(target, b);
    const double score = (point - target) / c;
    return {target, scores.lower == scores.upper ? 0.0 : std::min(score - scores.lower, scores.upper - score)};
}

// The same for all rows. Cost O(n).
inline void proximal_rows(const AnyLoss& loss, Input b, Input u, Input z, double c, InOut target,
                          InOut room) noexcept {
    const auto all = [&](const auto& phi) {
        for (std::size_t i = 0; i < z.size(); ++i) {
            const ProximalRow row = proximal_row(phi, b[i], u[i], z[i], c);
            target[i] = row.target;
            room[i] = row.room;
        }
    };
    at_level([&] { loss.visit(all); });
}

// The slope of the smooth function along a direction, and its derivative.
struct ProximalSlope {
    double value, curvature;

    void add(const ProximalRow& row, double weighted, double moved) noexcept {
        value += weighted * row.target;
        curvature += row.free() ? weighted * moved : 0.0;
    }
};

// The length in (0, 1] where the slope is at most a tenth of the first one, or 1 where it is negative there: Newton's
// method, which takes the middle of the bracket where it leaves it.
inline double proximal_length(auto&& slope_at, double first) noexcept {
    constexpr int most_trials = 20;
    constexpr double flat = 0.1;
    double length = 1, low = 0, high = 1;
    for (int trial = 0; trial < most_trials; ++trial) {
        const ProximalSlope slope = slope_at(length);
        if (std::abs(slope.value) <= flat * std::abs(first) || (slope.value < 0 && length == 1))
            break;
        (slope.value > 0 ? high : low) = length;
        const double next = length - slope.value / slope.curvature;
        length = next > low && next < high ? next : 0.5 * (low + high);
    }
    return length;
}

// The same for all rows, whose scores move by dz; w moves by dw. Cost O(n + d) a trial.
inline double proximal_search(const AnyLoss& loss, Input b, Input sample_weight, Input u, double l2, double c, Input w,
                              Input dw, Input z, Input dz) noexcept {
    const double n = double(z.size());
    double constant = 0, bend = 0;
    for (std::size_t j = 0; j < w.size(); ++j) {
        constant += l2 * w[j] * dw[j];
        bend += l2 * dw[j] * dw[j];
    }
    const auto search = [&](const auto& phi) {
        const auto slope_at = [&](double length) {
            ProximalSlope slope{constant + length * bend, bend};
            for (std::size_t i = 0; i < z.size(); ++i)
                slope.add(proximal_row(phi, b[i], u[i], z[i] + length * dz[i], c), sample_weight[i] * dz[i] / n,
                          c * dz[i]);
            return slope;
        };
        return proximal_length(slope_at, slope_at(0).value);
    };
    return at_level([&] { return loss.visit(search); });
}

// What a Newton step works in: vectors of d values, of as many as there are rows, and the matrix of the smaller size.
struct ProximalWork {
    InOut gradient, direction, entries; // d
    InOut dz, target; // one a row of the order
    InOut matrix, right;
    std::span<std::int64_t> free;

    static std::size_t size(std::size_t rows, std::size_t d) noexcept {
        const std::size_t m = std::min(rows, d);
        return 3 * d + 2 * rows + m * m + m;
    }
    ProximalWork(InOut work, std::span<std::int64_t> places, std::size_t rows, std::size_t d) noexcept
        : free(places) {
        const std::size_t m = std::min(rows, d);
        gradient = work.subspan(0, d), direction = work.subspan(d, d);
        entries = work.subspan(2 * d, d);
        dz = work.subspan(3 * d, rows), target = work.subspan(3 * d + rows, rows);
        matrix = work.subspan(3 * d + 2 * rows, m * m), right = work.subspan(3 * d + 2 * rows + m * m, m);
    }
};

// direction <- -(l2 I + (c/n) sum_{i free} s_i a_i a_i')^{-1} gradient, by the smaller of two systems: this one, or
//     (l2 I + R R') q = R gradient,   direction = (R' q - gradient) / l2,   R the rows sqrt(c s_i / n) a_i'.
// Cost for m free rows: the squares of their entries or m times all of them, and min(m, d)^3 / 6.
template <class Lines>
void proximal_direction(const Lines& rows, std::span<const std::int64_t> free, Input sample_weight, double scale,
                        double l2, const ProximalWork& at) noexcept {
    const std::size_t m = free.size(), d = at.gradient.size();
    std::copy(at.gradient.begin(), at.gradient.end(), at.direction.begin());
    std::fill(at.entries.begin(), at.entries.end(), 0.0);
    double* const M = at.matrix.data();
    if (m >= d) {
        std::fill_n(M, d * d, 0.0);
        for (const std::int64_t i : free) {
            rows.add(i, 1, at.entries.data());
            rows.for_each(i, [&](std::int64_t j, double a) {
                dense_add(scale * sample_weight[i] * a, at.entries.data(), M + std::size_t(j) * d, j + 1);
            });
            rows.for_each(i, [&](std::int64_t j, double) { at.entries[std::size_t(j)] = 0; });
        }
        for (std::size_t j = 0; j < d; ++j)
            M[j * d + j] += l2;
        if (factor(M, d, d))
            solve_factored(M, d, d, at.direction.data());
        for (double& x : at.direction)
            x = -x;
        return;
    }
    const auto root = [&](std::int64_t i) { return std::sqrt(scale * sample_weight[i]); };
    for (std::size_t t = 0; t < m; ++t) {
        rows.add(free[t], root(free[t]), at.entries.data());
        for (std::size_t k = 0; k <= t; ++k)
            M[t * m + k] = root(free[k]) * rows.dot(free[k], at.entries.data());
        M[t * m + t] += l2;
        at.right[t] = root(free[t]) * rows.dot(free[t], at.gradient.data());
        rows.for_each(free[t], [&](std::int64_t j, double) { at.entries[std::size_t(j)] = 0; });
    }
    if (factor(M, m, m)) {
        solve_factored(M, m, m, at.right.data());
        for (std::size_t t = 0; t < m; ++t)
            rows.add(free[t], -at.right[t] * root(free[t]), at.direction.data());
    }
    for (double& x : at.direction)
        x /= -l2;
}

// Newton steps on w, the rows outside of the order being held at their T, until the gradient is no longer than the
// tolerance; their number, at most `most`. v is (1/n) sum_i s_i T_i a_i over all rows, and z has the scores of all
// rows; of z only those of the order are moved.
template <class Lines, class Loss>
std::int64_t proximal_newton_steps(const Lines& rows, Order order, const Loss& loss, Input b, Input sample_weight,
                                   Input u, double l2, double c, std::int64_t most, double tolerance, InOut w,
                                   InOut z, InOut v, const ProximalWork& at) noexcept {
    const double n = double(z.size());
    const std::size_t d = w.size();
    const auto row = [&](std::int64_t i, double score) { return proximal_row(loss, b[i], u[i], score, c); };
    for (std::size_t t = 0; t < order.size(); ++t)
        at.target[t] = row(order[t], z[order[t]]).target;
    for (std::int64_t step = 0;; ++step) {
        std::size_t count = 0;
        for (std::size_t t = 0; t < order.size(); ++t) {
            const std::int64_t i = order[t];
            const ProximalRow here = row(i, z[i]);
            if (here.target != at.target[t])
                rows.add(i, sample_weight[i] * (here.target - at.target[t]) / n, v.data());
            at.target[t] = here.target;
            if (here.free() && sample_weight[i] > 0)
                at.free[count++] = i;
        }
        for (std::size_t j = 0; j < d; ++j)
            at.gradient[j] = l2 * w[j] + v[j];
        if (step == most || length_of(at.gradient) <= tolerance)
            return step;
        proximal_direction(rows, at.free.first(count), sample_weight, c / n, l2, at);
        double first = 0, bend = 0;
        for (std::size_t j = 0; j < d; ++j) {
            first += at.direction[j] * at.gradient[j];
            bend += l2 * at.direction[j] * at.direction[j];
        }
        double constant = first; // without what the rows of the order give
        for (std::size_t t = 0; t < order.size(); ++t) {
            at.dz[t] = rows.dot(order[t], at.direction.data());
            constant -= sample_weight[order[t]] * at.target[t] * at.dz[t] / n;
        }
        const double length = proximal_length(
            [&](double trial) {
                ProximalSlope slope{constant + trial * bend, bend};
                for (std::size_t t = 0; t < order.size(); ++t)
                    slope.add(row(order[t], z[order[t]] + trial * at.dz[t]),
                              sample_weight[order[t]] * at.dz[t] / n, c * at.dz[t]);
                return slope;
            },
            first);
        for (std::size_t j = 0; j < d; ++j)
            w[j] += length * at.direction[j];
        for (std::size_t t = 0; t < order.size(); ++t)
            z[order[t]] += length * at.dz[t];
    }
}

} // namespace fenchel
