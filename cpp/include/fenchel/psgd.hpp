// Proximal stochastic (sub)gradient steps, averaged.
#pragma once

#include <cstdint>

#include "fenchel/coordinate.hpp"
#include "fenchel/lazy_average.hpp"

namespace fenchel {

// Proximal stochastic gradient descent over given rows.
//
// Problem: min_w P(w) = (1/n) sum_i [ s_i phi_i(<a_i, w>) + sum_{k in row i} (n / c_k) g_k(w_k) ], where c_k rows
// hold an entry of column k; the sum over i gives every g_k back. A subgradient where phi_i has a kink.
// Update at time t, for i in the order:
//     w_k <- prox_{(h_t m_k n / c_k) g_k}(w_k - h_t m_k s_i phi_i'(<a_i, w>) a_ik)   for k in row i
// so that only the coordinates of the row move. Where every row holds every column, that is the prox step of
// the whole of g. Averages: w^t with weight t + 1, and for every row its subgradients with the same weights,
// which makes a dual point. metric is m, share is n / c, first is the time of the first step.
// Source: the baseline of Tan, Zhang, Ma and Liu, "Stochastic Primal-Dual Method for Empirical Risk
// Minimization with O(1) Per-Iteration Complexity", NeurIPS 2018, that is Nemirovski, Juditsky, Lan and
// Shapiro, "Robust stochastic approximation approach to stochastic programming", SIAM Journal on Optimization
// 19, 2009; averages of Shamir and Zhang, "Stochastic gradient descent for non-smooth optimization", ICML 2013.
// Cost of a step: the entries of row i.
template <class Lines>
std::int64_t psgd_pass(const Lines& rows, Order order, const AnyLoss& loss, Input b, Input sample_weight,
                       const CoordinateForm& form, Input metric, Input share, Input step, std::int64_t first,
                       InOut w, LazyAverage average, InOut u_total, InOut u_weight) noexcept {
    std::int64_t entries_read = 0;
    for (std::size_t t = 0; t < order.size(); ++t) {
        const std::int64_t i = order[t];
        const double weight = double(first) + double(t) + 1, clock = weight * (weight + 1) / 2;
        const double score = rows.sum(i, 0, [&](std::int64_t k) { return w[k]; });
        const double slope = loss.gradient(score, b[i]), h = step[t], move = h * sample_weight[i] * slope;
        entries_read += rows.entries(i);
        u_total[i] += weight * slope;
        u_weight[i] += weight;
        rows.for_each(i, [&](std::int64_t k, double a) {
            average.charge(k, w[k], clock);
            w[k] = form.prox(k, w[k] - move * metric[k] * a, h * metric[k] * share[k]);
        });
    }
    return entries_read;
}

} // namespace fenchel
