// Bindings of stochastic mirror descent on dense data.
#include "fenchel/mirror_dense.hpp"

#include <type_traits>

#include "bindings.hpp"

using namespace nb::literals;

namespace {

// The tables of either side are (2, k, lines): weights and sums. scalars holds the clock of the primal side, the
// factor of the logits, and the stamps of the k classes.
fenchel::DensePrimal primal_of(std::int64_t d, const fenchel::ClassGroups& groups, const InOutArray& primal,
                               const InOutArray& sums, const InOutArray& scalars, double* group_sums) {
    double *table = primal.data(), *sum = sums.data(), *scalar = scalars.data();
    return {d,
            groups,
            table,
            table + d * groups.k,
            scalar + 4,
            sum,
            sum + d,
            group_sums,
            group_sums + groups.count() * d,
            fenchel::PrimalClock(scalar)};
}

fenchel::DenseHinge hinge_of(const fenchel::ClassGroups& groups, const OrderArray& label,
                             const OrderArray& by_class, const OrderArray& class_start,
                             const InOutArray& dual, const InOutArray& rows, double* group_sums,
                             double window) {
    const auto n = std::int64_t(label.size());
    double *table = dual.data(), *row = rows.data();
    return {n,       groups,           label.data(),   view(by_class),
            view(class_start), table,  table + n * groups.k, row,
            row + n, row + 2 * n,      group_sums,     group_sums + groups.count() * n,
            window};
}

fenchel::DenseSoftmax softmax_of(std::int64_t k, const OrderArray& label, const InOutArray& dual,
                                 const InOutArray& scalars) {
    return {std::int64_t(label.size()), k, label.data(), dual.data(), scalars.data()[3]};
}

// An empty order asks for optimal rows, which need the hinge.
void mirror_dense_steps(const AnyLines& rows, const AnyLines& columns, bool hinge, const OrderArray& label,
                        const OrderArray& by_class, const OrderArray& class_start, const InputArray& row_size, const InputArray& row_weight,
                        const InputArray& column_size, double weight_sum, double primal_step, double shrink,
                        double radius, double dual_step, double window, std::int64_t draws,
                        const InOutArray& primal, const InOutArray& sums, const InOutArray& dual,
                        const InOutArray& dual_rows, const InOutArray& scalars, const OrderArray& order,
                        const InputArray& uniforms, const StampArray& drawn, const InOutArray& classes,
                        std::int64_t class_group, const InOutArray& primal_groups,
                        const InOutArray& dual_groups, std::int64_t feature_block, const InOutArray& feature_sums, std::int64_t row_block,
                        const InOutArray& row_sums, const InOutArray& factors, const InOutArray& coefficient) {
    const fenchel::EntropicStep step{primal_step, shrink, radius, dual_step, window, draws};
    const auto n = std::int64_t(row_size.size()), d = std::int64_t(column_size.size()),
               k = std::int64_t(classes.size());
    const fenchel::DenseScratch scratch{{d, feature_block, view(feature_sums)},
                                        {n, row_block, view(row_sums)},
                                        classes.data(),
                                        factors.data(),
                                        view(coefficient)};
    const fenchel::ClassGroups groups{k, class_group};
    const fenchel::DensePrimal of_primal =
        primal_of(d, groups, primal, sums, scalars, primal_groups.data());
    nb::gil_scoped_release release;
    const auto of_hinge = [&] {
        return hinge_of(groups, label, by_class, class_start, dual, dual_rows, dual_groups.data(), window);
    };
    const auto run = [&]<class T>(const fenchel::DenseLines<T>& lines) {
        const fenchel::DenseGame<T> game{lines,
                                         std::get<fenchel::DenseLines<T>>(columns.lines),
                                         k,
                                         view(label),
                                         view(row_size),
                                         view(row_weight),
                                         view(column_size)};
        const auto take = [&](const auto& of_dual, auto of_rows) {
            fenchel::mirror_dense_steps(game, step, of_primal, of_dual, of_rows, view(uniforms), view(drawn),
                                        scratch);
        };
        const fenchel::StaticRows by_order{view(order), weight_sum};
        if (!hinge)
            take(softmax_of(k, label, dual, scalars), by_order);
        else if (order.size() > 0)
            take(of_hinge(), by_order);
        else
            take(of_hinge(), fenchel::OptimalRows{});
    };
    std::holds_alternative<fenchel::DenseLines<float>>(rows.lines)
        ? run(std::get<fenchel::DenseLines<float>>(rows.lines))
        : run(std::get<fenchel::DenseLines<double>>(rows.lines));
}

void mirror_dense_flush(std::int64_t d, std::int64_t k, bool hinge, const OrderArray& label,
                        const OrderArray& by_class, const OrderArray& class_start, const InOutArray& primal,
                        const InOutArray& sums, const InOutArray& dual, const InOutArray& dual_rows,
                        const InOutArray& scalars, std::int64_t class_group, const InOutArray& primal_groups,
                        const InOutArray& dual_groups) {
    const fenchel::ClassGroups groups{k, class_group};
    const fenchel::DensePrimal of_primal =
        primal_of(d, groups, primal, sums, scalars, primal_groups.data());
    nb::gil_scoped_release release;
    of_primal.settle();
    of_primal.sum_weights();
    if (hinge)
        hinge_of(groups, label, by_class, class_start, dual, dual_rows, dual_groups.data(), 0).flush();
    else
        softmax_of(k, label, dual, scalars).flush();
}

} // namespace

void bind_mirror_dense(nb::module_& module) {
    module.def("mirror_dense_steps", &mirror_dense_steps, "rows"_a, "columns"_a, "hinge"_a,
               "label"_a.noconvert(), "by_class"_a.noconvert(), "class_start"_a.noconvert(), "row_size"_a.noconvert(), "row_weight"_a.noconvert(),
               "column_size"_a.noconvert(), "weight_sum"_a, "primal_step"_a, "shrink"_a, "radius"_a,
               "dual_step"_a, "window"_a, "draws"_a, "primal"_a.noconvert(), "sums"_a.noconvert(),
               "dual"_a.noconvert(), "dual_rows"_a.noconvert(), "scalars"_a.noconvert(),
               "order"_a.noconvert(), "uniforms"_a.noconvert(), "drawn"_a.noconvert(),
               "classes"_a.noconvert(), "class_group"_a, "primal_groups"_a.noconvert(),
               "dual_groups"_a.noconvert(), "feature_block"_a, "feature_sums"_a.noconvert(), "row_block"_a,
               "row_sums"_a.noconvert(), "factors"_a.noconvert(), "coefficient"_a.noconvert());
    module.def("mirror_dense_flush", &mirror_dense_flush, "d"_a, "k"_a, "hinge"_a, "label"_a.noconvert(),
               "by_class"_a.noconvert(), "class_start"_a.noconvert(), "primal"_a.noconvert(), "sums"_a.noconvert(), "dual"_a.noconvert(), "dual_rows"_a.noconvert(),
               "scalars"_a.noconvert(), "class_group"_a, "primal_groups"_a.noconvert(),
               "dual_groups"_a.noconvert());
}
