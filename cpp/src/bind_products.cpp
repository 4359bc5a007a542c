// Bindings of the products with the lines of a data matrix.
#include "fenchel/products.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

using PlaceArray = Array<const std::int32_t>;

void along(const AnyLines& lines, const InputArray& x, bool squared, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& known) {
            squared ? fenchel::along<true>(known, view(x), view(out))
                    : fenchel::along<false>(known, view(x), view(out));
        },
        lines.lines);
}

void across(const AnyLines& lines, const InputArray& x, bool squared, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& known) {
            squared ? fenchel::across<true>(known, view(x), view(out))
                    : fenchel::across<false>(known, view(x), view(out));
        },
        lines.lines);
}

void gram(const AnyLines& lines, const InputArray& x, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& known) { fenchel::gram(known, view(x), view(out)); }, lines.lines);
}

// Both serve sparse lines without an intercept; fenchel._kernels passes no others.
template <class F>
void visit_sparse(const AnyLines& lines, F&& f) {
    if (const auto* single = std::get_if<fenchel::SparseLines<float>>(&lines.lines))
        f(*single);
    else if (const auto* full = std::get_if<fenchel::SparseLines<double>>(&lines.lines))
        f(*full);
}

void count_part(const AnyLines& lines, const OrderArray& named, const PlaceArray& place,
                const Array<std::int64_t>& starts) {
    nb::gil_scoped_release release;
    visit_sparse(lines, [&](const auto& known) {
        fenchel::count_part(known, view(named), view(place), view(starts));
    });
}

void copy_part(const AnyLines& lines, const OrderArray& named, const PlaceArray& place,
               const InOutArray& data, const Array<std::int32_t>& indices) {
    nb::gil_scoped_release release;
    visit_sparse(lines, [&](const auto& known) {
        fenchel::copy_part(known, view(named), view(place), view(data), view(indices));
    });
}

} // namespace

void bind_products(nb::module_& module) {
    module.def("along", &along, "lines"_a, "x"_a.noconvert(), "squared"_a, "out"_a.noconvert());
    module.def("across", &across, "lines"_a, "x"_a.noconvert(), "squared"_a, "out"_a.noconvert());
    module.def("gram", &gram, "lines"_a, "x"_a.noconvert(), "out"_a.noconvert());
    module.def("count_part", &count_part, "lines"_a, "named"_a.noconvert(), "place"_a.noconvert(),
               "starts"_a.noconvert());
    module.def("copy_part", &copy_part, "lines"_a, "named"_a.noconvert(), "place"_a.noconvert(),
               "data"_a.noconvert(), "indices"_a.noconvert());
}
