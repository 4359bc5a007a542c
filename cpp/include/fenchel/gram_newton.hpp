// Newton steps on a working set W whose matrix is at hand.
//
// With M = A_W' diag(h) A_W - p p' / S (the third part is there with an intercept only, which is eliminated), a step
// minimises
//     <c, d> + d'M d/2 + g(w + d),    c = A_W'(s u)/n - p g/S
// over the coordinates of W, and goes along d as far as P falls. The derivatives at its end correct the matrix (BFGS):
//     M <- M - M s s'M / s'M s + y y' / s'y,   s, y the moves of w_W and c,
// so that M s = y, M stays positive definite, and one matrix serves many steps. Source: Byrd, Nocedal and Oztoprak, "An
// inexact successive quadratic approximation method for L-1 regularized optimization", Mathematical Programming 157, 2016.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "fenchel/at_level.hpp"
#include "fenchel/coordinate_newton.hpp"
#include "fenchel/gram_model.hpp"
#include "fenchel/line_search.hpp"
#include "fenchel/products.hpp"
#include "fenchel/row_model.hpp"

namespace fenchel {

// The theta of the next model: larger after a step that was cut or that the model told poorly (rho: the fall of P over
// that of the model), smaller after one that it told well, and 0 once it is small.
inline double next_damping(double damping, double length, double ratio) noexcept {
    constexpr double poor = 0.25, good = 0.7, least = 0.005, raised = 0.05;
    if (length < 1 || ratio < poor)
        return std::min(1.0, std::max(5 * damping, raised));
    if (ratio <= good)
        return damping;
    const double less = damping / 5;
    return less >= least ? less : 0;
}

// How far the curvatures root^2 are from those of old, as a share of the sum of these. Cost O(n).
inline double share_of_change(Input old, Input root) noexcept {
    return at_level([&] {
        const double total = block_sum(old.size(), [&](std::size_t i) { return old[i] * old[i]; });
        const double change =
            block_sum(old.size(), [&](std::size_t i) { return std::abs((root[i] - old[i]) * (root[i] + old[i])); });
        return total > 0 ? change / total : infinity;
    });
}

// The correction of the matrix by a move s and the change y, where y shows curvature along s; image has m values.
// Returns whether there was one. Cost: 2 m^2.
inline bool correct_matrix(InOut matrix, Input s, Input y, InOut image) noexcept {
    constexpr double rounding = 1e-8; // of a change along the move, or of the curvature there so far
    const std::size_t m = s.size();
    return at_level([&] {
        double bend = 0, old = 0, squares = 0, changes = 0;
        std::fill(image.begin(), image.end(), 0.0);
        for (std::size_t k = 0; k < m; ++k)
            for (std::size_t l = 0; l < m; ++l)
                image[l] += s[k] * matrix[k * m + l];
        for (std::size_t k = 0; k < m; ++k) {
            old += image[k] * s[k];
            bend += y[k] * s[k];
            squares += s[k] * s[k];
            changes += y[k] * y[k];
        }
        if (!(bend > rounding * std::max(std::sqrt(squares * changes), old)) || !(old > 0))
            return false;
        for (std::size_t k = 0; k < m; ++k) {
            const double gained = y[k] / bend, lost = image[k] / old;
            for (std::size_t l = 0; l < m; ++l)
                matrix[k * m + l] += gained * y[l] - lost * image[l];
        }
        return true;
    });
}

// The problem, and the working set with its matrix; places of `rare` take exact steps after every Newton step.
template <class Lines>
struct GramSet {
    const Lines& columns;
    Order chosen, rare;
    AnyLoss loss;
    Input b, sample_weight;
    CoordinateForm form; // of all coordinates
    bool intercept;      // the last coordinate is one
    InOut matrix;        // M, row after row
    Input cross;         // p
    double total;        // S; infinite without an intercept
    Input made;          // the root of h that M was made with
    double oldest;       // the largest share_of_change with which it serves
};

struct GramNewtonLimits {
    int steps;             // at most
    double solved;         // ends with a violation of at most this share of the first
    double precision;      // a model is minimised to this share of the violation at its start,
    double least;          // but no further than this,
    int block, passes, iterations; // see minimise_gram
    double rare_precision; // of the exact steps, as a share of that of the model
    int rare_steps;
};

// Where the steps are: the coefficients and scores, the rows there, and c, and the point before with its c, which
// `known` says is there.
struct GramPoint {
    InOut w, z, u, root, c;
    InOut w_before, c_before;
    double value;   // the mean loss
    double last;    // the derivative in the intercept
    double damping; // theta of the next model
    bool known;
};

struct GramNewtonReport {
    int steps;
    bool stale;   // the matrix has grown too old: the point has its rows and its c, and goes on with another one
    bool refused; // no step along the last direction lowered P
    std::int64_t entries_read;
};

// Vectors for the steps: 14 values a place, 2 a row.
struct GramNewtonWork {
    CoordinateForm form;
    InOut l1, l2, lower, upper, w, x, G, dw, image, inner, dz, weighted;

