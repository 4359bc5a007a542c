// Coordinate descent with exact steps: the loss itself is minimised over one coordinate at a time.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "fenchel/coordinate.hpp"
#include "fenchel/row_terms.hpp"
#include "fenchel/steepest_fall.hpp"

namespace fenchel {

// Problem: min_w P(w), with phi_i smooth; z = A w is kept up to date.
// Update, for j in the order: t starts at w_j and moves by Newton steps
//     t <- argmin_x  G x + H/2 (x - t)^2 + g_j(x),   G, H the derivatives of (1/n) sum_i s_i phi_i along j,
// at most `steps` times, or until no direction falls faster than the tolerance. Where H = 0 it is the sum of the
// damping curvatures. A point beyond the minimiser is not kept: on the near side P has fallen, because it is
// convex. The Newton step from there leads back to the near side where the third derivative keeps its sign; a step
// that leaves the interval is replaced by a bisection. Only where no more than rounding is left of the slope either side will do.
// A Newton step for all coordinates at once is poor where a row has saturated: along a logistic tail it moves the
// margin by 1. Columns of few entries go the whole way here for the price of a few.
// Cost of a step: the entries of the column, once for every Newton step and twice more.
template <class Lines>
std::int64_t coordinate_newton_pass(const Lines& columns, Order order, const AnyLoss& loss, Input b,
                                    Input sample_weight, const CoordinateForm& form, int steps,
                                    double tolerance, InOut w, InOut z) noexcept {
    // A slope of the far side that is this small, next to the first one or to its terms, is that of the minimiser.
    constexpr double small = 1e-10, margin = 1e-6, rounding = 8 * std::numeric_limits<double>::epsilon();
    const double n = double(z.size());
    std::int64_t entries_read = 0;
    loss.visit([&](const auto& phi) {
        for (const std::int64_t j : order) {
            const double start = w[j];
            double best = start, t = start, first_side = 0, first_fall = 0;
            for (int step = 0; step <= steps; ++step) {
                double G = 0, H = 0, damped = 0, size = 0;
                columns.for_each(j, [&](std::int64_t i, double a) {
                    const RowTerms row = row_terms(phi, z[i] + (t - start) * a, b[i]);
                    const double slope = sample_weight[i] * a * row.gradient;
                    G += slope;
                    size += std::abs(slope);
                    H += sample_weight[i] * a * a * row.curvature;
                    damped += sample_weight[i] * a * a * row.damping_curvature;
                });
                H = H > 0 ? H : damped;
                entries_read += columns.entries(j);
                const auto [up, down] = falls(form, j, G / n, t);
                const double side = up > down ? 1 : -1, fall = std::max(up, down);
                if (step == 0)
                    first_side = side, first_fall = fall;
                if (side == first_side || fall <= std::max(small * first_fall, rounding * size / n))
                    best = t, first_side = side;
                if (fall <= tolerance || step == steps)
                    break;
                const double newton = H > 0 ? form.minimiser(j, (H * t - G) / n, H / n) : best;
                const double width = t - best, part = (newton - best) * width;
                const bool inside = part > margin * width * width && part < width * width;
                t = side == first_side || inside ? newton : 0.5 * (best + t);
            }
            const double delta = best - start;
            if (delta == 0)
                continue;
            w[j] = best;
            columns.for_each(j, [&](std::int64_t i, double a) { z[i] += delta * a; });
            entries_read += columns.entries(j);
        }
    });
    return entries_read;
}

} // namespace fenchel
