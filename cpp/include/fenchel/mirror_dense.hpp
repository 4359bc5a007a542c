// Stochastic mirror descent on l1-penalised multiclass problems with dense data, O(n + d + k) a step.
//
// Problem: min_{|w|_1 <= R} max_V (1/n) sum_i s_i (<V_i - e_{y_i}, w' a_i> - f(V_i)) + lambda |w|_1, rows of V
// in the simplex, f(V_i) = V_{i, y_i} - 1 (multiclass hinge) or sum_l V_il log V_il (softmax).
// Update: one or more draws (j, h, i, m), then one step of composite mirror descent (entropies on both sides)
// with the estimates of the gradients that have one column each:
//     j ~ s_j tau_j rho_j or s_j tau_j,  h ~ |V_j - e_{y_j}|,  (1/n) a_j sign(V_jh - e_h) (scale of j) / tau_j
//     i ~ sigma_i U_i,  m ~ U_im,                              a_{:,i} Z / sigma_i,   Z = sum_i sigma_i U_i
// where U >= 0 has 2d rows, w = U_{:d} - U_{d:}, tau_j = max_f |a_jf|, sigma_i^2 = sum_r s_r a_ri^2,
// rho_j = |V_j - e_{y_j}|_1. A step changes one column of U and one of V by factors, and everything by factors
// that its row or all entries share: U = alpha (W, 1 / W), V = beta_r Vt. The shared factors are kept apart,
// and so are their sums over time, from which the averages come lazily: an entry that was W since the sum
// of the alphas stood at A_0 adds (W - 1/W) (A - A_0). When alpha or beta_r has changed by the window, these
// sums are flushed and the factor absorbed: without this the sums lose their last terms to rounding.
// Source: Babichev, Ostrovskii and Bach, "Efficient primal-dual algorithms for large-scale multiclass
// classification", 2019, Algorithm 1 with its errors mended (softmax, weights and flushes are additions).
// Cost: n + d entries and exponentials a draw, and O(sqrt(k)) scattered weights (softmax: d exponentials, and k
// scattered weights of the row with theirs).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "fenchel/categorical.hpp"
#include "fenchel/entropic.hpp"
#include "fenchel/entropic_loops.hpp"
#include "fenchel/lines.hpp"

namespace fenchel {

template <class T>
struct DenseGame {
    DenseLines<T> rows, columns;
    std::int64_t k;
    std::span<const std::int64_t> label;
    std::span<const double> row_size, row_weight, column_size; // tau, s tau, sigma

    std::int64_t n() const noexcept { return rows.n_lines; }
    std::int64_t d() const noexcept { return rows.length; }
    const T* row(std::int64_t j) const noexcept { return rows.data + j * d(); }
    const T* column(std::int64_t f) const noexcept { return columns.data + f * n(); }
};

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

    explicit PrimalClock(double* scalars) noexcept : alpha(scalars[0]), sum(scalars[1]), base(scalars[2]) {}

    // After a step: mass is the sum of all W and 1 / W.
    void rescale(const EntropicStep& step, double mass) noexcept {
        const double onto_ball = step.radius / (alpha * mass);
        alpha *= onto_ball < step.shrink ? onto_ball : step.shrink;
    }
};

// End a step: take alpha to the next. A sum of weights that has fallen far in this step has cancelled, and is
// taken afresh. refresh flushes and returns the mass.
template <class Refresh>
double end_primal_step(PrimalClock& clock, const EntropicStep& step, double before, double mass,
                       Refresh&& refresh) noexcept {
    clock.sum += clock.alpha;
    if (mass * 64 < before && step.window < infinity)
        mass = refresh();
    clock.rescale(step, mass);
    return left_window(clock.alpha, clock.base, step.window) ? refresh() : mass;
}

// Classes in groups of about sqrt(k): a draw reads the sums of the groups and one group, O(sqrt(k)) scattered
// weights in place of k.
struct ClassGroups {
    std::int64_t k, size;

    std::int64_t count() const noexcept { return (k + size - 1) / size; }

    template <class Sum>
    double total(Sum&& sum) const noexcept {
        double total = 0;
        for (std::int64_t g = 0; g < count(); ++g)
            total += sum(g) > 0 ? sum(g) : 0;
        return total;
    }

    template <class Sum, class Weight>
    std::int64_t draw(double u, double total, Sum&& sum, Weight&& weight) const noexcept {
        const Drawn group = scan(0, count(), u * total, sum);
        if (group.index < 0)
            return -1;
        const std::int64_t first = group.index * size, last = first + size < k ? first + size : k;
        return scan(first, last, group.within, weight).index;
    }
};

