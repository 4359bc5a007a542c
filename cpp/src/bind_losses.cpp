// Bindings of the losses: the enumeration, the run-time choice, and the elementwise functions.
#include "bindings.hpp"
#include "fenchel/losses.hpp"

using namespace nb::literals;
using fenchel::AnyLoss;
using fenchel::LossTag;

namespace {

void construct_loss(AnyLoss* self, LossTag tag, const InputArray& parameters) {
    if (parameters.size() != fenchel::loss_parameter_count(tag)) {
        throw nb::value_error("wrong number of loss parameters");
    }
    AnyLoss loss{tag, {}};
    for (std::size_t k = 0; k < parameters.size(); ++k)
        loss.params[k] = parameters.data()[k];
    new (self) AnyLoss(loss);
}

// out_i = f(loss, x_i, b_i)
template <class F>
void elementwise(const AnyLoss& loss, const InputArray& x, const InputArray& b, const InOutArray& out, F f) {
    const auto x_ = view(x), b_ = view(b);
    const auto out_ = view(out);
    nb::gil_scoped_release release;
    loss.visit([&](const auto& phi) {
        for (std::size_t i = 0; i < out_.size(); ++i)
            out_[i] = f(phi, x_[i], b_[i]);
    });
}

void value(const AnyLoss& loss, const InputArray& z, const InputArray& b, const InOutArray& out) {
    elementwise(loss, z, b, out, [](const auto& phi, double z_i, double b_i) { return phi.value(z_i, b_i); });
}

void gradient(const AnyLoss& loss, const InputArray& z, const InputArray& b, const InOutArray& out) {
    elementwise(loss, z, b, out,
                [](const auto& phi, double z_i, double b_i) { return phi.gradient(z_i, b_i); });
}

void conjugate(const AnyLoss& loss, const InputArray& u, const InputArray& b, const InOutArray& out) {
    elementwise(loss, u, b, out,
                [](const auto& phi, double u_i, double b_i) { return phi.conjugate(u_i, b_i); });
}

void prox_conjugate(const AnyLoss& loss, const InputArray& v, const InputArray& b, const InputArray& step,
                    const InOutArray& out) {
    const auto v_ = view(v), b_ = view(b), step_ = view(step);
    const auto out_ = view(out);
    nb::gil_scoped_release release;
    loss.visit([&](const auto& phi) {
        for (std::size_t i = 0; i < out_.size(); ++i)
            out_[i] = phi.prox_conjugate(v_[i], b_[i], step_[i]);
    });
}

} // namespace

void bind_losses(nb::module_& module) {
    nb::enum_<LossTag> tags(module, "LossTag");
#define FENCHEL_LOSS(name, type, n_parameters) tags.value(#name, LossTag::name);
#include "fenchel/losses.def"
#undef FENCHEL_LOSS

    nb::class_<AnyLoss>(module, "Loss")
        .def("__init__", &construct_loss, "tag"_a, "parameters"_a.noconvert())
        .def("value", &value, "z"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert())
        .def("gradient", &gradient, "z"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert())
        .def("conjugate", &conjugate, "u"_a.noconvert(), "b"_a.noconvert(), "out"_a.noconvert())
        .def("prox_conjugate", &prox_conjugate, "v"_a.noconvert(), "b"_a.noconvert(), "step"_a.noconvert(),
             "out"_a.noconvert());
    module.def("loss_parameter_count", &fenchel::loss_parameter_count, "tag"_a);
}
