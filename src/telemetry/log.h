/* Log lines in logfmt. Private to telemetry. */
#ifndef TANDEM_LOG_H
#define TANDEM_LOG_H

#include "telemetry.h"

/* The line of a request, and of an event. `microseconds` since 1970. */
void log_write_request(struct buffer *out, int64_t microseconds, enum log_level level,
                       const struct http_facts *facts);
void log_write_event(struct buffer *out, int64_t microseconds, enum log_level level,
                     const char *message, const char *reason);

/* The line that says that lines were lost. */
void log_write_lost(struct buffer *out, int64_t microseconds, uint64_t count);

#endif
