/* One state, many requests at the same moment: exactly one completes (protocol.md, section 3,
 * Spend; case B4). */
#include "race.h"
#include "sanitizer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { RACERS_MOST = 64, STATES = HAS_SANITIZER ? 60 : 1000, PAIRS = HAS_SANITIZER ? 60 : 500 };

/* How the racers of one state fared. */
struct tally {
    size_t booked;
    size_t used;
};

static struct tally count_replies(struct scene *scene, const struct client_reply *replies,
                                  size_t count) {
    struct tally tally = {0};
    const char *first = booked_body(&scene->arena, "sat-10:30");
    const char *second = booked_body(&scene->arena, "sat-11:30");
    for (size_t i = 0; i < count; i++) {
        const char *body = (const char *)replies[i].body.data;
        if (replies[i].status == 200 && (strcmp(body, first) == 0 || strcmp(body, second) == 0))
            tally.booked++;
        else if (replies[i].status == 400 && strcmp(body, "\"requestState was already used\"") == 0)
            tally.used++;
        else
            fail_msg("racer %zu got %u %s", i, replies[i].status, body);
    }
    return tally;
}

/* A fresh state, answered by all at once: by half of them with each time. */
static struct tally race_for_one_state(struct scene *scene, struct race *race, size_t count) {
    struct client_request requests[RACERS_MOST] = {{0}};
    const char *issued = ask(scene);
    struct bytes bodies[] = {
        round_two(&scene->arena, A_BOOKING, ACCEPT_TIME("sat-10:30"), issued),
        round_two(&scene->arena, A_BOOKING, ACCEPT_TIME("sat-11:30"), issued),
    };
    for (size_t i = 0; i < count; i++)
        requests[i].body = bodies[i % 2];
    return count_replies(scene, race_run(race, requests), count);
}

/* Races for many states, one after the other. */
static void race_for_states(struct scene *scene, size_t racers, size_t states) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct race *race = race_new(scene, racers);
    struct tally all = {0};
    for (size_t i = 0; i < states; i++) {
        struct tally tally = race_for_one_state(scene, race, racers);
        if (tally.booked != 1)
            fail_msg("state %zu completed %zu times", i, tally.booked);
        all.booked += tally.booked;
        all.used += tally.used;
        arena_done(&scene->arena);
    }
    race_free(race);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("  %zu racers for each of %zu states: %zu completed, %zu already used, in %.1f s\n",
           racers, states, all.booked, all.used,
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
    assert_int_equal(all.booked, states);
    assert_int_equal(all.used, states * (racers - 1));
}

static void given_one_state_when_two_requests_race_then_exactly_one_completes(void **state) {
    race_for_states(*state, 2, PAIRS);
}

/* Case B4. */
static void given_one_state_when_fifty_race_for_two_times_then_exactly_one_completes(void **state) {
    race_for_states(*state, 50, 1);
}

static void given_a_thousand_states_when_64_race_for_each_then_each_completes_once(void **state) {
    if (HAS_SANITIZER)
        printf("  built with a sanitizer: %d states instead of 1000\n", STATES);
    race_for_states(*state, RACERS_MOST, STATES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_one_state_when_two_requests_race_then_exactly_one_completes),
        SCENARIO(given_one_state_when_fifty_race_for_two_times_then_exactly_one_completes),
        SCENARIO(given_a_thousand_states_when_64_race_for_each_then_each_completes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
