// Spread as an expert writes it by hand, which `python -m bench spread` measures fieldcraft against on maps of every size:
// a border of zeros in place of tests for the rim, two buffers that take turns, walls as factors, interpolation spelled out,
// maxima before the products. There are no sources, and a diagonal step may cut a corner: less than fieldcraft does.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

struct Layer {
    std::size_t height, width, stride;
    bool diagonals;
    float straight, diagonal, momentum, floor;
    std::vector<float> now, next, open;
};

template <bool diagonals>
void step(Layer& layer) {
    const std::size_t width = layer.width, stride = layer.stride;
    const float straight = layer.straight, diagonal = layer.diagonal, momentum = layer.momentum, floor = layer.floor;
    for (std::size_t row = 1; row <= layer.height; ++row) {
        const float* here = layer.now.data() + row * stride;
        const float* above = here - stride;
        const float* below = here + stride;
        const float* open = layer.open.data() + row * stride;
        float* result = layer.next.data() + row * stride;
        for (std::size_t x = 1; x <= width; ++x) {
            float target = std::max(std::max(above[x], below[x]), std::max(here[x - 1], here[x + 1])) * straight;
            if constexpr (diagonals) {
                const float corner = std::max(std::max(above[x - 1], above[x + 1]), std::max(below[x - 1], below[x + 1]));
                target = std::max(target, corner * diagonal);
            }
            const float value = (here[x] + momentum * (target - here[x])) * open[x];
            result[x] = value < floor ? 0.0f : value;
        }
    }
    layer.now.swap(layer.next);
}

}  // namespace

extern "C" {

Layer* layer_new(int height, int width, bool diagonals, float decay, float momentum, float floor) {
    auto* layer = new Layer{};
    layer->height = height;
    layer->width = width;
    layer->stride = width + 2;
    layer->diagonals = diagonals;
    layer->straight = static_cast<float>(std::exp(-static_cast<double>(decay)));
    layer->diagonal = static_cast<float>(std::exp(-static_cast<double>(decay) * std::sqrt(2.0)));
    layer->momentum = momentum;
    layer->floor = floor;
    for (auto* buffer : {&layer->now, &layer->next, &layer->open}) buffer->resize((layer->height + 2) * layer->stride);
    return layer;
}

void layer_delete(Layer* layer) { delete layer; }

// Values and what is open (1, walls 0), both height x width.
void layer_write(Layer* layer, const float* values, const float* open) {
    for (std::size_t row = 0; row < layer->height; ++row) {
        const std::size_t at = (row + 1) * layer->stride + 1;
        std::copy_n(values + row * layer->width, layer->width, layer->now.begin() + at);
        std::copy_n(open + row * layer->width, layer->width, layer->open.begin() + at);
    }
}

void layer_read(const Layer* layer, float* values) {
    for (std::size_t row = 0; row < layer->height; ++row)
        std::copy_n(layer->now.begin() + (row + 1) * layer->stride + 1, layer->width, values + row * layer->width);
}

void layer_step(Layer* layer, int steps) {
    for (int done = 0; done < steps; ++done) layer->diagonals ? step<true>(*layer) : step<false>(*layer);
}

// What the compiler wrote this for: 3 for AVX-512, 2 for AVX2, 1 for AVX, else 0.
int instructions() {
#if defined(__AVX512F__)
    return 3;
#elif defined(__AVX2__)
    return 2;
#elif defined(__AVX__)
    return 1;
#else
    return 0;
#endif
}
}
