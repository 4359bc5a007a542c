// Coordinate ascent on the dual of an interpolation problem, plain and accelerated.
//
//     min_w g(w)  subject to  z_i = w' x_i in Y_i,         max_a G(a) = -sum_i sigma_i(-a_i) - g*(t),
//     w = grad g*(t),   t = sum_i x_i a_i'   (D, k)
// where sigma_i is the support function of Y_i. With slack c_i the primal adds (c_i/2) dist(z_i, Y_i)^2 and
// the dual subtracts |a_i|^2 / (2 c_i); inverse_slack = 1/c_i is 0 for a hard constraint.
// L_i bounds the second derivative of g* along row i: ||x_i||_q^2 / ((p - 1) strength) for half the squared lp
// norm, ||x_i||_inf^2 / strength for the entropy.
// Source: Raj and Bach, "Explicit Regularization of Stochastic Gradient Methods through Duality", AISTATS 2021,
// in the variables a = -alpha / n, in which no 1/n is left.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "fenchel/constraint_sets.hpp"
#include "fenchel/coordinate.hpp"
#include "fenchel/mirror_maps.hpp"

namespace fenchel {

// The maximiser over b of f(b) = -sigma_i(-b) - b^2/(2 c_i) - g*(t + x_i (b - a)) for one output, nearly:
// Newton's method with the second derivative h held in [1e-3 L_i, L_i],
//     b <- T(b) = (Pi_i(y) - y) / (h + 1/c_i),   y = z(b) - h b,
// at most `most` trials, and never a point that gains less than the step with L_i is sure to:
// T(b) - b has the sign of f'(b), and f is concave. The step with L_i does not pass the maximiser, so a trial that
// lies beyond it and not beyond the maximiser gains more; one beyond the maximiser is taken if its value says so.
// When all fail it is the step with L_i that is taken. Cost: a look along the row for each trial.
template <class Map>
double newton_step(Map& map, const Intervals& set, std::int64_t i, const LinePoint& here, double a, double L,
                   std::int64_t most, LinePoint& point) noexcept {
    constexpr double least = 1e-3, settled = 1e-2;
    const auto target = [&](double b, const LinePoint& at) {
        return set.step(i, b, at.slope, std::min(std::max(at.curvature, least * L), L));
    };
    const auto look = [&](double b) {
        const double delta = b - a;
        return map.at(&delta);
    };
    const double safe = set.step(i, a, here.slope, L);
    const double direction = safe - a;
    if (direction == 0) {
        point = here;
        return a;
    }
    const double enough = set.value(i, a) - here.value + 0.5 * (L + set.inverse_slack[i]) * direction * direction;
    double near = safe, far = direction * infinity, b = target(a, here);
    if ((b - safe) * direction < 0) // by rounding
        b = safe;
    bool reached = false; // whether near has been looked at, and point is its
    for (std::int64_t trial = 0; trial < most; ++trial) {
        const LinePoint at = look(b);
        const double next = target(b, at);
        const bool beyond = (next - b) * direction < 0;
        if (beyond && set.value(i, b) - at.value >= enough) {
            point = at;
            return b;
        }
        if (beyond) {
            far = b;
        } else {
            near = b, point = at, reached = true;
            if (std::abs(next - b) <= settled * std::abs(b - a))
                break;
        }
        const double middle = std::copysign(std::sqrt((near - a) * (far - a)), direction);
        b = !beyond && (far - next) * direction > 0 ? next : a + middle;
    }
    if (!reached)
        point = look(near);
    return near;
}

// Coordinate ascent: for i in the order
//     a_i <- (Pi_i(y) - y) / (L_i + 1/c_i),   y = z_i - L_i a_i,   t <- t + x_i (change of a_i)'
// or, for one output and a map that is not linear, newton_step with at most `newton` trials. G never falls.
// tilt carries the sum over t from one pass to the next, as (base, sum); with a sum of 0 it is made from t.
// Rows with L_i + 1/c_i = 0 are skipped: nothing moves their score.
// Source: Algorithm 1, with the L_i of the row; step with slack: Moreau's identity once more.
// Cost of a step: the entries of row i (times k), and powers or exponentials of them for each trial where the map
// is not linear.
template <class Lines, class Map, class Set>
std::int64_t dual_ascent_pass(const Lines& rows, Order order, const Set& set, Input L, std::int64_t newton,
                              Map& map, std::int64_t k, InOut a, InOut tilt, double* b) noexcept {
    std::int64_t entries_read = 0;
    map.begin(tilt);
    for (const std::int64_t i : order) {
        if (L[i] + set.inverse_slack[i] == 0)
            continue;
        entries_read += rows.entries(i);
        double* const a_i = a.data() + i * k;
        const auto changes = [&] {
            for (std::int64_t l = 0; l < k; ++l) {
                const double old = a_i[l];
                a_i[l] = b[l];
                b[l] -= old;
            }
            return b;
        };
        if constexpr (Map::curved) {
            LinePoint point{}, here = map.look(rows, i, L[i]);
            if constexpr (std::is_same_v<Set, Intervals>) {
                b[0] = newton_step(map, set, i, here, a_i[0], L[i], newton, point);
                map.take(changes(), point);
            } else {
                set.step(i, a_i, map.slopes(), L[i], b);
                const double* const delta = changes();
                map.take(delta, map.at(delta));
            }
        } else {
            map.look(rows, i);
            set.step(i, a_i, map.slopes(), L[i], b);
            map.move(rows, i, changes());
        }
    }
    map.end(tilt);
    return entries_read;
}

// theta of the next step.
inline double next_momentum(double theta) noexcept {
    return 2 * theta / (std::sqrt(theta * theta + 4) + theta);
}

// Accelerated coordinate ascent without a move of all rows: y = theta^2 lag + lead, and their images. For i in
// the order, drawn with probabilities p_i = share_i,
//     z = w' x_i at the image of y,   h = theta L_i / p_i
//     lead_i <- lead_i + dz,   dz = (Pi_i(r) - r) / (h + 1/c_i) - lead_i,   r = z - h lead_i
//     lag_i <- lag_i + c dz,   c = -(1 - theta / p_i) / theta^2,   theta <- (sqrt(theta^4 + 4 theta^2) - theta^2) / 2
// The iterate is theta_old^2 lag + lead, a convex combination of past leads, with the theta of the last step.
// momentum holds theta and theta_old.
// Source: Algorithm 2, with its first sequence as the output; that is APPROX of Fercoq and Richtarik, "Accelerated,
// Parallel, and Proximal Coordinate Descent", SIAM Journal on Optimization 25, 2015, with p_i of one's choice.
// Cost of a step: the entries of row i (times k) where the map is linear, otherwise O(D k).
template <class Lines, class Images, class Set>
std::int64_t accelerated_dual_ascent_pass(const Lines& rows, Order order, const Set& set, Input L, Input share,
                                          Images& images, std::int64_t k, InOut momentum, InOut lag, InOut lead,
                                          double* b) noexcept {
    std::int64_t entries_read = 0;
    for (const std::int64_t i : order) {
        if (L[i] + set.inverse_slack[i] == 0)
            continue;
        entries_read += rows.entries(i);
        const double theta = momentum[0], square = theta * theta, c = -(1 - theta / share[i]) / square;
        const double* const slopes = images.look(rows, i, square);
        double *const lead_i = lead.data() + i * k, *const lag_i = lag.data() + i * k;
        set.step(i, lead_i, slopes, theta * L[i] / share[i], b);
        for (std::int64_t l = 0; l < k; ++l) {
            b[l] -= lead_i[l];
            lead_i[l] += b[l];
            lag_i[l] += c * b[l];
        }
        images.move(rows, i, b, c);
        momentum[1] = theta;
        momentum[0] = next_momentum(theta);
    }
    return entries_read;
}

// The images of lag and lead; what a row sees is the map at y = square lag + lead.
struct ImagePair {
    InOut lag, lead; // (D, k)
    std::int64_t k;

    template <class Lines>
    void move(const Lines& rows, std::int64_t i, const double* delta, double c) noexcept {
        rows.for_each(i, [&](std::int64_t j, double x) {
            for (std::int64_t l = 0; l < k; ++l) {
                lead[j * k + l] += x * delta[l];
                lag[j * k + l] += c * x * delta[l];
            }
        });
    }
};

struct EuclideanPair : ImagePair {
    double inverse_strength;
    double* slopes; // k

    template <class Lines>
    const double* look(const Lines& rows, std::int64_t i, double square) noexcept {
        row_scores(rows, i, k, inverse_strength, slopes,
                   [&](std::int64_t m) { return square * lag[m] + lead[m]; });
        return slopes;
    }
};

template <class Terms>
struct TiltedPair : ImagePair {
    InOut y; // (D, k)
    TiltedMap<Terms> map; // at y

    template <class Lines>
    const double* look(const Lines& rows, std::int64_t i, double square) noexcept {
        for (std::size_t m = 0; m < y.size(); ++m)
            y[m] = square * lag[m] + lead[m];
        map.refresh();
        map.look(rows, i, 0);
        return map.slopes();
    }
};

} // namespace fenchel
