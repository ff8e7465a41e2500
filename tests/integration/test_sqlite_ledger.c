/* The server on a ledger in a file, which is its default (cases A2, A8, G1, G2, G4, G5, G10). */
#include "checked_exchange.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char used[] = "requestState was already used";

#define MOMENT "2026-10-03T10:30"
#define OTHER_MOMENT "2026-10-03T11:30"
#define MOMENTS "{\"message\":\"a trim\",\"openSlots\":[\"" MOMENT "\",\"" OTHER_MOMENT "\"]}"
#define ONE_MOMENT "{\"message\":\"a trim\",\"openSlots\":[\"" MOMENT "\"]}"

static const char taken_body[] =
    "{\"resultType\":\"complete\",\"structuredContent\":{\"reason\":\"taken\",\"say\":\"" MOMENT
    " was taken meanwhile. Pick another time?\",\"status\":\"not_booked\"}}";

static void start_exclusive(struct scene *scene) {
    static const char *const arguments[] = {"--exclusive-slots", NULL};
    scene_start(scene, arguments);
}

static const char *ask_moments(struct scene *scene) {
    return ask_for(scene, "elm-street", MOMENTS);
}

static const struct client_reply *take_moment(struct scene *scene, const char *issued) {
    return book(scene, round_two(&scene->arena, MOMENTS, ACCEPT_TIME(MOMENT), issued));
}

static const struct client_reply *answer_with(struct scene *scene, const char *headers,
                                              const char *answer_text, const char *issued) {
    return exchange(scene, &(struct client_request){
                               .headers = headers,
                               .body = round_two(&scene->arena, A_BOOKING, answer_text, issued),
                           });
}

/* What a command prints; fails the test unless it ends well. */
static const char *output_of(struct scene *scene, const char *const *arguments) {
    struct ended ended = scene_run(scene, arguments, NULL);
    if (ended.exit_code != 0)
        fail_msg("%s: %d %s", arguments[1], ended.exit_code, ended.error);
    return (const char *)ended.out.data;
}

static void assert_holds(const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in: %s", part, text);
}

/* Ends the server in good order, and starts it again. */
static void restart_in_order(struct scene *scene) {
    server_signal(&scene->server, SIGTERM);
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 0);
    scene_start(scene, NULL);
}

/* Cases A2 and A8: any instance with the key and the ledger takes round two. */
static void given_a_state_when_the_server_was_restarted_then_it_completes_once(void **state) {
    struct scene *scene = *state;
    const char *before_end = ask(scene);
    const char *spent = ask(scene);
    assert_reply(answer(scene, ACCEPT_TIME("sat-11:30"), spent), 200,
                 booked_body(&scene->arena, "sat-11:30"));
    restart_in_order(scene);
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), before_end), 200,
                 booked_body(&scene->arena, "sat-10:30"));
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-11:30"), spent), 400, used);
    const char *before_kill = ask(scene);
    scene_start(scene, NULL); /* which kills the one that ran */
    assert_reply(answer(scene, DECLINE, before_kill), 200, NOT_CHOSEN_BODY);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), before_end), 400, used);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), before_kill), 400, used);
}

static void given_a_running_server_when_a_second_starts_on_its_file_then_it_refuses(void **state) {
    struct scene *scene = *state;
    static const char *const arguments[] = {
        "serve", "--listen", "127.0.0.1:0", "--signing-key-file", KEY_FILE, NULL};
    const char *issued = ask(scene);
    struct ended second = scene_run(scene, arguments, NULL);
    assert_int_equal(second.exit_code, 1);
    assert_int_equal(second.out.size, 0);
    assert_holds(second.error, "tandem.db is in use by another server");
    assert_reply(answer(scene, DECLINE, issued), 200, NOT_CHOSEN_BODY);
}

