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

/* The bits of the ground, as in `fieldcraft.kernels.spread_rows`. */
enum { BLOCKED = 128, FROM_LEFT_UP = 64, FROM_RIGHT_UP = 32, FROM_LEFT_DOWN = 16, FROM_RIGHT_DOWN = 8 };

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

/* Hide a vector's origin from the compiler: it makes five instructions of a shift and a blend. */
#if WIDTH < 16 && defined(__SSE4_1__)
#define OPAQUE(some) __asm__("" : "+x"(some))
#else
#define OPAQUE(some) (void)0
#endif

/* `some` where the ground has a bit, else `other`. Blends select by the sign. */
INLINE Floats chosen(Numbers ground, int bit, Floats some, Floats other)
{
#if WIDTH < 16 && defined(__SSE4_1__)
    Numbers sign = ground;
    if (bit != BLOCKED) {
        sign = ground << __builtin_clz((unsigned)bit);
        OPAQUE(sign);
    }
#if WIDTH == 8
    return _mm256_blendv_ps(other, some, (__m256)sign);
#else
    return _mm_blendv_ps(other, some, (__m128)sign);
#endif
#else
    return (bit == BLOCKED ? ground < 0 : (ground & bit) != 0) ? some : other;
#endif
}

/* The lanes of two vectors from one of the first vector on. */
#if WIDTH == 16
#define FROM(lane, a, b) __builtin_shufflevector( \
    a, b, lane, lane + 1, lane + 2, lane + 3, lane + 4, lane + 5, lane + 6, lane + 7, lane + 8, \
    lane + 9, lane + 10, lane + 11, lane + 12, lane + 13, lane + 14, lane + 15)
#elif WIDTH == 8
#define FROM(lane, a, b) __builtin_shufflevector( \
    a, b, lane, lane + 1, lane + 2, lane + 3, lane + 4, lane + 5, lane + 6, lane + 7)
#else
#define FROM(lane, a, b) __builtin_shufflevector(a, b, lane, lane + 1, lane + 2, lane + 3)
#endif

typedef struct {
    float straight, diagonal, momentum, floor;
} Rule;

/* A row, and what is beside its first and its last cell. */
typedef struct {
    const float *values;
    float before, behind;
} Row;

/* The values of some cells in a row, and of those before and behind each. */
typedef struct {
    Floats before, here, behind;
} Cells;

enum { FIRST = 1, LAST = 2 };  /* the places of cells in a row */

INLINE Cells cells(Row row, int64_t x, int place)
{
    const float *at = row.values + x;
    return (Cells){
        place & FIRST ? FROM(WIDTH - 1, (Floats)row.before, load(at)) : load(at - 1), load(at),
        place & LAST ? FROM(1, load(at), (Floats)row.behind) : load(at + 1)};
}

INLINE Floats weakened(Floats strongest, float loss, int power)
{
    if (power == 0)
        return strongest * loss;
    return (power == 2 ? __builtin_elementwise_sqrt(strongest) : strongest) - loss;
}

INLINE Floats moved(
    Cells up, Cells middle, Cells down, const uint8_t *ground, Rule rule, int eight, int power)
{
    Bytes soil;
    memcpy(&soil, ground, WIDTH);
    Numbers bits = __builtin_convertvector(soil, Numbers);
    OPAQUE(bits);
    Floats old = middle.here, none = 0;
    Floats target = weakened(
        larger(larger(up.here, down.here), larger(middle.before, middle.behind)), rule.straight,
        power);
    if (eight) {
        Floats west = larger(
            chosen(bits, FROM_LEFT_UP, up.before, none),
            chosen(bits, FROM_LEFT_DOWN, down.before, none));
        Floats east = larger(
            chosen(bits, FROM_RIGHT_UP, up.behind, none),
            chosen(bits, FROM_RIGHT_DOWN, down.behind, none));
        target = larger(target, weakened(larger(west, east), rule.diagonal, power));
    }
    if (power > 0)
        target = larger(target, none);
    if (power == 2)
        target = target * target;
    Floats new = old + rule.momentum * (target - old), floor = rule.floor + 0.0f;  /* not -0 */
    Numbers lasts = (Numbers)larger(new, target) >= (Numbers)floor;
    return chosen(bits, BLOCKED, old, (Floats)(lasts & (Numbers)new));
}