struct DensePrimal {
    std::int64_t d;
    ClassGroups groups;
    double *weight, *total;           // (k, d): W, and the settled sums of U_{:d} - U_{d:}
    double* since;                    // (k,): A_0, which all features of a class share
    double *plus, *minus;             // (d,): sums of W and of 1 / W over the classes
    double *group_plus, *group_minus; // (groups, d): the same over every group
    PrimalClock clock;

    // Multiply column h of W by the factors.
    void move(const double* factors, std::int64_t h) const noexcept {
        const double now = clock.sum + clock.alpha;
        const std::int64_t at = h * d, group = h / groups.size * d;
        move_primal(d, factors, now - since[h], weight + at, total + at, plus, minus, group_plus + group,
                    group_minus + group);
        since[h] = now;
    }

    // Take the sums of weights afresh.
    void sum_weights() const noexcept {
        for (std::int64_t f = 0; f < d; ++f)
            plus[f] = minus[f] = 0;
        for (std::int64_t l = 0; l < groups.k; ++l) {
            double *of_plus = group_plus + l / groups.size * d, *of_minus = group_minus + l / groups.size * d;
            const double* w = weight + l * d;
            for (std::int64_t f = 0; f < d; ++f) {
                const double inverse = 1 / w[f];
                of_plus[f] = l % groups.size == 0 ? w[f] : of_plus[f] + w[f];
                of_minus[f] = l % groups.size == 0 ? inverse : of_minus[f] + inverse;
                plus[f] += w[f];
                minus[f] += inverse;
            }
        }
    }

    // Settle the averages: O(dk).
    void settle() const noexcept {
        for (std::int64_t l = 0; l < groups.k; ++l) {
            for (std::int64_t e = l * d; e < (l + 1) * d; ++e)
                total[e] += (weight[e] - 1 / weight[e]) * (clock.sum - since[l]);
            since[l] = 0;
        }
        clock.sum = 0;
        clock.base = clock.alpha;
    }

    // The class, by U_i: W or 1 / W of feature i.
    std::int64_t draw_class(std::int64_t f, bool positive, double u) const noexcept {
        const double* sums = positive ? group_plus : group_minus;
        const auto sum = [&](std::int64_t g) { return sums[g * d + f]; };
        return groups.draw(
            u, groups.total(sum), sum, [&](std::int64_t l) { return positive ? weight[l * d + f] : 1 / weight[l * d + f]; });
    }
};

// V = scale_r weight_lr off the class of the row, scale_r own_r at it; scale_r is one over the sum of a row's
// weights. The sum of V_lr over time is owed_lr + weight_lr sum_r: so only what changes is written.
struct DenseHinge {
    std::int64_t n;
    ClassGroups groups;
    const std::int64_t* label;
    std::span<const std::int64_t> by_class, class_start; // the rows of every class: (n,) and (k + 1,)
    double *weight, *owed;                               // (k, n); of no use at the own class
    double *own, *scale, *sum; // (n,): Vt at the own class, beta, and the sum of betas since the flush
    double* group;             // (groups, n): sums of the weights off the own class
    double* left;              // (n,), for move
    double window;

    double distance(std::int64_t j, double*) const noexcept {
        const double rho = 2 - 2 * scale[j] * own[j];
        return rho > 0 ? rho : 0;
    }

    // Takes the scale of the row afresh from the groups, and now and then from all classes (O(k), once in some
    // 16 draws of a row): every step updates both by differences.
    std::int64_t draw_class(std::int64_t j, double u, double*) const noexcept {
        return draw_dual_class(label[j], u, [&](double v) {
            if (window < infinity && sum[j] > 16.0 * double(n))
                reset(j);
            const auto sum = [&](std::int64_t g) { return group[g * n + j]; };
            const double total = groups.total(sum);
            scale[j] = 1 / (total + own[j]);
            return groups.draw(
                v, total, sum, [&](std::int64_t l) { return l == label[j] ? 0 : weight[l * n + j]; });
        });
    }

