// The rows of V under stochastic mirror descent on dense data: each is brought up to date when it is drawn.
//
// A draw (i, m) multiplies V in column m by exp(x_ri xi) for all rows r. Nothing asks for a row until it is
// drawn, so the draws are noted, and row j takes those that it has missed when its turn comes: some n of them,
// with entries of row j of A and of one row of V, all of which stay in the caches, where columns of V would not.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/categorical.hpp"
#include "fenchel/entropic.hpp"
#include "fenchel/entropic_loops.hpp"
#include "fenchel/lines.hpp"
#include "fenchel/mirror_clock.hpp"
#include "fenchel/wide_weight.hpp"

namespace fenchel {

// The draws of a call, `per_step` of them a step: what they multiply column `label` of the scores by is
// exp(exponent x) with entries x of column `feature`.
struct NotedDraws {
    std::int64_t per_step;
    std::int32_t *feature, *label;
    double *exponent, *factor; // factor: room for the work on a row

    void note(std::int64_t at, std::int64_t of_feature, std::int64_t of_label, double by) const noexcept {
        feature[at] = std::int32_t(of_feature);
        label[at] = std::int32_t(of_label);
        exponent[at] = by;
    }
};

// What is kept of a row under the hinge during a call: Vt at its own class as of a step, the sum of the others
// and the largest one since it was taken afresh, the sum of 1 / (sum of all) since the flush; and the draws that
// it has had.
struct DenseHingeRow {
    double own, rest, top, sum;
    std::int64_t own_step, draws;
};

// V_r = weights over their sum. The sum of V_rl over time is owed_rl + weight_rl sum_r: so only what changes is
// written. The own class of every row decays by exp(-c) a step.
template <class T>
struct DenseHinge {
    std::int64_t n, d, k;
    const T* rows; // (n, d)
    const std::int64_t* label;
    double *weight, *owed; // (n, k), wide weights; 0 and of no use at the own class
    double* own;           // (n,), wide
    std::span<DenseHingeRow> row;
    std::span<const double> decayed; // exp(-c t)
    double decay, window;            // c
    NotedDraws noted;
    BlockSums classes; // of the row visited last

    void begin() const noexcept {
        for (std::int64_t r = 0; r < n; ++r) {
            const double rest = entropic_loops->sum_positive(k, classes.size, weight + r * k, classes.sums.data());
            row[r] = {own[r], rest, rest, 0, 0, 0};
        }
    }

    // |V_r - e_y| of a row that has had all steps before this one.
    double distance(std::int64_t r, std::int64_t step) const noexcept {
        const DenseHingeRow& held = row[r];
        return 2 * held.rest / (held.rest + own_value(held, step));
    }

    // Take the draws that the row has missed, settle it, and return |V_r - e_y|.
    double visit(std::int64_t r, std::int64_t step) const noexcept {
        catch_up(r, step);
        settle(r, step);
        return distance(r, step);
    }

    // A class of the row visited last, with the probabilities |V_r - e_y|.
    std::int64_t draw_class(std::int64_t r, double u) const noexcept {
        return draw_dual_class(label[r], u, [&](double v) {
            const double* w = weight + r * k;
            return classes.draw(v * row[r].rest, [&](std::int64_t l) { return weight_value(w[l]); }).index;
        });
    }

    void note(std::int64_t at, std::int64_t f, std::int64_t m, double exponent) const noexcept {
        noted.note(at, f, m, exponent);
    }

    // The row is called for at once, as it is read out of order. What changes at every draw is in local variables:
    // writes to the tables could not change those.
    void catch_up(std::int64_t r, std::int64_t step) const noexcept {
        const std::int64_t first = row[r].draws, last = step * noted.per_step;
        prefetch_all(rows + r * d, d);
        prefetch_all(weight + r * k, k);
        prefetch_all(owed + r * k, k);
        fill_factors(rows + r * d, noted.feature + first, noted.exponent + first, last - first, noted.factor);
        row[r].draws = last;
        auto [own_weight, rest, top, sum, own_step, draws] = row[r];
        std::int64_t now = first / noted.per_step;
        double total = rest + own_value(row[r], now);
        for (std::int64_t at = first; at < last;) {
            sum += 1 / total;
            for (const std::int64_t next = at + noted.per_step; at < next; ++at)
                if (noted.label[at] == label[r]) [[unlikely]]
                    own_weight = weight_times(own_weight, noted.factor[at - first]);
                else
                    rest -= lose(r, noted.label[at], noted.factor[at - first], sum);
            top = rest > top ? rest : top;
            total = rest + weight_value(own_weight) * decayed[++now - own_step];
            if (rest * cancelled < top || left_window(total, 1, window)) [[unlikely]] {
                row[r] = {own_weight, rest, top, sum, own_step, draws};
                settle(r, now);
                own_weight = row[r].own;
                rest = top = row[r].rest;
                sum = 0;
                own_step = now;
                total = rest + weight_value(own_weight);
            }
        }
        row[r] = {own_weight, rest, top, sum, own_step, draws};
    }

