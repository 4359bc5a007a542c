// Bindings of prox-SDCA for several classes.
#include "fenchel/multiclass_sdca.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

enum class MulticlassTag : int { softmax, multiclass_hinge };

// u has k columns and as many rows as step; t has k columns and as many rows as inverse. Without lists
// of classes (an empty indptr) every step moves all of them.
std::int64_t
multiclass_sdca_pass(const AnyLines& rows, const OrderArray& order, MulticlassTag loss, const OrderArray& label,
                     const InputArray& sample_weight, const InputArray& step, const InputArray& l1,
                     const InputArray& inverse, const InputArray& lower, const InputArray& upper,
                     const OrderArray& indptr, const Array<const std::int32_t>& classes, const InOutArray& t,
                     const InOutArray& u, const InOutArray& q, const InOutArray& gap, const InOutArray& scratch,
                     const StampArray& numbers) {
    const auto D = std::int64_t(inverse.size()), k = std::int64_t(numbers.size()) - 4 * D;
    std::int64_t* const places = numbers.data();
    double *const values = scratch.data(), *const entries = values + 5 * k;
    const fenchel::BlockScratch block{values,
                                      values + k,
                                      values + 2 * k,
                                      {0, entries, entries + D, places, places + D},
                                      {0, entries + 2 * D, entries + 3 * D, places + 2 * D, places + 3 * D},
                                      places + 4 * D};
    const fenchel::BlockResponse response{view(l1), view(inverse), view(lower), view(upper)};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            const auto run = [&]<class Block>(Block, const auto& chosen) {
                return fenchel::multiclass_sdca_pass<Block>(lines, view(order), k, chosen, view(sample_weight),
                                                            view(step), response, view(t), view(u), view(q), view(gap), block);
            };
            const auto with = [&](const auto& chosen) {
                return loss == MulticlassTag::softmax ? run(fenchel::SoftmaxBlock{}, chosen)
                                                      : run(fenchel::MulticlassHingeBlock{}, chosen);
            };
            return indptr.size() == 0 ? with(fenchel::EveryClass{k, view(label)})
                                      : with(fenchel::ListedClasses{k, view(indptr), view(classes)});
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
               "l1"_a.noconvert(), "inverse"_a.noconvert(), "lower"_a.noconvert(), "upper"_a.noconvert(),
               "indptr"_a.noconvert(), "classes"_a.noconvert(), "t"_a.noconvert(), "u"_a.noconvert(),
               "q"_a.noconvert(), "gap"_a.noconvert(), "scratch"_a.noconvert(), "numbers"_a.noconvert());
}
