// What the steps of stochastic mirror descent share on dense and sparse data: the common scale of U, and rules
// of drawing.
#pragma once

#include <cmath>
#include <cstdint>

#include "fenchel/entropic.hpp"

namespace fenchel {

// z / size, and 0 for a line of zeros, which rounding alone can draw.
inline double over_size(double z, double size) noexcept { return size > 0 ? z / size : 0.0; }

// Half of |V_j - e_y| stands at the class of the row, where V - e is negative; the rest at the others.
template <class Others>
std::int64_t draw_dual_class(std::int64_t own, double u, Others&& others) noexcept {
    if (u < 0.5)
        return own;
    const std::int64_t other = others(2 * u - 1);
    return other < 0 ? own : other;
}

// What the primal side keeps besides its tables: alpha, the sum of alphas A since the last flush, and alpha
// at that flush.
struct PrimalClock {
    double &alpha, &sum, &base;
    // Steps since the ball bound, and alpha then: many products with one rounded factor would drift.
    double anchor = alpha, steps = 0;
    // The largest sum of weights since it was last taken afresh.
    double top = 0;

    explicit PrimalClock(double* scalars) noexcept : alpha(scalars[0]), sum(scalars[1]), base(scalars[2]) {}

    // After a step: mass is the sum of all W and 1 / W.
    void rescale(const EntropicStep& step, double mass) noexcept {
        const double onto_ball = step.radius / mass, shrunk = anchor * std::exp(-step.decline * ++steps);
        alpha = shrunk;
        if (!(onto_ball < shrunk))
            return;
        alpha = anchor = onto_ball;
        steps = 0;
    }
};

// End a step: take alpha to the next. A sum of weights that has fallen far by differences has cancelled, one that is
// stale has taken on the rounding of many; both are taken afresh. refresh flushes and returns the mass.
template <class Refresh>
double end_primal_step(PrimalClock& clock, const EntropicStep& step, double mass, bool stale,
                       Refresh&& refresh) noexcept {
    clock.sum += clock.alpha;
    clock.top = mass > clock.top ? mass : clock.top;
    bool fresh = false;
    if ((stale || mass * cancelled < clock.top) && step.window < infinity) {
        mass = clock.top = refresh();
        fresh = true;
    }
    clock.rescale(step, mass);
    if (fresh || !left_window(clock.alpha, clock.base, step.window))
        return mass;
    return clock.top = refresh();
}

} // namespace fenchel