    void end_step(std::int64_t) const noexcept {}

    // All rows up to date and settled.
    void end(std::int64_t step) const noexcept {
        for (std::int64_t r = 0; r < n; ++r) {
            visit(r, step);
            own[r] = row[r].own;
        }
    }

private:
    double own_value(const DenseHingeRow& held, std::int64_t step) const noexcept {
        return weight_value(held.own) * decayed[step - held.own_step];
    }

    // Multiply a class that is not the row's own by a factor; returns what its weight has lost.
    double lose(std::int64_t r, std::int64_t l, double factor, double sum) const noexcept {
        double& w = weight[r * k + l];
        double moved = w * factor, lost = w - moved;
        if (!(moved >= least_kept)) [[unlikely]] { // low before or after, or zero
            moved = weight_times(w, factor);
            lost = weight_value(w) - weight_value(moved);
        }
        owed[r * k + l] += lost * sum;
        w = moved;
        return lost;
    }

    // Settle the averages of a row and make its total 1: O(k).
    void settle(std::int64_t r, std::int64_t step) const noexcept {
        DenseHingeRow& held = row[r];
        double* w = weight + r * k;
        held.own = weight_decayed(held.own, -decay * double(step - held.own_step));
        held.own_step = step;
        if (held.rest * cancelled < held.top)
            held.rest = entropic_loops->sum_positive(k, classes.size, w, classes.sums.data());
        if (!(held.rest + weight_value(held.own) > 0)) {
            // Steps that are far too long left nothing but low weights, which owe nothing: 2^1000 times all.
            for (std::int64_t l = 0; l < k; ++l)
                w[l] = -w[l];
            held.own = -held.own;
            held.sum = 0;
            held.rest = entropic_loops->sum_positive(k, classes.size, w, classes.sums.data());
        }
        const double factor = 1 / (held.rest + weight_value(held.own));
        held.own = weight_times(held.own, factor);
        if (entropic_loops->settle_weights(k, held.sum, factor, w, owed + r * k) > 0)
            for (std::int64_t l = 0; l < k; ++l)
                w[l] = weight_times(w[l], 1);
        held.rest = held.top = entropic_loops->sum_positive(k, classes.size, w, classes.sums.data());
        held.sum = 0;
    }
};

// V = softmax of decay times the logits: the prox of the entropy is logits <- (1 - s) logits + s xi with
// s = c / (1 + c), and the factor is common to all of them. There is no lazy average of V.
template <class T>
struct DenseSoftmax {
    std::int64_t n, d, k;
    const T* rows; // (n, d)
    const std::int64_t* label;
    double* logit;                  // (n, k)
    std::span<std::int64_t> draws;  // that a row has had
    std::span<double> power;        // (k,) of the row visited last, 0 at its own class
    double rate;                    // log(1 + c)
    NotedDraws noted;
    BlockSums classes;
    double &decay, &rest, &steps; // steps since decay was 1

    void begin() const noexcept {
        decay = 1;
        steps = 0;
        for (std::int64_t& had : draws)
            had = 0;
    }

    double visit(std::int64_t r, std::int64_t step) const noexcept {
        catch_up(r, step);
        entropic_loops->fill_powers(k, decay, logit + r * k, power.data());
        const double at_own = power[label[r]];
        power[label[r]] = 0;
        rest = entropic_loops->sum_positive(k, classes.size, power.data(), classes.sums.data());
        return 2 * rest / (rest + at_own);
    }

    std::int64_t draw_class(std::int64_t r, double u) const noexcept {
        return draw_dual_class(label[r], u, [&](double v) {
            return classes.draw(v * rest, [&](std::int64_t l) { return power[l]; }).index;
        });
    }

    // c (1 - s) = s, and the decay of this step is still to come.
    void note(std::int64_t at, std::int64_t f, std::int64_t m, double exponent) const noexcept {
        noted.note(at, f, m, exponent / decay);
    }

    void catch_up(std::int64_t r, std::int64_t step) const noexcept {
        const T* x = rows + r * d;
        double* a = logit + r * k;
        prefetch_all(x, d);
        prefetch_all(a, k);
        const std::int64_t last = step * noted.per_step;
        for (std::int64_t at = draws[r]; at < last; ++at)
            a[noted.label[at]] += noted.exponent[at] * double(x[noted.feature[at]]);
        draws[r] = last;
    }

    void end_step(std::int64_t step) const noexcept {
        decay = std::exp(-rate * ++steps);
        if (decay < 1e-100)
            end(step);
    }

    // All rows up to date, with decay 1.
    void end(std::int64_t step) const noexcept {
        for (std::int64_t r = 0; r < n; ++r)
            catch_up(r, step);
        for (std::int64_t e = 0; e < n * k; ++e)
            logit[e] *= decay;
        decay = 1;
        steps = 0;
    }
};

} // namespace fenchel
