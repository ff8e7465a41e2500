/* The clock of one process, which never runs back: a reading is the larger of the system's time
 * and the last reading plus the monotonic time passed since (protocol.md, section 3). */
#ifndef TANDEM_CLOCK_H
#define TANDEM_CLOCK_H

#include "status.h"

#include <stdint.h>

/* Where a clock gets its time from; both in microseconds. */
struct clock_source {
    int64_t (*system_time)(void *context);    /* since 1970-01-01 UTC */
    int64_t (*monotonic_time)(void *context); /* since some fixed moment */
    void *context;
};

struct clock;

/* The operating system's clocks. */
struct clock_source clock_source_system(void);

/* A clock on `source`; the caller releases it with clock_free. Its readings may be taken from any
 * thread. */
enum status clock_new(struct clock_source source, struct clock **out);
void clock_free(struct clock *clock);

/* Microseconds since 1970-01-01 UTC, never less than an earlier reading of this clock. */
int64_t clock_microseconds(struct clock *clock);

/* The same in whole seconds, rounded down also before 1970. */
int64_t clock_seconds(struct clock *clock);

#endif
