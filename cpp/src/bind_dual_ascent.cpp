// Bindings of dual coordinate ascent for interpolation problems.
#include "fenchel/dual_ascent.hpp"

#include "fenchel/row_norms.hpp"

#include "bindings.hpp"
#include "interpolation.hpp"

using namespace nb::literals;

namespace {

std::int64_t dual_ascent_pass(const AnyLines& rows, const OrderArray& order, SetTag set, const InputArray& first,
                              const InputArray& second, const InputArray& inverse_slack,
                              const InputArray& curvature, std::int64_t newton, MapTag map, double q,
                              double inverse_strength, const InputArray& log_prior, std::int64_t k,
                              const InOutArray& a, const InOutArray& t, const InOutArray& tilt,
                              const InOutArray& scratch,
                              const Array<std::int32_t>& positions) {
    const Room room(scratch.data(), positions.data(), std::int64_t(positions.size()), k);
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return with_set(set, k, first, second, inverse_slack, room.work, [&](const auto& sets) {
                return with_map(map, q, inverse_strength, log_prior, t, k, room, [&](auto response) {
                    return fenchel::dual_ascent_pass(lines, view(order), sets, view(curvature), newton, response,
                                                     k, view(a), view(tilt), room.point);
                });
            });
        },
        rows.lines);
}

std::int64_t accelerated_dual_ascent_pass(const AnyLines& rows, const OrderArray& order, SetTag set,
                                          const InputArray& first, const InputArray& second,
                                          const InputArray& inverse_slack, const InputArray& curvature,
                                          const InputArray& share, MapTag map, double q, double inverse_strength,
                                          const InputArray& log_prior, std::int64_t k, const InOutArray& momentum,
                                          const InOutArray& lag, const InOutArray& lead,
                                          const InOutArray& lag_image, const InOutArray& lead_image,
                                          const InOutArray& image, const InOutArray& scratch,
                                          const Array<std::int32_t>& positions) {
    const Room room(scratch.data(), positions.data(), std::int64_t(positions.size()), k);
    const fenchel::ImagePair pair{view(lag_image), view(lead_image), k};
    nb::gil_scoped_release release;
    return std::visit(
        [&](const auto& lines) {
            return with_set(set, k, first, second, inverse_slack, room.work, [&](const auto& sets) {
                const auto run = [&](auto images) {
                    return fenchel::accelerated_dual_ascent_pass(lines, view(order), sets, view(curvature),
                                                                 view(share), images, k, view(momentum), view(lag),
                                                                 view(lead), room.point);
                };
                const auto tilted = [&]<class Terms>(const Terms& terms) {
                    return run(fenchel::TiltedPair<Terms>{
                        pair, view(image), fenchel::TiltedMap<Terms>(terms, view(image), k, room.row)});
                };
                if (map == MapTag::euclidean)
                    return run(fenchel::EuclideanPair{pair, inverse_strength, room.row.slopes});
                return map == MapTag::power ? tilted(fenchel::PowerTerms{q, inverse_strength})
                                            : tilted(fenchel::EntropyTerms{view(log_prior), inverse_strength});
            });
        },
        rows.lines);
}

void row_norms(const AnyLines& rows, double q, const InOutArray& norms) {
    nb::gil_scoped_release release;
    std::visit([&](const auto& lines) { fenchel::row_norms(lines, q, view(norms)); }, rows.lines);
}

} // namespace

void bind_dual_ascent(nb::module_& module) {
    nb::enum_<MapTag>(module, "MapTag")
        .value("euclidean", MapTag::euclidean)
        .value("power", MapTag::power)
        .value("entropy", MapTag::entropy);
    nb::enum_<SetTag>(module, "SetTag")
        .value("interval", SetTag::interval)
        .value("ball", SetTag::ball)
        .value("simplex", SetTag::simplex);
    module.def("dual_ascent_pass", &dual_ascent_pass, "rows"_a, "order"_a.noconvert(), "set"_a,
               "first"_a.noconvert(), "second"_a.noconvert(), "inverse_slack"_a.noconvert(),
               "curvature"_a.noconvert(), "newton"_a, "map"_a, "q"_a, "inverse_strength"_a,
               "log_prior"_a.noconvert(), "k"_a, "a"_a.noconvert(), "t"_a.noconvert(), "tilt"_a.noconvert(),
               "scratch"_a.noconvert(), "positions"_a.noconvert());
    module.def("accelerated_dual_ascent_pass", &accelerated_dual_ascent_pass, "rows"_a, "order"_a.noconvert(),
               "set"_a, "first"_a.noconvert(), "second"_a.noconvert(), "inverse_slack"_a.noconvert(),
               "curvature"_a.noconvert(), "share"_a.noconvert(), "map"_a, "q"_a, "inverse_strength"_a,
               "log_prior"_a.noconvert(), "k"_a, "momentum"_a.noconvert(), "lag"_a.noconvert(),
               "lead"_a.noconvert(), "lag_image"_a.noconvert(), "lead_image"_a.noconvert(),
               "image"_a.noconvert(), "scratch"_a.noconvert(), "positions"_a.noconvert());
    module.def("row_norms", &row_norms, "rows"_a, "q"_a, "norms"_a.noconvert());
}
