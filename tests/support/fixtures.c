#include "fixtures.h"

#include <pthread.h>
#include <stdlib.h>

void compare_numbers(const char *row, int64_t got, int64_t expected, const char *file, int line) {
    if (got == expected)
        return;
    print_error("%s: got %lld, expected %lld\n", row, (long long)got, (long long)expected);
    _fail(file, line);
}

void compare_bytes(const char *row, struct bytes got, struct bytes expected, const char *file,
                   int line) {
    if (bytes_equal(got, expected))
        return;
    print_error("%s: got\n  %.*s\nexpected\n  %.*s\n", row, (int)got.size,
                got.size == 0 ? "" : (const char *)got.data, (int)expected.size,
                expected.size == 0 ? "" : (const char *)expected.data);
    _fail(file, line);
}

static int64_t scripted_system_time(void *context) {
    return ((const struct scripted_time *)context)->system;
}

static int64_t scripted_monotonic_time(void *context) {
    return ((const struct scripted_time *)context)->monotonic;
}

struct clock_source scripted_clock_source(struct scripted_time *time) {
    return (struct clock_source){scripted_system_time, scripted_monotonic_time, time};
}

void scripted_time_pass(struct scripted_time *time, int64_t microseconds) {
    time->system += microseconds;
    time->monotonic += microseconds;
}

/* xorshift64* (Vigna 2016). */
uint64_t dice_roll(struct dice *dice, uint64_t below) {
    dice->state ^= dice->state >> 12;
    dice->state ^= dice->state << 25;
    dice->state ^= dice->state >> 27;
    return (dice->state * 0x2545F4914F6CDD1D >> 16) % below;
}

void dice_text(struct dice *dice, struct buffer *out, size_t characters) {
    /* The first and the last code point of each kind; NUL is none, as no text may hold it. */
    static const uint32_t kinds[][2] = {
        {0x01, 0x1F},     {0x20, 0x7E},       {'"', '"'},       {'\\', '\\'},        {0x7F, 0x7F},
        {0x80, 0x7FF},    {0x800, 0xD7FF},    {0x2028, 0x2029}, {0xE000, 0xFFFF},    {'/', '/'},
        {0x0300, 0x036F}, {0x10000, 0xFFFFF}, {'<', '>'},       {0x100000, 0x10FFFF}};
    for (size_t i = 0; i < characters; i++) {
        const uint32_t *kind = kinds[dice_roll(dice, LENGTH_OF(kinds))];
        append_utf8(out, kind[0] + (uint32_t)dice_roll(dice, kind[1] - kind[0] + 1));
    }
}

void append_repeated(struct buffer *out, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++)
        buffer_append_text(out, text);
}

void append_utf8(struct buffer *out, uint32_t code_point) {
    static const uint32_t lasts[] = {0x7F, 0x7FF, 0xFFFF, 0x10FFFF};
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    unsigned more = 0;
    while (code_point > lasts[more])
        more++;
    buffer_append_byte(out, (unsigned char)(leads[more] | code_point >> 6 * more));
    while (more-- > 0)
        buffer_append_byte(out, (unsigned char)(0x80 | (code_point >> 6 * more & 0x3F)));
}

static void append_escape(struct buffer *out, uint32_t unit) {
    static const char digits[] = "0123456789ABCDEF";
    buffer_append_text(out, "\\u");
    for (int shift = 12; shift >= 0; shift -= 4)
        buffer_append_byte(out, (unsigned char)digits[unit >> shift & 15]);
}

static void append_ascii_character(struct buffer *out, uint32_t code_point) {
    bool plain = code_point >= 0x20 && code_point < 0x7F &&
                 bytes_find(BYTES("\"\\/<>&'"), (unsigned char)code_point) == 7;
    if (plain)
        return buffer_append_byte(out, (unsigned char)code_point);
    if (code_point < 0x10000)
        return append_escape(out, code_point);
    append_escape(out, 0xD800 + ((code_point - 0x10000) >> 10));
    append_escape(out, 0xDC00 + ((code_point - 0x10000) & 0x3FF));
}

void append_ascii_json(struct buffer *out, struct bytes utf8) {
    buffer_append_byte(out, '"');
    for (size_t i = 0; i < utf8.size;) {
        unsigned char first = utf8.data[i++];
        unsigned more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        uint32_t code_point = more == 0 ? first : first & (0x3Fu >> more);
        while (more-- > 0)
            code_point = code_point << 6 | (utf8.data[i++] & 0x3F);
        append_ascii_character(out, code_point);
    }
    buffer_append_byte(out, '"');
}

struct racer {
    pthread_t thread;
    pthread_barrier_t *start;
    void (*work)(void *context);
    void *context;
};

static void *run_racer(void *argument) {
    struct racer *racer = argument;
    pthread_barrier_wait(racer->start);
    racer->work(racer->context);
    return NULL;
}

void run_together(void (*work)(void *context), void *contexts, size_t count, size_t size) {
    struct racer *racers = calloc(count, sizeof *racers);
    assert_non_null(racers);
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)count);
    for (size_t i = 0; i < count; i++) {
        racers[i] = (struct racer){.start = &start, .work = work};
        racers[i].context = (unsigned char *)contexts + i * size;
        if (pthread_create(&racers[i].thread, NULL, run_racer, &racers[i]) != 0)
            abort(); /* those that wait would wait for ever */
    }
    for (size_t i = 0; i < count; i++)
        pthread_join(racers[i].thread, NULL);
    pthread_barrier_destroy(&start);
    free(racers);
}
