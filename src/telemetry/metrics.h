/* Counters and histograms, and their text. Private to telemetry. */
#ifndef TANDEM_METRICS_H
#define TANDEM_METRICS_H

#include "telemetry.h"

struct metrics;

/* NULL when there is no memory; released with free(). */
struct metrics *metrics_new(const struct telemetry_config *config);

void metrics_count(struct metrics *metrics, const struct http_facts *facts);

void metrics_write(const struct metrics *metrics, const char *version,
                   const struct telemetry_gauges *gauges, struct buffer *out);

#endif
