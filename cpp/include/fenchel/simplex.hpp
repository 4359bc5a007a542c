// Steps of the dual on a probability simplex: the proximal maps of the conjugates of softmax and of the
// multiclass hinge, for one row of k classes. None allocates; the caller passes the arrays.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace fenchel {

inline constexpr double rounding = std::numeric_limits<double>::epsilon();

// The Wright omega function: the w > 0 with w + log w = y. One step of order four from a first guess,
// and a second where the estimate of its error asks for it. Source: Lawrence, Corless and Jeffrey,
// "Algorithm 917: complex double-precision evaluation of the Wright omega function", ACM TOMS 38, 2012.
inline double wright_omega(double y) noexcept {
    if (y < -50)
        return std::exp(y);
    double w, log_w;
    if (y < -2) {
        w = std::exp(y);
        log_w = y;
    } else if (y < 1) {
        log_w = 2 * (y - 1) / 3;
        w = std::exp(log_w);
    } else {
        w = std::log(y);
        w = y - w + w / y;
        log_w = std::log(w);
    }
    for (int step = 0; step < 2; ++step) {
        const double r = y - w - log_w, s = w + 1, t = 2 * s * (s + 2 * r / 3);
        w *= 1 + r / s * (t - r) / (t - 2 * r);
        const double r2 = r * r, s3 = s * s * s;
        if ((2 * w * w + 8 * w + 1) * r2 * r2 < 72 * rounding * s3 * s3)
            break;
        log_w = std::log(w);
    }
    return w;
}

// p <- the point of the simplex nearest to a: p_l = max(a_l - tau, 0). Classes below the threshold are
// dropped and it is taken again, until none is; it only rises, so this is exact and needs no sorting.
// Cost O(k) a round. Rounds: as many as thresholds, in practice a few.
inline void project_onto_simplex(const double* a, double* p, std::int64_t k) noexcept {
    const double top = *std::max_element(a, a + k);
    double tau = -2; // relative to the top: below -1 nothing is kept
    std::int64_t kept = k + 1;
    for (;;) {
        double sum = 0;
        std::int64_t count = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            const double height = a[l] - top;
            if (height > tau) {
                sum += height;
                ++count;
            }
        }
        tau = (sum - 1) / double(count);
        if (count >= kept) // more than before: rounding, at a class that stands on the threshold
            break;
        kept = count;
    }
    for (std::int64_t l = 0; l < k; ++l)
        p[l] = std::max(a[l] - top - tau, 0.0);
}

// p <- argmin over the simplex of c sum_l p_l log p_l + |p - a|^2 / 2.
//
// With kappa the multiplier of the sum, p_l + c log p_l = a_l - kappa. Each p_l falls with kappa and is
// convex in it, so Newton's method on sum p = 1 climbs to the root from any lower bound. The tangent at
// the p that comes in gives a bound that is close when p is; a_max - 1 is one always. Once a move is far
// below c, it and p follow by their Taylor series to second order, with a relative error of (move / c)^3.
// a is shifted in place. Cost: O(k) transcendental functions a Newton step, two or three steps when warm.
inline void project_with_entropy(double* a, double* p, std::int64_t k, double c) noexcept {
    constexpr int most_steps = 200;
    const double top = *std::max_element(a, a + k), log_c = std::log(c);
    double numerator = 0, denominator = 0;
    for (std::int64_t l = 0; l < k; ++l) {
        a[l] -= top;
        if (p[l] > 0) {
            const double weight = p[l] / (p[l] + c);
            numerator += weight * (a[l] - p[l] - c * std::log(p[l]));
            denominator += weight;
        }
    }
    double kappa = denominator > 0 ? std::max(-1.0, numerator / denominator) : -1.0;
    double total = 0;
    for (int step = 0; step < most_steps; ++step) {
        double slope = 0;
        total = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            p[l] = c * wright_omega((a[l] - kappa) / c - log_c);
            total += p[l];
            slope += p[l] / (p[l] + c);
        }
        const double move = (total - 1) / slope;
        if (move <= 4 * rounding * (1 + std::abs(kappa)))
            break;
        if (move <= 1e-5 * c) {
            double bend = 0;
            for (std::int64_t l = 0; l < k; ++l)
                bend += c * p[l] / ((p[l] + c) * (p[l] + c) * (p[l] + c));
            const double last = move * (1 + 0.5 * move * bend / slope);
            total = 0;
            for (std::int64_t l = 0; l < k; ++l) {
                const double share = last / (p[l] + c);
                p[l] *= 1 - share * (1 - 0.5 * share * c / (p[l] + c));
                total += p[l];
            }
            break;
        }
        kappa += move;
    }
    for (std::int64_t l = 0; l < k; ++l)
        p[l] /= total;
}

// phi(z) = log sum_l exp(z_l) - z_y
struct SoftmaxBlock {
    // p <- the prox of c phi* at a - e_y, plus e_y; p comes in as the present point.
    static void prox_conjugate(double* a, double* p, std::int64_t k, std::int64_t, double c) noexcept {
        project_with_entropy(a, p, k, c);
    }
};

// phi(z) = max_l (z_l + 1 - [l = y]) - z_y
struct MulticlassHingeBlock {
    static void prox_conjugate(double* a, double* p, std::int64_t k, std::int64_t y, double c) noexcept {
        a[y] -= c;
        project_onto_simplex(a, p, k);
    }
};

} // namespace fenchel