static void given_a_state_directory_when_it_starts_then_the_ledger_is_there(void **state) {
    struct scene *scene = *state;
    char *folder = arena_format(&scene->arena, "%s/state", scene->directory);
    char *file = arena_format(&scene->arena, "%s/tandem.db", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    const char *const environment[] = {
        arena_format(&scene->arena, "STATE_DIRECTORY=:%s:/nowhere", folder), NULL};
    static const char *const arguments[] = {"--signing-key-file", KEY_FILE, NULL};
    const struct server_options options = {
        .arguments = arguments, .environment = environment, .directory = scene->directory};
    server_start(&scene->server, &options, &scene->arena);
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), ask(scene)), 200,
                 booked_body(&scene->arena, "sat-10:30"));
    struct stat facts;
    assert_int_equal(stat(file, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    static const char *const list[] = {"bookings", "list", "--format", "csv", NULL};
    struct ended ended = scene_run(scene, list, environment);
    assert_holds((const char *)ended.out.data, "sat-10:30");
    server_done(&scene->server);
    unlink(file);
    unlink(arena_format(&scene->arena, "%s-wal", file));
    unlink(arena_format(&scene->arena, "%s-shm", file));
}

static void given_no_good_place_when_it_starts_by_default_then_it_names_the_option(void **state) {
    struct scene *scene = *state;
    static const char *const environment[] = {"STATE_DIRECTORY=/nowhere/at/all", NULL};
    static const char *const arguments[] = {
        "serve", "--listen", "127.0.0.1:0", "--signing-key-file", KEY_FILE, NULL};
    struct ended ended = scene_run(scene, arguments, environment);
    assert_int_equal(ended.exit_code, 1);
    assert_holds(ended.error, "the folder /nowhere/at/all of tandem.db: No such file");
    assert_holds(ended.error, "(this is the default ledger; --ledger names another)");
}

/* As with key files, the group counts as others. */
static void given_a_ledger_that_others_can_reach_when_it_starts_then_it_warns(void **state) {
    struct scene *scene = *state;
    static const struct {
        mode_t mode;
        const char *says; /* NULL: nothing */
    } rows[] = {
        {0600, NULL},
        {0400 | S_IWUSR | S_IXGRP, NULL},
        {0640, "tandem.db can be read by others: chmod 600 it"},
        {0604, "tandem.db can be read by others: chmod 600 it"},
        {0660, "tandem.db can be written by others: chmod 600 it"},
        {0602, "tandem.db can be written by others: chmod 600 it"},
    };
    const char *file = arena_format(&scene->arena, "%s/tandem.db", scene->directory);
    scene_start(scene, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(chmod(file, rows[i].mode), 0);
        scene_start(scene, NULL);
        assert_reply(answer(scene, DECLINE, ask(scene)), 200, NOT_CHOSEN_BODY);
        const char *error = running_error(&scene->server.program, &scene->arena);
        if (rows[i].says != NULL) {
            assert_holds(error, "tandem serve: warning: the ledger ");
            assert_holds(error, rows[i].says);
        } else if (strstr(error, "warning") != NULL) {
            fail_msg("mode %o: %s", rows[i].mode, error);
        }
    }
}

/* Case G1. */
static void given_exclusive_slots_when_two_answer_then_one_is_booked_and_one_told(void **state) {
    struct scene *scene = *state;
    start_exclusive(scene);
    const char *first = ask_moments(scene);
    const char *second = ask_moments(scene);
    assert_reply(take_moment(scene, first), 200, booked_body(&scene->arena, MOMENT));
    assert_reply(take_moment(scene, second), 200, taken_body);
    assert_refused(scene, take_moment(scene, second), 400, used);
    const struct client_reply *third = book(scene, round_one(&scene->arena, MOMENTS));
    assert_null(strstr((const char *)third->body.data, "\"enum\":[\"" MOMENT));
    assert_holds((const char *)third->body.data, "\"enum\":[\"" OTHER_MOMENT "\"]");
    /* The state covers the list as the app sent it. */
    assert_reply(book(scene, round_two(&scene->arena, MOMENTS, ACCEPT_TIME(OTHER_MOMENT),
                                       state_of(&scene->arena, third))),
                 200, booked_body(&scene->arena, OTHER_MOMENT));
    assert_reply(book(scene, round_one(&scene->arena, MOMENTS)), 200, NOTHING_OPEN_BODY);
    assert_non_null(
        state_of(&scene->arena, book_at(scene, "oak-street", round_one(&scene->arena, MOMENTS))));
}

static void given_no_exclusive_slots_when_two_answer_then_both_are_booked(void **state) {
    struct scene *scene = *state;
    const char *first = ask_moments(scene);
    const char *second = ask_moments(scene);
    assert_reply(take_moment(scene, first), 200, booked_body(&scene->arena, MOMENT));
    assert_reply(take_moment(scene, second), 200, booked_body(&scene->arena, MOMENT));
}

static void given_a_taken_slot_when_its_reply_is_lost_then_it_comes_again(void **state) {
    struct scene *scene = *state;
    start_exclusive(scene);
    static const char key[] = "Idempotency-Key: lost\r\n";
    const char *first = ask_moments(scene);
    struct client_request late = {
        .headers = key,
        .body = round_two(&scene->arena, MOMENTS, ACCEPT_TIME(MOMENT), ask_moments(scene))};
    assert_reply(take_moment(scene, first), 200, booked_body(&scene->arena, MOMENT));
    assert_reply(exchange(scene, &late), 200, taken_body);
    const struct client_reply *again = exchange(scene, &late);
    assert_reply(again, 200, taken_body);
    assert_string_equal(client_reply_header(again, "Idempotent-Replayed"), "true");
}

/* Cases G2 and G4. */
static void given_a_booking_when_the_salon_cancels_then_its_slot_is_free_again(void **state) {
    struct scene *scene = *state;
    static const char *const list[] = {"bookings", "list", "--format", "csv", NULL};
    static const char *const cancel[] = {"bookings", "cancel", "1", NULL};
    start_exclusive(scene);
    const char *first = ask_for(scene, "elm-street", ONE_MOMENT);
    struct bytes body = round_two(&scene->arena, ONE_MOMENT, ACCEPT_TIME(MOMENT), first);
    assert_reply(book(scene, body), 200, booked_body(&scene->arena, MOMENT));
    assert_reply(book(scene, round_one(&scene->arena, ONE_MOMENT)), 200, NOTHING_OPEN_BODY);
    assert_string_equal(output_of(scene, cancel), "booking 1 is cancelled\n");
    assert_string_equal(output_of(scene, cancel), "booking 1 was cancelled before\n");
    assert_refused(scene, book(scene, body), 400, used);
    assert_holds(output_of(scene, list), "1,\"elm-street\",\"" MOMENT "\",cancelled,");
    const char *second = ask_for(scene, "elm-street", ONE_MOMENT);
    assert_reply(book(scene, round_two(&scene->arena, ONE_MOMENT, ACCEPT_TIME(MOMENT), second)),
                 200, booked_body(&scene->arena, MOMENT));
    assert_holds(output_of(scene, list), "2,\"elm-street\",\"" MOMENT "\",booked,");
}

/* Case G5, across a restart and past the state's end. */
static void given_a_lost_reply_when_the_state_is_past_then_its_key_gets_it_still(void **state) {
    struct scene *scene = *state;
    static const char *const short_lived[] = {"--valid-for", "1", NULL};
    static const char key[] = "Idempotency-Key: kept\r\n";
    scene_start(scene, short_lived);
    const char *issued = ask(scene);
    const char *unused = ask(scene);
    const struct client_reply *first = answer_with(scene, key, ACCEPT_TIME("sat-10:30"), issued);
    assert_reply(first, 200, booked_body(&scene->arena, "sat-10:30"));
    scene_start(scene, short_lived);
    struct deadline deadline = deadline_in(PATIENCE);
    const char *reason = "";
    while (strcmp(reason, "requestState has expired") != 0 && deadline_left(deadline) > 0) {
        reason = reason_of(&scene->arena, answer(scene, "7", unused));
        assert_non_null(reason);
    }
    const struct client_reply *again = answer_with(scene, key, ACCEPT_TIME("sat-10:30"), issued);
    assert_reply(again, 200, booked_body(&scene->arena, "sat-10:30"));
    assert_string_equal(client_reply_header(again, "Idempotent-Replayed"), "true");
    assert_refused(scene, answer_with(scene, key, DECLINE, issued), 422,
                   "this Idempotency-Key was used with another answer");
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), issued), 400,
                   "requestState has expired");
    assert_refused(scene, answer_with(scene, key, ACCEPT_TIME("sat-10:30"), unused), 400,
                   "requestState has expired");
}

