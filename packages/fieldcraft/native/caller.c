/* Python's door to the kernels: a module with a function for each.

   It needs no header of Python's or NumPy's, so that it is compiled for all platforms on one
   machine: it calls the stable ABI of Python 3.11, and reads the fields of arrays, which NumPy's C
   API documents. The table of NumPy's functions gives new arrays. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "kernels.h"

typedef struct Object Object;
typedef struct {
    const char *name;
    Object *(*call)(Object *, Object *const *, ptrdiff_t);
    int flags;
    const char *doc;
} Method;

#ifdef _WIN32
#define IMPORTED __declspec(dllimport) extern
#define EXPORTED __declspec(dllexport)
#else
#define IMPORTED extern
#define EXPORTED __attribute__((visibility("default")))
#endif

IMPORTED Object _Py_NoneStruct, *PyExc_TypeError, *PyExc_MemoryError, *PyExc_RuntimeError,
    *PyExc_ZeroDivisionError;
IMPORTED Object *PyModule_New(const char *), *PyImport_ImportModule(const char *);
IMPORTED int PyModule_AddObjectRef(Object *, const char *, Object *);
IMPORTED Object *PyObject_GetAttrString(Object *, const char *);
IMPORTED void *PyCapsule_GetPointer(Object *, const char *);
IMPORTED Object *PyCapsule_New(void *, const char *, void *);
IMPORTED Object *PyCMethod_New(Method *, Object *, Object *, Object *);
IMPORTED void *PyEval_SaveThread(void);
IMPORTED void PyEval_RestoreThread(void *);
IMPORTED Object *PyErr_Format(Object *, const char *, ...), *PyErr_Occurred(void);
IMPORTED void PyErr_Clear(void), Py_DecRef(Object *), Py_IncRef(Object *);
IMPORTED long long PyLong_AsLongLong(Object *);
IMPORTED unsigned long long PyLong_AsUnsignedLongLongMask(Object *);
IMPORTED Object *PyNumber_Index(Object *);
IMPORTED double PyFloat_AsDouble(Object *);
IMPORTED int PyObject_IsTrue(Object *), PyType_IsSubtype(void *, void *);
IMPORTED Object *PyLong_FromLongLong(long long), *PyLong_FromUnsignedLongLong(unsigned long long);
IMPORTED Object *PyFloat_FromDouble(double), *PyBool_FromLong(long);
IMPORTED Object *PyTuple_New(ptrdiff_t), *PyTuple_GetItem(Object *, ptrdiff_t);
IMPORTED ptrdiff_t PyTuple_Size(Object *);
IMPORTED int PyTuple_SetItem(Object *, ptrdiff_t, Object *);
void NRT_MemInfo_call_dtor(void *);

enum { FAST_CALL = 0x80, CONTIGUOUS = 1, ALIGNED = 0x100, WRITEABLE = 0x400, MOST_SLOTS = 256 };
enum { ARRAY_TYPE = 2, NEW_ARRAY = 93 };  /* places in the table of NumPy's C API */

/* Numbers of NumPy's types by kind and size. Two may have the same, such as long and long long:
   the first is the one of int32 or int64. */
static const struct { char dtype; uint8_t size; int number; } TYPES[] = {
    {'b', 1, 0}, {'i', 1, 1}, {'u', 1, 2}, {'i', 2, 3}, {'u', 2, 4}, {'i', sizeof(long), 7},
    {'u', sizeof(long), 8}, {'i', 4, 5}, {'u', 4, 6}, {'i', 8, 9}, {'u', 8, 10}, {'f', 4, 11},
    {'f', 8, 12},
};
static void **numpy;
static size_t head;  /* bytes of an object before its own fields */

typedef struct {
    char *data;
    int axes;
    intptr_t *shape, *strides;
    Object *base, *descr;
    int flags;
} Array;

static void *type_of(Object *object) { return *(void **)((char *)object + head - sizeof(void *)); }

static Array *array_of(Object *object)
{
    void *type = type_of(object);
    if (type != numpy[ARRAY_TYPE] && !PyType_IsSubtype(type, numpy[ARRAY_TYPE]))
        return NULL;
    return (Array *)((char *)object + head);
}

