/* The server seen from outside: log lines and metrics. It is told facts that hold nothing a client
 * said; it must never be given words, slots, states, keys or salon names. */
#ifndef TANDEM_TELEMETRY_H
#define TANDEM_TELEMETRY_H

#include "buffer.h"
#include "http_server.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO };

/* Reads "error", "warning" or "info". */
bool log_level_parse(const char *text, enum log_level *level);

struct telemetry_config {
    const struct http_route *routes; /* whose templates label the series; borrowed */
    size_t route_count;
    const char *const *tools; /* whose calls are counted; borrowed */
    size_t tool_count;
    const char *version;  /* static storage */
    enum log_level level; /* lines of this level and graver ones are written */
    int log_file;         /* descriptor, borrowed */
};

struct telemetry;

enum status telemetry_new(const struct telemetry_config *config, struct telemetry **out);
void telemetry_free(struct telemetry *telemetry);

/* An http_observer: counts the request and writes its line. `context` is the telemetry. Any
 * thread. */
void telemetry_observe(void *context, const struct http_facts *facts);

/* Writes one line: time, level, msg and, unless it is NULL, `reason`. All are texts of ours. Any
 * thread. */
void telemetry_log(struct telemetry *telemetry, enum log_level level, const char *message,
                   const char *reason);

/* What a ledger counts. The arrays are borrowed for the call. */
struct telemetry_ledger {
    size_t fact_count;
    const char *const *fact_labels; /* snake_case */
    const uint64_t *facts;          /* how often each was told */
    size_t bound_count;
    const int64_t *bounds;     /* microseconds, ascending */
    const uint64_t *latencies; /* bound_count and one more; not cumulated */
    uint64_t latency_sum;      /* microseconds */
    uint64_t commits;
    uint64_t completions; /* in those commits */
    uint64_t errors;
    uint64_t read_errors;
    size_t waiting;
};

/* What is measured only when somebody asks. */
struct telemetry_gauges {
    size_t used_states;
    size_t connections;
    struct telemetry_ledger ledger;
};

/* Appends all metrics in Prometheus' text format (version 0.0.4). Any thread. */
void telemetry_write_metrics(struct telemetry *telemetry, const struct telemetry_gauges *gauges,
                             struct buffer *out);

#endif
