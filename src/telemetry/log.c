#include "log.h"

#include <string.h>
#include <time.h>

static const char *const level_names[] = {
    [LOG_LEVEL_ERROR] = "error",
    [LOG_LEVEL_WARNING] = "warning",
    [LOG_LEVEL_INFO] = "info",
};

bool log_level_parse(const char *text, enum log_level *level) {
    for (size_t i = 0; i < sizeof level_names / sizeof level_names[0]; i++) {
        if (strcmp(text, level_names[i]) != 0)
            continue;
        *level = (enum log_level)i;
        return true;
    }
    return false;
}

static void append_digits(struct buffer *out, int value, size_t width) {
    unsigned char *digits = buffer_extend(out, width);
    for (size_t i = width; digits != NULL && i > 0; i--) {
        digits[i - 1] = (unsigned char)('0' + value % 10);
        value /= 10;
    }
}

/* RFC 3339 in UTC, to the millisecond. */
static void append_time(struct buffer *out, int64_t microseconds) {
    time_t seconds = microseconds / 1000000;
    struct tm parts = {0};
    gmtime_r(&seconds, &parts);
    append_digits(out, parts.tm_year + 1900, 4);
    buffer_append_byte(out, '-');
    append_digits(out, parts.tm_mon + 1, 2);
    buffer_append_byte(out, '-');
    append_digits(out, parts.tm_mday, 2);
    buffer_append_byte(out, 'T');
    append_digits(out, parts.tm_hour, 2);
    buffer_append_byte(out, ':');
    append_digits(out, parts.tm_min, 2);
    buffer_append_byte(out, ':');
    append_digits(out, parts.tm_sec, 2);
    buffer_append_byte(out, '.');
    append_digits(out, (int)(microseconds % 1000000 / 1000), 3);
    buffer_append_byte(out, 'Z');
}

/* A member whose value has no space, quote or `=`. */
static void append_member(struct buffer *out, const char *name, const char *value) {
    buffer_append_byte(out, ' ');
    buffer_append_text(out, name);
    buffer_append_byte(out, '=');
    buffer_append_text(out, value);
}

static void begin_line(struct buffer *out, int64_t microseconds, enum log_level level) {
    buffer_append(out, BYTES("time="));
    append_time(out, microseconds);
    append_member(out, "level", level_names[level]);
}

void log_write_request(struct buffer *out, int64_t microseconds, enum log_level level,
                       const struct http_facts *facts) {
    begin_line(out, microseconds, level);
    append_member(out, "msg", "request");
    append_member(out, "method", facts->method);
    append_member(out, "route", facts->route == NULL ? "-" : facts->route);
    buffer_append(out, BYTES(" status="));
    buffer_append_integer(out, facts->status);
    if (facts->tool != NULL)
        append_member(out, "tool", facts->tool);
    if (facts->note != NULL)
        append_member(out, "outcome", facts->note);
    if (facts->refusal != REFUSAL_NONE)
        append_member(out, "reason", refusal_row(facts->refusal)->label);
    buffer_append(out, BYTES(" duration_us="));
    buffer_append_integer(out, facts->microseconds);
    append_member(out, "request_id", facts->request_id);
    buffer_append_byte(out, '\n');
}

/* A value in quotes: our own texts may hold a file's name, so what could end the value or the line
 * is replaced. */
static void append_quoted(struct buffer *out, const char *name, const char *value) {
    append_member(out, name, "\"");
    for (; *value != '\0'; value++)
        buffer_append_byte(out, *value == '"' || *value == '\\' || (unsigned char)*value < ' '
                                    ? '?'
                                    : (unsigned char)*value);
    buffer_append_byte(out, '"');
}

void log_write_event(struct buffer *out, int64_t microseconds, enum log_level level,
                     const char *message, const char *reason) {
    begin_line(out, microseconds, level);
    append_quoted(out, "msg", message);
    if (reason != NULL)
        append_quoted(out, "reason", reason);
    buffer_append_byte(out, '\n');
}

void log_write_lost(struct buffer *out, int64_t microseconds, uint64_t count) {
    begin_line(out, microseconds, LOG_LEVEL_ERROR);
    append_quoted(out, "msg", "log lines lost");
    buffer_append(out, BYTES(" count="));
    buffer_append_integer(out, (int64_t)count);
    buffer_append_byte(out, '\n');
}