    // Multiply column m by exp(exponent x), and with the first draw of a step all own classes by exp(-c).
    template <class T>
    void move(const T* x, std::int64_t m, double exponent, const EntropicStep& step, bool first,
              double* factors) const noexcept {
        fill_factors(x, n, exponent, factors);
        if (first)
            for (std::int64_t r = 0; r < n; ++r)
                sum[r] += scale[r];
        const double drift = first ? std::exp(-step.dual) : 1.0;
        const std::int64_t outside = move_dual(n, factors, drift, least_left(), window, sum, weight + m * n, owed + m * n,
                                               group + m / groups.size * n, own, scale, left);
        for (std::int64_t at = class_start[m]; at < class_start[m + 1]; ++at)
            move_own(by_class[at], factors[by_class[at]]);
        if (outside > 0)
            for (std::int64_t r = 0; r < n; ++r)
                if (!(left[r] >= least_left()) || left_window(scale[r], 1, window))
                    reset(r);
    }

    // A sum of which less is left has cancelled.
    double least_left() const noexcept { return window < infinity ? 1.0 / 64 : 0; }

    // Settle the averages of a row and make its total 1: O(k).
    void reset(std::int64_t r) const noexcept {
        weight[label[r] * n + r] = 0;
        double total = own[r];
        for (std::int64_t l = 0, e = r; l < groups.k; ++l, e += n) {
            owed[e] += weight[e] * sum[r];
            total += weight[e];
        }
        for (std::int64_t l = 0, e = r; l < groups.k; ++l, e += n)
            weight[e] = dual_weight(weight[e] / total);
        own[r] = dual_weight(own[r] / total);
        scale[r] = 1;
        sum[r] = 0;
        sum_weights(r);
    }

    void sum_weights(std::int64_t r) const noexcept {
        for (std::int64_t l = 0; l < groups.k; ++l) {
            double& held = group[l / groups.size * n + r];
            held = (l % groups.size == 0 ? 0 : held) + (l == label[r] ? 0 : weight[l * n + r]);
        }
    }

    void begin() const noexcept {
        for (std::int64_t r = 0; r < n; ++r) {
            weight[label[r] * n + r] = 0;
            sum_weights(r);
        }
    }

    void end_step(const EntropicStep&) const noexcept {}

    void flush() const noexcept {
        for (std::int64_t r = 0; r < n; ++r)
            reset(r);
    }

private:
    void move_own(std::int64_t r, double factor) const noexcept {
        const double moved = dual_weight(own[r] * factor);
        const double rest = 1 - scale[r] * (own[r] - moved);
        own[r] = moved;
        scale[r] /= rest;
        if (!(rest >= least_left()) || left_window(scale[r], 1, window))
            reset(r);
    }
};

// V = softmax of decay times the logits: the prox of the entropy is logits <- (1 - s) logits + s xi with
// s = c / (1 + c), and the factor is common to all of them. There is no lazy average of V.
struct DenseSoftmax {
    std::int64_t n, k;
    const std::int64_t* label;
    double* logit; // (k, n)
    double& decay;

    // Leaves the weights of the other classes in scratch.
    double distance(std::int64_t j, double* scratch) const noexcept {
        double top = -infinity;
        for (std::int64_t l = 0; l < k; ++l) {
            scratch[l] = decay * logit[l * n + j];
            top = scratch[l] > top ? scratch[l] : top;
        }
        double rest = 0;
        const double at_own = std::exp(scratch[label[j]] - top);
        for (std::int64_t l = 0; l < k; ++l)
            rest += scratch[l] = l == label[j] ? 0 : std::exp(scratch[l] - top);
        return 2 * rest / (rest + at_own);
    }

    std::int64_t draw_class(std::int64_t j, double u, double* scratch) const noexcept {
        return draw_dual_class(label[j], u, [&](double v) {
            double rest = 0;
            for (std::int64_t l = 0; l < k; ++l)
                rest += scratch[l];
            return scan(0, k, v * rest, [&](auto l) { return scratch[l]; }).index;
        });
    }

    // c (1 - s) = s, and the decay of this step is still to come.
    template <class T>
    void move(const T* x, std::int64_t m, double exponent, const EntropicStep&, bool, double*) const noexcept {
        double* a = logit + m * n;
        const double factor = exponent / decay;
        for (std::int64_t r = 0; r < n; ++r)
            a[r] += factor * double(x[r]);
    }

    void begin() const noexcept {}

    void end_step(const EntropicStep& step) const noexcept {
        decay /= 1 + step.dual;
        if (decay < 1e-100)
            flush();
    }

    void flush() const noexcept {
        for (std::int64_t e = 0; e < n * k; ++e)
            logit[e] *= decay;
        decay = 1;
    }
};