    GramNewtonWork(InOut work, std::size_t m, std::size_t n) noexcept {
        std::size_t at = 0;
        const auto next = [&](std::size_t size) { return work.subspan(std::exchange(at, at + size), size); };
        l1 = next(m), l2 = next(m), lower = next(m), upper = next(m), w = next(m), x = next(m), G = next(m);
        dw = next(m), image = next(m), inner = next(5 * m), dz = next(n), weighted = next(n);
        form = {l1, l2, lower, upper};
    }
};

// Sets the rows, c and the derivative in the intercept at the scores. Cost O(n) and the entries of W.
template <class Lines>
void derive(const GramSet<Lines>& set, GramPoint& at, InOut weighted) noexcept {
    const std::size_t n = at.z.size();
    at.value = row_model(set.loss, at.z, set.b, set.sample_weight, at.damping, at.u, at.root);
    for (std::size_t i = 0; i < n; ++i)
        weighted[i] = set.sample_weight[i] * at.u[i] / double(n);
    along_named(set.columns, set.chosen, weighted, at.c);
    at.last = set.intercept ? sum_of(weighted.data(), n) : 0;
}

// Makes G the c of the eliminated intercept, and lets its move correct the matrix.
template <class Lines>
void settle_matrix(const GramSet<Lines>& set, GramPoint& at, const GramNewtonWork& work) noexcept {
    const std::size_t m = set.chosen.size();
    for (std::size_t k = 0; k < m; ++k) {
        work.w[k] = at.w[set.chosen[k]];
        work.G[k] = at.c[k] - at.last / set.total * set.cross[k];
    }
    if (at.known) {
        for (std::size_t k = 0; k < m; ++k) {
            work.dw[k] = work.w[k] - at.w_before[k];
            work.x[k] = work.G[k] - at.c_before[k];
        }
        correct_matrix(set.matrix, work.dw, work.x, work.image);
    }
    std::copy(work.w.begin(), work.w.end(), at.w_before.begin());
    std::copy(work.G.begin(), work.G.end(), at.c_before.begin());
    at.known = true;
}

// One step: the model, its direction, and the search along it; returns whether P fell.
template <class Lines>
bool gram_step(const GramSet<Lines>& set, const GramNewtonLimits& limits, double tolerance, GramPoint& at,
               const GramNewtonWork& work, std::int64_t& entries_read) noexcept {
    const std::size_t m = set.chosen.size(), n = at.z.size();
    std::copy(work.w.begin(), work.w.end(), work.x.begin());
    minimise_gram({set.matrix, work.form, work.x, work.G}, limits.block, limits.passes, limits.iterations, tolerance,
                  work.inner);
    double slope = 0, smooth = 0, moment = 0;
    std::fill(work.dz.begin(), work.dz.end(), 0.0);
    for (std::size_t k = 0; k < m; ++k) {
        const double move = work.x[k] - work.w[k];
        work.dw[k] = move;
        if (move == 0)
            continue;
        set.columns.add(set.chosen[k], move, work.dz.data());
        entries_read += set.columns.entries(set.chosen[k]);
        slope += at.c[k] * move;
        smooth += 0.5 * (at.c_before[k] + work.G[k]) * move;
        moment += set.cross[k] * move;
    }
    const double own = set.intercept ? -(at.last + moment) / set.total : 0;
    if (set.intercept) {
        for (std::size_t i = 0; i < n; ++i)
            work.dz[i] += own;
        slope += at.last * own;
    }
    const Step step = line_search(set.loss, set.b, set.sample_weight,
                                  {work.form, work.w, work.dw, at.z, work.dz, slope}, at.value);
    const double expected = -(smooth - at.last * at.last / (2 * set.total) + step.penalty);
    at.damping = next_damping(at.damping, step.length, expected > 0 ? step.fall / expected : 1);
    if (step.length == 0)
        return false;
    // At full length exactly the point of the model: its zeros and bounds stay.
    for (std::size_t k = 0; k < m; ++k)
        at.w[set.chosen[k]] = step.length == 1 ? work.x[k] : work.w[k] + step.length * work.dw[k];
    if (set.intercept)
        at.w[at.w.size() - 1] += step.length * own;
    for (std::size_t i = 0; i < n; ++i)
        at.z[i] += step.length * work.dz[i];
    return true;
}

// Steps until the set is solved roughly, no step lowers P, or the matrix has grown too old; w, z and the matrix are
// updated in place. work has 14 m + 2 n values.
// Cost of a step: twice the entries of W, O(n) a trial of the search, and what the model takes.
template <class Lines>
GramNewtonReport gram_newton(const GramSet<Lines>& set, const GramNewtonLimits& limits, GramPoint& at,
                             InOut work_values) noexcept {
    const std::size_t m = set.chosen.size();
    const GramNewtonWork work(work_values, m, at.z.size());
    std::int64_t set_entries = 0;
    for (std::size_t k = 0; k < m; ++k) {
        const std::int64_t j = set.chosen[k];
        work.l1[k] = set.form.l1[j], work.l2[k] = set.form.l2[j];
        work.lower[k] = set.form.lower[j], work.upper[k] = set.form.upper[j];
        set_entries += set.columns.entries(j);
    }
    GramNewtonReport report{0, false, false, 0};
    double enough = 0;
    while (true) {
        if (report.steps > 0) {
            if (report.steps == limits.steps)
                break;
            derive(set, at, work.weighted);
            report.entries_read += set_entries;
            if (share_of_change(set.made, at.root) > set.oldest) {
                report.stale = true;
                break;
            }
        }
        settle_matrix(set, at, work);
        const double violation = std::max(violations(work.form, at.c, work.w, work.image), std::abs(at.last));
        if (violation <= enough)
            break;
        enough = std::max(enough, limits.solved * violation);
        const double tolerance = std::max(limits.precision * violation, limits.least);
        report.refused = !gram_step(set, limits, tolerance, at, work, report.entries_read);
        ++report.steps;
        report.entries_read += coordinate_newton_pass(set.columns, set.rare, set.loss, set.b, set.sample_weight,
                                                      set.form, limits.rare_steps,
                                                      limits.rare_precision * tolerance, at.w, at.z);
        if (report.refused)
            break;
    }
    return report;
}

} // namespace fenchel
