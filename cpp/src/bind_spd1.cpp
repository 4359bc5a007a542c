// Binding of SPD1.
#include "fenchel/spd1.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

using Steps = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

fenchel::StepRule rule(const Steps& steps) {
    return {{steps.data(), steps.size()}};
}

void spd1_steps(const AnyLines& rows, const Array<const std::int32_t>& rows_of, const OrderArray& order,
                const fenchel::AnyLoss& loss, const InputArray& b, const InputArray& sample_weight,
                const InputArray& l1, const InputArray& l2, const InputArray& lower, const InputArray& upper,
                const InputArray& column_share, const InputArray& row_share, const Steps& primal,
                const Steps& dual, std::int64_t first, const InOutArray& w, const InOutArray& u,
                const InOutArray& w_total, const InOutArray& w_since, const InOutArray& u_total,
                const InOutArray& u_since) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    const fenchel::LazyAverage w_average{view(w_total), view(w_since)};
    const fenchel::LazyAverage u_average{view(u_total), view(u_since)};
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& lines) {
            fenchel::spd1_steps(lines, view(rows_of), view(order), loss, view(b), view(sample_weight), form,
                                view(column_share), view(row_share), rule(primal), rule(dual), first, view(w),
                                view(u), w_average, u_average);
        },
        rows.lines);
}

} // namespace

void bind_spd1(nb::module_& module) {
    module.def("spd1_steps", &spd1_steps, "rows"_a, "rows_of"_a.noconvert(), "order"_a.noconvert(), "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "column_share"_a.noconvert(),
               "row_share"_a.noconvert(), "primal"_a.noconvert(), "dual"_a.noconvert(), "first"_a,
               "w"_a.noconvert(), "u"_a.noconvert(), "w_total"_a.noconvert(), "w_since"_a.noconvert(),
               "u_total"_a.noconvert(), "u_since"_a.noconvert());
}
