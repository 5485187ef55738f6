// The flood of the article on influence maps in game AI, written plainly: heat in a hash map that is copied in each iteration, a
// list of neighbors per vertex, a barrier layer that is asked for each neighbor. It runs until an iteration heats nothing new.
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace {

struct Flood {
    std::vector<std::vector<int>> neighbors;
    std::unordered_map<int, float> heat, barrier;

    int run(int start) {
        heat.clear();
        heat[start] = 1.0f;
        int iterations = 0;
        for (bool spreads = true; spreads; ++iterations) {
            spreads = false;
            auto previous = heat;
            std::vector<int> hot;
            for (const auto& [vertex, value] : heat)
                if (value >= 1.0f) hot.push_back(vertex);
            for (const int vertex : hot) {
                for (const int neighbor : neighbors[vertex]) {
                    if (barrier[neighbor] > 0.0f) continue;
                    const auto it = previous.find(neighbor);
                    if (it == previous.end()) {
                        heat[neighbor] = 1.0f;
                        spreads = true;
                    }
                }
            }
            for (auto& [vertex, value] : heat) {
                const auto it = previous.find(vertex);
                if (it == previous.end()) continue;
                if (it->second < 1.0f && it->second > 0.0f) value = std::max(0.0f, value - 0.1f);
                else if (it->second >= 1.0f) value -= 0.1f;
            }
        }
        return iterations;
    }
};

}  // namespace

extern "C" {

Flood* flood_new(const std::int64_t* arcs, int count, int vertices) {
    auto* flood = new Flood{};
    flood->neighbors.resize(vertices);
    for (int i = 0; i < count; ++i) flood->neighbors[arcs[2 * i]].push_back(static_cast<int>(arcs[2 * i + 1]));
    return flood;
}
void flood_delete(Flood* flood) { delete flood; }
int flood_run(Flood* flood, int start) { return flood->run(start); }
int flood_reached(const Flood* flood) { return static_cast<int>(flood->heat.size()); }
}
