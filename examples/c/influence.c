/* Three layers on a small map, without Python.

       python packages/fieldcraft/native/api.py linux-x86-64-v3 --out dist/c
       cc -O2 -Idist/c examples/c/influence.c dist/c/linux-x86-64-v3/libfieldcraft.a -lm -o influence
       ./influence

   It prints a digest of each layer: the same as in Python, see packages/fieldcraft/native/tests. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fieldcraft.h"

enum { HEIGHT = 40, WIDTH = 61, STEPS = 50, REACH = 7 };

static float values[HEIGHT * WIDTH];
static uint8_t walls[HEIGHT * WIDTH], held[HEIGHT * WIDTH];

/* Walls in every seventh column, each with one gap. */
static void build_walls(void)
{
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++)
            walls[row * WIDTH + column] = column % 7 == 3 && row != column * 5 % HEIGHT;
}

/* FNV-1a over the bytes of the values. */
static uint64_t digest(void)
{
    const unsigned char *bytes = (const unsigned char *)values;
    uint64_t sum = 14695981039346656037u;
    for (size_t i = 0; i < sizeof values; i++)
        sum = (sum ^ bytes[i]) * 1099511628211u;
    return sum;
}

int main(void)
{
    build_walls();

    int32_t places[] = {5 * WIDTH + 5, 30 * WIDTH + 40};
    double strengths[] = {4, 2.5};
    for (int i = 0; i < 2; i++) {
        values[places[i]] = (float)strengths[i];
        held[places[i]] = 1;
    }
    float straight = (float)exp(-0.1), diagonal = (float)exp(-0.1 * sqrt(2));
    if (fieldcraft_spread(HEIGHT, WIDTH, values, walls, held, 8, straight, diagonal, 0.5f, 0.001f, STEPS))
        return 1;
    printf("spread   %016llx\n", (unsigned long long)digest());

    double weights[(2 * REACH + 1) * (2 * REACH + 1)];
    for (int y = -REACH; y <= REACH; y++)
        for (int x = -REACH; x <= REACH; x++)
            weights[(y + REACH) * (2 * REACH + 1) + x + REACH] =
                fmax(0, 1 - sqrt(x * x + y * y) / REACH);
    if (fieldcraft_radial(HEIGHT, WIDTH, values, walls, 2, places, strengths, 2 * REACH + 1, weights))
        return 1;
    printf("radial   %016llx\n", (unsigned long long)digest());

    if (fieldcraft_distance_map(HEIGHT, WIDTH, values, walls, 2, places, 8, 1.0))
        return 1;
    printf("distance %016llx\n", (unsigned long long)digest());
    return 0;
}
