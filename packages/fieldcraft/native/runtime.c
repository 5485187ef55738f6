/* What compiled kernels call: memory that is counted, as Numba lays it out, and three functions of
   its own library. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Destructor)(void *data, int64_t size, void *info);

typedef struct {
    int64_t count;
    Destructor destructor;
    void *info;
    void *data;
    int64_t size;
    void *allocator;
} Memory;

static int fits(int64_t size) { return size >= 0 && (uint64_t)size < SIZE_MAX / 2; }

void *NRT_Allocate(int64_t size) { return fits(size) ? malloc((size_t)size) : NULL; }

void NRT_Free(void *data) { free(data); }

void *NRT_MemInfo_alloc_aligned(int64_t size, uint32_t align)
{
    Memory *memory = fits(size) ? malloc(sizeof(Memory) + (size_t)size + align) : NULL;
    if (memory == NULL)
        return NULL;
    uintptr_t data = (uintptr_t)(memory + 1);
    if (align > 1)
        data += (align - data % align) % align;
    *memory = (Memory){1, NULL, NULL, (void *)data, size, NULL};
    return memory;
}

void *NRT_MemInfo_alloc(int64_t size) { return NRT_MemInfo_alloc_aligned(size, 0); }

void *NRT_MemInfo_new_varsize_dtor(int64_t size, Destructor destructor)
{
    Memory *memory = malloc(sizeof(Memory));
    void *data = fits(size) ? malloc(size ? (size_t)size : 1) : NULL;
    if (memory == NULL || data == NULL) {
        free(memory);
        free(data);
        return NULL;
    }
    *memory = (Memory){1, destructor, NULL, data, size, NULL};
    return memory;
}

void *NRT_MemInfo_varsize_realloc(Memory *memory, int64_t size)
{
    void *data = fits(size) ? realloc(memory->data, size ? (size_t)size : 1) : NULL;
    if (data != NULL) {
        memory->data = data;
        memory->size = size;
    }
    return data;
}

void NRT_MemInfo_call_dtor(Memory *memory)
{
    if (memory->destructor != NULL)
        memory->destructor(memory->data, memory->size, memory->info);
    /* Memory that can grow lies apart from its head. */
    if ((char *)memory->data < (char *)memory || (char *)memory->data > (char *)(memory + 1) + 64)
        free(memory->data);
    free(memory);
}

/* The strides of an array without gaps in another shape; 0 for an array with gaps. */
int numba_attempt_nocopy_reshape(
    int64_t axes, const int64_t *shape, const int64_t *strides, int64_t new_axes,
    const int64_t *new_shape, int64_t *new_strides, int64_t itemsize, int by_columns)
{
    int64_t step = itemsize, items = 1;
    for (int64_t axis = 0; axis < axes; axis++)
        items *= shape[axis];
    for (int64_t axis = axes - 1; items > 0 && axis >= 0; axis--) {
        if (by_columns || (shape[axis] != 1 && strides[axis] != step))
            return 0;
        step *= shape[axis];
    }
    step = itemsize;
    for (int64_t axis = new_axes - 1; axis >= 0; axis--) {
        new_strides[axis] = step;
        step *= new_shape[axis];
    }
    return 1;
}

double numba_nextafter(double from, double to) { return nextafter(from, to); }

double numba_frexp(double value, int *exponent) { return frexp(value, exponent); }
