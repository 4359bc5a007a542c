// A Newton step of all coordinates at once, read by rows: where no coordinate has a kink or a bound.
//
// The rows in the order have the curvatures h, one a place of the order; with an intercept, the last coordinate, its
// best move for the moves of the others is put in, so that columns far from zero cost no accuracy.
// A kernel does not allocate, throw or draw random numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "fenchel/conjugate_gradients.hpp"
#include "fenchel/coordinate.hpp"
#include "fenchel/lines.hpp"

namespace fenchel {

// out <- sum_t h_t <a_i, x> a_i,  i = order_t. Cost: the entries of the rows, read twice while they are in the cache.
template <class Lines>
void curvature_product(const Lines& rows, Order order, Input h, Input x, InOut out) noexcept {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t t = 0; t < order.size(); ++t)
        if (h[t] != 0)
            rows.add(order[t], h[t] * rows.dot(order[t], x.data()), out.data());
}

// squares_j <- sum_t h_t a_ij^2, and with an intercept cross_j <- sum_t h_t a_ij,  i = order_t; else cross is 0.
// Cost: the entries of the rows, twice with an intercept.
template <class Lines>
void curvature_sums(const Lines& rows, Order order, Input h, InOut squares, InOut cross) noexcept {
    std::fill(squares.begin(), squares.end(), 0.0);
    std::fill(cross.begin(), cross.end(), 0.0);
    for (std::size_t t = 0; t < order.size(); ++t) {
        rows.for_each(order[t], [&](std::int64_t j, double a) { squares[j] += h[t] * a * a; });
        if (rows.ones == Ones::entry)
            rows.add(order[t], h[t], cross.data());
    }
}

// The curvature of the intercept, 0 without one, and what its best move takes from that of the others.
struct InterceptCurvature {
    double total;
    Input cross;

    // The last component of x that is best for the others.
    void settle(InOut x) const noexcept {
        if (!(total > 0))
            return;
        double moment = 0;
        for (std::size_t j = 0; j + 1 < x.size(); ++j)
            moment += cross[j] * x[j];
        x.back() = -moment / total;
    }
};

// Conjugate gradients for  (sum_t h_t a_i a_i' + diag(l2)) step = -slope,  preconditioned by the diagonal, until the
// length of the residual is at most the tolerance. slope is overwritten by it. work has four values a coordinate.
// Cost of an iteration: curvature_product.
template <class Lines>
ConjugateReport row_newton_step(const Lines& rows, Order order, Input h, Input l2, int iterations, double tolerance,
                                InOut slope, InOut step, InOut work) noexcept {
    constexpr double least_share = 1e-6; // of its curvature, for a column that is nearly a multiple of the ones
    const std::size_t d = slope.size();
    const InOut diagonal = work.subspan(0, d), cross = work.subspan(d, d);
    curvature_sums(rows, order, h, diagonal, cross);
    const InterceptCurvature intercept{rows.ones == Ones::entry ? cross.back() : 0.0, cross};
    const bool settles = intercept.total > 0;
    const double own = settles ? slope.back() / intercept.total : 0.0;
    for (std::size_t j = 0; j < d; ++j) {
        const double square = diagonal[j];
        if (settles) {
            diagonal[j] = std::max(square - cross[j] * cross[j] / intercept.total, least_share * square);
            slope[j] -= own * cross[j];
        }
        diagonal[j] += l2[j];
        if (!(diagonal[j] > 0))
            diagonal[j] = 1;
    }
    const auto apply = [&](InOut ahead, InOut product) {
        intercept.settle(ahead);
        curvature_product(rows, order, h, Input(ahead), product);
        for (std::size_t j = 0; j < d; ++j)
            product[j] += l2[j] * ahead[j];
        if (settles)
            product.back() = 0;
    };
    if (settles)
        slope.back() = 0;
    const auto report = conjugate_gradients(Input(diagonal), iterations, tolerance, slope, step, work.subspan(2 * d),
                                            apply, [](double) {}, [](Input left) { return length_of(left); });
    step.back() -= own;
    return report;
}

} // namespace fenchel
