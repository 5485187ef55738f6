// What `python -m bench spread` measures fieldcraft against, and what it measures the machine with.
//
// The two opponents are the influence map that a well-known game programming tutorial builds, written plainly.
// `Library` interpolates with std::lerp as the tutorial does; `Written` spells the same thing out, which is what lets the
// compiler turn the loop into vector code. The rest is shared: one thread, float, sources set before each step, the whole
// map computed from the buffer, then the map copied into the buffer. Members are read into locals before the loop: without
// that the compiler must expect every store to change them, and neither loop would be vectorized.
//
// Two things are not in the tutorial. A source that is taken away leaves its strength in its cell, as in fieldcraft, so
// that maps with moving sources can be compared; it costs one store per source. And a map may have walls, which hold 0
// and therefore pass nothing on; only the rows of the table that name walls use them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
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

// An influence layer on a waypoint graph, written as the research article on influence maps in game AI writes it: values in a
// hash map, a list of neighbors per vertex, the distance and its exponential worked out anew for each edge in each step. The
// vertices that a step looks at are those with a value and their neighbors: collected in a set, or, with `flagged`, in a list with
// a flag for each vertex, as somebody would who has measured it once. Sources are put into the map before each step; one that is
// taken away leaves its strength, as in fieldcraft.
struct Waypoints {
    struct Point {
        float x, y;
    };

    std::vector<Point> positions;
    std::vector<std::vector<int>> neighbors;
    float decay, momentum, strength = 0.0f;
    std::vector<int> sources;
    std::unordered_map<int, float> layer;
    bool flagged = false;
    std::vector<char> seen;
    std::vector<int> listed;

    void look_at(int vertex) {
        if (seen[vertex]) return;
        seen[vertex] = 1;
        listed.push_back(vertex);
    }

    void step() {
        for (const int source : sources) layer[source] = strength;
        if (flagged) {
            listed.clear();
            for (const auto& [vertex, value] : layer) {
                look_at(vertex);
                for (const int neighbor : neighbors[vertex]) look_at(neighbor);
            }
            for (const int vertex : listed) seen[vertex] = 0;
            update(listed);
        } else {
            std::unordered_set<int> influenced;
            for (const auto& [vertex, value] : layer) {
                influenced.insert(vertex);
                for (const int neighbor : neighbors[vertex]) influenced.insert(neighbor);
            }
            update(influenced);
        }
    }

    template <class Vertices>
    void update(const Vertices& influenced) {
        std::unordered_map<int, float> next;
        next.reserve(influenced.size());
        for (const int i : influenced) {
            float strongest = 0.0f;
            for (const int neighbor : neighbors[i]) {
                const auto it = layer.find(neighbor);
                if (it == layer.end() || it->second == 0.0f) continue;
                const float dx = positions[i].x - positions[neighbor].x, dy = positions[i].y - positions[neighbor].y;
                strongest = std::max(it->second * expf(-std::sqrt(dx * dx + dy * dy) * decay), strongest);
            }
            const auto it = layer.find(i);
            const float current = it != layer.end() ? it->second : 0.0f;
            const float value = current + momentum * (strongest - current);
            if (value > 0.001f) next[i] = value;
        }
        layer = std::move(next);
    }
};

}  // namespace

extern "C" {

Waypoints* waypoints_new(const double* places, int count, const std::int64_t* edges, int edge_count, float decay, float momentum,
                         bool flagged) {
    auto* graph = new Waypoints{};
    graph->flagged = flagged;
    graph->decay = decay;
    graph->momentum = momentum;
    graph->neighbors.resize(count);
    graph->seen.resize(count);
    for (int i = 0; i < count; ++i) graph->positions.push_back({static_cast<float>(places[2 * i]), static_cast<float>(places[2 * i + 1])});
    for (int i = 0; i < edge_count; ++i) {
        graph->neighbors[edges[2 * i]].push_back(static_cast<int>(edges[2 * i + 1]));
        graph->neighbors[edges[2 * i + 1]].push_back(static_cast<int>(edges[2 * i]));
    }
    return graph;
}

void waypoints_delete(Waypoints* graph) { delete graph; }

void waypoints_sources(Waypoints* graph, const std::int64_t* vertices, int count, float strength) {
    for (const int source : graph->sources) graph->layer[source] = graph->strength;
    graph->sources.assign(vertices, vertices + count);
    graph->strength = strength;
}

void waypoints_write(Waypoints* graph, const float* values) {
    graph->layer.clear();
    for (std::size_t i = 0; i < graph->positions.size(); ++i)
        if (values[i] > 0.0f) graph->layer[static_cast<int>(i)] = values[i];
}

void waypoints_read(const Waypoints* graph, float* values) {
    std::fill(values, values + graph->positions.size(), 0.0f);
    for (const auto& [vertex, value] : graph->layer) values[vertex] = value;
}

void waypoints_step(Waypoints* graph, int steps) {
    for (int done = 0; done < steps; ++done) graph->step();
}

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

// The memory of a maze game's monster, which `python -m bench memory` measures fading layers against: every cell loses the same
// amount at every tick and is clamped, in a double loop over the map.
extern "C" void memory_decay(float* cells, int height, int width, float amount, float maximum) {
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const std::size_t cell = static_cast<std::size_t>(y) * width + x;
            cells[cell] = std::clamp(cells[cell] - amount, 0.0f, maximum);
        }
    }
}
