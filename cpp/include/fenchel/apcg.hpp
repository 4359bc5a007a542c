// Accelerated stochastic dual coordinate ascent.
#pragma once

#include <cstdint>

#include "fenchel/coordinate.hpp"

namespace fenchel {

// Accelerated proximal coordinate gradient on the dual, in the form without O(n) work.
//
// Problem: min_u (1/n) sum_i s_i phi_i*(u_i) + g*(-v),  v = (1/n) sum_i s_i u_i a_i, with phi_i (1/gamma)-smooth
// and every l2_k > 0. Of the m rows that steps visit, let R^2 be the largest s_i sum_k a_ik^2 / l2_k,
// mu <= gamma n / (gamma n + R^2) the share of strong convexity, root = sqrt(mu), rate = root / m.
// Update, for i in the order:
//     y = (x + rate z) / (1 + rate),   c = (1 - rate) z + rate y,   w = argmin_w <v(y), w> + g(w)
//     t = prox_{step_i phi_i*}((c_i - root y_i) / (1 - root) + step_i <a_i, w>)
//     z <- c + (t - c_i) e_i,   x <- y + root (t - c_i) e_i
// with step_i = (1 + 1/root) n / (s_i sum_k a_ik^2 / l2_k): of the curvature of phi_i* as much is counted in the
// smooth part as makes its share in that row mu too, and the rest stays in the prox.
// Kept: total = x + z and, up to a power of (1 - rate)/(1 + rate), difference = z - x, which turn into those of
// y and c by that factor alone; and what they add to v. The power goes into the arrays when the pass ends.
// Skipped, as if they were not in the order: rows of weight 0, and rows of step 0.
// Source: Lin, Lu and Xiao, "An accelerated randomized proximal coordinate gradient method and its application
// to regularized empirical risk minimization", SIAM Journal on Optimization 25, 2015, Algorithms 3 and 4; per
// row constants are ours.
// Cost of a step: the entries of row i, twice, and one prox of the conjugate.
template <class Lines>
std::int64_t apcg_pass(const Lines& rows, Order order, const AnyLoss& loss, Input b, Input sample_weight,
                       Input step, const CoordinateForm& form, double root, double rate, InOut total,
                       InOut difference, InOut v_total, InOut v_difference) noexcept {
    constexpr double smallest = 1e-100;
    const double n = double(total.size()), shrinkage = (1 - rate) / (1 + rate);
    double power = 1;
    const auto fold = [&] {
        for (double& value : difference)
            value *= power;
        for (double& value : v_difference)
            value *= power;
        power = 1;
    };
    std::int64_t entries_read = 0;
    for (const std::int64_t i : order) {
        if (sample_weight[i] == 0 || step[i] == 0)
            continue;
        entries_read += rows.entries(i);
        power *= shrinkage;
        const double apart = power * difference[i], y = (total[i] - apart) / 2, c = (total[i] + apart) / 2;
        const double score = rows.sum(i, 0, [&](std::int64_t k) {
            return form.minimiser(k, (power * v_difference[k] - v_total[k]) / 2, 0);
        });
        const double point = (c - root * y) / (1 - root) + step[i] * score;
        const double delta = loss.prox_conjugate(point, b[i], step[i]) - c;
        const double forth = (1 + root) * delta, apart_by = (1 - root) * delta / power;
        total[i] += forth;
        difference[i] += apart_by;
        const double scale = sample_weight[i] / n;
        rows.for_each(i, [&](std::int64_t k, double a) {
            v_total[k] += scale * forth * a;
            v_difference[k] += scale * apart_by * a;
        });
        if (power < smallest)
            fold();
    }
    fold();
    return entries_read;
}

} // namespace fenchel
