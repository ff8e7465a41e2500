/* A lost reply: the same round two again, with the Idempotency-Key that the first one had (case
 * G5). Each scenario runs on every ledger. */
#include "checked_exchange.h"

#include <signal.h>
#include <string.h>

static const char key_reused[] = "this Idempotency-Key was used with another answer";
static const char used[] = "requestState was already used";

static const struct client_reply *answer_with(struct scene *scene, const char *headers,
                                              const char *answer_text, const char *issued) {
    return exchange(scene, &(struct client_request){
                               .headers = headers,
                               .body = round_two(&scene->arena, A_BOOKING, answer_text, issued),
                           });
}

static void assert_replayed(const struct client_reply *reply, bool expected) {
    const char *replayed = client_reply_header(reply, "Idempotent-Replayed");
    if ((replayed != NULL) != expected)
        fail_msg("Idempotent-Replayed: %s", replayed == NULL ? "absent" : replayed);
}

/* Runs `story` on a server of each kind. */
static void on_every_ledger(struct scene *scene, void (*story)(struct scene *scene)) {
    static const char *const memory[] = {"--ledger", "memory", NULL};
    scene_start(scene, memory);
    story(scene);
    scene_start(scene, NULL);
    story(scene);
}

static void lose_a_reply(struct scene *scene) {
    static const char key[] = "Idempotency-Key: \"visit-1\"\r\n";
    const char *issued = ask(scene);
    const struct client_reply *first = answer_with(scene, key, ACCEPT_TIME("sat-10:30"), issued);
    assert_reply(first, 200, booked_body(&scene->arena, "sat-10:30"));
    assert_replayed(first, false);
    for (int i = 0; i < 2; i++) {
        const struct client_reply *again =
            answer_with(scene, key, ACCEPT_TIME("sat-10:30"), issued);
        assert_reply(again, 200, booked_body(&scene->arena, "sat-10:30"));
        assert_replayed(again, true);
    }
    static const char *const others[] = {ACCEPT_TIME("sat-11:30"), ACCEPT_TIME("sat-9"), DECLINE,
                                         CANCEL, "7"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_refused(scene, answer_with(scene, key, others[i], issued), 422, key_reused);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), issued), 400, used);
    assert_refused(
        scene, answer_with(scene, "Idempotency-Key: visit-2\r\n", ACCEPT_TIME("sat-10:30"), issued),
        400, used);
}

static void given_a_lost_reply_when_the_same_comes_again_then_it_is_the_same_bytes(void **state) {
    on_every_ledger(*state, lose_a_reply);
}

static void decline_with_a_key(struct scene *scene) {
    const char *issued = ask(scene);
    static const char key[] = "idempotency-key: a\r\n";
    assert_reply(answer_with(scene, key, DECLINE, issued), 200, NOT_CHOSEN_BODY);
    const struct client_reply *again = answer_with(scene, key, DECLINE, issued);
    assert_reply(again, 200, NOT_CHOSEN_BODY);
    assert_replayed(again, true);
    assert_refused(scene, answer_with(scene, key, CANCEL, issued), 422, key_reused);
}

static void given_a_decline_when_it_comes_again_then_its_reply_does_too(void **state) {
    on_every_ledger(*state, decline_with_a_key);
}

static void slip_with_a_key(struct scene *scene) {
    const char *issued = ask(scene);
    static const char key[] = "Idempotency-Key: slip\r\n";
    assert_refused(scene, answer_with(scene, key, ACCEPT_TIME("sat-9"), issued), 400,
                   "sat-9 was never offered");
    assert_reply(answer_with(scene, key, ACCEPT_TIME("sat-11:30"), issued), 200,
                 booked_body(&scene->arena, "sat-11:30"));
}

static void given_a_refused_answer_when_corrected_under_its_key_then_it_completes(void **state) {
    on_every_ledger(*state, slip_with_a_key);
}

static void come_late_with_a_key(struct scene *scene) {
    const char *issued = ask(scene);
    assert_reply(answer(scene, DECLINE, issued), 200, NOT_CHOSEN_BODY);
    assert_refused(scene, answer_with(scene, "Idempotency-Key: late\r\n", DECLINE, issued), 400,
                   used);
}

static void given_a_state_used_without_a_key_when_one_comes_then_it_is_used(void **state) {
    on_every_ledger(*state, come_late_with_a_key);
}

