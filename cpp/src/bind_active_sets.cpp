// Bindings of the scans of the active-set solver.
#include "fenchel/active_sets.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

void take_best(const InputArray& scores, const Array<const bool>& barred, std::int64_t count,
               const Array<bool>& active, const StampArray& outside) {
    nb::gil_scoped_release release;
    fenchel::take_best(view(scores), view(barred), count, view(active), view(outside));
}

void settle_rows(const fenchel::AnyLoss& loss, const InputArray& z, const InputArray& u, const InputArray& b,
                 const InputArray& spread, double reach, double slack, const Array<bool>& settled) {
    nb::gil_scoped_release release;
    fenchel::settle_rows(loss, view(z), view(u), view(b), view(spread), reach, slack, view(settled));
}

} // namespace

void bind_active_sets(nb::module_& module) {
    module.def("take_best", &take_best, "scores"_a.noconvert(), "barred"_a.noconvert(), "count"_a,
               "active"_a.noconvert(), "outside"_a.noconvert());
    module.def("settle_rows", &settle_rows, "loss"_a, "z"_a.noconvert(), "u"_a.noconvert(), "b"_a.noconvert(),
               "spread"_a.noconvert(), "reach"_a, "slack"_a, "settled"_a.noconvert());
}
