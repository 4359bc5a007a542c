// Constraint sets Y_i for the scores of a row, and the step of its dual variables towards them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/scalar.hpp"
#include "fenchel/simplex.hpp"

namespace fenchel {

// The maximiser over b of -sigma(-b) - |b|^2 / (2 c) - <z, b - a> - h/2 |b - a|^2, where sigma is the support
// function of Y_i, by Moreau's identity:
//     b = (Pi_i(y) - y) / (h + 1/c),   y = z - h a.
// Source: Lemma 1 of the paper named in dual_ascent.hpp, in the variables a = -alpha / n; with slack the same way.

// Y_i = [lower_i, upper_i]: a point, a half-line or an interval; one output.
struct Intervals {
    std::span<const double> lower, upper, inverse_slack;

    double step(std::int64_t i, double a, double z, double h) const noexcept {
        const double y = z - h * a;
        return (clip(y, lower[i], upper[i]) - y) / (h + inverse_slack[i]);
    }

    void step(std::int64_t i, const double* a, const double* z, double h, double* b) const noexcept {
        b[0] = step(i, a[0], z[0], h);
    }

    // -sigma_i(-a) - a^2 / (2 c)
    double value(std::int64_t i, double a) const noexcept {
        const double reach = a > 0 ? lower[i] * a : a < 0 ? upper[i] * a : 0.0;
        return reach - 0.5 * inverse_slack[i] * a * a;
    }
};

// Y_i in R^k: the l2 ball around centre_i of radius_i (0 for a point), or the unit simplex.
struct Blocks {
    bool simplex;
    std::int64_t k;
    std::span<const double> centre, radius, inverse_slack;
    double* work; // k

    void step(std::int64_t i, const double* a, const double* z, double h, double* b) const noexcept {
        const double inverse = 1 / (h + inverse_slack[i]);
        for (std::int64_t l = 0; l < k; ++l)
            work[l] = z[l] - h * a[l];
        if (simplex) {
            std::fill(b, b + k, 0.0); // no first guess of the support
            project_onto_simplex(work, b, k);
            for (std::int64_t l = 0; l < k; ++l)
                b[l] = (b[l] - work[l]) * inverse;
            return;
        }
        double square = 0;
        for (std::int64_t l = 0; l < k; ++l) {
            work[l] -= centre[i * k + l];
            square += work[l] * work[l];
        }
        const double distance = std::sqrt(square);
        const double share = distance > radius[i] ? 1 - radius[i] / distance : 0.0;
        for (std::int64_t l = 0; l < k; ++l)
            b[l] = -share * work[l] * inverse;
    }
};

} // namespace fenchel
