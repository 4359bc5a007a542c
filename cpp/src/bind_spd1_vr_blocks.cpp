// Binding of SPD1-VR with blocks.
#include "fenchel/spd1_vr_blocks.hpp"

#include "bindings.hpp"

using namespace nb::literals;

namespace {

std::int64_t spd1_vr_block_steps(const AnyLines& rows, const OrderArray& row_bounds,
                                 const OrderArray& column_bounds, const OrderArray& row,
                                 const OrderArray& other_row, const OrderArray& column,
                                 const OrderArray& other_column, const fenchel::AnyLoss& loss,
                                 const InputArray& b, const InputArray& sample_weight, const InputArray& l1,
                                 const InputArray& l2, const InputArray& lower, const InputArray& upper,
                                 const InputArray& eta, const InputArray& tau, const InputArray& alpha,
                                 const InputArray& centre_w, double beta, const InputArray& centre_u,
                                 const InputArray& w_snapshot, const InputArray& u_snapshot,
                                 const InputArray& gx, const InputArray& gy, const InOutArray& w,
                                 const InOutArray& u, std::size_t threads) {
    const fenchel::CoordinateForm form{view(l1), view(l2), view(lower), view(upper)};
    const fenchel::BlockDraws draws{{view(row_bounds)}, {view(column_bounds)}, view(row),
                                    view(other_row),    view(column),          view(other_column)};
    const fenchel::SaddleSteps steps{view(eta), view(tau), view(alpha), view(centre_w), beta, view(centre_u)};
    const fenchel::Snapshot snapshot{view(w_snapshot), view(u_snapshot), view(gx), view(gy)};
    const auto run = [&]<class T>(const fenchel::DenseLines<T>& lines) {
        const auto step = [&]<class Memory>(Memory) {
            return fenchel::SPD1VRBlockStep<Memory, T>(lines, loss, view(b), view(sample_weight), form, steps,
                                                       view(w), view(u), snapshot);
        };
        nb::gil_scoped_release release;
        return threads == 1 ? fenchel::spd1_vr_block_steps(step(fenchel::OwnMemory{}), draws)
                            : fenchel::spd1_vr_block_steps(step(fenchel::SharedMemory{}), draws, threads);
    };
    if (const auto* lines = std::get_if<fenchel::DenseLines<float>>(&rows.lines))
        return run(*lines);
    if (const auto* lines = std::get_if<fenchel::DenseLines<double>>(&rows.lines))
        return run(*lines);
    throw nb::value_error("blocks need dense rows");
}

} // namespace

void bind_spd1_vr_blocks(nb::module_& module) {
    module.attr("largest_block") = fenchel::largest_block;
    module.def("spd1_vr_block_steps", &spd1_vr_block_steps, "rows"_a, "row_bounds"_a.noconvert(),
               "column_bounds"_a.noconvert(), "row"_a.noconvert(), "other_row"_a.noconvert(),
               "column"_a.noconvert(), "other_column"_a.noconvert(), "loss"_a, "b"_a.noconvert(),
               "sample_weight"_a.noconvert(), "l1"_a.noconvert(), "l2"_a.noconvert(), "lower"_a.noconvert(),
               "upper"_a.noconvert(), "eta"_a.noconvert(), "tau"_a.noconvert(), "alpha"_a.noconvert(),
               "centre_w"_a.noconvert(), "beta"_a, "centre_u"_a.noconvert(), "w_snapshot"_a.noconvert(),
               "u_snapshot"_a.noconvert(), "gx"_a.noconvert(), "gy"_a.noconvert(), "w"_a.noconvert(),
               "u"_a.noconvert(), "threads"_a);
}
