/* What the unit tests of several modules share. It needs no module beyond base. */
#ifndef TANDEM_TEST_FIXTURES_H
#define TANDEM_TEST_FIXTURES_H

#include "support.h"

#include "buffer.h"
#include "bytes.h"
#include "clock.h"

#include <stdbool.h>

/* BYTES for the rows of a static table. */
#define ROW_BYTES(literal)                                                                         \
    { (const unsigned char *)("" literal), sizeof("" literal) - 1 }

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Fails the test, naming the table's row, unless the condition holds. */
#define assert_row(row, condition)                                                                 \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s: %s", (row), #condition);                                                 \
    } while (0)

/* Fails the test, naming the row and printing both, unless the numbers or the bytes are equal. */
#define assert_row_number(row, got, expected)                                                      \
    compare_numbers((row), (int64_t)(got), (int64_t)(expected), __FILE__, __LINE__)
#define assert_row_bytes(row, got, expected)                                                       \
    compare_bytes((row), (got), (expected), __FILE__, __LINE__)

void compare_numbers(const char *row, int64_t got, int64_t expected, const char *file, int line);
void compare_bytes(const char *row, struct bytes got, struct bytes expected, const char *file,
                   int line);

/* The system's and the monotonic time of a scripted clock, in microseconds. */
struct scripted_time {
    int64_t system;
    int64_t monotonic;
};

struct clock_source scripted_clock_source(struct scripted_time *time);

/* Both times move on. */
void scripted_time_pass(struct scripted_time *time, int64_t microseconds);

/* Random numbers that are the same in every run. */
struct dice {
    uint64_t state; /* any seed but 0 */
};

/* 0 to `below` - 1. */
uint64_t dice_roll(struct dice *dice, uint64_t below);

/* Appends that many characters, each of one of the kinds that JSON writers treat differently. */
void dice_text(struct dice *dice, struct buffer *out, size_t characters);

void append_repeated(struct buffer *out, const char *text, size_t count);

/* Appends a code point, up to U+10FFFF, as UTF-8 would write it: surrogates too. */
void append_utf8(struct buffer *out, uint32_t code_point);

/* Appends a string as a JSON writer would that escapes all but plain ASCII, always as \uXXXX. */
void append_ascii_json(struct buffer *out, struct bytes utf8);

/* Calls `work` once for each of `count` contexts of `size` bytes, each in a thread of its own, all
 * let go at the same moment. `work` asserts nothing: cmocka can't take that in a thread. */
void run_together(void (*work)(void *context), void *contexts, size_t count, size_t size);

#endif
