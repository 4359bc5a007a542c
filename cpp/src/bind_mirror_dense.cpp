// Bindings of stochastic mirror descent on dense data.
#include "fenchel/mirror_dense.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

#include "bindings.hpp"

using namespace nb::literals;

namespace {

using Reals = std::vector<double>;

// Room for sums over blocks of about as many values as there are blocks.
struct Blocks {
    std::int64_t n, size;
    Reals sums;

    explicit Blocks(std::int64_t count)
        : n(count), size(std::max<std::int64_t>(1, std::int64_t(std::sqrt(double(count))))),
          sums(std::size_t((count + size - 1) / size)) {}

    fenchel::BlockSums view() { return {n, size, sums}; }
};

// What the columns of U need during a call: stamps of the k classes, and sums over classes and groups of them.
struct PrimalScratch {
    std::int64_t d;
    fenchel::ClassGroups groups;
    Reals since, sums, group_sums;
    double clock[3];

    PrimalScratch(std::int64_t d_, std::int64_t k, double alpha)
        : d(d_), groups{k, Blocks(k).size}, since(std::size_t(k)), sums(std::size_t(2 * d)),
          group_sums(std::size_t(2 * groups.count() * d)), clock{alpha, 0, alpha} {}

    // table is (2, k, d): weights and sums.
    fenchel::DensePrimal view(double* table) {
        double *sum = sums.data(), *group = group_sums.data();
        return {d,       groups, table, table + groups.k * d,       since.data(),
                sum,     sum + d, group, group + groups.count() * d, fenchel::PrimalClock(clock)};
    }
};

// What the rows of V need during a call of so many draws.
struct DualScratch {
    std::vector<std::int32_t> feature, label;
    Reals exponent, factor;
    Blocks classes;

    DualScratch(std::int64_t draws, std::int64_t k)
        : feature(std::size_t(draws)), label(feature.size()), exponent(feature.size()), factor(feature.size()),
          classes(k) {}

    fenchel::NotedDraws noted(std::int64_t per_step) {
        return {per_step, feature.data(), label.data(), exponent.data(), factor.data()};
    }
};

template <class T, class Take>
void with_hinge(const fenchel::DenseGame<T>& game, std::int64_t k, const fenchel::EntropicStep& step,
                double* table, double* own, DualScratch& scratch, Take&& take) {
    const std::int64_t n = game.n();
    std::vector<fenchel::DenseHingeRow> rows(std::size_t(n), fenchel::DenseHingeRow{});
    Reals decayed(scratch.feature.size() / std::size_t(step.draws) + 1);
    for (std::size_t t = 0; t < decayed.size(); ++t)
        decayed[t] = std::exp(-step.dual * double(t));
    take(fenchel::DenseHinge<T>{n, game.d(), k, game.rows, game.label.data(), table, table + n * k, own, rows, decayed,
                                step.dual, step.window, scratch.noted(step.draws), scratch.classes.view()});
}

template <class T, class Take>
void with_softmax(const fenchel::DenseGame<T>& game, std::int64_t k, const fenchel::EntropicStep& step,
                  double* table, DualScratch& scratch, Take&& take) {
    const std::int64_t n = game.n();
    std::vector<std::int64_t> draws(std::size_t(n), 0);
    Reals power(std::size_t(k), 0.0);
    double decay = 1, rest = 0, steps = 0;
    take(fenchel::DenseSoftmax<T>{n, game.d(), k, game.rows, game.label.data(), table, draws, power,
                                  std::log1p(step.dual), scratch.noted(step.draws), scratch.classes.view(), decay,
                                  rest, steps});
}

// The tables are (2, k, d) for the primal side and (2, n, k) or, softmax, (1, n, k) for the dual one. An empty
// order asks for optimal rows, which need the hinge.
void mirror_dense_steps(const AnyLines& rows, bool hinge, std::int64_t k, const OrderArray& label,
                        const InputArray& row_size, const InputArray& row_weight, const InputArray& column_size,
                        double weight_sum, double primal_step, double decline, double radius, double dual_step,
                        double window, std::int64_t draws, const InOutArray& primal, const InOutArray& dual,
                        const InOutArray& own, const InOutArray& alpha, const OrderArray& order,
                        const InputArray& uniforms, const StampArray& drawn) {
    const fenchel::EntropicStep step{primal_step, decline, radius, dual_step, window, draws};
    const auto n = std::int64_t(row_size.size()), d = std::int64_t(column_size.size());
    PrimalScratch of_primal(d, k, *alpha.data());
    DualScratch of_dual(std::int64_t(uniforms.size()) / 4, k);
    Blocks features(d), row_blocks(n);
    Reals down(std::size_t(draws), 0.0);
    const auto run = [&]<class T>(const fenchel::DenseLines<T>& lines) {
        const fenchel::DenseGame<T> game{lines.data, view(label), view(row_size), view(row_weight),
                                         view(column_size)};
        const auto take = [&](const auto& rows_of_V, auto choice) {
            nb::gil_scoped_release release;
            fenchel::mirror_dense_steps(game, step, of_primal.view(primal.data()), rows_of_V, choice, view(uniforms),
                                        view(drawn), features.view(), down);
        };
        const fenchel::StaticRows by_order{view(order), weight_sum};
        if (!hinge)
            return with_softmax(game, k, step, dual.data(), of_dual,
                                [&](const auto& rows_of_V) { take(rows_of_V, by_order); });
        with_hinge(game, k, step, dual.data(), own.data(), of_dual, [&](const auto& rows_of_V) {
            if (order.size() > 0)
                take(rows_of_V, by_order);
            else
                take(rows_of_V, fenchel::OptimalRows{row_blocks.view()});
        });
    };
    std::holds_alternative<fenchel::DenseLines<float>>(rows.lines)
        ? run(std::get<fenchel::DenseLines<float>>(rows.lines))
        : run(std::get<fenchel::DenseLines<double>>(rows.lines));
    *alpha.data() = of_primal.clock[0];
}

} // namespace

void bind_mirror_dense(nb::module_& module) {
    module.def("mirror_dense_steps", &mirror_dense_steps, "rows"_a, "hinge"_a, "n_classes"_a,
               "label"_a.noconvert(), "row_size"_a.noconvert(), "row_weight"_a.noconvert(),
               "column_size"_a.noconvert(), "weight_sum"_a, "primal_step"_a, "decline"_a, "radius"_a,
               "dual_step"_a, "window"_a, "draws"_a, "primal"_a.noconvert(), "dual"_a.noconvert(),
               "own"_a.noconvert(), "alpha"_a.noconvert(), "order"_a.noconvert(), "uniforms"_a.noconvert(),
               "drawn"_a.noconvert());
}
