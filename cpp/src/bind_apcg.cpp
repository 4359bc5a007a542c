// Bindings of the accelerated dual coordinate ascent.
#include "fenchel/apcg.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

std::int64_t apcg_pass(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                       const InputArray& b, const InputArray& sample_weight, const InputArray& step,
                       const InputArray& l1, const InputArray& l2, const InputArray& lower,
                       const InputArray& upper, double root, double rate, const InOutArray& total,
                       const InOutArray& difference, const InOutArray& v_total,
                       const InOutArray& v_difference) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return fenchel::apcg_pass(lines, view(order), loss, view(b), view(sample_weight), view(step),
                                      form, root, rate, view(total), view(difference), view(v_total),
                                      view(v_difference));
        },
        rows.lines);
}

} // namespace

void bind_apcg(nb::module_& module) {
    module.def("apcg_pass", &apcg_pass, "rows"_a, "order"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "step"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(),
               "lower"_a.noconvert(), "upper"_a.noconvert(), "root"_a, "rate"_a, "total"_a.noconvert(),
               "difference"_a.noconvert(), "v_total"_a.noconvert(), "v_difference"_a.noconvert());
}
