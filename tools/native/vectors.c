/* Steps of Spread with vectors as wide as the processor's: what `fieldcraft.kernels.vectors`
   defines, with the same bits. Compile with -ffp-contract=off. */

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#define WIDTH 16
#elif defined(__AVX2__)
#include <immintrin.h>
#define WIDTH 8
#else
#ifdef __SSE4_1__
#include <smmintrin.h>
#endif
#define WIDTH 4
#endif

typedef float Floats __attribute__((ext_vector_type(WIDTH)));
typedef int32_t Numbers __attribute__((ext_vector_type(WIDTH)));
typedef int8_t Bytes __attribute__((ext_vector_type(WIDTH)));
#define INLINE static inline __attribute__((always_inline))

enum { HELD = 3, FROM_LEFT_UP = 16, FROM_RIGHT_UP = 32, FROM_LEFT_DOWN = 64, FROM_RIGHT_DOWN = 128 };

/* Floats that are not negative have the order of their bits. Whole numbers are compared on any
   unit of a processor, floats only on some. */
INLINE Floats larger(Floats a, Floats b)
{
    return (Floats)__builtin_elementwise_max((Numbers)a, (Numbers)b);
}

INLINE Floats load(const float *from)
{
    Floats found;
    memcpy(&found, from, sizeof found);
    return found;
}

/* What begins a lane before or behind. Of vectors as wide as a cache line a reading across lines
   takes longer than a shuffle. */
