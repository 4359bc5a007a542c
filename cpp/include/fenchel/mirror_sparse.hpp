// Stochastic mirror descent on l1-penalised multiclass problems with sparse data; the problem and the update
// are those of mirror_dense.hpp, with rows drawn in proportion to s_j tau_j.
//
// A draw (j, h, i, m) changes W in column h at the entries of row j, and V in column m at the entries of column
// i. What changes everywhere is not touched: alpha is common; a row of V stays unnormalised; and under the
// hinge the own class of every row decays by exp(-c) a step, which is made up for when a row is next read, as
// are the betas that its average has missed (decay_sum.hpp). Rows of A come from the caller's alias table,
// columns from a Fenwick tree over sigma_f (sum of W + sum of 1 / W), so that a draw costs
// O(entries of the row log d + entries of the column + classes held by row j and feature i).
// The tables may hold all classes or those that were touched; an untouched W is 1, and adds 0 to
// U_{:d} - U_{d:}.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/categorical.hpp"
#include "fenchel/class_tables.hpp"
#include "fenchel/decay_sum.hpp"
#include "fenchel/entropic.hpp"
#include "fenchel/lines.hpp"
#include "fenchel/mirror_clock.hpp"
#include "fenchel/wide_weight.hpp"

namespace fenchel {

template <class T>
struct SparseGame {
    SparseLines<T> rows, columns;
    std::int64_t k;
    std::span<const std::int64_t> label;
    std::span<const double> row_size, column_size; // tau, sigma
    double weight_sum;                             // sum_j s_j tau_j
};

// The weights of the classes of a line: the sum of those listed, and how many others there are, all alike.
struct Listed {
    double sum, idle, base;

    double total() const noexcept { return sum + idle * base; }
};

// A class of a line by the weights that scratch holds, in the order of for_each, then among the untouched.
template <class Classes>
std::int64_t draw_listed(const Classes& classes, std::int64_t line, std::int64_t without, const double* scratch,
                         const Listed& weights, double u, const double* spare) noexcept {
    double threshold = u * weights.total();
    std::int64_t found = -1, last = -1, at = 0;
    classes.for_each(line, [&](std::int64_t l, const double*) {
        const double w = scratch[at++];
        if (found >= 0 || w <= 0)
            return;
        last = l;
        if (threshold < w)
            found = l;
        threshold -= w;
    });
    if (found >= 0)
        return found;
    return weights.idle * weights.base > 0 ? classes.draw_untouched(line, without, spare) : last;
}

template <class Classes>
struct SparsePrimal {
    Classes classes; // W, A_0, flushed sum of U_{:d} - U_{d:}
    std::int64_t d;
    double* sums; // (d, 2): sums of W and of 1 / W over all classes
    FenwickTree tree;
    PrimalClock clock;
    double& mass; // the sum of all sums
    std::int64_t moves = 0; // since the sums were taken afresh

    // So seldom that to take them afresh costs a small part of the moves.
    bool stale() const noexcept { return moves > 16 * d * classes.k; }

    // Multiply W of feature f and class h by this factor; size is sigma_f.
    void move(std::int64_t f, std::int64_t h, double factor, double size) noexcept {
        static constexpr double fresh[3] = {1, 0, 0};
        double* entry = classes.touch(f, h, fresh);
        const double w = entry[0], now = clock.sum + clock.alpha, moved = primal_weight(w * factor);
        entry[2] += (w - 1 / w) * (now - entry[1]);
        entry[1] = now;
        entry[0] = moved;
        const double more = moved - w, less = 1 / moved - 1 / w;
        sums[2 * f] += more;
        sums[2 * f + 1] += less;
        mass += more + less;
        ++moves;
        tree.add(f, size * (more + less));
    }

