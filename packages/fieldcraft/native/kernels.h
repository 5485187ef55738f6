/* The table of kernels that `caller.c` serves; `build.py` writes one for each library. */

#include <stdint.h>

enum { NONE, NUMBER, DENSE, STRIDED, TUPLE };

typedef struct {
    uint8_t kind, is_written;
    char dtype;    /* 'f', 'i', 'u' or 'b' */
    uint8_t size;  /* bytes of a number */
    uint8_t axes;  /* of an array; of a tuple how many items follow */
} Argument;

typedef struct {
    const char *data;
    int32_t size;
} Error;

typedef struct {
    int (*call)(int64_t *slots, const Error **error);
    const Argument *arguments, *results;
    uint16_t count, slots;
} Version;

typedef struct {
    const char *name;
    const Version *versions;
    uint16_t count;
} Kernel;

extern const Kernel fieldcraft_kernels[];
extern const int fieldcraft_kernel_count;
