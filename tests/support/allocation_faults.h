/* Makes the n-th allocation fail, the libraries' among them. It takes the place of the C library's
 * functions, so one source file of a program includes it. Not for sanitizers, which bring an
 * allocator of their own: ALLOCATION_FAULTS_WORK says so. */
#ifndef TANDEM_TEST_ALLOCATION_FAULTS_H
#define TANDEM_TEST_ALLOCATION_FAULTS_H

#include "sanitizer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define ALLOCATION_FAULTS_WORK (!HAS_SANITIZER)

static atomic_long allocation_countdown; /* to the one that fails; not armed at 0 */
/* Whose allocations count: of the threads that are marked, or of those that aren't. */
static _Thread_local bool thread_is_marked;
static bool marked_threads_count;

#if ALLOCATION_FAULTS_WORK
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static bool allocation_fails(void) {
    if (thread_is_marked != marked_threads_count || atomic_load(&allocation_countdown) == 0 ||
        atomic_fetch_sub(&allocation_countdown, 1) != 1)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return allocation_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return allocation_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return allocation_fails() ? NULL : __libc_realloc(memory, size);
}
#endif

/* From here on the n-th fails, once. */
static void allocation_fault_arm(long n) {
    atomic_store(&allocation_countdown, n);
}

/* No more. True when one failed. */
static bool allocation_fault_disarm(void) {
    return atomic_exchange(&allocation_countdown, 0) <= 0;
}

#endif
