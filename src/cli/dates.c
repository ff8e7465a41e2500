#include "dates.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { DATE_SIZE = 10, YEARS_FROM = 1900 };

static bool looks_like_date(const char *text) {
    if (strlen(text) != DATE_SIZE)
        return false;
    for (size_t i = 0; i < DATE_SIZE; i++)
        if (i == 4 || i == 7 ? text[i] != '-' : text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

static int number_at(const char *digits, size_t count) {
    int number = 0;
    for (size_t i = 0; i < count; i++)
        number = number * 10 + (digits[i] - '0');
    return number;
}

bool date_parse(const char *text, int64_t *out) {
    if (!looks_like_date(text))
        return false;
    struct tm day = {.tm_year = number_at(text, 4) - YEARS_FROM,
                     .tm_mon = number_at(text + 5, 2) - 1,
                     .tm_mday = number_at(text + 8, 2)};
    struct tm asked = day;
    time_t moment = timegm(&day);
    /* A day that doesn't exist comes out as another one. */
    if (moment < 0 || day.tm_year != asked.tm_year || day.tm_mon != asked.tm_mon ||
        day.tm_mday != asked.tm_mday)
        return false;
    *out = moment;
    return true;
}

void moment_write(struct buffer *out, int64_t seconds) {
    char text[64];
    time_t moment = seconds;
    struct tm parts;
    if (gmtime_r(&moment, &parts) != NULL &&
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0)
        buffer_append_text(out, text);
    else
        buffer_append_integer(out, seconds);
}