static void given_the_replay_window_is_over_when_its_key_comes_then_it_is_used(void **state) {
    struct scene *scene = *state;
    static const char *const short_window[] = {"--replay-window", "1", NULL};
    static const char key[] = "Idempotency-Key: over\r\n";
    scene_start(scene, short_window);
    const char *issued = ask(scene);
    assert_reply(answer_with(scene, key, DECLINE, issued), 200, NOT_CHOSEN_BODY);
    struct deadline deadline = deadline_in(PATIENCE);
    const struct client_reply *reply = answer_with(scene, key, DECLINE, issued);
    while (reply->status == 200 && deadline_left(deadline) > 0)
        reply = answer_with(scene, key, DECLINE, issued);
    assert_refused(scene, reply, 400, used);
}

static void run_sql(struct scene *scene, const char *sql) {
    sqlite3 *database = NULL;
    const char *file = arena_format(&scene->arena, "%s/tandem.db", scene->directory);
    assert_int_equal(sqlite3_open_v2(file, &database, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(database));
    sqlite3_close(database);
}

static const char *start_that_fails(struct scene *scene) {
    static const char *const arguments[] = {
        "serve", "--listen", "127.0.0.1:0", "--signing-key-file", KEY_FILE, NULL};
    struct ended ended = scene_run(scene, arguments, NULL);
    if (ended.exit_code != 1 || ended.out.size > 0)
        fail_msg("it started: %d %s%s", ended.exit_code, (const char *)ended.out.data, ended.error);
    return ended.error;
}

static void stop(struct scene *scene) {
    server_signal(&scene->server, SIGTERM);
    assert_int_equal(server_wait(&scene->server, &scene->arena).exit_code, 0);
    server_done(&scene->server);
}

static void given_a_newer_ledger_when_the_server_starts_then_it_refuses(void **state) {
    struct scene *scene = *state;
    stop(scene);
    run_sql(scene, "PRAGMA user_version = 1000");
    assert_holds(start_that_fails(scene), "of a newer tandem (schema 1000;");
}

/* Case G10. */
static void
given_a_damaged_ledger_when_the_server_starts_then_it_says_how_to_restore(void **state) {
    struct scene *scene = *state;
    for (int i = 0; i < 30; i++)
        assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), ask(scene)), 200,
                     booked_body(&scene->arena, "sat-10:30"));
    stop(scene);
    const char *path = arena_format(&scene->arena, "%s/tandem.db", scene->directory);
    static const char *const backup[] = {"bookings", "backup", "good.db", NULL};
    output_of(scene, backup);
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    int file = open(path, O_RDWR);
    static const char junk[600] = "junk";
    assert_int_equal(pwrite(file, junk, sizeof junk, facts.st_size / 2), sizeof junk);
    const char *error = start_that_fails(scene);
    assert_holds(error, path);
    assert_holds(error, "damaged");
    assert_holds(error, "tandem bookings backup");
    assert_int_equal(ftruncate(file, facts.st_size / 2), 0);
    close(file);
    assert_holds(start_that_fails(scene), "damaged");
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(rename(arena_format(&scene->arena, "%s/good.db", scene->directory), path), 0);
    scene_start(scene, NULL);
    static const char *const list[] = {"bookings", "list", "--format", "csv", NULL};
    assert_holds(output_of(scene, list), "\r\n30,\"elm-street\"");
}