static int is_of_type(const Array *array, const Argument *wanted)
{
    struct { void *type; char kind, code, order, flags; int number; } *descr =
        (void *)((char *)array->descr + head);
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (TYPES[i].number == descr->number)
            return TYPES[i].dtype == wanted->dtype && TYPES[i].size == wanted->size
                   && (descr->order == '=' || descr->order == '|');
    return 0;
}

/* Put an argument into slots; 0 if it is of another type. `*slot` and `*wanted` move on. */
static int put(Object *given, const Argument **wanted, int64_t **slot)
{
    const Argument *here = (*wanted)++;
    if (here->kind == NONE) {
        *(*slot)++ = 0;
        return given == &_Py_NoneStruct;
    }
    if (here->kind == TUPLE) {
        if (PyTuple_Size(given) != here->axes)
            return PyErr_Clear(), 0;
        for (int i = 0; i < here->axes; i++)
            if (!put(PyTuple_GetItem(given, i), wanted, slot))
                return 0;
        return 1;
    }
    if (here->kind != NUMBER) {
        Array *array = array_of(given);
        if (array == NULL || array->axes != here->axes || !is_of_type(array, here)
            || !(array->flags & ALIGNED) || (here->is_written && !(array->flags & WRITEABLE))
            || (here->kind == DENSE && !(array->flags & CONTIGUOUS)))
            return 0;
        int64_t items = 1, *at = *slot;
        for (int axis = 0; axis < here->axes; axis++) {
            items *= array->shape[axis];
            at[5 + axis] = array->shape[axis];
            at[5 + here->axes + axis] = array->strides[axis];
        }
        at[0] = at[1] = 0;  /* nobody counts its references, and nothing holds it */
        at[2] = items;
        at[3] = here->size;
        at[4] = (int64_t)(intptr_t)array->data;
        *slot += 5 + 2 * here->axes;
        return 1;
    }
    int64_t value = 0;
    if (given == &_Py_NoneStruct || array_of(given) != NULL)
        return 0;
    if (here->dtype == 'b') {
        value = PyObject_IsTrue(given);
    } else if (here->dtype == 'f') {
        double number = PyFloat_AsDouble(given);
        float small = (float)number;
        if (here->size == 4)
            memcpy(&value, &small, 4);
        else
            memcpy(&value, &number, 8);
        if (number == -1.0 && PyErr_Occurred())
            return PyErr_Clear(), 0;
    } else {
        value = PyLong_AsLongLong(given);
        if (value == -1 && PyErr_Occurred()) {
            PyErr_Clear();
            Object *index = PyNumber_Index(given);
            if (index == NULL)
                return PyErr_Clear(), 0;
            value = (int64_t)PyLong_AsUnsignedLongLongMask(index);
            Py_DecRef(index);
            if (here->dtype != 'u')
                return 0;
        }
    }
    *(*slot)++ = value;
    return 1;
}

/* A result as Python's; `*slot` and `*result` move on. */
static Object *taken(const Argument **result, int64_t **slot)
{
    const Argument *here = (*result)++;
    if (here->kind == NONE) {
        (*slot)++;
        Py_IncRef(&_Py_NoneStruct);
        return &_Py_NoneStruct;
    }
    if (here->kind == TUPLE) {
        Object *tuple = PyTuple_New(here->axes);
        for (int i = 0; i < here->axes; i++) {
            Object *item = taken(result, slot);
            if (tuple != NULL && item != NULL)
                PyTuple_SetItem(tuple, i, item);
        }
        return PyErr_Occurred() ? (Py_DecRef(tuple), NULL) : tuple;
    }
    if (here->kind == NUMBER) {
        int64_t value = *(*slot)++;
        float small;
        double number;
        memcpy(&small, &value, 4);
        memcpy(&number, &value, 8);
        switch (here->dtype) {
        case 'b': return PyBool_FromLong(value != 0);
        case 'f': return PyFloat_FromDouble(here->size == 4 ? small : number);
        case 'u': return PyLong_FromUnsignedLongLong((unsigned long long)value);
        default: return PyLong_FromLongLong(value);
        }
    }
    int64_t *at = *slot;
    *slot += 5 + 2 * here->axes;
    size_t type = 0;
    while (TYPES[type].dtype != here->dtype || TYPES[type].size != here->size)
        type++;
    intptr_t shape[8];
    for (int axis = 0; axis < here->axes; axis++)
        shape[axis] = at[5 + axis];
    Object *(*new_array)(void *, int, intptr_t *, int, intptr_t *, void *, int, int, Object *) =
        numpy[NEW_ARRAY];
    Object *array =
        new_array(numpy[ARRAY_TYPE], here->axes, shape, TYPES[type].number, NULL, NULL, 0, 0, NULL);
    Array *fields = array == NULL ? NULL : (Array *)((char *)array + head);
    /* Row by row: a result may be a part of what the kernel allocated. */
    char *source = (char *)(intptr_t)at[4], *target = fields == NULL ? NULL : fields->data;
    int64_t width = here->size * shape[here->axes - 1], rows = at[2] && target ? 1 : 0;
    for (int axis = 0; axis < here->axes - 1; axis++)
        rows *= shape[axis];
    for (int64_t row = 0; row < rows; row++)
        memcpy(target + row * width, source + row * (here->axes > 1 ? at[5 + here->axes + here->axes - 2] : width), width);
    int64_t *memory = (int64_t *)(intptr_t)at[0];
    if (memory != NULL && __atomic_sub_fetch(memory, 1, __ATOMIC_ACQ_REL) == 0)
        NRT_MemInfo_call_dtor(memory);
    return array;
}