#if WIDTH == 16
INLINE Floats before(const float *at)
{
    return __builtin_shufflevector(
        load(at - WIDTH), load(at), 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}

INLINE Floats behind(const float *at)
{
    return __builtin_shufflevector(
        load(at), load(at + WIDTH), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
}
#else
INLINE Floats before(const float *at) { return load(at - 1); }
INLINE Floats behind(const float *at) { return load(at + 1); }
#endif

/* `some` where the ground has a bit, else 0. */
#if WIDTH == 8 || (WIDTH == 4 && defined(__SSE4_1__))
INLINE Numbers opaque(Numbers some)
{
    /* Else the compiler makes five instructions of a shift and a blend. */
    __asm__("" : "+x"(some));
    return some;
}

INLINE Floats where(Numbers ground, int bit, Floats some)
{
    Numbers sign = bit == FROM_RIGHT_DOWN ? ground : opaque(ground << __builtin_clz((unsigned)bit));
#if WIDTH == 8
    return _mm256_blendv_ps(_mm256_setzero_ps(), some, (__m256)sign);
#else
    return _mm_blendv_ps(_mm_setzero_ps(), some, (__m128)sign);
#endif
}
#else
INLINE Numbers opaque(Numbers some) { return some; }

INLINE Floats where(Numbers ground, int bit, Floats some)
{
    Numbers has = (ground & bit) != 0;
    return (Floats)(has & (Numbers)some);
}
#endif

typedef struct {
    float straight, diagonal, momentum, floor;
} Rule;

INLINE Floats weakened(Floats strongest, float loss, int power)
{
    if (power == 0)
        return strongest * loss;
    return (power == 2 ? __builtin_elementwise_sqrt(strongest) : strongest) - loss;
}

INLINE Floats moved(
    const float *up, const float *here, const float *down, Bytes soil, Rule rule, int eight, int power)
{
    Numbers ground = opaque(__builtin_convertvector(soil, Numbers));
    Floats old = load(here);
    Floats target = weakened(
        larger(larger(load(up), load(down)), larger(before(here), behind(here))), rule.straight,
        power);
    if (eight) {
        Floats west = larger(
            where(ground, FROM_LEFT_UP, load(up - 1)), where(ground, FROM_LEFT_DOWN, load(down - 1)));
        Floats east = larger(
            where(ground, FROM_RIGHT_UP, load(up + 1)),
            where(ground, FROM_RIGHT_DOWN, load(down + 1)));
        target = larger(target, weakened(larger(west, east), rule.diagonal, power));
    }
    if (power > 0)
        target = larger(target, (Floats)0);
    if (power == 2)
        target = target * target;
    Floats new = old + rule.momentum * (target - old), floor = rule.floor + 0.0f;  /* not -0 */
    Numbers lasts = (Numbers)larger(new, target) >= (Numbers)floor;
    /* Without diagonals the ground has no other bits. */
    Numbers held = (eight ? ground & HELD : ground) != 0;
    return held ? old : (Floats)(lasts & (Numbers)new);
}

#define REGISTERS(a, b, c, d, e) __asm__("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e))

/* One step of the whole vectors of a row. Meanwhile `source` is copied to `copy`, if `copying`. */
INLINE int64_t step(
    const float *up, const float *here, const float *down, const uint8_t *ground, int64_t width,
    Rule rule, float *out, const float *source, float *copy, int eight, int power, int copying)
{
    int64_t x = 0;
    REGISTERS(up, here, down, ground, out);
    if (copying)
        __asm__("" : "+r"(source), "+r"(copy));
    for (; x + WIDTH <= width; x += WIDTH) {
        Bytes soil;
        memcpy(&soil, ground + x, WIDTH);
        Floats new = moved(up + x, here + x, down + x, soil, rule, eight, power);
        if (copying)
            memcpy(copy + x, source + x, sizeof new);
        memcpy(out + x, &new, sizeof new);
    }
    return x;
}

INLINE void step_row(
    const float *up, const float *here, const float *down, const uint8_t *ground, int64_t width,
    Rule rule, float *out, const float *source, float *copy, int eight, int power)
{
    int64_t x = source
        ? step(up, here, down, ground, width, rule, out, source, copy, eight, power, 1)
        : step(up, here, down, ground, width, rule, out, source, copy, eight, power, 0);
    if (x == width)
        return;
    size_t some = (size_t)(width - x);
    Bytes soil = 0;
    memcpy(&soil, ground + x, some);
    Floats new = moved(up + x, here + x, down + x, soil, rule, eight, power);
    if (source)
        memcpy(copy + x, source + x, some * sizeof(float));
    memcpy(out + x, &new, some * sizeof(float));
}

enum { ROWS = 4 };  /* of a level, as in `fieldcraft.kernels.vectors` */

typedef struct {
    const uint8_t *ground;
    int64_t height, width;
    Rule rule;
    int64_t wrap, first, last, low, high, count, stride;
    float *values, *rows, *nothing;
    const float *above, *below;
} Wave;

INLINE const float *entering(const Wave *wave, int64_t y)
{
    if (y < wave->first)
        return wave->above + (y - wave->low) * wave->width;
    return y < wave->last ? wave->values + y * wave->width
                          : wave->below + (y - wave->last) * wave->width;
}

INLINE float *kept(const Wave *wave, int64_t level, int64_t y)
{
    return wave->rows + (level * ROWS + ((y - wave->low) & (ROWS - 1))) * wave->stride;
}

/* Put the values of the other end beside a row on a torus. */
INLINE void close(const Wave *wave, float *row)
{
    if (wave->wrap) {
        row[-1] = row[wave->width - 1];
        row[wave->width] = row[0];
    }
}

INLINE void run(const Wave *wave, int eight, int power)
{
    int64_t width = wave->width, height = wave->height, low = wave->low, high = wave->high;
    for (int64_t y = low; y < low + 2 && y < high; y++) {
        memcpy(kept(wave, 0, y), entering(wave, y), (size_t)width * sizeof(float));
        close(wave, kept(wave, 0, y));
    }
    for (int64_t t = low + 1; t < high + wave->count; t++) {
        for (int64_t level = 1; level <= wave->count; level++) {
            int64_t y = t - level, more = wave->count - level;
            const float *source = level == 1 && t + 1 < high ? entering(wave, t + 1) : 0;
            float *copy = kept(wave, 0, t + 1);
            if (y >= low && y >= wave->first - more && y < high && y < wave->last + more) {
                float *out = more ? kept(wave, level, y) : wave->values + y * width;
                int64_t on_map = y < 0 ? y + height : y >= height ? y - height : y;
                step_row(
                    y > low ? kept(wave, level - 1, y - 1) : wave->nothing,
                    kept(wave, level - 1, y),
                    y + 1 < high ? kept(wave, level - 1, y + 1) : wave->nothing,
                    wave->ground + on_map * width, width, wave->rule, out, source, copy, eight,
                    power);
                if (more)
                    close(wave, out);
            } else if (source) {
                memcpy(copy, source, (size_t)width * sizeof(float));
            }
            if (source)
                close(wave, copy);
        }
    }
}

/* Arrays are given by their addresses as whole numbers. */
#define ARRAY(address) (void *)(intptr_t)(address)

void fieldcraft_wave(
    int64_t ground, int64_t height, int64_t width, float straight, float diagonal, int64_t eight,
    int64_t power, float momentum, float floor, int64_t wrap, int64_t first, int64_t last,
    int64_t count, int64_t more_above, int64_t more_below, int64_t values, int64_t above,
    int64_t below, int64_t rows, int64_t stride, int64_t nothing)
{
    Wave wave = {
        ARRAY(ground), height, width, {straight, diagonal, momentum, floor}, wrap, first, last,
        first - more_above, last + more_below, count, stride, ARRAY(values), ARRAY(rows),
        ARRAY(nothing), ARRAY(above), ARRAY(below)};
    switch (power + 3 * (eight != 0)) {
    case 0: run(&wave, 0, 0); break;
    case 1: run(&wave, 0, 1); break;
    case 2: run(&wave, 0, 2); break;
    case 3: run(&wave, 1, 0); break;
    case 4: run(&wave, 1, 1); break;
    default: run(&wave, 1, 2); break;
    }
}

enum { LANES = 16 };
typedef float Lanes __attribute__((ext_vector_type(16)));
typedef int32_t LaneNumbers __attribute__((ext_vector_type(16)));
typedef uint8_t LaneBytes __attribute__((ext_vector_type(16)));

/* The values that a row of arcs comes from: side by side, or each elsewhere. */
INLINE Lanes fetch(const float *values, const int32_t *from)
{
    Lanes found;
    if (from[0] < 0) {
        memcpy(&found, values + ~from[0], sizeof found);
        return found;
    }
#if defined(__AVX512F__)
    return (Lanes)_mm512_i32gather_ps(_mm512_loadu_si512(from), values, 4);
#else
    return (Lanes){
        values[from[0]], values[from[1]], values[from[2]], values[from[3]],
        values[from[4]], values[from[5]], values[from[6]], values[from[7]],
        values[from[8]], values[from[9]], values[from[10]], values[from[11]],
        values[from[12]], values[from[13]], values[from[14]], values[from[15]]};
#endif
}

void fieldcraft_step_slices(
    const float *values, float *new, const uint8_t *frozen, const int32_t *origins,
    const float *losses, const int64_t *offsets, float momentum, float floor, int64_t first,
    int64_t last)
{
    for (int64_t slice = first; slice < last; slice++) {
        Lanes best = 0, loss, old;
        for (int64_t arc = offsets[slice]; arc < offsets[slice + 1]; arc += LANES) {
            memcpy(&loss, losses + arc, sizeof loss);
            Lanes way = fetch(values, origins + arc) * loss;
            best = way > best ? way : best;
        }
        memcpy(&old, values + slice * LANES, sizeof old);
        Lanes next = old + momentum * (best - old);
        next = (next > best ? next : best) >= floor ? next : (Lanes)0;
        LaneBytes held;
        memcpy(&held, frozen + slice * LANES, sizeof held);
        LaneNumbers stays = __builtin_convertvector(held, LaneNumbers) != 0;
        next = stays ? old : next;
        memcpy(new + slice * LANES, &next, sizeof next);
    }
}

void fieldcraft_strongest_slices(
    const float *emitted, const int32_t *origins, const float *losses, const int64_t *offsets,
    int64_t subtract, int64_t first, int64_t last, float *strongest, float *weakest)
{
    for (int64_t slice = first; slice < last; slice++) {
        Lanes high = 0, low = 0, loss;
        for (int64_t arc = offsets[slice]; arc < offsets[slice + 1]; arc += LANES) {
            Lanes arriving = fetch(emitted, origins + arc);
            memcpy(&loss, losses + arc, sizeof loss);
            Lanes above = subtract ? arriving - loss : arriving * loss;
            Lanes below = subtract ? arriving + loss : arriving * loss;
            high = above > high ? above : high;
            low = below < low ? below : low;
        }
        memcpy(strongest + slice * LANES, &high, sizeof high);
        memcpy(weakest + slice * LANES, &low, sizeof low);
    }
}
