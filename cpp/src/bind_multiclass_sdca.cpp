// Bindings of prox-SDCA for several classes.
#include "fenchel/multiclass_sdca.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

enum class MulticlassTag : int { softmax, multiclass_hinge };

// u has k columns and as many rows as step; v, w and anchor have k columns and as many rows as alpha.
std::int64_t multiclass_sdca_pass(const AnyLines& rows, const OrderArray& order, MulticlassTag loss,
                                  const OrderArray& label, const InputArray& sample_weight,
                                  const InputArray& step, const InputArray& l1, const InputArray& l2,
                                  const InputArray& lower, const InputArray& upper, const InputArray& alpha,
                                  const InputArray& anchor, const InOutArray& v, const InOutArray& w,
                                  const InOutArray& u, const InOutArray& scratch,
                                  const Array<std::int64_t>& classes) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    const auto k = std::int64_t(classes.size());
    const fenchel::BlockScratch block{scratch.data(), scratch.data() + k, classes.data()};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            const auto run = [&]<class Block>(Block) {
                return fenchel::multiclass_sdca_pass<Block>(lines, view(order), k, view(label),
                                                            view(sample_weight), view(step), form,
                                                            view(alpha), view(anchor), view(v), view(w),
                                                            view(u), block);
            };
            return loss == MulticlassTag::softmax ? run(fenchel::SoftmaxBlock{})
                                                  : run(fenchel::MulticlassHingeBlock{});
        },
        rows.lines);
}

} // namespace

void bind_multiclass_sdca(nb::module_& module) {
    nb::enum_<MulticlassTag>(module, "MulticlassTag")
        .value("softmax", MulticlassTag::softmax)
        .value("multiclass_hinge", MulticlassTag::multiclass_hinge);
    module.def("multiclass_sdca_pass", &multiclass_sdca_pass, "rows"_a, "order"_a.noconvert(), "loss"_a,
               "label"_a.noconvert(), "sample_weight"_a.noconvert(), "step"_a.noconvert(),
               "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
               "alpha"_a.noconvert(), "anchor"_a.noconvert(), "v"_a.noconvert(), "w"_a.noconvert(),
               "u"_a.noconvert(), "scratch"_a.noconvert(), "classes"_a.noconvert());
}
