// phi(z) = log(1 + exp(-b z)),  phi*(y) = s log s + (1-s) log(1-s),  s = -b y in [0, 1].
#pragma once

#include "fenchel/row_terms.hpp"
#include "fenchel/scalar.hpp"
#include "fenchel/vector_math.hpp"

namespace fenchel {

// The root z of c z + sigmoid(z) = p, for c > 0 and p <= 1/2 (so that z <= 0).
//
// h(z) = c z + sigmoid(z) - p increases and is convex for z <= 0, so Newton's method from the right
// end of the bracket descends monotonically; from the left end the first step may jump over the
// bracket, and is then replaced by a bisection. |h''| <= h' bounds the error after a Newton step by the
// square of the step. On average 4 steps; no more than 29 were seen for c in [1e-12, 1e6].
inline double logistic_prox_root(double p, double c) noexcept {
    constexpr double underflow = -750; // sigmoid is 0 in double precision from here on
    constexpr int max_steps = 100;
    double upper = std::min(0.0, p / c);
    if (upper < underflow)
        return upper;
    double lower = std::max((p - 0.5) / c, p > 0 ? std::log(p / (1 - p)) : underflow);
    double z = p > 0 ? lower : upper;
    for (int step = 0; step < max_steps; ++step) {
        const double s = sigmoid(z);
        const double h = c * z + s - p;
        (h < 0 ? lower : upper) = z;
        const double newton = z - h / (c + s * (1 - s));
        const bool inside = newton >= lower && newton <= upper;
        const double next = inside ? newton : 0.5 * (lower + upper);
        const double move = std::abs(next - z);
        z = next;
        if (move <= (inside ? 1e-8 : 1e-15 * (1 - z)))
            break;
    }
    return z;
}

// exp(x) - 1 for |x| <= 1/16 by its series, to the last place.
inline double small_expm1(double x) noexcept {
    double sum = 1 + x / 8;
    for (const double term : {7.0, 6.0, 5.0, 4.0, 3.0, 2.0})
        sum = 1 + x * (1 / term) * sum;
    return x * sum;
}

struct Logistic {
    double value(double z, double b) const noexcept {
        const double m = b * z;
        return std::log1p(std::exp(-std::abs(m))) + std::max(0.0, -m);
    }
    double gradient(double z, double b) const noexcept { return -b * sigmoid(-b * z); }
    // Value, derivative, curvature and damping_curvature from one exponential, without branches.
    [[gnu::always_inline]] RowTerms terms(double z, double b) const noexcept {
        const double m = b * z, size = std::abs(z);
        const double e = exp_of_negative(std::max(-size, least_exponent)), whole = 1 + e, inverse = 1 / whole;
        // log(1 + e): the second part is what the rounding of 1 + e takes away.
        const double log1p = log_of_normal(whole) + (e - (whole - 1)) * inverse;
        const double slope = 0.5 * (1 - e) * inverse / std::max(size, 1e-4);
        return {log1p + std::max(0.0, -m), -b * (m >= 0 ? e * inverse : inverse), e * inverse * inverse,
                size > 1e-4 ? slope : 0.25};
    }
    double conjugate(double y, double b) const noexcept {
        if (outside(-b * y, 0, 1))
            return infinity;
        const double s = clip(-b * y, 0, 1);
        return x_log_x(s) + (s < 1 ? (1 - s) * std::log1p(-s) : 0.0);
    }
    // t = -b s with s = sigmoid(z) and c z + s = -b v; z -> -z maps p to 1 - p. Solving for z, not
    // for s, keeps s accurate near 0 and 1.
    double prox_conjugate(double v, double b, double c) const noexcept {
        const double p = -b * v;
        const double s =
            p <= 0.5 ? sigmoid(logistic_prox_root(p, c)) : sigmoid(-logistic_prox_root(1 - p, c));
        return -b * s;
    }
    // What the search near y needs of it, computed once for all searches from y with the same c.
    struct Near {
        double s, h; // -b y, and c log(s / (1 - s)) + s
    };
    Near near(double y, double b, double c) const noexcept {
        const double s = -b * y;
        return {s, c * std::log(s / (1 - s)) + s};
    }