static void _when_the_options_do_not_fit_then_it_says_so(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *arguments[7];
        int exit_code;
        const char *says;
    } rows[] = {
        {{"serve", "--ledger", "memory", "--exclusive-slots"}, 2, "--exclusive-slots needs"},
        {{"serve", "--ledger", "postgres:x"}, 2, "is not a ledger; there is: memory, sqlite:FILE"},
        {{"serve", "--ledger", "sqlite:"}, 2, "is not a ledger"},
        {{"serve", "--replay-window", "0"}, 2, "from 1 to 31536000"},
        {{"serve", "--ledger", "sqlite:no/such/folder/x.db", "--listen", "127.0.0.1:0"},
         1,
         "the folder no/such/folder of x.db: No such file"},
        {{"bookings"}, 2, "say what to do"},
        {{"bookings", "sell"}, 2, "say what to do"},
        {{"bookings", "cancel"}, 2, "cancel takes one ID"},
        {{"bookings", "cancel", "x"}, 2, "is not a booking's id"},
        {{"bookings", "cancel", "0"}, 2, "is not a booking's id"},
        {{"bookings", "cancel", "99"}, 1, "there is no booking 99"},
        {{"bookings", "forget"}, 2, "--before 2026-10-03"},
        {{"bookings", "forget", "--before", "2026-02-30"}, 2, "is not a day"},
        {{"bookings", "forget", "x", "--before", "2026-02-03"}, 2, "forget takes no operand"},
        {{"bookings", "list", "--from", "yesterday"}, 2, "is not a day"},
        {{"bookings", "list", "--to", "2026-1-1"}, 2, "is not a day"},
        {{"bookings", "list", "--from", "2026-10-04", "--to", "2026-10-03"},
         2,
         "--from 2026-10-04 is after --to 2026-10-03"},
        {{"bookings", "list", "--status", "held"}, 2, "neither booked nor cancelled"},
        {{"bookings", "list", "--format", "xml"}, 2, "none of table, json, csv"},
        {{"bookings", "list", "--before", "2026-10-03"}, 2, "list doesn't take --before"},
        {{"bookings", "backup", KEY_FILE}, 1, "is there already"},
        {{"bookings", "backup", "no/such/copy.db"},
         1,
         "the folder no/such of copy.db: No such file"},
        {{"bookings", "list", "--ledger", "sqlite:none.db"}, 1, "No such file"},
        {{"bookings", "list", "--ledger", "sqlite:none.db", "--from", "x"}, 2, "is not a day"},
        {{"bookings", "cancel", "x", "--ledger", "sqlite:none.db"}, 2, "is not a booking's id"},
        {{"bookings", "list", "--ledger", "memory"}, 1, "keeps no bookings"},
        {{"bookings", "list", "--ledger", "sqlite:" KEY_FILE}, 1, "is no ledger"},
    };
    scene_start(scene, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ended ended = scene_run(scene, rows[i].arguments, NULL);
        if (ended.exit_code != rows[i].exit_code || strstr(ended.error, rows[i].says) == NULL)
            fail_msg("row %zu (%s): %d %s", i, rows[i].says, ended.exit_code, ended.error);
    }
}

