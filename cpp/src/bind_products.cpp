// Bindings of the products with the lines of a data matrix.
#include "fenchel/products.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

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

void dots(const AnyLines& lines, const InputArray& x, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& known) { fenchel::dots(known, view(x), view(out)); }, lines.lines);
}

void squares(const AnyLines& lines, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& known) { fenchel::squares(known, view(out)); }, lines.lines);
}

void along_named(const AnyLines& lines, const OrderArray& named, const InputArray& x, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& known) { fenchel::along_named(known, view(named), view(x), view(out)); },
               lines.lines);
}

void across_named(const AnyLines& lines, const OrderArray& named, const InputArray& x, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& known) { fenchel::across_named(known, view(named), view(x), view(out)); },
               lines.lines);
}

void gram_named(const AnyLines& lines, const OrderArray& named, const InputArray& x, const InOutArray& spread,
                const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& known) {
            fenchel::gram_named(known, view(named), view(x), view(spread), view(out));
        },
        lines.lines);
}

void gram(const AnyLines& lines, const InputArray& x, const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& known) { fenchel::gram(known, view(x), view(out)); }, lines.lines);
}

std::int64_t count_entries(const AnyLines& lines, const OrderArray& named) {
    nb::gil_scoped_release release;
    return std::visit([&](const auto& known) { return fenchel::count_entries(known, view(named)); }, lines.lines);
}

// Serves sparse lines; fenchel._kernels passes no others.
void gram_part(const AnyLines& lines, const OrderArray& positions, const InputArray& x,
               const Array<std::int32_t>& place, const Array<std::int32_t>& found, const InOutArray& entry,
               const InOutArray& out) {
    nb::gil_scoped_release release;
    std::visit(
        [&](const auto& known) {
            if constexpr (requires { known.indptr; })
                fenchel::gram_part(known, view(positions), view(x), view(place), view(found), view(entry), view(out));
        },
        lines.lines);
}

// Serves sparse lines without an intercept, and data of their type; fenchel._kernels passes no others.
template <class T>
void copy_part(const AnyLines& lines, const OrderArray& named, const OrderArray& positions,
               const Array<std::int32_t>& place,
               const Array<std::int64_t>& starts, const Array<T>& data, const Array<std::int32_t>& indices) {
    nb::gil_scoped_release release;
    if (const auto* known = std::get_if<fenchel::SparseLines<T>>(&lines.lines))
        fenchel::copy_part(*known, view(named), view(positions), view(place), view(starts), view(data), view(indices));
}

} // namespace

void bind_products(nb::module_& module) {
    module.def("along", &along, "lines"_a, "x"_a.noconvert(), "squared"_a, "out"_a.noconvert());
    module.def("across", &across, "lines"_a, "x"_a.noconvert(), "squared"_a, "out"_a.noconvert());
    module.def("dots", &dots, "lines"_a, "x"_a.noconvert(), "out"_a.noconvert());
    module.def("squares", &squares, "lines"_a, "out"_a.noconvert());
    module.def("along_named", &along_named, "lines"_a, "named"_a.noconvert(), "x"_a.noconvert(),
               "out"_a.noconvert());
    module.def("across_named", &across_named, "lines"_a, "named"_a.noconvert(), "x"_a.noconvert(),
               "out"_a.noconvert());
    module.def("gram_named", &gram_named, "lines"_a, "named"_a.noconvert(), "x"_a.noconvert(),
               "spread"_a.noconvert(), "out"_a.noconvert());
    module.def("gram", &gram, "lines"_a, "x"_a.noconvert(), "out"_a.noconvert());
    module.def("gram_part", &gram_part, "lines"_a, "positions"_a.noconvert(), "x"_a.noconvert(),
               "place"_a.noconvert(), "found"_a.noconvert(), "entry"_a.noconvert(), "out"_a.noconvert());
    module.def("count_entries", &count_entries, "lines"_a, "named"_a.noconvert());
    module.def("copy_part", &copy_part<float>, "lines"_a, "named"_a.noconvert(), "positions"_a.noconvert(),
               "place"_a.noconvert(), "starts"_a.noconvert(), "data"_a.noconvert(), "indices"_a.noconvert());
    module.def("copy_part", &copy_part<double>, "lines"_a, "named"_a.noconvert(), "positions"_a.noconvert(),
               "place"_a.noconvert(), "starts"_a.noconvert(), "data"_a.noconvert(), "indices"_a.noconvert());
}
