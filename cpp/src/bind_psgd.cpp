// Binding of proximal stochastic gradient descent.
#include "fenchel/psgd.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

std::int64_t psgd_pass(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                       const InputArray& b, const InputArray& sample_weight, const InputArray& l1,
                       const InputArray& l2, const InputArray& lower, const InputArray& upper,
                       const InputArray& metric, const InputArray& share, const InputArray& step,
                       std::int64_t first, const InOutArray& w, const InOutArray& w_total,
                       const InOutArray& w_since, const InOutArray& u_total, const InOutArray& u_weight) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    const fenchel::LazyAverage average{view(w_total), view(w_since)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return fenchel::psgd_pass(lines, view(order), loss, view(b), view(sample_weight), form,
                                      view(metric), view(share), view(step), first, view(w), average,
                                      view(u_total), view(u_weight));
        },
        rows.lines);
}

} // namespace

void bind_psgd(nb::module_& module) {
    module.def("psgd_pass", &psgd_pass, "rows"_a, "order"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "metric"_a.noconvert(), "share"_a.noconvert(), "step"_a.noconvert(),
               "first"_a, "w"_a.noconvert(), "w_total"_a.noconvert(), "w_since"_a.noconvert(),
               "u_total"_a.noconvert(), "u_weight"_a.noconvert());
}
