/* Counts the allocations of a process that loads this first: LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_long allocations;

void *malloc(size_t size) {
    static void *(*next)(size_t);
    if (!next) next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    return next(size);
}

long keyturn_allocation_count(void) { return atomic_load(&allocations); }