    std::int64_t draw_class(std::int64_t f, bool positive, double u, const double* spare,
                            double* scratch) const noexcept {
        Listed weights{0, double(classes.untouched(f)), 1};
        std::int64_t at = 0;
        classes.for_each(f, [&](std::int64_t, const double* entry) {
            weights.sum += scratch[at++] = positive ? entry[0] : 1 / entry[0];
        });
        return draw_listed(classes, f, -1, scratch, weights, u, spare);
    }

    // The sums of sigma_f times both halves, afresh.
    void refresh(std::span<const double> size) noexcept {
        tree.fill([&](std::int64_t f) { return size[f] * (sums[2 * f] + sums[2 * f + 1]); });
    }

    // Settle the averages and take the sums of weights afresh: O(classes held).
    void flush() noexcept {
        mass = 0;
        for (std::int64_t f = 0; f < d; ++f) {
            double plus = double(classes.untouched(f)), minus = plus;
            classes.for_each(f, [&](std::int64_t, double* entry) {
                const double inverse = 1 / entry[0];
                entry[2] += (entry[0] - inverse) * (clock.sum - entry[1]);
                entry[1] = 0;
                plus += entry[0];
                minus += inverse;
            });
            sums[2 * f] = plus;
            sums[2 * f + 1] = minus;
            mass += plus + minus;
        }
        clock.sum = 0;
        clock.base = clock.alpha;
    }
};

// What is kept of a row of V under the hinge: Vt at the own class as of `time`, the sum of Vt over the others,
// the sum B of betas since the last flush, of an untouched class Vt and the flushed sum of V, and the largest
// sum over the others since it was last taken afresh. The Vt are wide weights.
struct HingeRow {
    double own, rest, sum, time, base, idle, top;
};

template <class Classes>
struct SparseHinge {
    Classes classes; // Vt, B_0, flushed sum of V; the own class has no pair, or one of no use
    std::int64_t n;
    const std::int64_t* label;
    HingeRow* row;
    double& time; // steps so far
    double decay; // c = 2 gamma max(1, log k)
    double window;

    double idle_classes(std::int64_t r, bool own_listed) const noexcept {
        const std::int64_t untouched = classes.untouched(r);
        return double(untouched > 0 ? untouched - !own_listed : 0);
    }

    // Bring a row up to `now`.
    void settle(std::int64_t r, double now) const noexcept {
        HingeRow& held = row[r];
        const double missed = now - held.time;
        if (missed > 0) {
            held.sum += decay_sum(std::max(held.rest, least_kept), weight_value(held.own), decay, missed);
            held.own = weight_decayed(held.own, -decay * missed);
            held.time = now;
        }
        if (left_window(held.rest + weight_value(held.own), double(classes.k), window))
            reset(r, double(classes.k));
    }

    // Settle the averages of a row, and make its total this.
    void reset(std::int64_t r, double total) const noexcept {
        HingeRow& held = row[r];
        if (!(held.rest + weight_value(held.own) > 0))
            lift(r);
        const double factor = total / (held.rest + weight_value(held.own));
        double rest = 0;
        bool own_listed = false;
        classes.for_each(r, [&](std::int64_t l, double* entry) {
            own_listed |= l == label[r];
            if (l == label[r])
                return;
            entry[2] += weight_value(entry[0]) * (held.sum - entry[1]);
            entry[1] = 0;
            entry[0] = weight_times(entry[0], factor);
            rest += weight_value(entry[0]);
        });
        held.idle += weight_value(held.base) * held.sum;
        // Where no class is untouched it stands for nothing, and only grows.
        held.base = classes.untouched(r) > 0 ? weight_times(held.base, factor) : 0;
        held.own = weight_times(held.own, factor);
        held.rest = held.top = rest + idle_classes(r, own_listed) * weight_value(held.base);
        held.sum = 0;
    }

