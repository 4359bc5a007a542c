// Bindings of the values of a certificate.
#include "fenchel/certificate.hpp"

#include <utility>

#include <nanobind/stl/pair.h>

#include "bindings.hpp"

using namespace nb::literals;

namespace {

// A problem as certificates read it. The Python object keeps the arrays alive.
struct Certifier {
    fenchel::CertifiedRows rows;
    fenchel::CertifiedCoordinates coordinates;
};

void construct(Certifier* self, const fenchel::AnyLoss& loss, const InputArray& b,
               const InputArray& sample_weight, const InputArray& l1, const InputArray& l2,
               const InputArray& lower, const InputArray& upper, const InputArray& least,
               const InputArray& most) {
    new (self) Certifier{{loss, view(b), view(sample_weight)},
                         {{view(l1), view(l2), view(lower), view(upper)}, view(least), view(most)}};
}

double primal(const Certifier& self, const InputArray& w, const InputArray& z) {
    nb::gil_scoped_release release;
    return fenchel::mean_loss(self.rows, view(z)) + fenchel::form_value(self.coordinates.form, view(w));
}

double mean_conjugate(const Certifier& self, const InputArray& u) {
    nb::gil_scoped_release release;
    return fenchel::mean_conjugate(self.rows, view(u), 1);
}

std::pair<double, double> best_bound(const Certifier& self, const InputArray& u, const InputArray& v,
                                     double primal, double origin, double charge) {
    nb::gil_scoped_release release;
    const auto bound =
        fenchel::best_bound(self.rows, self.coordinates, view(u), view(v), primal, origin, charge);
    return {bound.value, bound.scale};
}

} // namespace

void bind_certificate(nb::module_& module) {
    nb::class_<Certifier>(module, "Certifier")
        .def("__init__", &construct, "loss"_a, "b"_a.noconvert(), "sample_weight"_a.noconvert(),
             "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
             "least"_a.noconvert(), "most"_a.noconvert(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
             nb::keep_alive<1, 5>(), nb::keep_alive<1, 6>(), nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>(),
             nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>())
        .def("primal", &primal, "w"_a.noconvert(), "z"_a.noconvert())
        .def("mean_conjugate", &mean_conjugate, "u"_a.noconvert())
        .def("best_bound", &best_bound, "u"_a.noconvert(), "v"_a.noconvert(), "primal"_a, "origin"_a,
             "charge"_a);
}
