// The loops of fenchel/entropic_loops.hpp at one level: included once for each, inside of a namespace of its own,
// with FENCHEL_LEVEL for the attribute of its functions and `fused` for whether it has fused products.

template <class T>
FENCHEL_LEVEL void fill_factors(const T* x, const std::int32_t* place, const double* exponent, std::int64_t count,
                                double* __restrict factors) noexcept {
    for (std::int64_t i = 0; i < count; ++i)
        factors[i] = vector_exp<fused>(exponent[i] * double(x[place[i]]));
}

template <class T>
FENCHEL_LEVEL void move_primal(std::int64_t count, const T* x, double exponent, double weight, double* __restrict w,
                               double* __restrict total, double* __restrict plus, double* __restrict minus,
                               double* __restrict group_plus, double* __restrict group_minus) noexcept {
    constexpr double largest = largest_weight, least = 1 / largest_weight;
    for (std::int64_t f = 0; f < count; ++f) {
        const Power factor = power<fused>(exponent * double(x[f]));
        const double scaled = w[f] * factor.scale, inverse = 1 / w[f];
        const double moved = between(fused_sum<fused>(scaled, factor.rest, scaled), least, largest);
        total[f] += (w[f] - inverse) * weight;
        const double more = moved - w[f], less = 1 / moved - inverse;
        plus[f] += more;
        minus[f] += less;
        group_plus[f] += more;
        group_minus[f] += less;
        w[f] = moved;
    }
}

FENCHEL_LEVEL std::int64_t settle_weights(std::int64_t count, double sum, double factor, double* __restrict w,
                                          double* __restrict owed) noexcept {
    std::int64_t misplaced = 0;
    for (std::int64_t l = 0; l < count; ++l) {
        const double moved = w[l] * factor;
        owed[l] += (w[l] > 0 ? w[l] : 0) * sum;
        misplaced += ((moved > 0) & (moved < least_kept)) | (moved < -largest_low) |
                     ((moved > -least_low) & (moved < 0));
        w[l] = moved;
    }
    return misplaced;
}

FENCHEL_LEVEL void fill_powers(std::int64_t count, double scale, const double* __restrict x,
                               double* __restrict powers) noexcept {
    double top[lanes];
    for (double& least : top)
        least = -largest_weight;
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        for (std::int64_t j = 0; j < lanes; ++j)
            top[j] = x[i + j] > top[j] ? x[i + j] : top[j];
    for (; i < count; ++i)
        top[0] = x[i] > top[0] ? x[i] : top[0];
    for (std::int64_t j = 1; j < lanes; ++j)
        top[0] = top[j] > top[0] ? top[j] : top[0];
    for (i = 0; i < count; ++i)
        powers[i] = vector_exp<fused>(scale * x[i] - scale * top[0]);
}

FENCHEL_LEVEL double sum_positive(std::int64_t count, std::int64_t block, const double* w,
                                  double* sums) noexcept {
    double total = 0;
    for (std::int64_t first = 0; first < count; first += block) {
        const std::int64_t last = first + block < count ? first + block : count;
        double part[lanes] = {};
        std::int64_t l = first;
        for (; l + lanes <= last; l += lanes)
            for (std::int64_t i = 0; i < lanes; ++i)
                part[i] += w[l + i] > 0 ? w[l + i] : 0;
        for (; l < last; ++l)
            part[0] += w[l] > 0 ? w[l] : 0;
        total += sums[first / block] = sum_of(part);
    }
    return total;
}

FENCHEL_LEVEL void read_line(std::int64_t count, double missed, double threshold, double gamma, double x,
                            double* __restrict w, double* __restrict total, double* __restrict z) noexcept {
    if (missed == 0) { // sum and threshold of no steps
        for (std::int64_t l = 0; l < count; ++l) {
            total[l] += gamma * w[l];
            z[l] += x * w[l];
        }
        return;
    }
    for (std::int64_t l = 0; l < count; ++l) {
        // m = 0, ..., missed: the first `terms` of the soft(w, m threshold) are not 0.
        const double size = std::fabs(w[l]), left = size - missed * threshold;
        const double all = missed + 1, some = threshold > 0 ? std::ceil(size / threshold) : all;
        const double terms = some < all ? some : all;
        total[l] += gamma * std::copysign(terms * size - 0.5 * threshold * terms * (terms - 1), w[l]);
        w[l] = left > 0 ? std::copysign(left, w[l]) : 0;
        z[l] += x * w[l];
    }
}

FENCHEL_LEVEL double step_line(std::int64_t count, double step, double threshold, const double* __restrict u,
                               double* __restrict w) noexcept {
    double grown[lanes] = {};
    const auto move = [&](std::int64_t l, double& sum) {
        const double to = w[l] - step * u[l], left = std::fabs(to) - threshold, size = left > 0 ? left : 0;
        sum += size - std::fabs(w[l]);
        w[l] = std::copysign(size, to);
    };
    std::int64_t l = 0;
    for (; l + lanes <= count; l += lanes)
        for (std::int64_t i = 0; i < lanes; ++i)
            move(l + i, grown[i]);
    for (; l < count; ++l)
        move(l, grown[0]);
    return sum_of(grown);
}

FENCHEL_LEVEL void read_powers(std::int64_t count, double offset, const double* __restrict H, double missed,
                               double x, double* __restrict total, double* __restrict z) noexcept {
    for (std::int64_t l = 0; l < count; ++l) {
        const double p = vector_exp<fused>(H[l] - offset) - vector_exp<fused>(-H[l] - offset);
        total[l] += missed * p;
        z[l] += x * p;
    }
}

FENCHEL_LEVEL double step_powers(std::int64_t count, double offset, double step, const double* __restrict u,
                                 double* __restrict H, double& largest) noexcept {
    double grown = 0, most = largest;
    for (std::int64_t l = 0; l < count; ++l) {
        if (u[l] == 0) // most classes under the hinge
            continue;
        const double to = H[l] - step * u[l], size = std::fabs(to);
        grown += (vector_exp<fused>(to - offset) - vector_exp<fused>(H[l] - offset)) +
                 (vector_exp<fused>(-to - offset) - vector_exp<fused>(-H[l] - offset));
        most = size > most ? size : most;
        H[l] = to;
    }
    largest = most;
    return grown;
}

FENCHEL_LEVEL double sum_blocks(std::int64_t count, std::int64_t block, const double* size, const double* plus,
                                const double* minus, double* sums) noexcept {
    double mass[lanes] = {};
    for (std::int64_t first = 0; first < count; first += block) {
        const std::int64_t last = first + block < count ? first + block : count;
        double weighted[lanes] = {};
        std::int64_t f = first;
        for (; f + lanes <= last; f += lanes)
            for (std::int64_t i = 0; i < lanes; ++i) {
                const double both = plus[f + i] + minus[f + i];
                mass[i] += both;
                weighted[i] += size[f + i] * both;
            }
        for (; f < last; ++f) {
            mass[0] += plus[f] + minus[f];
            weighted[0] += size[f] * (plus[f] + minus[f]);
        }
        sums[first / block] = sum_of(weighted);
    }
    return sum_of(mass);
}

constexpr EntropicLoops table{fill_factors<double>, fill_factors<float>, move_primal<double>, move_primal<float>,
                              settle_weights,       fill_powers,         sum_positive,        read_line,
                              step_line,            read_powers,         step_powers,         sum_blocks};
