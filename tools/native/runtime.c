/* What compiled kernels call: memory that is counted, as Numba lays it out, and three functions of
   its own library. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Destructor)(void *data, size_t size, void *info);

typedef struct {
    size_t count;
    Destructor destructor;
    void *info;
    void *data;
    size_t size;
    void *allocator;
} Memory;

void *NRT_Allocate(size_t size) { return malloc(size); }

void NRT_Free(void *data) { free(data); }

void *NRT_MemInfo_alloc_aligned(size_t size, uint32_t align)
{
    if (size > SIZE_MAX - sizeof(Memory) - align)
        return NULL;
    Memory *memory = malloc(sizeof(Memory) + size + align);
    if (memory == NULL)
        return NULL;
    uintptr_t data = (uintptr_t)(memory + 1);
    if (align > 1)
        data += (align - data % align) % align;
    *memory = (Memory){1, NULL, NULL, (void *)data, size, NULL};
    return memory;
}

void *NRT_MemInfo_alloc(size_t size) { return NRT_MemInfo_alloc_aligned(size, 0); }

void *NRT_MemInfo_new_varsize_dtor(size_t size, Destructor destructor)
{
    Memory *memory = malloc(sizeof(Memory));
    void *data = malloc(size ? size : 1);
    if (memory == NULL || data == NULL) {
        free(memory);
        free(data);
        return NULL;
    }
    *memory = (Memory){1, destructor, NULL, data, size, NULL};
    return memory;
}

void *NRT_MemInfo_varsize_realloc(Memory *memory, size_t size)
{
    void *data = realloc(memory->data, size ? size : 1);
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
    intptr_t axes, const intptr_t *shape, const intptr_t *strides, intptr_t new_axes,
    const intptr_t *new_shape, intptr_t *new_strides, intptr_t itemsize, int by_columns)
{
    intptr_t step = itemsize, items = 1;
    for (intptr_t axis = 0; axis < axes; axis++)
        items *= shape[axis];
    for (intptr_t axis = axes - 1; items > 0 && axis >= 0; axis--) {
        if (by_columns || (shape[axis] != 1 && strides[axis] != step))
            return 0;
        step *= shape[axis];
    }
    step = itemsize;
    for (intptr_t axis = new_axes - 1; axis >= 0; axis--) {
        new_strides[axis] = step;
        step *= new_shape[axis];
    }
    return 1;
}

double numba_nextafter(double from, double to) { return nextafter(from, to); }

double numba_frexp(double value, int *exponent) { return frexp(value, exponent); }
