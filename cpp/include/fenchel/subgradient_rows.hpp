// Composite stochastic subgradient steps on the rows of A for several classes, in two geometries.
//
// Problem: min_w (1/n) sum_i s_i phi_i(w' a_i) + lambda |w|_1 with |w|_1 <= R, phi the softmax or the multiclass
// hinge. Update for a row i with u in the subdifferential of phi_i at w' a_i, step gamma:
//     Euclidean:  w <- soft(w - gamma a_i u', gamma lambda), projected onto the ball
//     entropic:   w = alpha (e^H - e^-H),  H <- H - gamma / R a_i u',
//                 alpha <- min(alpha e^{-gamma lambda / R}, R / sum (e^H + e^-H))
// Lines of w that the row does not meet are left alone: what they miss, and its sum over time, has a closed form
// (a line that is m steps behind is soft(w, m gamma lambda); e^H has missed a sum of scales). What needs all of w
// ends a call: a norm beyond the radius, and a scale or an entry of H that has left its range.
// Source: Babichev, Ostrovskii and Bach, "Efficient primal-dual algorithms for large-scale multiclass
// classification", 2019, section 5.
// Cost: two passes over the lines of w that the row meets, O(nnz(a_i) k); the entropic ones with exponentials.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/entropic_loops.hpp"
#include "fenchel/scalar.hpp"

namespace fenchel {

// The loss of a row, and the weighted sums of the subgradients with their weights.
struct ClassRows {
    std::int64_t k;
    bool hinge;
    const std::int64_t* label;
    double *u_total, *u_weight; // (n, k), (n,)
    double gamma;

    // Scores in, a subgradient out; adds it to the sums.
    void subgradient(std::int64_t i, double* z) const noexcept {
        const std::int64_t own = label[i];
        const double at_own = z[own];
        for (std::int64_t l = 0; l < k; ++l)
            z[l] -= at_own;
        const std::int64_t top = highest(z, own, hinge ? 1 : 0);
        hinge ? hinge_subgradient(top, own, z) : softmax_gradient(z[top], own, z);
        for (std::int64_t l = 0; l < k; ++l)
            u_total[i * k + l] += gamma * z[l];
        u_weight[i] += gamma;
    }

private:
    // The first class with the largest score, margin added to those of all but the own class.
    std::int64_t highest(const double* z, std::int64_t own, double margin) const noexcept {
        double most = -infinity;
        std::int64_t top = own;
        for (std::int64_t l = 0; l < k; ++l)
            if (const double score = l == own ? 0 : z[l] + margin; score > most) {
                most = score;
                top = l;
            }
        return most > 0 ? top : own;
    }

    void hinge_subgradient(std::int64_t top, std::int64_t own, double* z) const noexcept {
        for (std::int64_t l = 0; l < k; ++l)
            z[l] = 0;
        if (top != own) {
            z[top] = 1;
            z[own] = -1;
        }
    }

    // The own entry is minus the sum of the others: 1 - p would cancel.
    void softmax_gradient(double most, std::int64_t own, double* z) const noexcept {
        const double at_own = std::exp(-most);
        double rest = 0;
        for (std::int64_t l = 0; l < k; ++l)
            rest += z[l] = l == own ? 0 : std::exp(z[l] - most);
        for (std::int64_t l = 0; l < k; ++l)
            z[l] /= rest + at_own;
        z[own] = -rest / (rest + at_own);
    }
};

struct EuclideanLines {
    double *w, *total;    // (d, k)
    std::int64_t* seen;   // (d,): the steps that a line has had
    std::int64_t time;    // steps so far
    double threshold, radius;
    double& norm;         // not below |w|_1

    // The line now, with its sum brought up to date, and its share of the scores.
    void read(std::int64_t f, double x, const ClassRows& rows, double* z) noexcept {
        entropic_loops->read_line(rows.k, double(time - seen[f]), threshold, rows.gamma, x, w + f * rows.k,
                                  total + f * rows.k, z);
        seen[f] = time + 1;
    }

    void move(std::int64_t f, double x, const ClassRows& rows, const double* u) noexcept {
        norm += entropic_loops->step_line(rows.k, rows.gamma * x, threshold, u, w + f * rows.k);
    }

    // Whether the next step may follow.
    bool end_step() noexcept {
        ++time;
        return norm <= radius;
    }
};

struct EntropicLines {
    double *H, *total;    // (d, k)
    double* seen;         // (d,): the part of the sum of scales that a line has had
    double offset, base;  // subtracted from H and -H; the scale when the sum of scales began
    double shrinkage, radius, band, range;
    double &scale, &scales, &mass; // alpha e^offset, its sum over time, and sum (e^H + e^-H) e^-offset
    double largest = 0;

    void read(std::int64_t f, double x, const ClassRows& rows, double* z) noexcept {
        const double missed = rows.gamma * (scales + scale - seen[f]);
        entropic_loops->read_powers(rows.k, offset, H + f * rows.k, missed, x * scale, total + f * rows.k, z);
        seen[f] = scales + scale;
    }

    void move(std::int64_t f, double x, const ClassRows& rows, const double* u) noexcept {
        mass += entropic_loops->step_powers(rows.k, offset, rows.gamma / radius * x, u, H + f * rows.k, largest);
    }

    bool end_step() noexcept {
        scales += scale;
        if (largest > offset + range) {
            scale *= shrinkage;
            return false;
        }
        scale = scale * shrinkage < radius / mass ? scale * shrinkage : radius / mass;
        return base < scale * band && scale < base * band;
    }
};

// Returns the steps taken: up to the first after which the caller has to see to all of w. stopped says so.
template <class Lines, class Point>
std::int64_t subgradient_steps(const Lines& data, std::span<const std::int64_t> order, const ClassRows& rows,
                               Point point, std::span<double> z, double& stopped) noexcept {
    std::int64_t taken = 0;
    stopped = 0;
    for (const std::int64_t i : order) {
        for (double& score : z)
            score = 0;
        data.for_each(i, [&](std::int64_t f, double x) { point.read(f, x, rows, z.data()); });
        rows.subgradient(i, z.data());
        data.for_each(i, [&](std::int64_t f, double x) { point.move(f, x, rows, z.data()); });
        ++taken;
        if (!point.end_step()) {
            stopped = 1;
            break;
        }
    }
    return taken;
}

} // namespace fenchel
