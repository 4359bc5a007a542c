// Primal methods for interpolation problems: the image moves along one row at a time.
//
// In the setting of dual_ascent.hpp, w = grad g*(t) and t = sum_i x_i a_i'. The methods ask the score of a row
// alone how to move t along it; a only adds the moves up, so that G(a) tells how good w is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fenchel/constraint_sets.hpp"
#include "fenchel/coordinate.hpp"
#include "fenchel/mirror_maps.hpp"

namespace fenchel {

// For i in the order: change = move(i, z_i), then t <- t + x_i change', a_i <- a_i + change.
// Rows of step 0 are skipped. Cost of a step: the entries of row i (times k), once more where it moves, and powers
// or exponentials of them where the map is not linear.
template <class Lines, class Map, class Move>
std::int64_t primal_mirror_pass(const Lines& rows, Order order, const Move& move, Map& map, std::int64_t k,
                                InOut a, double* change) noexcept {
    std::int64_t entries_read = 0;
    map.refresh();
    for (const std::int64_t i : order) {
        if (move.step[i] == 0)
            continue;
        entries_read += rows.entries(i);
        if constexpr (Map::curved)
            map.look(rows, i, 0);
        else
            map.look(rows, i);
        move(i, map.slopes(), change);
        if (std::all_of(change, change + k, [](double x) { return x == 0; }))
            continue;
        for (std::int64_t l = 0; l < k; ++l)
            a[i * k + l] += change[l];
        if constexpr (Map::curved)
            map.take(change, map.at(change));
        else
            map.move(rows, i, change);
    }
    return entries_read;
}

// step_i (Pi_i(z) - z): stochastic mirror descent on (1/2n) sum_i dist(z_i, Y_i)^2.
// The step of dual ascent from a_i = 0, with h = 1 / step_i.
// Source: equation (10) of the paper named in dual_ascent.hpp, with the sign turned.
template <class Set>
struct Towards {
    const Set& set;
    Input step;
    const double* zero; // k

    void operator()(std::int64_t i, const double* z, double* change) const noexcept {
        set.step(i, zero, z, 1 / step[i], change);
    }
};

// step_i b_i where b_i z <= margin, else 0. Margin 0: the perceptron of Rosenblatt, and for other maps of
// Grove, Littlestone and Schuurmans, "General convergence results for linear discriminant updates", COLT 1997;
// margin 1: the subgradient of the hinge.
struct Mistake {
    Input labels, step;
    double margin;

    void operator()(std::int64_t i, const double* z, double* change) const noexcept {
        change[0] = labels[i] * z[0] <= margin ? step[i] * labels[i] : 0.0;
    }
};

} // namespace fenchel
