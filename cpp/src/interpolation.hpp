// What the bindings of the methods for interpolation share: sets, maps and room by their tags.
#pragma once

#include "fenchel/constraint_sets.hpp"
#include "fenchel/mirror_maps.hpp"

#include "bindings.hpp"

enum class MapTag : int { euclidean, power, entropy };
enum class SetTag : int { interval, ball, simplex };

// The two arrays of a set: lower and upper ends, or centre (n, k) and radius.
template <class F>
std::int64_t with_set(SetTag tag, std::int64_t k, const InputArray& first, const InputArray& second,
                      const InputArray& inverse_slack, double* work, F&& run) {
    if (tag == SetTag::interval)
        return run(fenchel::Intervals{view(first), view(second), view(inverse_slack)});
    return run(fenchel::Blocks{tag == SetTag::simplex, k, view(first), view(second), view(inverse_slack), work});
}

// scratch has room for D + D k + 3 k values, positions for D.
struct Room {
    fenchel::RowScratch row;
    double *point, *work;

    Room(double* values, std::int32_t* positions, std::int64_t D, std::int64_t k)
        : row{values, values + D, values + D + D * k, positions}, point(row.slopes + k), work(point + k) {}
};

// The map from the image t, as its kind asks.
template <class F>
std::int64_t with_map(MapTag tag, double q, double inverse_strength, const InputArray& log_prior,
                      const InOutArray& t, std::int64_t k, const Room& room, F&& run) {
    if (tag == MapTag::euclidean)
        return run(fenchel::EuclideanMap(inverse_strength, view(t), k, room.row.slopes));
    if (tag == MapTag::power)
        return run(fenchel::TiltedMap(fenchel::PowerTerms{q, inverse_strength}, view(t), k, room.row));
    return run(fenchel::TiltedMap(fenchel::EntropyTerms{view(log_prior), inverse_strength}, view(t), k, room.row));
}
