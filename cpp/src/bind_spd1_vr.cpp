// Bindings of the alias tables and of the steps of SPD1-VR.
#include "fenchel/spd1_vr.hpp"

#include "bindings.hpp"

using namespace nb::literals;
using fenchel::AliasCell;

namespace {

using WordArray = Array<const std::uint32_t>;
using LabelArray = Array<const std::int32_t>;
// One AliasCell a row.
template <class T>
using CellArray = nb::ndarray<T, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using TableArray = CellArray<const std::uint32_t>;
// One coordinate a row, laid out as PrimalCoordinate and DualCoordinate.
using PackedArray = nb::ndarray<double, nb::shape<-1, 8>, nb::c_contig, nb::device::cpu>;

void fill_alias_tables(const InputArray& weights, const OrderArray& first, const LabelArray& labels,
                       const CellArray<std::uint32_t>& cells) {
    nb::gil_scoped_release release;
    fenchel::fill_alias_tables(view(weights), view(first), view(labels),
                               reinterpret_cast<AliasCell*>(cells.data()));
}

const AliasCell* cells(const TableArray& table) {
    return reinterpret_cast<const AliasCell*>(table.data());
}

template <class Entries>
void run(const Entries& entries, const TableArray& choice, const WordArray& words,
         const fenchel::AnyLoss& loss, const PackedArray& w, const PackedArray& u) {
    nb::gil_scoped_release release;
    fenchel::spd1_vr_steps(entries, {cells(choice), choice.shape(0)}, view(words), loss,
                           reinterpret_cast<fenchel::PrimalCoordinate*>(w.data()),
                           reinterpret_cast<fenchel::DualCoordinate*>(u.data()));
}

template <class T>
fenchel::DenseEntries<T> even_entries(const fenchel::DenseLines<T>& rows, const AnyLines&) {
    return {rows};
}

template <class T>
fenchel::SparseEntries<T> even_entries(const fenchel::SparseLines<T>& rows, const AnyLines& columns) {
    return {rows, std::get<fenchel::SparseLines<T>>(columns.lines)};
}

void spd1_vr_steps(const AnyLines& rows, const AnyLines& columns, const TableArray& choice,
                   const WordArray& words, const fenchel::AnyLoss& loss, const PackedArray& w,
                   const PackedArray& u) {
    std::visit([&](const auto& lines) { run(even_entries(lines, columns), choice, words, loss, w, u); },
               rows.lines);
}

void spd1_vr_signed_steps(const OrderArray& row_starts, const TableArray& in_row,
                          const OrderArray& column_starts, const TableArray& in_column,
                          const TableArray& choice, const WordArray& words, const fenchel::AnyLoss& loss,
                          const PackedArray& w, const PackedArray& u) {
    const fenchel::SignedEntries entries{{view(row_starts), cells(in_row)},
                                         {view(column_starts), cells(in_column)}};
    run(entries, choice, words, loss, w, u);
}

} // namespace

void bind_spd1_vr(nb::module_& module) {
    module.def("fill_alias_tables", &fill_alias_tables, "weights"_a.noconvert(), "first"_a.noconvert(),
               "labels"_a.noconvert(), "cells"_a.noconvert());
    module.def("spd1_vr_steps", &spd1_vr_steps, "rows"_a, "columns"_a, "choice"_a.noconvert(),
               "words"_a.noconvert(), "loss"_a, "w"_a.noconvert(), "u"_a.noconvert());
    module.def("spd1_vr_signed_steps", &spd1_vr_signed_steps, "row_starts"_a.noconvert(),
               "in_row"_a.noconvert(), "column_starts"_a.noconvert(), "in_column"_a.noconvert(),
               "choice"_a.noconvert(), "words"_a.noconvert(), "loss"_a, "w"_a.noconvert(),
               "u"_a.noconvert());
}