    // |V_j - e_y|; leaves the weights of the listed classes in scratch. Reads the whole row, and so takes its
    // sum afresh.
    double distance(std::int64_t j, double* scratch, Listed& others) const noexcept {
        settle(j, time);
        HingeRow& held = row[j];
        std::int64_t at = 0;
        bool own_listed = false;
        others = {0, 0, weight_value(held.base)};
        classes.for_each(j, [&](std::int64_t l, const double* entry) {
            own_listed |= l == label[j];
            others.sum += scratch[at++] = l == label[j] ? 0 : weight_value(entry[0]);
        });
        others.idle = idle_classes(j, own_listed);
        held.rest = held.top = others.total();
        return 2 * held.rest / (held.rest + weight_value(held.own));
    }

    void move(std::int64_t r, std::int64_t m, double exponent) const noexcept {
        settle(r, time + 1);
        HingeRow& held = row[r];
        const double factor = bounded_exp(exponent);
        if (m == label[r]) {
            held.own = weight_times(held.own, factor);
            return;
        }
        const double fresh[3] = {held.base, 0, held.idle};
        double* entry = classes.touch(r, m, fresh);
        const double v = weight_value(entry[0]);
        entry[2] += v * (held.sum - entry[1]);
        entry[1] = held.sum;
        entry[0] = weight_times(entry[0], factor);
        held.rest += weight_value(entry[0]) - v;
        held.top = held.rest > held.top ? held.rest : held.top;
        if (held.rest * cancelled < held.top)
            held.rest = held.top = sum_of_others(r);
        if (!(held.rest + weight_value(held.own) > 0))
            reset(r, double(classes.k));
    }

    void end_step(const EntropicStep&) const noexcept { time += 1; }

    // Settle the averages of all rows; the totals stay.
    void flush() const noexcept {
        for (std::int64_t r = 0; r < n; ++r) {
            settle(r, time);
            reset(r, row[r].rest + weight_value(row[r].own));
        }
    }

private:
    // Steps that are far too long can leave a row nothing but low weights, which owe nothing: 2^1000 times all.
    void lift(std::int64_t r) const noexcept {
        HingeRow& held = row[r];
        classes.for_each(r, [&](std::int64_t, double* entry) {
            entry[0] = -entry[0];
            entry[1] = 0;
        });
        held.own = -held.own;
        held.base = -held.base;
        held.sum = 0;
        held.rest = held.top = sum_of_others(r);
    }

    double sum_of_others(std::int64_t r) const noexcept {
        double rest = 0;
        bool own_listed = false;
        classes.for_each(r, [&](std::int64_t l, const double* entry) {
            own_listed |= l == label[r];
            rest += l == label[r] ? 0 : weight_value(entry[0]);
        });
        return rest + idle_classes(r, own_listed) * weight_value(row[r].base);
    }
};

template <class Classes>
struct SparseSoftmax {
    Classes classes; // the logits, over decay; 0 where untouched
    std::int64_t n;
    const std::int64_t* label;
    double& time;
    double& decay;
    double base, steps; // decay at the start of this call, and the steps since: one rounded factor would drift

    double distance(std::int64_t j, double* scratch, Listed& others) const noexcept {
        const auto untouched = double(classes.untouched(j));
        double top = untouched > 0 ? 0 : -infinity, own = 0;
        std::int64_t at = 0;
        bool own_listed = false;
        classes.for_each(j, [&](std::int64_t l, const double* entry) {
            own_listed |= l == label[j];
            const double logit = scratch[at++] = decay * *entry;
            own = l == label[j] ? logit : own;
            top = logit > top ? logit : top;
        });
        others = {0, untouched > 0 ? untouched - !own_listed : 0, std::exp(-top)};
        at = 0;
        classes.for_each(j, [&](std::int64_t l, const double*) {
            const double weight = l == label[j] ? 0 : std::exp(scratch[at] - top);
            others.sum += scratch[at++] = weight;
        });
        const double rest = others.total();
        return 2 * rest / (rest + std::exp(own - top));
    }

    void move(std::int64_t r, std::int64_t m, double exponent) const noexcept {
        static constexpr double fresh[1] = {0};
        *classes.touch(r, m, fresh) += exponent / decay;
    }

