// Bindings of the doubly greedy method and of SPDC.
#include "fenchel/doubly_greedy.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

std::int64_t dgpd_steps(const AnyLines& rows, const AnyLines& columns, std::int64_t steps,
                        const fenchel::AnyLoss& loss, const InputArray& b, const InputArray& sample_weight,
                        const InputArray& step, double beta, const InputArray& centre, const InputArray& l1,
                        const InputArray& l2, const InputArray& lower, const InputArray& upper,
                        const InOutArray& w, const InOutArray& z, const InOutArray& u, const InOutArray& v,
                        const InOutArray& slopes_lower, const InOutArray& slopes_upper) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    if (rows.lines.index() != columns.lines.index())
        throw nb::value_error("rows and columns are stored differently");
    nb::gil_scoped_release release;
    return std::visit(
        [&]<class Lines>(const Lines& lines) {
            return fenchel::dgpd_steps(lines, std::get<Lines>(columns.lines), steps, loss, view(b),
                                       view(sample_weight), view(step), beta, view(centre), form, view(w),
                                       view(z), view(u), view(v), view(slopes_lower), view(slopes_upper));
        },
        rows.lines);
}

std::int64_t spdc_pass(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                       const InputArray& b, const InputArray& sample_weight, const InputArray& l1,
                       const InputArray& l2, const InputArray& lower, const InputArray& upper,
                       const InputArray& tau, double sigma, double theta, const InOutArray& w,
                       const InOutArray& previous, const InOutArray& u, const InOutArray& v,
                       const StampArray& stamp) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return fenchel::spdc_pass(lines, view(order), loss, view(b), view(sample_weight), form, view(tau),
                                      sigma, theta, view(w), view(previous), view(u), view(v), view(stamp));
        },
        rows.lines);
}

} // namespace

void bind_doubly_greedy(nb::module_& module) {
    module.def("dgpd_steps", &dgpd_steps, "rows"_a, "columns"_a, "steps"_a, "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "step"_a.noconvert(), "beta"_a, "centre"_a.noconvert(),
               "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
               "w"_a.noconvert(), "z"_a.noconvert(), "u"_a.noconvert(), "v"_a.noconvert(),
               "slopes_lower"_a.noconvert(), "slopes_upper"_a.noconvert());
    module.def("spdc_pass", &spdc_pass, "rows"_a, "order"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "tau"_a.noconvert(), "sigma"_a, "theta"_a, "w"_a.noconvert(),
               "previous"_a.noconvert(), "u"_a.noconvert(), "v"_a.noconvert(), "stamp"_a.noconvert());
}