/* Two rows that are stepped side by side, since most of what they read is the same, in place or
   not; `up` and `down` are beside them. The old second row may be copied. */
typedef struct {
    Row up, first, second, down;
    const uint8_t *ground, *second_ground;
    float *out, *second_out, *copy;
} Pair;

/* The values of both rows that are a cell before those of a vector. */
typedef struct {
    Floats first, second;
} Before;

/* One step of `count` cells of both rows, at most a vector. They may be written over the old ones,
   so `before` is read for the next cells, at `next`, before these are written. */
INLINE void step(
    Pair rows, int64_t x, int place, size_t count, int64_t next, Before *before, Rule rule,
    int eight, int power, int copying)
{
    Cells first = cells(rows.first, x, place), second = cells(rows.second, x, place);
    if (!(place & FIRST))
        first.before = before->first, second.before = before->second;
    Cells up = cells(rows.up, x, place), down = cells(rows.down, x, place);
    Floats new = moved(up, first, second, rows.ground + x, rule, eight, power);
    Floats second_new = moved(first, second, down, rows.second_ground + x, rule, eight, power);
    if (!(place & LAST)) {
        before->first = load(rows.first.values + next - 1);
        before->second = load(rows.second.values + next - 1);
    }
    if (copying)
        memcpy(rows.copy + x, &second.here, count * sizeof(float));
    memcpy(rows.out + x, &new, count * sizeof(float));
    memcpy(rows.second_out + x, &second_new, count * sizeof(float));
}

/* Vectors begin at 0 and at all multiples of their width before the end. */
INLINE void step_pair(Pair rows, int64_t width, Rule rule, int eight, int power, int copying)
{
    int64_t end = width - WIDTH, x = width % WIDTH ? width % WIDTH : WIDTH;
    Before before;
    if (x == WIDTH)
        step(rows, 0, FIRST, WIDTH, x, &before, rule, eight, power, copying);
    else
        step(rows, 0, FIRST, (size_t)x, x, &before, rule, eight, power, copying);
    for (; x < end; x += WIDTH)
        step(rows, x, 0, WIDTH, x + WIDTH, &before, rule, eight, power, copying);
    step(rows, x, LAST, WIDTH, 0, &before, rule, eight, power, copying);
}

/* The same for rows that are no wider than a vector. */
INLINE void step_narrow(Pair rows, int64_t width, Rule rule, int eight, int power, int copying)
{
    Row *each[] = {&rows.up, &rows.first, &rows.second, &rows.down};
    float values[4][WIDTH + 1];
    uint8_t ground[2][WIDTH];
    for (int i = 0; i < 4; i++) {
        memcpy(values[i], each[i]->values, (size_t)width * sizeof(float));
        values[i][width] = each[i]->behind;
        each[i]->values = values[i];
    }
    memcpy(ground[0], rows.ground, (size_t)width);
    memcpy(ground[1], rows.second_ground, (size_t)width);
    rows.ground = ground[0], rows.second_ground = ground[1];
    step(rows, 0, FIRST | LAST, (size_t)width, 0, 0, rule, eight, power, copying);
}

enum { ROWS = 8 };  /* of a level, as in `fieldcraft.kernels.vectors` */

typedef struct {
    const uint8_t *ground;
    int64_t height, width;
    Rule rule;
    int64_t wrap, first, last, low, high, count, stride;
    float *values, *rows, *nothing;
    const float *above, *below;
} Wave;

INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Where a row is kept after `level` steps, in a ring of rows. */
INLINE float *kept(Wave wave, int64_t level, int64_t y)
{
    return wave.rows + (level * ROWS + ((y - wave.low) & (ROWS - 1))) * wave.stride;
}