static void book_words(struct scene *scene, const char *salon, const char *words_json) {
    const char *arguments =
        arena_format(&scene->arena, "{\"message\":%s,\"openSlots\":[\"=1+1\"]}", words_json);
    const char *issued = ask_for(scene, salon, arguments);
    assert_reply(
        book_at(scene, salon, round_two(&scene->arena, arguments, ACCEPT_TIME("=1+1"), issued)),
        200, booked_body(&scene->arena, "=1+1"));
}

static void given_words_that_could_do_harm_when_listed_then_they_are_only_read(void **state) {
    struct scene *scene = *state;
    book_words(scene, "elm-street",
               "\"\\u001b[2J\\u0007 \\\"quoted\\\",\\n\xE2\x80\xAE back\\\\\"");
    book_words(scene, "oak-street", "\" @SUM(A1)\"");
    book_words(scene, "oak-street", "\"\xEF\xBB\xBF\xC2\xA0=1+1\"");
    static const char *const table[] = {"bookings", "list", "elm-street", NULL};
    const char *text = output_of(scene, table);
    assert_holds(text, "\\u001b[2J\\u0007 \"quoted\",\\n\\u202e back\\\n");
    assert_null(strchr(text, '\x1b'));
    assert_null(strstr(text, "oak-street"));
    static const char *const csv[] = {"bookings", "list", "--format", "csv", NULL};
    text = output_of(scene, csv);
    assert_int_equal(strncmp(text, "id,salon,slot,status,words,completedAt\r\n", 40), 0);
    assert_holds(text,
                 "1,\"elm-street\",\"'=1+1\",booked,\"\x1b[2J\x07 \"\"quoted\"\",\n\xE2\x80\xAE "
                 "back\\\",");
    assert_holds(text, "2,\"oak-street\",\"'=1+1\",booked,\"' @SUM(A1)\",");
    assert_holds(text, "3,\"oak-street\",\"'=1+1\",booked,\"'\xEF\xBB\xBF\xC2\xA0=1+1\",");
    static const char *const json[] = {"bookings", "list",   "--format", "json",
                                       "--status", "booked", NULL};
    json_t *root = json_loads(output_of(scene, json), JSON_REJECT_DUPLICATES, NULL);
    assert_int_equal(json_array_size(root), 3);
    json_t *first = json_array_get(root, 0);
    assert_int_equal(json_object_size(first), 6);
    assert_int_equal(json_integer_value(json_object_get(first, "id")), 1);
    assert_string_equal(json_string_value(json_object_get(first, "salon")), "elm-street");
    assert_string_equal(json_string_value(json_object_get(first, "slot")), "=1+1");
    assert_string_equal(json_string_value(json_object_get(first, "status")), "booked");
    assert_string_equal(json_string_value(json_object_get(first, "words")),
                        "\x1b[2J\x07 \"quoted\",\n\xE2\x80\xAE back\\");
    assert_int_equal(strlen(json_string_value(json_object_get(first, "completedAt"))), 20);
    json_decref(root);
}

