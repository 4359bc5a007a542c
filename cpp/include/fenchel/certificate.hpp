// The values of a certificate: sums over the rows of a loss and of its conjugate, over the coordinates of a
// separable regularizer and of its conjugate, and the best lower bound that they give.
//
//     P(w) = (1/n) sum_i s_i phi_i(z_i) + g(w),    D(u) = -(1/n) sum_i s_i phi_i*(u_i) - g*(-v),
//     z = A w,    v = A'(s u) / n
// The twin is the general path of fenchel.problem.bounds. No kernel of a solver includes this file: what proves a
// point shares with what found it the losses and the plain addition of many values (blocks.hpp), and no more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "fenchel/at_level.hpp"
#include "fenchel/blocks.hpp"
#include "fenchel/form_conjugate.hpp"
#include "fenchel/losses.hpp"
#include "fenchel/vector_math.hpp"

namespace fenchel {

// phi(z), a NaN for a NaN, and phi*(u), infinity for a NaN; for the logistic loss in functions that become vector code.
template <class Loss>
double certified_value(const Loss& loss, double z, double b) noexcept {
    return z == z ? loss.value(z, b) : z;
}
template <class Loss>
double certified_conjugate(const Loss& loss, double u, double b) noexcept {
    return loss.conjugate(u, b);
}

// log(1 + x) for -1 < x <= 1, given whole = 1 + x: the second part is what the rounding of 1 + x has taken away.
inline double log_of_sum(double x, double whole) noexcept {
    return log_of_normal(whole) + (x - (whole - 1)) / whole;
}

inline double certified_value(const Logistic&, double z, double b) noexcept {
    constexpr double underflow = -745.2; // exp is 0 from here on
    const double m = b * z, exponent = -std::abs(m), tail = exp_of_negative(std::max(exponent, least_exponent));
    const double e = exponent < underflow ? 0.0 : tail; // in between it is too large rather than too small
    return log_of_sum(e, 1 + e) + std::max(0.0, -m);
}
inline double certified_conjugate(const Logistic&, double u, double b) noexcept {
    constexpr double least = std::numeric_limits<double>::min();
    const double s = clip(-b * u, 0, 1), rest = std::max(1 - s, least);
    const double entropy = s * log_of_normal(std::max(s, least)) + (1 - s) * log_of_sum(-s, rest);
    return outside(-b * u, 0, 1) ? infinity : entropy;
}

struct CertifiedRows {
    AnyLoss loss;
    Input b, sample_weight;
};

// (1/n) sum_i s_i f(phi, i) over the rows with s_i > 0: an infinite term does not count at weight 0.
template <class F>
double weighted_mean(const CertifiedRows& rows, const F& f) noexcept {
    const std::size_t n = rows.sample_weight.size();
    const double *const s = rows.sample_weight.data(), *const b = rows.b.data();
    return at_level([&] {
        return rows.loss.visit([&](const auto& phi) {
            const double sum = block_sum(n, [=](std::size_t i) {
                const double term = f(phi, i, b[i]);
                return s[i] > 0 ? s[i] * term : 0.0;
            });
            return sum / double(n);
        });
    });
}

// (1/n) sum_i s_i phi_i(z_i). Cost O(n).
inline double mean_loss(const CertifiedRows& rows, Input z) noexcept {
    return weighted_mean(rows, [z_ = z.data()](const auto& phi, std::size_t i, double b) {
        return certified_value(phi, z_[i], b);
    });
}

// (1/n) sum_i s_i phi_i*(factor u_i). Cost O(n).
inline double mean_conjugate(const CertifiedRows& rows, Input u, double factor) noexcept {
    return weighted_mean(rows, [u_ = u.data(), factor](const auto& phi, std::size_t i, double b) {
        return certified_conjugate(phi, factor * u_[i], b);
    });
}

// g(w); infinite where a bound is broken. Cost O(d).
inline double form_value(const CoordinateForm& form, Input w) noexcept {
    return at_level([&] {
        return block_sum(w.size(), [&](std::size_t k) {
            const double size = std::abs(w[k]);
            // Factored, so that l2 = 0 never meets an overflowed square.
            const double inside = size * (form.l1[k] + 0.5 * form.l2[k] * size);
            return (w[k] < form.lower[k]) | (w[k] > form.upper[k]) ? infinity : inside;
        });
    });
}

struct CertifiedCoordinates {
    CoordinateForm form;
    Input lower, upper; // the interval on which each g_k* is finite
};

// The largest s in [0, 1] with g*(-s v) finite. Cost O(d).
inline double feasible_scale(const CertifiedCoordinates& at, Input v) noexcept {
    double scale = largest_scale(at.lower, at.upper, v, -1);
    // The quotient rounds, so that scale * v can miss the interval by an ulp: step down until it does not.
    while (scale > 0 && scale < 1 && largest_scale(at.lower, at.upper, v, -scale) < 1)
        scale = std::nextafter(scale, 0.0);
    return scale;
}

// An upper bound on sup <-v, w> - g(w) over g(w) <= level: the smaller one of two. Cost O(d).
inline double conjugate_on_level(const CoordinateForm& form, Input v, double level) noexcept {
    const Excess excess = form_excess(form, v, -1);
    const auto bound = [&](int group) {
        const double largest = excess.largest[group];
        // A level of zero does not hold a coordinate without l1 part.
        return (largest > 0 && largest < infinity ? level * largest : largest) + excess.outside[group];
    };
    return std::min(bound(0), bound(1));
}

// A lower bound on the optimum, and the factor on u of the point that gives it.
struct LowerBound {
    double value, scale;
};

// The scale in [0, scale] that maximises the parabola through the dual values at 0, half of it and it.
inline double parabola_vertex(double origin, double middle, double top, double scale) noexcept {
    const double bend = 2 * (top - 2 * middle + origin), slope = 4 * middle - 3 * origin - top;
    if (!(std::isfinite(bend) && std::isfinite(slope)) || bend >= 0)
        return scale;
    return scale * clip(-slope / (2 * bend), 0, 1);
}

// The mean conjugate is convex along the ray of u: the chord through its values at half the scale and the scale,
// carried on to 1 less what their rounding does to it, is below the value there.
inline double least_at_one(double middle, double end, double scale) noexcept {
    constexpr double rounding = 1e-13;
    if (!(scale > 0 && std::isfinite(middle) && std::isfinite(end)))
        return -infinity;
    const double reach = 2 * (1 - scale) / scale;
    return end + reach * (end - middle) - rounding * (1 + reach) * (std::abs(middle) + std::abs(end));
}

// The best one of: u scaled into the domain of g*, u scaled to the vertex of a parabola through the dual values at 0
// (the value `origin`) and two scales, and u itself against the level g(w) <= primal. The charge is what the residual
// of u on coordinates without penalty costs; it scales with u.
inline LowerBound best_bound(const CertifiedRows& rows, const CertifiedCoordinates& at, Input u, Input v,
                             double primal, double origin, double charge) noexcept {
    const auto dual = [&](double loss, double scale) { return -loss - form_conjugate(at.form, v, -scale); };
    const double scale = feasible_scale(at, v);
    if (scale == 1)
        return {dual(mean_conjugate(rows, u, 1), 1) - charge, 1};
    const double end_loss = mean_conjugate(rows, u, scale), middle_loss = mean_conjugate(rows, u, 0.5 * scale);
    const double end = dual(end_loss, scale);
    LowerBound best{end - scale * charge, scale};
    const double vertex = parabola_vertex(origin, dual(middle_loss, 0.5 * scale), end, scale);
    if (vertex != scale) {
        const double value = dual(mean_conjugate(rows, u, vertex), vertex) - vertex * charge;
        if (value > best.value)
            best = {value, vertex};
    }
    double level = -conjugate_on_level(at.form, v, primal) - charge;
    if (level - least_at_one(middle_loss, end_loss, scale) <= best.value)
        return best;
    level -= mean_conjugate(rows, u, 1);
    return level > best.value ? LowerBound{level, 1} : best;
}

} // namespace fenchel
