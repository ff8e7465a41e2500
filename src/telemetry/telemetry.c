#include "telemetry.h"

#include "log.h"
#include "metrics.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LINE_SIZE_MAX = 1024, SERVER_ERROR = 500 };

struct telemetry {
    struct telemetry_config config;
    struct metrics *metrics;
};

enum status telemetry_new(const struct telemetry_config *config, struct telemetry **out) {
    struct telemetry *telemetry = malloc(sizeof *telemetry);
    if (telemetry == NULL)
        return STATUS_NO_MEMORY;
    telemetry->config = *config;
    telemetry->metrics = metrics_new(config->routes, config->route_count);
    if (telemetry->metrics == NULL) {
        free(telemetry);
        return STATUS_NO_MEMORY;
    }
    *out = telemetry;
    return STATUS_OK;
}

void telemetry_free(struct telemetry *telemetry) {
    if (telemetry == NULL)
        return;
    free(telemetry->metrics);
    free(telemetry);
}

static int64_t now_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* One write a line, so that lines of several threads don't mix. A line that can't be written is
 * lost: a full disk must not stop the booking. */
static void write_line(const struct telemetry *telemetry, struct buffer *line) {
    if (line->status == STATUS_OK && write(telemetry->config.log_file, line->data, line->size) < 0)
        line->status = STATUS_IO;
    buffer_done(line);
}

void telemetry_observe(void *context, const struct http_facts *facts) {
    struct telemetry *telemetry = context;
    metrics_count(telemetry->metrics, facts);
    enum log_level level = facts->status >= SERVER_ERROR ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
    if (level > telemetry->config.level)
        return;
    struct buffer line = buffer_new(LINE_SIZE_MAX);
    log_write_request(&line, now_microseconds(), level, facts);
    write_line(telemetry, &line);
}

void telemetry_log(struct telemetry *telemetry, enum log_level level, const char *message,
                   const char *reason) {
    if (level > telemetry->config.level)
        return;
    struct buffer line = buffer_new(LINE_SIZE_MAX);
    log_write_event(&line, now_microseconds(), level, message, reason);
    write_line(telemetry, &line);
}

void telemetry_write_metrics(struct telemetry *telemetry, const struct telemetry_gauges *gauges,
                             struct buffer *out) {
    metrics_write(telemetry->metrics, telemetry->config.version, gauges, out);
}
