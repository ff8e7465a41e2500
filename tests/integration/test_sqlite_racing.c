/* One slot, many customers with a state each who answer at the same moment: exactly one is booked
 * (case G1). */
#include "race.h"
#include "sanitizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RACERS = 64, SLOTS = HAS_SANITIZER ? 40 : 1000 };

/* Everybody asks for the slot, each for himself, and then answers. */
static void race_for_slot(struct scene *scene, struct race *race, size_t number) {
    struct client_request requests[RACERS] = {{0}};
    const char *slot = arena_format(&scene->arena, "slot %zu", number);
    const char *arguments =
        arena_format(&scene->arena, "{\"message\":\"a trim\",\"openSlots\":[\"%s\"]}", slot);
    const char *accept =
        arena_format(&scene->arena, "{\"action\":\"accept\",\"content\":{\"time\":\"%s\"}}", slot);
    for (size_t i = 0; i < RACERS; i++)
        requests[i].body = round_one(&scene->arena, arguments);
    const struct client_reply *replies = race_run(race, requests);
    for (size_t i = 0; i < RACERS; i++) {
        const char *state = state_of(&scene->arena, &replies[i]);
        assert_non_null(state);
        requests[i].body = round_two(&scene->arena, arguments, accept, state);
    }
    replies = race_run(race, requests);
    const char *booked = booked_body(&scene->arena, slot);
    size_t booked_count = 0;
    for (size_t i = 0; i < RACERS; i++) {
        const char *body = (const char *)replies[i].body.data;
        bool is_booked = strcmp(body, booked) == 0;
        booked_count += is_booked;
        if (replies[i].status != 200 ||
            (!is_booked && strstr(body, "\"reason\":\"taken\"") == NULL))
            fail_msg("slot %zu, racer %zu got %u %s", number, i, replies[i].status, body);
    }
    if (booked_count != 1)
        fail_msg("slot %zu is booked %zu times", number, booked_count);
}

static void given_a_thousand_slots_when_64_race_for_each_then_each_is_booked_once(void **state) {
    struct scene *scene = *state;
    static const char *const arguments[] = {"--exclusive-slots", NULL};
    struct timespec from, to;
    scene_start(scene, arguments);
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct race *race = race_new(scene, RACERS);
    for (size_t i = 0; i < SLOTS; i++) {
        race_for_slot(scene, race, i);
        arena_done(&scene->arena);
    }
    race_free(race);
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("  %d racers for each of %d slots%s: each was booked once, in %.1f s\n", RACERS, SLOTS,
           HAS_SANITIZER ? " (built with a sanitizer; else 1000)" : "",
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_a_thousand_slots_when_64_race_for_each_then_each_is_booked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
