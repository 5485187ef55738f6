/* Steps of Spread with vectors as wide as the processor's: what `fieldcraft.kernels.vectors`
   defines, with the same bits. Compile with -ffp-contract=off. */

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#define WIDTH 16
#elif defined(__AVX2__)
#define WIDTH 8
#else
#define WIDTH 4
#endif

typedef float Floats __attribute__((ext_vector_type(WIDTH)));
typedef int32_t Numbers __attribute__((ext_vector_type(WIDTH)));
typedef uint8_t Bytes __attribute__((ext_vector_type(WIDTH)));
#define INLINE static inline __attribute__((always_inline))

enum { HELD = 3, FROM_LEFT_UP = 16, FROM_RIGHT_UP = 32, FROM_LEFT_DOWN = 64, FROM_RIGHT_DOWN = 128 };

INLINE Floats larger(Floats a, Floats b) { return a > b ? a : b; }

INLINE Floats load(const float *from)
{
    Floats found;
    memcpy(&found, from, sizeof found);
    return found;
}

/* The vector that begins at x of a row; behind the end lies `beyond`, then 0. */
INLINE Floats load_end(const float *row, int64_t x, int64_t width, float beyond)
{
    Floats found = 0;
    int64_t left = width - x;
    if (left >= WIDTH)
        return load(row + x);
    if (left <= 0) {
        found[0] = left == 0 ? beyond : 0;
        return found;
    }
    memcpy(&found, row + x, (size_t)left * sizeof(float));
    found[left] = beyond;
    return found;
}

/* What begins one lane, or a lane less than a whole vector, behind the beginning of two vectors. */
#if WIDTH == 16
#define LATER(a, b) __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)
#define EARLIER(a, b) \
    __builtin_shufflevector(a, b, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#elif WIDTH == 8
#define LATER(a, b) __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8)
#define EARLIER(a, b) __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14)
#else
#define LATER(a, b) __builtin_shufflevector(a, b, 1, 2, 3, 4)
#define EARLIER(a, b) __builtin_shufflevector(a, b, 3, 4, 5, 6)
#endif

INLINE Floats where(Numbers ground, int bits, Floats some)
{
    Numbers has = (ground & bits) != 0;
    return (Floats)(has & (Numbers)some);
}

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
    const Floats *middle, const Floats *left, const Floats *right, Bytes soil, Rule rule, int eight,
    int power)
{
    Numbers ground = __builtin_convertvector(soil, Numbers);
    Floats target = weakened(
        larger(larger(middle[0], middle[2]), larger(left[1], right[1])), rule.straight, power);
    if (eight) {
        Floats west = larger(where(ground, FROM_LEFT_UP, left[0]), where(ground, FROM_LEFT_DOWN, left[2]));
        Floats east =
            larger(where(ground, FROM_RIGHT_UP, right[0]), where(ground, FROM_RIGHT_DOWN, right[2]));
        target = larger(target, weakened(larger(west, east), rule.diagonal, power));
    }
    if (power > 0)
        target = larger(target, (Floats)0);
    if (power == 2)
        target = target * target;
    Floats new = middle[1] + rule.momentum * (target - middle[1]);
    new = larger(new, target) >= rule.floor ? new : (Floats)0;
    Numbers held = (ground & HELD) != 0;
    return held ? middle[1] : new;
}

typedef struct {
    float *rows[5];
    const uint8_t *grounds[3];
    float beyond[5];
    Floats here[5], left[5];
} Block;

/* Step the vectors at x of a block's rows; `more` says that the next ones are whole, too. */
INLINE void advance(
    Block *block, int64_t x, int64_t width, Rule rule, int count, int eight, int power, int more)
{
    Floats right[5], next[5], new[3];
    int first = eight ? 0 : 1, last = eight ? count + 1 : count;
    for (int i = 0; i < count + 2; i++)
        next[i] = more ? load(block->rows[i] + x + WIDTH)
                       : load_end(block->rows[i], x + WIDTH, width, block->beyond[i]);
    /* Of vectors as wide as a cache line a second reading takes longer than a shuffle. */
    for (int i = 0; i < count + 2; i++)
        right[i] = i < first || i > last ? block->here[i]
                   : WIDTH < 16 && more  ? load(block->rows[i] + x + 1)
                                         : LATER(block->here[i], next[i]);
    for (int i = 0; i < count; i++) {
        Bytes ground;
        memcpy(&ground, block->grounds[i] + x, WIDTH);
        new[i] = moved(block->here + i, block->left + i, right + i, ground, rule, eight, power);
    }
    for (int i = first; i <= last; i++)
        block->left[i] = WIDTH < 16 && more ? load(block->rows[i] + x + WIDTH - 1)
                                            : EARLIER(block->here[i], next[i]);
    memcpy(block->rows[0] + x, block->here + count, sizeof(Floats));
    for (int i = 0; i < count; i++)
        memcpy(block->rows[i + 1] + x, new + i, sizeof(Floats));
    for (int i = 0; i < count + 2; i++)
        block->here[i] = next[i];
}