static void given_bookings_when_days_are_named_then_they_bound_the_list(void **state) {
    struct scene *scene = *state;
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), ask(scene)), 200,
                 booked_body(&scene->arena, "sat-10:30"));
    static const struct {
        const char *arguments[9];
        bool finds;
    } rows[] = {
        {{"bookings", "list", "--format", "csv", "--from", "2000-01-01"}, true},
        {{"bookings", "list", "--format", "csv", "--from", "9999-12-31"}, false},
        {{"bookings", "list", "--format", "csv", "--to", "9999-12-31"}, true},
        {{"bookings", "list", "--format", "csv", "--to", "2000-01-01"}, false},
        {{"bookings", "list", "--format", "csv", "--from", "2000-01-01", "--to", "2000-01-01"},
         false},
        {{"bookings", "list", "--format", "csv", "--status", "cancelled"}, false},
        {{"bookings", "list", "oak-street", "--format", "csv"}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool finds = strstr(output_of(scene, rows[i].arguments), "sat-10:30") != NULL;
        if (finds != rows[i].finds)
            fail_msg("row %zu", i);
    }
    static const char *const json[] = {"bookings", "list",      "--format", "json",
                                       "--status", "cancelled", NULL};
    assert_string_equal(output_of(scene, json), "[]\n");
    static const char *const forget[] = {"bookings", "forget", "--before", "9999-12-31", NULL};
    assert_string_equal(output_of(scene, forget), "forgot the words of 1 booking\n");
    assert_string_equal(output_of(scene, forget), "forgot the words of 0 bookings\n");
    static const char *const table[] = {"bookings", "list", NULL};
    assert_holds(output_of(scene, table), "(forgotten)");
}

static void given_a_running_server_when_backed_up_then_the_copy_serves_too(void **state) {
    struct scene *scene = *state;
    const char *issued = ask(scene);
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), issued), 200,
                 booked_body(&scene->arena, "sat-10:30"));
    static const char *const backup[] = {"bookings", "backup", "copy.db", NULL};
    struct ended ended = scene_run(scene, backup, NULL);
    assert_int_equal(ended.exit_code, 0);
    assert_holds(ended.error, "100 %: ");
    static const char *const on_copy[] = {"--ledger", "sqlite:copy.db", NULL};
    scene_start(scene, on_copy);
    assert_refused(scene, answer(scene, ACCEPT_TIME("sat-10:30"), issued), 400, used);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_a_state_when_the_server_was_restarted_then_it_completes_once),
        SCENARIO(given_a_running_server_when_a_second_starts_on_its_file_then_it_refuses),
        SCENARIO_WITHOUT_SERVER(given_a_state_directory_when_it_starts_then_the_ledger_is_there),
        SCENARIO_WITHOUT_SERVER(
            given_no_good_place_when_it_starts_by_default_then_it_names_the_option),
        SCENARIO_WITHOUT_SERVER(given_a_ledger_that_others_can_reach_when_it_starts_then_it_warns),
        SCENARIO_WITHOUT_SERVER(
            given_exclusive_slots_when_two_answer_then_one_is_booked_and_one_told),
        SCENARIO(given_no_exclusive_slots_when_two_answer_then_both_are_booked),
        SCENARIO_WITHOUT_SERVER(given_a_taken_slot_when_its_reply_is_lost_then_it_comes_again),
        SCENARIO_WITHOUT_SERVER(given_a_booking_when_the_salon_cancels_then_its_slot_is_free_again),
        SCENARIO_WITHOUT_SERVER(
            given_a_lost_reply_when_the_state_is_past_then_its_key_gets_it_still),
        SCENARIO_WITHOUT_SERVER(given_the_replay_window_is_over_when_its_key_comes_then_it_is_used),
        SCENARIO(given_a_newer_ledger_when_the_server_starts_then_it_refuses),
        SCENARIO(given_a_damaged_ledger_when_the_server_starts_then_it_says_how_to_restore),
        SCENARIO_WITHOUT_SERVER(_when_the_options_do_not_fit_then_it_says_so),
        SCENARIO(given_words_that_could_do_harm_when_listed_then_they_are_only_read),
        SCENARIO(given_bookings_when_days_are_named_then_they_bound_the_list),
        SCENARIO(given_a_running_server_when_backed_up_then_the_copy_serves_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
