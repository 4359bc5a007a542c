// Bindings of SVRG and SAGA.
#include "fenchel/row_gradient.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

std::int64_t svrg_pass(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                       const InputArray& b, const InputArray& factor, const InputArray& l1,
                       const InputArray& l2, const InputArray& lower, const InputArray& upper,
                       const InputArray& h, const InputArray& u, const InOutArray& v, const InOutArray& w,
                       const InOutArray& rate, const StampArray& stamp) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return fenchel::svrg_pass(lines, view(order), loss, view(b), view(factor), form, view(h), view(u),
                                      view(v), view(w), view(rate), view(stamp));
        },
        rows.lines);
}

std::int64_t saga_pass(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                       const InputArray& b, const InputArray& sample_weight, const InputArray& l1,
                       const InputArray& l2, const InputArray& lower, const InputArray& upper,
                       const InputArray& h, const InOutArray& u, const InOutArray& v, const InOutArray& w,
                       const InOutArray& rate, const StampArray& stamp) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return fenchel::saga_pass(lines, view(order), loss, view(b), view(sample_weight), form, view(h),
                                      view(u), view(v), view(w), view(rate), view(stamp));
        },
        rows.lines);
}

} // namespace

void bind_row_gradient(nb::module_& module) {
    module.def("svrg_pass", &svrg_pass, "rows"_a, "order"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "factor"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "h"_a.noconvert(), "u"_a.noconvert(), "v"_a.noconvert(),
               "w"_a.noconvert(), "rate"_a.noconvert(), "stamp"_a.noconvert());
    module.def("saga_pass", &saga_pass, "rows"_a, "order"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "h"_a.noconvert(), "u"_a.noconvert(), "v"_a.noconvert(),
               "w"_a.noconvert(), "rate"_a.noconvert(), "stamp"_a.noconvert());
}
