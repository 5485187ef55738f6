// What `python -m bench spread` measures fieldcraft against, and what it measures the machine with.
//
// The two opponents are the influence map that a well-known game programming tutorial builds, written plainly.
// `Library` interpolates with std::lerp as the tutorial does; `Written` spells the same thing out, which is what lets the
// compiler turn the loop into vector code. The rest is shared: one thread, float, sources set before each step, the whole
// map computed from the buffer, then the map copied into the buffer. Members are read into locals before the loop: without
// that the compiler must expect every store to change them, and neither loop would be vectorised.
//
// Two things are not in the tutorial. A source that is taken away leaves its strength in its cell, as in fieldcraft, so
// that maps with moving sources can be compared; it costs one store per source. And a map may have walls, which hold 0
// and therefore pass nothing on; only the rows of the table that name walls use them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

struct Library {
    static float mix(float from, float to, float share) { return std::lerp(from, to, share); }
};

struct Written {
    static float mix(float from, float to, float share) { return from + share * (to - from); }
};

struct Map {
    int width, height;
    float decay, momentum;
    bool written;
    float strength = 0.0f;
    std::vector<std::int64_t> sources;
    std::vector<float> map, buffer, open;

    Map(int width, int height, float decay, float momentum, bool written)
        : width(width),
          height(height),
          decay(decay),
          momentum(momentum),
          written(written),
          map(static_cast<std::size_t>(width) * height),
          buffer(static_cast<std::size_t>(width) * height) {}
};

template <class Lerp, bool walled>
void step(Map& state) {
    for (const std::int64_t cell : state.sources) state.buffer[cell] = state.strength;

    const int width = state.width, height = state.height;
    const float weight = std::exp(-state.decay), momentum = state.momentum;
    const float* from = state.buffer.data();
    const float* open = state.open.data();
    float* to = state.map.data();

    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const int cell = y * width + x;
            float strongest = 0.0f;
            if (y > 0) strongest = std::max(from[cell - width] * weight, strongest);
            if (y < height - 1) strongest = std::max(from[cell + width] * weight, strongest);
            if (x > 0) strongest = std::max(from[cell - 1] * weight, strongest);
            if (x < width - 1) strongest = std::max(from[cell + 1] * weight, strongest);
            float value = Lerp::mix(from[cell], strongest, momentum);
            if constexpr (walled) value *= open[cell];
            to[cell] = value;
        }
    }
    state.buffer = state.map;
}

// One row of a map that is kept in the first-level cache: what the arithmetic of a step costs when memory costs nothing.
[[gnu::noinline]] void update_row(const float* above, const float* row, const float* below, float* result, int width, float weight,
                                  float momentum, float floor) {
    for (int x = 1; x < width - 1; ++x) {
        const float strongest = std::max(std::max(above[x], below[x]), std::max(row[x - 1], row[x + 1]));
        const float target = strongest * weight;
        const float value = row[x] + momentum * (target - row[x]);
        result[x] = row[x] < floor && target < floor ? 0.0f : value;
    }
}

}  // namespace

extern "C" {

Map* map_new(int width, int height, float decay, float momentum, bool written) {
    return new Map(width, height, decay, momentum, written);
}

void map_delete(Map* state) { delete state; }

void map_walls(Map* state, const std::uint8_t* walls) {
    state->open.resize(state->map.size());
    std::transform(walls, walls + state->map.size(), state->open.begin(), [](std::uint8_t wall) { return wall ? 0.0f : 1.0f; });
}

void map_sources(Map* state, const std::int64_t* cells, int count, float strength) {
    for (const std::int64_t cell : state->sources) state->buffer[cell] = state->strength;
    state->sources.assign(cells, cells + count);
    state->strength = strength;
}

void map_write(Map* state, const float* values) {
    std::copy(values, values + state->buffer.size(), state->buffer.begin());
    state->sources.clear();
}

void map_read(const Map* state, float* values) { std::copy(state->buffer.begin(), state->buffer.end(), values); }

void map_step(Map* state, int steps) {
    const bool walled = !state->open.empty();
    for (int done = 0; done < steps; ++done) {
        if (state->written) {
            walled ? step<Written, true>(*state) : step<Written, false>(*state);
        } else {
            walled ? step<Library, true>(*state) : step<Library, false>(*state);
        }
    }
}

// `rows` holds four rows; each update reads three of them and writes the fourth, in turn.
void rows_in_cache(float* rows, int width, int updates, float weight, float momentum, float floor) {
    for (int done = 0; done < updates; ++done) {
        const auto row = [&](int which) { return rows + static_cast<std::size_t>((done + which) % 4) * width; };
        update_row(row(0), row(1), row(2), row(3), width, weight, momentum, floor);
    }
}

}  // extern "C"