// Rows with probabilities that never change, drawn by the caller.
struct StaticRows {
    std::span<const std::int64_t> order;
    double weight_sum; // sum_j s_j tau_j

    void refresh(const auto&, const auto&, const BlockSums&) noexcept {}
    std::int64_t draw(std::int64_t at, double, const auto&, const auto&, const BlockSums&) const noexcept {
        return order[at];
    }
    double scale(double rho) const noexcept { return rho * weight_sum; }
};

// Rows in proportion to s_j tau_j rho_j, all of which change at every step.
struct OptimalRows {
    double weight_sum = 0; // sum_j s_j tau_j rho_j

    static auto weights(const auto& game, const auto& dual) noexcept {
        return [&](std::int64_t j) { return game.row_weight[j] * dual.distance(j, nullptr); };
    }
    void refresh(const auto& game, const auto& dual, const BlockSums& blocks) noexcept {
        weight_sum = blocks.fill(weights(game, dual));
    }
    std::int64_t draw(std::int64_t, double u, const auto& game, const auto& dual,
                      const BlockSums& blocks) const noexcept {
        const std::int64_t j = blocks.draw(u * weight_sum, weights(game, dual)).index;
        return j < 0 ? 0 : j;
    }
    double scale(double) const noexcept { return weight_sum; }
};

// Arrays for the work of a call.
struct DenseScratch {
    BlockSums feature_blocks, row_blocks;
    double *classes, *factors; // (k,) and (max(n, d),)
    std::span<double> coefficient; // (2 draws,)
};

// Steps for uniforms of shape (steps, draws, 4); the draws (j, h, i, m) are written to drawn, same shape.
template <class T, class Dual, class Rows>
void mirror_dense_steps(const DenseGame<T>& game, const EntropicStep& step, DensePrimal primal,
                        const Dual& dual, Rows rows, std::span<const double> uniforms,
                        std::span<std::int64_t> drawn, const DenseScratch& scratch) noexcept {
    const auto of_feature = [&](std::int64_t f) {
        return game.column_size[f] * (primal.plus[f] + primal.minus[f]);
    };
    const std::int64_t per_step = 4 * step.draws, d = game.d();
    const BlockSums& features = scratch.feature_blocks;
    const auto refresh = [&] {
        return sum_blocks(d, features.size, game.column_size.data(), primal.plus, primal.minus,
                          features.sums.data());
    };
    primal.sum_weights();
    dual.begin();
    double mass = refresh();
    for (std::int64_t first = 0; first < std::int64_t(uniforms.size()); first += per_step) {
        rows.refresh(game, dual, scratch.row_blocks);
        const double feature_sum = features.total();
        for (std::int64_t b = 0; b < step.draws; ++b) {
            const double* u = uniforms.data() + first + 4 * b;
            std::int64_t* draw = drawn.data() + first + 4 * b;
            const std::int64_t j = rows.draw(first / 4 + b, u[0], game, dual, scratch.row_blocks);
            const double scale = rows.scale(dual.distance(j, scratch.classes));
            const std::int64_t h = dual.draw_class(j, u[1], scratch.classes);
            const Drawn i = features.draw(u[2] * feature_sum, of_feature);
            const std::int64_t f = i.index < 0 ? 0 : i.index;
            const bool positive = i.within < game.column_size[f] * primal.plus[f];
            draw[0] = j;
            draw[1] = h;
            draw[2] = positive ? f : f + d;
            draw[3] = primal.draw_class(f, positive, u[3]);
            scratch.coefficient[2 * b] = (h == game.label[j] ? 1 : -1) * step.primal *
                                         over_size(scale, game.row_size[j]);
            scratch.coefficient[2 * b + 1] = (positive ? 1 : -1) * step.dual / double(step.draws) *
                                             over_size(primal.clock.alpha * feature_sum, game.column_size[f]);
        }
        for (std::int64_t b = 0; b < step.draws; ++b) {
            const std::int64_t* draw = drawn.data() + first + 4 * b;
            fill_factors(game.row(draw[0]), d, scratch.coefficient[2 * b], scratch.factors);
            primal.move(scratch.factors, draw[1]);
            dual.move(game.column(draw[2] % d), draw[3], scratch.coefficient[2 * b + 1], step, b == 0,
                      scratch.factors);
        }
        dual.end_step(step);
        mass = end_primal_step(primal.clock, step, mass, refresh(), [&] {
            primal.settle();
            primal.sum_weights();
            return refresh();
        });
    }
}

} // namespace fenchel
