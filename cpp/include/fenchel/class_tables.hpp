// A few numbers for every pair of a line (a feature, or a row of the data) and a class.
//
// FullClasses holds all pairs. HashedClasses holds those that were touched, and its memory does not grow with
// lines times classes; what the others would hold is for its owner to know.
#pragma once

#include <cstdint>

namespace fenchel {

struct FullClasses {
    std::int64_t k, width;
    double* values; // (lines, k, width)

    double* touch(std::int64_t line, std::int64_t l, const double*) const noexcept {
        return values + (line * k + l) * width;
    }
    std::int64_t untouched(std::int64_t) const noexcept { return 0; }
    bool has_room(std::int64_t) const noexcept { return true; }

    // Calls f(class, values) for the classes in ascending order.
    template <class F>
    void for_each(std::int64_t line, F&& f) const {
        double* entry = values + line * k * width;
        for (std::int64_t l = 0; l < k; ++l, entry += width)
            f(l, entry);
    }

    std::int64_t draw_untouched(std::int64_t, std::int64_t, const double*) const noexcept { return -1; }
};

// Open addressing with linear probing; the slots of a line are chained, the newest first.
struct HashedClasses {
    std::int64_t k, width, capacity; // capacity is a power of two
    double* values;                  // (capacity, width)
    std::int64_t *key, *next;        // (capacity,): line k + class or -1, and the slot touched before or -1
    std::int64_t *head, *count;      // (lines,): the newest slot or -1, and the classes touched
    std::int64_t& size;              // slots in use

    bool has_room(std::int64_t more) const noexcept { return 5 * (size + more) <= 4 * capacity; }
    std::int64_t untouched(std::int64_t line) const noexcept { return k - count[line]; }

    // The slot of a key, or the free one where it belongs.
    std::int64_t find(std::int64_t wanted) const noexcept {
        const auto mask = std::uint64_t(capacity - 1);
        auto slot = (std::uint64_t(wanted) * 0x9E3779B97F4A7C15u >> 20) & mask;
        while (key[slot] != wanted && key[slot] != -1)
            slot = (slot + 1) & mask;
        return std::int64_t(slot);
    }

    // The values of a pair; a new pair begins with these.
    double* touch(std::int64_t line, std::int64_t l, const double* fresh) const noexcept {
        const std::int64_t slot = find(line * k + l);
        double* entry = values + slot * width;
        if (key[slot] == -1) {
            key[slot] = line * k + l;
            next[slot] = head[line];
            head[line] = slot;
            ++count[line];
            ++size;
            for (std::int64_t i = 0; i < width; ++i)
                entry[i] = fresh[i];
        }
        return entry;
    }

    // Calls f(class, values) for the touched classes, the newest first.
    template <class F>
    void for_each(std::int64_t line, F&& f) const {
        for (std::int64_t slot = head[line]; slot >= 0; slot = next[slot])
            f(key[slot] - line * k, values + slot * width);
    }

    // An untouched class other than `without`, all with the same probability; u holds uniform numbers.
    // Rejection where few classes are touched; else, or after three rejections, the class of a random rank,
    // found in O(k), which is then rare or no more than twice the classes touched.
    static constexpr int tries = 3;
    std::int64_t draw_untouched(std::int64_t line, std::int64_t without, const double* u) const noexcept {
        const auto is_free = [&](std::int64_t l) {
            return l != without && key[find(line * k + l)] == -1;
        };
        for (int i = 0; i < tries; ++i)
            if (const auto l = std::int64_t(u[i] * double(k)); is_free(l))
                return l;
        const bool also = without >= 0 && key[find(line * k + without)] == -1;
        auto rank = std::int64_t(u[tries] * double(untouched(line) - also));
        for (std::int64_t l = 0; l < k; ++l)
            if (is_free(l) && rank-- == 0)
                return l;
        return -1;
    }

    // Put every pair of `old` in here, an empty table, in the order in which they were touched.
    void fill_from(const HashedClasses& old, std::int64_t lines) const noexcept {
        for (std::int64_t line = 0; line < lines; ++line) {
            std::int64_t* link = &head[line];
            for (std::int64_t from = old.head[line]; from >= 0; from = old.next[from]) {
                const std::int64_t slot = find(old.key[from]);
                key[slot] = old.key[from];
                for (std::int64_t i = 0; i < width; ++i)
                    values[slot * width + i] = old.values[from * width + i];
                next[slot] = -1;
                *link = slot;
                link = &next[slot];
            }
            count[line] = old.count[line];
        }
        size = old.size;
    }
};

} // namespace fenchel
