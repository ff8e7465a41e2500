#include "fixtures.h"

#include <stdatomic.h>

enum { SECOND = 1000000, HOUR = 3600 };

static const int64_t START = INT64_C(1791018000) * SECOND;

static struct clock *new_clock(struct scripted_time *time) {
    struct clock *clock = NULL;
    assert_int_equal(clock_new(scripted_clock_source(time), &clock), STATUS_OK);
    return clock;
}

static void given_a_steady_system_time_when_it_is_read_then_the_reading_is_it(void **state) {
    (void)state;
    struct scripted_time time = {START, 77};
    struct clock *clock = new_clock(&time);
    assert_int_equal(clock_microseconds(clock), START);
    scripted_time_pass(&time, 1234567);
    assert_int_equal(clock_microseconds(clock), START + 1234567);
    assert_int_equal(clock_seconds(clock), 1791018001);
    clock_free(clock);
}

static void
given_a_system_time_that_jumps_ahead_when_it_is_read_then_the_clock_follows(void **state) {
    (void)state;
    struct scripted_time time = {START, 0};
    struct clock *clock = new_clock(&time);
    time.system += INT64_C(1) * HOUR * SECOND;
    time.monotonic += 1;
    assert_int_equal(clock_seconds(clock), 1791018000 + HOUR);
    clock_free(clock);
}

static void
given_a_system_time_that_steps_back_when_time_passes_then_the_clock_moves_on(void **state) {
    (void)state;
    struct scripted_time time = {START, 0};
    struct clock *clock = new_clock(&time);
    scripted_time_pass(&time, 10 * SECOND);
    assert_int_equal(clock_microseconds(clock), START + 10 * SECOND);
    time.system -= INT64_C(1) * HOUR * SECOND;
    assert_int_equal(clock_microseconds(clock), START + 10 * SECOND);
    scripted_time_pass(&time, 5 * SECOND + 3);
    assert_int_equal(clock_microseconds(clock), START + 15 * SECOND + 3);
    /* The system's time catches up, and is ahead from then on. */
    time.system = START + 15 * SECOND + 4;
    assert_int_equal(clock_microseconds(clock), START + 15 * SECOND + 4);
    scripted_time_pass(&time, SECOND);
    assert_int_equal(clock_microseconds(clock), START + 16 * SECOND + 4);
    clock_free(clock);
}

static void
given_a_jump_ahead_when_it_is_taken_back_then_the_clock_goes_on_from_there(void **state) {
    (void)state;
    struct scripted_time time = {START, 0};
    struct clock *clock = new_clock(&time);
    time.system += 100 * SECOND;
    assert_int_equal(clock_seconds(clock), 1791018100);
    time.system -= 100 * SECOND;
    scripted_time_pass(&time, 2 * SECOND);
    assert_int_equal(clock_seconds(clock), 1791018102);
    clock_free(clock);
}

static void
given_a_step_back_when_the_clock_is_read_very_often_then_no_fraction_is_lost(void **state) {
    (void)state;
    struct scripted_time time = {START, 0};
    struct clock *clock = new_clock(&time);
    time.system -= INT64_C(1) * HOUR * SECOND;
    for (int i = 1; i <= 200000; i++) {
        scripted_time_pass(&time, i % 3);
        (void)clock_microseconds(clock);
    }
    assert_int_equal(clock_microseconds(clock), START + time.monotonic);
    assert_true(time.monotonic > 100000);
    clock_free(clock);
}

/* A thread that reads its source first and comes to the clock second. */
static void
given_a_source_read_before_anothers_when_it_comes_after_it_then_the_clock_stands(void **state) {
    (void)state;
    struct scripted_time time = {START, 0};
    struct clock *clock = new_clock(&time);
    struct scripted_time early = {START - SECOND, 3 * SECOND};
    struct scripted_time late = {START - SECOND, 5 * SECOND};
    time = late;
    assert_int_equal(clock_microseconds(clock), START + 5 * SECOND);
    time = early;
    assert_int_equal(clock_microseconds(clock), START + 5 * SECOND);
    time = late;
    scripted_time_pass(&time, 1);
    assert_int_equal(clock_microseconds(clock), START + 5 * SECOND + 1);
    clock_free(clock);
}