/* A row after `level` steps. What is beyond the rows there are is 0. */
INLINE const float *row(Wave wave, int64_t level, int64_t y)
{
    if (y < wave.low || y >= wave.high)
        return wave.nothing;
    if (level)
        return kept(wave, level, y);
    return y < wave.first ? wave.above + (y - wave.low) * wave.width
        : y < wave.last   ? wave.values + y * wave.width
                          : wave.below + (y - wave.last) * wave.width;
}

INLINE Row closed(Wave wave, const float *values)
{
    if (wave.wrap)
        return (Row){values, values[wave.width - 1], values[0]};
    return (Row){values, 0, 0};
}

INLINE const uint8_t *ground_of(Wave wave, int64_t y)
{
    int64_t on_map = y < 0 ? y + wave.height : y >= wave.height ? y - wave.height : y;
    return wave.ground + on_map * wave.width;
}

/* `count` steps: each level follows the one before it two rows behind. A single step is made in
   place, and needs a copy of the row above the two. */
INLINE void run(Wave wave, int64_t count, int eight, int power)
{
    int64_t width = wave.width, pairs = (wave.last - wave.first + 1) / 2;
    for (int64_t t = 0; t < pairs + count - 1; t++) {
        for (int64_t level = 1; level <= count; level++) {
            int64_t more = count - level, end = least(wave.high, wave.last + more);
            int64_t y = most(wave.low, wave.first - more) + 2 * (t - level + 1);
            if (t + 1 < level || y >= end)
                continue;
            const float *up = row(wave, level - 1, y - 1), *values = row(wave, level - 1, y);
            if (count == 1 && t > 0)
                up = kept(wave, 0, y - 2);
            float *out = more ? kept(wave, level, y) : wave.values + y * width;
            float *second_out = more ? kept(wave, level, y + 1) : out + width;
            const uint8_t *ground = ground_of(wave, y), *second_ground = ground_of(wave, y + 1);
            if (y + 1 == end)  /* any other row */
                second_out = kept(wave, level - 1, y + 4), second_ground = ground;
            Pair rows = {
                closed(wave, up), closed(wave, values), closed(wave, row(wave, level - 1, y + 1)),
                closed(wave, row(wave, level - 1, y + 2)), ground, second_ground, out, second_out,
                kept(wave, 0, y)};
            if (width <= WIDTH)
                step_narrow(rows, width, wave.rule, eight, power, count == 1);
            else
                step_pair(rows, width, wave.rule, eight, power, count == 1);
        }
    }
}

INLINE void run_all(Wave wave, int eight, int power)
{
    if (wave.count == 1)
        run(wave, 1, eight, power);
    else
        run(wave, wave.count, eight, power);
}

enum { PAD = 16 };  /* values beside a row, as in `fieldcraft.kernels.vectors` */

void fieldcraft_wave(
    const uint8_t *ground, int64_t height, int64_t width, float straight, float diagonal,
    int64_t eight, int64_t power, float momentum, float floor, int64_t wrap, int64_t first,
    int64_t last, int64_t count, int64_t more_above, int64_t more_below, float *values,
    const float *above, const float *below, float *scratch, int64_t scratch_rows, int64_t stride)
{
    Wave wave = {
        ground, height, width, {straight, diagonal, momentum, floor}, wrap, first, last,
        first - more_above, last + more_below, count, stride, values, scratch + PAD,
        scratch + PAD + (scratch_rows - 1) * stride, above, below};
    switch (power + 3 * (eight != 0)) {
    case 0: run_all(wave, 0, 0); break;
    case 1: run_all(wave, 0, 1); break;
    case 2: run_all(wave, 0, 2); break;
    case 3: run_all(wave, 1, 0); break;
    case 4: run_all(wave, 1, 1); break;
    default: run_all(wave, 1, 2); break;
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
