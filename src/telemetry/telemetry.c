#include "telemetry.h"

#include "log.h"
#include "log_writer.h"
#include "metrics.h"

#include <stdlib.h>
#include <time.h>

enum { LINE_SIZE_MAX = 1024, SERVER_ERROR = 500 };

struct telemetry {
    struct telemetry_config config;
    struct metrics *metrics;
    struct log_writer *log;
};

static int64_t now_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void write_note(struct buffer *out, uint64_t lost) {
    log_write_lost(out, now_microseconds(), lost);
}

enum status telemetry_new(const struct telemetry_config *config, struct telemetry **out) {
    struct telemetry *telemetry = malloc(sizeof *telemetry);
    if (telemetry == NULL)
        return STATUS_NO_MEMORY;
    telemetry->config = *config;
    telemetry->metrics = metrics_new(config);
    enum status status = telemetry->metrics == NULL
                             ? STATUS_NO_MEMORY
                             : log_writer_new(config->log_file, write_note, &telemetry->log);
    if (status != STATUS_OK) {
        free(telemetry->metrics);
        free(telemetry);
        return status;
    }
    *out = telemetry;
    return STATUS_OK;
}

void telemetry_free(struct telemetry *telemetry) {
    if (telemetry == NULL)
        return;
    log_writer_free(telemetry->log);
    free(telemetry->metrics);
    free(telemetry);
}

void telemetry_observe(void *context, const struct http_facts *facts) {
    struct telemetry *telemetry = context;
    metrics_count(telemetry->metrics, facts);
    enum log_level level = facts->status >= SERVER_ERROR ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
    if (level > telemetry->config.level)
        return;
    struct buffer line = buffer_new(LINE_SIZE_MAX);
    log_write_request(&line, now_microseconds(), level, facts);
    if (line.status == STATUS_OK)
        log_writer_append(telemetry->log, buffer_bytes(&line));
    buffer_done(&line);
}

void telemetry_log(struct telemetry *telemetry, enum log_level level, const char *message,
                   const char *reason) {
    if (level > telemetry->config.level)
        return;
    struct buffer line = buffer_new(LINE_SIZE_MAX);
    log_write_event(&line, now_microseconds(), level, message, reason);
    if (line.status == STATUS_OK)
        log_writer_append(telemetry->log, buffer_bytes(&line));
    buffer_done(&line);
}

void telemetry_write_metrics(struct telemetry *telemetry, const struct telemetry_gauges *gauges,
                             struct buffer *out) {
    metrics_write(telemetry->metrics, telemetry->config.version, gauges, out);
}