static Object *failed(const Kernel *kernel, const Error *error)
{
    static const char *const NAMES[] = {"MemoryError", "ZeroDivisionError"};
    Object *kinds[] = {PyExc_MemoryError, PyExc_ZeroDivisionError};
    for (int i = 0; error != NULL && i < 2; i++) {
        int length = (int)strlen(NAMES[i]);
        for (int at = 0; at + length <= error->size; at++)
            if (memcmp(error->data + at, NAMES[i], length) == 0)
                return PyErr_Format(kinds[i], "in the kernel %s", kernel->name);
    }
    return PyErr_Format(PyExc_RuntimeError, "the kernel %s failed", kernel->name);
}

static Object *call(Object *self, Object *const *given, ptrdiff_t count)
{
    const Kernel *kernel = PyCapsule_GetPointer(self, NULL);
    int64_t slots[MOST_SLOTS];
    for (int i = 0; i < kernel->count; i++) {
        const Version *version = &kernel->versions[i];
        const Argument *wanted = version->arguments;
        int64_t *slot = slots;
        ptrdiff_t done = 0;
        if (count != version->count)
            continue;
        while (done < count && put(given[done], &wanted, &slot))
            done++;
        if (done < count)
            continue;
        const Error *error = NULL;
        void *thread = PyEval_SaveThread();
        int status = version->call(slots, &error);
        PyEval_RestoreThread(thread);
        if (status != 0)
            return failed(kernel, error);
        const Argument *result = version->results;
        slot = slots;
        return taken(&result, &slot);
    }
    return PyErr_Format(
        PyExc_TypeError, "the kernel %s has no version for these %zd arguments", kernel->name, count);
}

static Method method = {"kernel", call, FAST_CALL, NULL};

/* A new module with all kernels. It is called by ctypes and not imported, so that one file serves
   builds of Python with and without a global lock, whose modules are laid out differently. */
EXPORTED Object *fieldcraft_module(void)
{
    Object *made = PyModule_New("fieldcraft.kernels._native");
    Object *arrays = PyImport_ImportModule("numpy._core._multiarray_umath");
    Object *table = arrays ? PyObject_GetAttrString(arrays, "_ARRAY_API") : NULL;
    Object *builtins = PyImport_ImportModule("builtins");
    Object *plain = builtins ? PyObject_GetAttrString(builtins, "object") : NULL;
    Object *size = plain ? PyObject_GetAttrString(plain, "__basicsize__") : NULL;
    if (made == NULL || table == NULL || size == NULL)
        return NULL;
    numpy = PyCapsule_GetPointer(table, NULL);
    head = (size_t)PyLong_AsLongLong(size);
    for (int i = 0; i < fieldcraft_kernel_count; i++) {
        Object *self = PyCapsule_New((void *)&fieldcraft_kernels[i], NULL, NULL);
        Object *function = self ? PyCMethod_New(&method, self, NULL, NULL) : NULL;
        if (function == NULL || PyModule_AddObjectRef(made, fieldcraft_kernels[i].name, function))
            return NULL;
    }
    return made;
}
