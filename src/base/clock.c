#include "clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct clock {
    struct clock_source source;
    pthread_mutex_t lock;
    /* The reading that later ones are counted from. It moves only when the system's time is ahead,
     * so that no fraction is lost however often the clock is read. */
    int64_t anchor;
    int64_t anchor_monotonic;
    int64_t last; /* the largest reading given out */
};

static int64_t read_system_clock(clockid_t id) {
    struct timespec now;
    if (clock_gettime(id, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t system_time(void *context) {
    (void)context;
    return read_system_clock(CLOCK_REALTIME);
}

static int64_t monotonic_time(void *context) {
    (void)context;
    return read_system_clock(CLOCK_MONOTONIC);
}

struct clock_source clock_source_system(void) {
    return (struct clock_source){system_time, monotonic_time, NULL};
}

enum status clock_new(struct clock_source source, struct clock **out) {
    struct clock *clock = malloc(sizeof *clock);
    if (clock == NULL)
        return STATUS_NO_MEMORY;
    if (pthread_mutex_init(&clock->lock, NULL) != 0) {
        free(clock);
        return STATUS_IO;
    }
    clock->source = source;
    clock->anchor = source.system_time(source.context);
    clock->anchor_monotonic = source.monotonic_time(source.context);
    clock->last = clock->anchor;
    *out = clock;
    return STATUS_OK;
}

void clock_free(struct clock *clock) {
    if (clock == NULL)
        return;
    pthread_mutex_destroy(&clock->lock);
    free(clock);
}

int64_t clock_microseconds(struct clock *clock) {
    int64_t system = clock->source.system_time(clock->source.context);
    int64_t monotonic = clock->source.monotonic_time(clock->source.context);
    pthread_mutex_lock(&clock->lock);
    int64_t reading = clock->anchor + (monotonic - clock->anchor_monotonic);
    if (system >= reading) {
        reading = system;
        clock->anchor = system;
        clock->anchor_monotonic = monotonic;
    }
    /* Another thread may have read its source later and come here first. */
    if (reading < clock->last)
        reading = clock->last;
    clock->last = reading;
    pthread_mutex_unlock(&clock->lock);
    return reading;
}

int64_t clock_seconds(struct clock *clock) {
    int64_t microseconds = clock_microseconds(clock);
    int64_t seconds = microseconds / 1000000;
    return microseconds % 1000000 < 0 ? seconds - 1 : seconds;
}
