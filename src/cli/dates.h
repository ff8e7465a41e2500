/* Moments in UTC as texts. Private to cli. */
#ifndef TANDEM_DATES_H
#define TANDEM_DATES_H

#include "buffer.h"

/* A day of the years 1970 to 9999, as "2026-10-03": the moment at which it begins, in unix seconds.
 * False, with `out` untouched, for anything else. */
bool date_parse(const char *text, int64_t *out);

enum { SECONDS_PER_DAY = 86400 };

/* Appends a moment as "2026-10-03T08:30:00Z". */
void moment_write(struct buffer *out, int64_t seconds);

#endif