static void _when_whole_seconds_are_read_then_they_are_rounded_down_also_before_1970(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t microseconds;
        int64_t seconds;
    } rows[] = {
        {"1970", 0, 0},
        {"a microsecond after", 1, 0},
        {"almost a second after", SECOND - 1, 0},
        {"a second after", SECOND, 1},
        {"a microsecond before", -1, -1},
        {"almost a second before", -(SECOND - 1), -1},
        {"a second before", -SECOND, -1},
        {"more than a second before", -SECOND - 1, -2},
        {"1901", INT64_C(-2147483648) * SECOND, -2147483648},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct scripted_time time = {rows[i].microseconds, 0};
        struct clock *clock = new_clock(&time);
        assert_row_number(rows[i].name, clock_seconds(clock), rows[i].seconds);
        clock_free(clock);
    }
}

/* Time that goes up and down between readings, from any thread. */
struct shaky_time {
    atomic_int_fast64_t system;
    atomic_int_fast64_t monotonic;
};

static int64_t shaky_system(void *context) {
    struct shaky_time *time = context;
    int64_t turn = atomic_fetch_add(&time->system, 1);
    return START + (turn % 7 == 0 ? -500 : turn);
}

static int64_t shaky_monotonic(void *context) {
    struct shaky_time *time = context;
    return atomic_fetch_add(&time->monotonic, 1);
}

struct reader {
    struct clock *clock;
    bool ran_back;
};

static void read_often(void *context) {
    struct reader *reader = context;
    int64_t last = clock_microseconds(reader->clock);
    for (int i = 0; i < 2000; i++) {
        int64_t reading = clock_microseconds(reader->clock);
        reader->ran_back |= reading < last;
        last = reading;
    }
}

static void
given_several_threads_when_they_read_a_shaky_time_then_none_sees_it_run_back(void **state) {
    (void)state;
    struct shaky_time time = {0};
    struct clock *clock = NULL;
    struct clock_source source = {shaky_system, shaky_monotonic, &time};
    assert_int_equal(clock_new(source, &clock), STATUS_OK);
    struct reader readers[8];
    for (size_t i = 0; i < LENGTH_OF(readers); i++)
        readers[i] = (struct reader){clock, false};
    run_together(read_often, readers, LENGTH_OF(readers), sizeof readers[0]);
    for (size_t i = 0; i < LENGTH_OF(readers); i++)
        assert_false(readers[i].ran_back);
    clock_free(clock);
}

static void _when_the_systems_clocks_are_read_then_they_are_in_microseconds(void **state) {
    (void)state;
    struct clock_source source = clock_source_system();
    /* Between 2024 and 2100; a mistaken unit is off by a thousand. */
    int64_t now = source.system_time(source.context);
    assert_true(now > INT64_C(1704067200) * SECOND && now < INT64_C(4102444800) * SECOND);
    int64_t before = source.monotonic_time(source.context);
    assert_true(source.monotonic_time(source.context) >= before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_steady_system_time_when_it_is_read_then_the_reading_is_it),
        cmocka_unit_test(
            given_a_system_time_that_jumps_ahead_when_it_is_read_then_the_clock_follows),
        cmocka_unit_test(
            given_a_system_time_that_steps_back_when_time_passes_then_the_clock_moves_on),
        cmocka_unit_test(
            given_a_jump_ahead_when_it_is_taken_back_then_the_clock_goes_on_from_there),
        cmocka_unit_test(
            given_a_step_back_when_the_clock_is_read_very_often_then_no_fraction_is_lost),
        cmocka_unit_test(
            given_a_source_read_before_anothers_when_it_comes_after_it_then_the_clock_stands),
        cmocka_unit_test(_when_whole_seconds_are_read_then_they_are_rounded_down_also_before_1970),
        cmocka_unit_test(
            given_several_threads_when_they_read_a_shaky_time_then_none_sees_it_run_back),
        cmocka_unit_test(_when_the_systems_clocks_are_read_then_they_are_in_microseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
