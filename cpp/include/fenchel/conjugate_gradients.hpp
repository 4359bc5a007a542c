// Conjugate gradients for  M step = -slope,  M symmetric and positive semidefinite, whatever multiplies by M.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "fenchel/coordinate.hpp"

namespace fenchel {

struct ConjugateReport {
    int steps;
    double residual; // the size of what is left of the slope
};

inline double largest_size(Input slope) noexcept {
    double largest = 0;
    for (const double component : slope)
        largest = std::max(largest, std::abs(component));
    return largest;
}

inline double length_of(Input slope) noexcept {
    double square = 0;
    for (const double component : slope)
        square += component * component;
    return std::sqrt(square);
}

// Preconditioned by a diagonal of positive values. Ends after the iterations, with the first residual whose size is
// at most the tolerance, or along a direction without curvature. slope is overwritten by what is left of it.
//     apply(ahead, product)   product <- M ahead; may first set the components of ahead that follow from the others
//     moved(length)           is told that step gains length * ahead
//     size(slope)             measures the residual
// work has two values a component.
// Source: Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
template <class Apply, class Moved, class Size>
ConjugateReport conjugate_gradients(Input diagonal, int iterations, double tolerance, InOut slope, InOut step,
                                    InOut work, Apply&& apply, Moved&& moved, Size&& size) noexcept {
    const std::size_t m = slope.size();
    const InOut ahead = work.subspan(0, m), product = work.subspan(m, m);
    std::fill(step.begin(), step.end(), 0.0);
    std::fill(ahead.begin(), ahead.end(), 0.0);
    ConjugateReport report{0, 0};
    double old = infinity;
    for (;; ++report.steps) {
        double inner = 0;
        for (std::size_t k = 0; k < m; ++k)
            inner += slope[k] * slope[k] / diagonal[k];
        report.residual = size(slope);
        if (report.steps == iterations || report.residual <= tolerance)
            return report;
        for (std::size_t k = 0; k < m; ++k)
            ahead[k] = inner / old * ahead[k] - slope[k] / diagonal[k];
        old = inner;
        apply(ahead, product);
        double bend = 0;
        for (std::size_t k = 0; k < m; ++k)
            bend += ahead[k] * product[k];
        if (!(bend > 0))
            return report;
        const double length = inner / bend;
        for (std::size_t k = 0; k < m; ++k) {
            step[k] += length * ahead[k];
            slope[k] += length * product[k];
        }
        moved(length);
    }
}

} // namespace fenchel