    // The same prox, where the answer is expected near y: a step of a stochastic method moves it little.
    //
    // From s = -b y and z = log(s / (1 - s)), Halley's method in z. A step d changes s to
    // s e^d / (1 + s (e^d - 1)), so that no sigmoid is needed; it ends when d^3 is rounding. Steps that
    // are not short leave the work to the search that always ends.
    //
    // A y at an end of the domain, where the first pass over the rows finds them, has no z. There v = y + c q
    // for a score q, whose own derivative is near the answer: c log(s / (1 - s)) = -c b q at it.
    double prox_conjugate_near(double v, double b, double c, const Near& start) const noexcept {
        constexpr double end = 1e-12, longest = 1, short_step = 1.0 / 16, last = 1e-5;
        constexpr int max_steps = 4;
        double s = start.s, h = start.h + b * v;
        if (s == 0 || s == 1) {
            const double derivative = sigmoid(-(b * v + s) / c);
            h = derivative - s;
            s = derivative;
        }
        if (!(s > end && s < 1 - end))
            return prox_conjugate(v, b, c);
        for (int step = 0; step < max_steps; ++step) {
            const double slope = s * (1 - s), bend = 0.5 - s, rise = c + slope;
            const double d = -h * rise / (rise * rise - h * slope * bend);
            if (std::abs(d) <= last)
                return -b * (s + slope * d * (1 + bend * d));
            if (!(std::abs(d) <= longest))
                break;
            const double grown = std::abs(d) <= short_step ? small_expm1(d) : std::exp(d) - 1, old = s;
            s += slope * grown / (1 + s * grown);
            h += c * d + (s - old);
        }
        return prox_conjugate(v, b, c);
    }
    // A point near the prox, for the first passes of a method: Halley's method for c z + sigmoid(z) = p until a step is
    // short, which the first one is nearly always. It begins at the root for the sigmoid cut to a line and two ends,
    //     sigmoid(z) ~ clip(1/2 + z/4, 0, 1).
    // Steps d are cut to 1, and e^d is (2 + d) / (2 - d).
    double prox_conjugate_rough(double v, double b, double c) const noexcept {
        constexpr double short_step = 0.5;
        constexpr int max_steps = 4;
        const double p = -b * v, z = clip((p - 0.5) / (c + 0.25), (p - 1) / c, p / c);
        double s = sigmoid(z), h = c * z + s - p;
        for (int step = 0; step < max_steps; ++step) {
            const double slope = s * (1 - s), rise = c + slope;
            const double d = clip(-h * rise / (rise * rise - h * slope * (0.5 - s)), -1, 1);
            const double next = s * (2 + d) / (2 - d + 2 * s * d);
            h += c * d + (next - s);
            s = next;
            if (std::abs(d) < short_step)
                break;
        }
        return -b * s;
    }
    // b z = log((1 - s) / s), up to the rounding of s, whose last place is worth epsilon / (1 - s) in z.
    // s = 1 stands for every margin below log(epsilon / 2), s = 0 for those whose sigmoid underflows.
    Interval conjugate_slopes(double y, double b) const noexcept {
        constexpr double epsilon = std::numeric_limits<double>::epsilon();
        constexpr double least = -36.7368005696771, greatest = 745.1332191019412;
        const double s = -b * y;
        if (s <= 0)
            return scores_of_margins(b, greatest, infinity);
        if (s >= 1)
            return scores_of_margins(b, -infinity, least);
        const double margin = std::log1p(-s) - std::log(s), slack = epsilon / (1 - s);
        return scores_of_margins(b, margin - slack, margin + slack);
    }
};

} // namespace fenchel
