// Steps of the dual on a probability simplex: the proximal maps of the conjugates of softmax and of the
// multiclass hinge, for one row of k classes. None allocates; the caller passes the arrays.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fenchel/vector_math.hpp"

namespace fenchel {

// p <- the point of the simplex nearest to a: p_l = max(a_l - tau, 0).
//
// For any set S of classes, (sum_S a - 1) / |S| <= tau, because sum_S (a - tau) <= 1. From the set where
// the p that comes in is positive, and then from the classes above the threshold, it only rises; when the
// set has become the whole of those, it is exact. Cost O(k) a round, no sorting; two rounds when p is close.
inline void project_onto_simplex(const double* a, double* p, std::int64_t k) noexcept {
    const double top = *std::max_element(a, a + k);
    double tau = -1; // relative to the top, and never above the threshold
    double sum = 0, count = 0;
    for (std::int64_t l = 0; l < k; ++l) {
        const bool chosen = p[l] > 0;
        sum += chosen ? a[l] - top : 0.0;
        count += chosen;
    }
    if (count > 0)
        tau = std::max(tau, (sum - 1) / count);
    // Every threshold drops classes for good: at most k + 1 rounds, whatever rounding does.
    for (std::int64_t round = 0; round <= k; ++round) {
        sum = count = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            const double height = a[l] - top;
            const bool chosen = height > tau;
            sum += chosen ? height : 0.0;
            count += chosen;
        }
        const double next = (sum - 1) / count;
        if (next <= tau)
            break;
        tau = next;
    }
    for (std::int64_t l = 0; l < k; ++l)
        p[l] = std::max(a[l] - top - tau, 0.0);
}

// p <- argmin over the simplex of c sum_l p_l log p_l + |p - a|^2 / 2, from the logarithms q of a first guess.
//
// With kappa the multiplier of the sum and q = log p, p_l + c q_l = a_l - kappa and sum p = 1: Newton's
// method on q and kappa together, with q held in [least_exponent, 0]. Each equation is convex in its q, so
// that a step goes too far to the right at most, from where the next ones come back. Once the largest move
// is below 1e-5, p follows by its Taylor series. Cost: an exponential and a division a class and step.
inline void project_with_entropy(const double* a, double* p, std::int64_t k, double c, double* q) noexcept {
    constexpr int most_steps = 100;
    for (std::int64_t l = 0; l < k; ++l)
        p[l] = exp_of_negative(q[l]);
    for (int step = 0; step < most_steps; ++step) {
        double total = 0, weights = 0, pull = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            const double weight = p[l] / (p[l] + c);
            total += p[l];
            weights += weight;
            pull += weight * (a[l] - p[l] - c * q[l]);
        }
        const double kappa = (pull + (total - 1)) / weights;
        double largest = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            const double old = q[l], move = (a[l] - p[l] - c * old - kappa) / (p[l] + c);
            q[l] = std::min(std::max(old + move, least_exponent), 0.0);
            largest = std::max(largest, std::abs(q[l] - old));
        }
        for (std::int64_t l = 0; l < k; ++l)
            p[l] = exp_of_negative(q[l]);
        if (largest <= 1e-7)
            break;
    }
    double total = 0;
    for (std::int64_t l = 0; l < k; ++l)
        total += p[l];
    for (std::int64_t l = 0; l < k; ++l)
        p[l] /= total;
}

// phi(z) = log sum_l exp(z_l) - z_y
struct SoftmaxBlock {
    // p <- the prox of c phi* at p - e_y + c z, plus e_y. Returns phi(z) + phi*(p - e_y) - <p - e_y, z> at
    // the p that comes in. z is overwritten; work has room for 2 k values.
    static double step(double* z, double* p, std::int64_t k, std::int64_t, double c, double* work) noexcept {
        double *const log_p = work, *const powers = work + k;
        const double top = *std::max_element(z, z + k);
        double total = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            z[l] -= top;
            powers[l] = exp_of_negative(std::max(z[l], least_exponent));
            log_p[l] = log_of_normal(std::max(p[l], 1e-300));
        }
        for (std::int64_t l = 0; l < k; ++l)
            total += powers[l];
        const double log_total = std::log(total);
        double gap = log_total;
        for (std::int64_t l = 0; l < k; ++l)
            gap += p[l] * (log_p[l] - z[l]);
        // The answer lies between p and softmax(z), nearer to the second the larger c is.
        const bool responds = c > 0.25;
        for (std::int64_t l = 0; l < k; ++l) {
            const double guess = responds ? z[l] - log_total : log_p[l];
            log_p[l] = std::min(std::max(guess, least_exponent), 0.0);
            z[l] = p[l] + c * z[l];
        }
        project_with_entropy(z, p, k, c, log_p);
        return gap;
    }
};

// phi(z) = max_l (z_l + 1 - [l = y]) - z_y
struct MulticlassHingeBlock {
    // As above.
    static double step(double* z, double* p, std::int64_t k, std::int64_t y, double c, double*) noexcept {
        z[y] -= 1;
        double gap = *std::max_element(z, z + k);
        for (std::int64_t l = 0; l < k; ++l) {
            gap -= p[l] * z[l];
            z[l] = p[l] + c * z[l];
        }
        project_onto_simplex(z, p, k);
        return gap;
    }
};

} // namespace fenchel