/* One step of `count` rows, in place: `rows` begins with the row above as it was before, which
   becomes the last of the rows as it was, and ends with the row below. */
INLINE void step(Block block, int64_t width, Rule rule, int wrap, int count, int eight, int power)
{
    for (int i = 0; i < count + 2; i++) {
        block.beyond[i] = wrap ? block.rows[i][0] : 0;
        block.here[i] = load_end(block.rows[i], 0, width, block.beyond[i]);
        Floats before = 0;
        before[WIDTH - 1] = wrap ? block.rows[i][width - 1] : 0;
        block.left[i] = EARLIER(before, block.here[i]);
    }
    int64_t x = 0;
    for (; x + 2 * WIDTH <= width; x += WIDTH)
        advance(&block, x, width, rule, count, eight, power, 1);
    if (x + WIDTH <= width) {
        advance(&block, x, width, rule, count, eight, power, 0);
        x += WIDTH;
    }
    if (x == width)
        return;
    size_t some = (size_t)(width - x);
    Floats right[5], new[3];
    for (int i = 0; i < count + 2; i++)
        right[i] = LATER(block.here[i], (Floats)0);
    for (int i = 0; i < count; i++) {
        Bytes ground = 0;
        memcpy(&ground, block.grounds[i] + x, some);
        new[i] = moved(block.here + i, block.left + i, right + i, ground, rule, eight, power);
    }
    memcpy(block.rows[0] + x, block.here + count, some * sizeof(float));
    for (int i = 0; i < count; i++)
        memcpy(block.rows[i + 1] + x, new + i, some * sizeof(float));
}

INLINE void step_rows(
    Block block, int64_t width, Rule rule, int64_t eight, int64_t power, int64_t wrap, int count)
{
    switch (power + 3 * (eight != 0)) {
    case 0: step(block, width, rule, (int)wrap, count, 0, 0); break;
    case 1: step(block, width, rule, (int)wrap, count, 0, 1); break;
    case 2: step(block, width, rule, (int)wrap, count, 0, 2); break;
    case 3: step(block, width, rule, (int)wrap, count, 1, 0); break;
    case 4: step(block, width, rule, (int)wrap, count, 1, 1); break;
    default: step(block, width, rule, (int)wrap, count, 1, 2); break;
    }
}

/* Rows are given by their addresses as whole numbers, since they lie in several arrays. */
#define ROW(address) (float *)(intptr_t)(address)
#define GROUND(address) (const uint8_t *)(intptr_t)(address)

void fieldcraft_step_row(
    int64_t old, int64_t here, int64_t below, int64_t ground, int64_t width, float straight,
    float diagonal, int64_t eight, int64_t power, float momentum, float floor, int64_t wrap)
{
    Block block = {{ROW(old), ROW(here), ROW(below)}, {GROUND(ground)}, {0}, {0}, {0}};
    Rule rule = {straight, diagonal, momentum, floor};
    step_rows(block, width, rule, eight, power, wrap, 1);
}

void fieldcraft_step_three_rows(
    int64_t old, int64_t first, int64_t second, int64_t third, int64_t below, int64_t ground,
    int64_t second_ground, int64_t third_ground, int64_t width, float straight, float diagonal,
    int64_t eight, int64_t power, float momentum, float floor, int64_t wrap)
{
    Block block = {
        {ROW(old), ROW(first), ROW(second), ROW(third), ROW(below)},
        {GROUND(ground), GROUND(second_ground), GROUND(third_ground)},
        {0}, {0}, {0}};
    Rule rule = {straight, diagonal, momentum, floor};
    if (WIDTH == 16 || !eight) {
        step_rows(block, width, rule, eight, power, wrap, 3);
        return;
    }
    /* Three rows with diagonals need more vectors than there are registers. */
    for (int i = 0; i < 3; i++) {
        Block row = {
            {block.rows[0], block.rows[i + 1], block.rows[i + 2]}, {block.grounds[i]}, {0}, {0}, {0}};
        step_rows(row, width, rule, eight, power, wrap, 1);
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