    void end_step(const EntropicStep& step) noexcept {
        time += 1;
        decay = base * std::exp(-std::log1p(step.dual) * ++steps);
        if (decay < 1e-100)
            flush();
    }

    void flush() noexcept {
        for (std::int64_t r = 0; r < n; ++r)
            classes.for_each(r, [&](std::int64_t, double* entry) { *entry *= decay; });
        decay = base = 1;
        steps = 0;
    }
};

// Numbers of a draw beside the row, and uniform numbers for it: three, and two lots for rejections.
inline constexpr std::int64_t lot = HashedClasses::tries + 1;
inline constexpr std::int64_t uniforms_of_draw = 3 + 2 * lot;

struct SparseScratch {
    double* classes;               // (k,)
    std::span<double> coefficient; // (2 draws,)
};

// Steps for the rows in order and uniforms of shape (steps, draws, 11); the draws (j, h, i, m) are written to
// drawn, (steps, draws, 4). Returns the steps taken: fewer than asked when a table lacks room for the next.
template <class T, class Classes, class Dual>
std::int64_t mirror_sparse_steps(const SparseGame<T>& game, const EntropicStep& step,
                                 SparsePrimal<Classes> primal, Dual dual,
                                 std::span<const std::int64_t> order, std::span<const double> uniforms,
                                 std::span<std::int64_t> drawn, const SparseScratch& scratch) noexcept {
    const std::int64_t steps = std::int64_t(order.size()) / step.draws, d = game.rows.length;
    primal.refresh(game.column_size);
    for (std::int64_t t = 0; t < steps; ++t) {
        std::int64_t primal_room = 0, dual_room = 0;
        for (std::int64_t b = 0; b < step.draws; ++b) {
            const std::int64_t at = t * step.draws + b, j = order[at];
            const double* u = uniforms.data() + uniforms_of_draw * at;
            Listed others;
            const double rho = dual.distance(j, scratch.classes, others);
            const std::int64_t h = draw_dual_class(game.label[j], u[0], [&](double v) {
                return draw_listed(dual.classes, j, game.label[j], scratch.classes, others, v, u + 3);
            });
            const double feature_sum = primal.tree.total();
            const Drawn i = primal.tree.draw(u[1] * feature_sum);
            const std::int64_t f = i.index;
            const bool positive = i.within < game.column_size[f] * primal.sums[2 * f];
            std::int64_t* draw = drawn.data() + 4 * at;
            draw[0] = j;
            draw[1] = h;
            draw[2] = positive ? f : f + d;
            draw[3] = primal.draw_class(f, positive, u[2], u + 3 + lot, scratch.classes);
            scratch.coefficient[2 * b] = (h == game.label[j] ? 1 : -1) * step.primal *
                                         over_size(rho * game.weight_sum, game.row_size[j]);
            scratch.coefficient[2 * b + 1] = (positive ? 1 : -1) * step.dual / double(step.draws) *
                                             over_size(primal.clock.alpha * feature_sum, game.column_size[f]);
            primal_room += game.rows.entries(j);
            dual_room += game.columns.entries(f);
        }
        if (!primal.classes.has_room(primal_room) || !dual.classes.has_room(dual_room))
            return t;
        for (std::int64_t b = 0; b < step.draws; ++b) {
            const std::int64_t* draw = drawn.data() + 4 * (t * step.draws + b);
            const double down = scratch.coefficient[2 * b], up = scratch.coefficient[2 * b + 1];
            game.rows.for_each(draw[0], [&](std::int64_t f, double x) {
                primal.move(f, draw[1], bounded_exp(down * x), game.column_size[f]);
            });
            game.columns.for_each(draw[2] % d,
                                  [&](std::int64_t r, double x) { dual.move(r, draw[3], up * x); });
        }
        dual.end_step(step);
        end_primal_step(primal.clock, step, primal.mass, primal.stale(), [&] {
            primal.flush();
            primal.refresh(game.column_size);
            return primal.mass;
        });
    }
    return steps;
}

} // namespace fenchel