static void share_a_key(struct scene *scene) {
    const char *first = ask(scene);
    const char *second = ask(scene);
    static const char key[] = "Idempotency-Key: shared\r\n";
    assert_reply(answer_with(scene, key, ACCEPT_TIME("sat-10:30"), first), 200,
                 booked_body(&scene->arena, "sat-10:30"));
    assert_reply(answer_with(scene, key, ACCEPT_TIME("sat-11:30"), second), 200,
                 booked_body(&scene->arena, "sat-11:30"));
}

static void given_one_key_for_two_states_when_both_come_then_both_complete(void **state) {
    on_every_ledger(*state, share_a_key);
}

static void _when_a_key_is_no_key_then_it_is_unreadable(void **state) {
    struct scene *scene = *state;
    char *longest = arena_take(&scene->arena, 256);
    memset(longest, 'k', 255);
    const char *const bad[] = {
        "Idempotency-Key: \r\n",
        "Idempotency-Key: \"\"\r\n",
        "Idempotency-Key: \"\r\n",
        "Idempotency-Key: \"open\r\n",
        "Idempotency-Key: shut\"\r\n",
        "Idempotency-Key: a\"b\r\n",
        "Idempotency-Key: \"a\"b\"\r\n",
        "Idempotency-Key: \"a\\\"\r\n",
        "Idempotency-Key: \"a\\b\"\r\n",
        "Idempotency-Key: caf\xC3\xA9\r\n",
        "Idempotency-Key: a\x7F\r\n",
        "Idempotency-Key: a\tb\r\n",
        "Idempotency-Key: one\r\nIdempotency-Key: one\r\n",
        "Idempotency-Key: one\r\nidempotency-key: two\r\n",
        arena_format(&scene->arena, "Idempotency-Key: %sk\r\n", longest),
        arena_format(&scene->arena, "Idempotency-Key: \"%sk\"\r\n", longest),
    };
    const char *issued = ask(scene);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused(scene, answer_with(scene, bad[i], ACCEPT_TIME("sat-10:30"), issued), 400,
                       "Idempotency-Key is not readable");
    const char *good = arena_format(&scene->arena, "Idempotency-Key: \t \"%s\"  \r\n", longest);
    assert_reply(answer_with(scene, good, ACCEPT_TIME("sat-10:30"), issued), 200,
                 booked_body(&scene->arena, "sat-10:30"));
    const char *bare = arena_format(&scene->arena, "Idempotency-Key:%s\r\n", longest);
    assert_replayed(answer_with(scene, bare, ACCEPT_TIME("sat-10:30"), issued), true);
}

/* The log and the metrics call it the same, and don't count the booking twice. */
static void given_a_lost_reply_when_it_comes_again_then_it_is_counted_as_replayed(void **state) {
    struct scene *scene = *state;
    static const char key[] = "Idempotency-Key: counted\r\n";
    scene_start(scene, (const char *[]){"--admin", "127.0.0.1:0", NULL});
    struct server_address admin = scene_read_admin(scene);
    const char *issued = ask(scene);
    for (int i = 0; i < 3; i++)
        assert_reply(answer_with(scene, key, ACCEPT_TIME("sat-10:30"), issued), 200,
                     booked_body(&scene->arena, "sat-10:30"));
    static const char *const lines[] = {
        "\ntandem_outcomes_total{round=\"2\",outcome=\"booked\"} 1\n",
        "\ntandem_outcomes_total{round=\"2\",outcome=\"replayed\"} 2\n",
    };
    get_metrics(scene, &admin, lines, sizeof lines / sizeof lines[0]);
    server_signal(&scene->server, SIGTERM);
    const char *log = server_wait(&scene->server, &scene->arena).error;
    assert_non_null(strstr(log, "outcome=replayed"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(
            given_a_lost_reply_when_the_same_comes_again_then_it_is_the_same_bytes),
        SCENARIO_WITHOUT_SERVER(given_a_decline_when_it_comes_again_then_its_reply_does_too),
        SCENARIO_WITHOUT_SERVER(
            given_a_refused_answer_when_corrected_under_its_key_then_it_completes),
        SCENARIO_WITHOUT_SERVER(given_a_state_used_without_a_key_when_one_comes_then_it_is_used),
        SCENARIO_WITHOUT_SERVER(given_one_key_for_two_states_when_both_come_then_both_complete),
        SCENARIO_WITHOUT_SERVER(
            given_a_lost_reply_when_it_comes_again_then_it_is_counted_as_replayed),
        SCENARIO(_when_a_key_is_no_key_then_it_is_unreadable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
