// Bindings of the proximal steps of the dual of a loss with kinks.
#include "bindings.hpp"
#include "fenchel/proximal_newton.hpp"

using namespace nb::literals;

namespace {

void proximal_rows(const fenchel::AnyLoss& loss, const InputArray& b, const InputArray& u, const InputArray& z,
                   double c, const InOutArray& target, const InOutArray& room) {
    nb::gil_scoped_release release;
    fenchel::proximal_rows(loss, view(b), view(u), view(z), c, view(target), view(room));
}

double proximal_search(const fenchel::AnyLoss& loss, const InputArray& b, const InputArray& sample_weight,
                       const InputArray& u, double l2, double c, const InputArray& w, const InputArray& dw,
                       const InputArray& z, const InputArray& dz) {
    nb::gil_scoped_release release;
    return fenchel::proximal_search(loss, view(b), view(sample_weight), view(u), l2, c, view(w), view(dw), view(z),
                                    view(dz));
}

std::int64_t proximal_newton_steps(const AnyLines& rows, const OrderArray& order, const fenchel::AnyLoss& loss,
                                   const InputArray& b, const InputArray& sample_weight, const InputArray& u,
                                   double l2, double c, std::int64_t most, double tolerance, const InOutArray& w,
                                   const InOutArray& z, const InOutArray& v, const InOutArray& work,
                                   const StampArray& places) {
    nb::gil_scoped_release release;
    const fenchel::ProximalWork at(view(work), view(places), order.size(), w.size());
    return std::visit(
        [&](const auto& lines) {
            return loss.visit([&](const auto& phi) {
                return fenchel::proximal_newton_steps(lines, view(order), phi, view(b), view(sample_weight),
                                                      view(u), l2, c, most, tolerance, view(w), view(z), view(v),
                                                      at);
            });
        },
        rows.lines);
}

} // namespace

void bind_proximal_newton(nb::module_& module) {
    module.def("proximal_rows", &proximal_rows, "loss"_a, "b"_a.noconvert(), "u"_a.noconvert(),
               "z"_a.noconvert(), "c"_a, "target"_a.noconvert(), "room"_a.noconvert());
    module.def("proximal_search", &proximal_search, "loss"_a, "b"_a.noconvert(), "sample_weight"_a.noconvert(),
               "u"_a.noconvert(), "l2"_a, "c"_a, "w"_a.noconvert(), "dw"_a.noconvert(), "z"_a.noconvert(),
               "dz"_a.noconvert());
    module.def("proximal_newton_steps", &proximal_newton_steps, "rows"_a, "order"_a.noconvert(), "loss"_a,
               "b"_a.noconvert(), "sample_weight"_a.noconvert(), "u"_a.noconvert(), "l2"_a, "c"_a, "most"_a,
               "tolerance"_a, "w"_a.noconvert(), "z"_a.noconvert(), "v"_a.noconvert(), "work"_a.noconvert(),
               "places"_a.noconvert());
    module.def("proximal_work_size", &fenchel::ProximalWork::size, "rows"_a, "d"_a);
}
