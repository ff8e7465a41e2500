/* What a server is started with: key files (case E3), options, variables, defaults, and what is
 * said of values that make no sense. */
#include "checked_exchange.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_says(const char *what, const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        fail_msg("%s: \"%s\" is not in:\n%s", what, part, text);
}

struct key_row {
    const char *file;
    const char *text; /* NULL: not written */
    unsigned mode;
    const char *says;
};

static void assert_key_refused(struct scene *scene, const struct key_row *row,
                               const char *const *arguments) {
    struct ended ended = scene_run(scene, arguments, NULL);
    if (ended.exit_code != 1 || ended.out.size > 0)
        fail_msg("%s: exit code %d, %s", row->file, ended.exit_code, (const char *)ended.out.data);
    assert_says(row->file, ended.error, row->file);
    assert_says(row->file, ended.error, row->says);
}

/* Case E3. */
static void given_a_bad_key_file_when_started_then_the_error_names_it(void **state) {
    struct scene *scene = *state;
#define KEY_31 "0123456789012345678901234567890"
    static const struct key_row rows[] = {
        {"empty.key", "", 0600, "has 0 bytes, and needs 32"},
        {"newline.key", "\n", 0600, "has 0 bytes, and needs 32"},
        {"short.key", KEY_31, 0600, "has 31 bytes, and needs 32"},
        {"short-line.key", KEY_31 "\n", 0600, "has 31 bytes, and needs 32"},
        {"missing.key", NULL, 0, "can't be read"},
        {"directory.key", NULL, 0, "is not a regular file"},
        {"group-writes.key", KEY_31 "1", 0620, "can be written by others"},
        {"others-write.key", KEY_31 "1", 0602, "can be written by others"},
        {"all-write.key", KEY_31 "1", 0666, "can be written by others"},
    };
    mkdir(arena_format(&scene->arena, "%s/directory.key", scene->directory), 0700);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].text != NULL)
            directory_write(scene->directory, rows[i].file, bytes_of_text(rows[i].text),
                            rows[i].mode);
        assert_key_refused(scene, &rows[i],
                           WORDS("serve", "--check", "--signing-key-file", rows[i].file));
    }
    assert_key_refused(
        scene, &rows[0],
        WORDS("serve", "--listen", "127.0.0.1:0", "--signing-key-file", rows[0].file));
    assert_key_refused(scene, &rows[0],
                       WORDS("serve", "--listen", "127.0.0.1:0", "--signing-key-file", KEY_FILE,
                             "--signing-key-file", rows[0].file));
}

static void
given_a_key_file_that_others_can_read_when_started_then_it_warns_and_books(void **state) {
    struct scene *scene = *state;
    static const unsigned modes[] = {0644, 0640, 0604};
    for (size_t i = 0; i < COUNT(modes); i++) {
        directory_write(scene->directory, KEY_FILE, BYTES(KEY_31 "1"), modes[i]);
        scene_start(scene, NULL);
        const char *error = running_error(&scene->server.program, &scene->arena);
        assert_says("readable by others", error, "warning");
        assert_says("readable by others", error, KEY_FILE);
        assert_non_null(ask(scene));
    }
}

static void given_a_key_of_32_bytes_when_started_then_it_books_without_a_warning(void **state) {
    struct scene *scene = *state;
    static const char *const keys[] = {KEY_31 "1", KEY_31 "1\n"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        directory_write(scene->directory, KEY_FILE, bytes_of_text(keys[i]), 0600);
        scene_start(scene, NULL);
        assert_null(strstr(running_error(&scene->server.program, &scene->arena), "warning"));
        assert_non_null(ask(scene));
    }
}

static void
given_a_key_file_of_the_largest_size_when_it_grows_by_a_byte_then_it_is_refused(void **state) {
    struct scene *scene = *state;
    enum { LARGEST = 4096 };
    static unsigned char text[LARGEST + 1];
    memset(text, 'k', sizeof text);
    const char *const *check = WORDS("serve", "--check", "--signing-key-file", "large.key");
    directory_write(scene->directory, "large.key", (struct bytes){text, LARGEST}, 0600);
    assert_int_equal(scene_run(scene, check, NULL).exit_code, 0);
    directory_write(scene->directory, "large.key", (struct bytes){text, LARGEST + 1}, 0600);
    assert_key_refused(
        scene, &(struct key_row){"large.key", NULL, 0600, "is longer than 4096 bytes"}, check);
}

/* Case E3: no key is ever made up. */
static void given_no_key_file_when_started_then_booking_is_503(void **state) {
    struct scene *scene = *state;
    const char *const *rows[] = {WORDS("--signing-key-file", ""), WORDS("--threads", "1")};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene_start_without_key(scene, rows[i]);
        assert_refused(scene, book(scene, round_one(&scene->arena, A_BOOKING)), 503,
                       "the booking service is unavailable");
        assert_says("no key", running_error(&scene->server.program, &scene->arena),
                    "no --signing-key-file is named");
    }
}

/* The state of a server before this one: it completes, or at a memory ledger it has expired. */
static void assert_verifies(struct scene *scene, const char *issued) {
    const struct client_reply *reply = answer(scene, DECLINE, issued);
    if (reply->status != 200)
        assert_refused(scene, reply, 400, "requestState has expired");
}

/* A trailing newline isn't part of a key, so states move between servers that have it with and
 * without; each verifies what any of its keys signed. */
static void given_two_keys_when_a_state_of_the_second_comes_then_it_verifies(void **state) {
    struct scene *scene = *state;
    directory_write(scene->directory, "one.key", BYTES(KEY_31 "1\n"), 0600);
    directory_write(scene->directory, "two.key", BYTES(KEY_31 "2"), 0600);
    directory_write(scene->directory, "two-line.key", BYTES(KEY_31 "2\n"), 0600);
    scene_start_without_key(scene, WORDS("--signing-key-file", "two.key"));
    const char *issued = ask(scene);
    scene_start_without_key(
        scene, WORDS("--signing-key-file", "one.key", "--signing-key-file", "two-line.key"));
    assert_verifies(scene, issued);
    const char *by_first = ask(scene);
    scene_start_without_key(scene, WORDS("--signing-key-file", "two.key"));
    assert_refused(scene, answer(scene, DECLINE, by_first), 400, "requestState doesn't verify");
}

/* Starts a server with these variables and arguments. */
static void start_in(struct scene *scene, const char *const *environment,
                     const char *const *arguments) {
    server_done(&scene->server);
    server_start(&scene->server,
                 &(struct server_options){.arguments = arguments,
                                          .environment = environment,
                                          .directory = scene->directory},
                 &scene->arena);
}

static unsigned status_of_size(struct scene *scene, size_t size) {
    unsigned char *body = arena_take(&scene->arena, size + 1);
    memset(body, ' ', size);
    memcpy(body, "{\"arguments\":{\"message\":\"\",\"openSlots\":[]}}", 43);
    return book(scene, (struct bytes){body, size})->status;
}

static void given_a_variable_and_an_option_when_started_then_the_option_beats_it(void **state) {
    struct scene *scene = *state;
    const char *const *environment =
        WORDS("TANDEM_MAX_BODY=2000", "TANDEM_SIGNING_KEY_FILE=" KEY_FILE);
    start_in(scene, environment, NULL);
    assert_int_equal(status_of_size(scene, 2000), 200);
    assert_int_equal(status_of_size(scene, 2001), 413);
    start_in(scene, environment, WORDS("--max-body=3000"));
    assert_int_equal(status_of_size(scene, 3000), 200);
    assert_int_equal(status_of_size(scene, 3001), 413);
    start_in(scene, WORDS("TANDEM_MAX_BODY=", "TANDEM_SIGNING_KEY_FILE=" KEY_FILE), NULL);
    assert_int_equal(status_of_size(scene, 65536), 200);
}

static void given_several_key_files_in_the_variable_when_started_then_all_verify(void **state) {
    struct scene *scene = *state;
    directory_write(scene->directory, "one.key", BYTES(KEY_31 "1"), 0600);
    start_in(scene, WORDS("TANDEM_SIGNING_KEY_FILE=" KEY_FILE), NULL);
    const char *issued = ask(scene);
    start_in(scene, WORDS("TANDEM_SIGNING_KEY_FILE=one.key:" KEY_FILE), NULL);
    assert_verifies(scene, issued);
    start_in(scene, WORDS("TANDEM_SIGNING_KEY_FILE="), NULL);
    assert_int_equal(book(scene, round_one(&scene->arena, A_BOOKING))->status, 503);
}

/* Not time(), which may still say the second before the one that the server's clock reads. */
static long long seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec;
}

static void given_valid_for_when_a_state_is_issued_then_it_is_good_for_that_long(void **state) {
    struct scene *scene = *state;
    static const struct {
        const char *seconds;
        long long valid_for;
    } rows[] = {{"120", 120}, {"1", 1}, {"86400", 86400}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        scene_start(scene, WORDS("--valid-for", rows[i].seconds));
        long long before = seconds_now();
        const char *claim = strstr(ask(scene), "\"goodUntil\":");
        assert_non_null(claim);
        long long good_until = atoll(claim + strlen("\"goodUntil\":"));
        assert_true(good_until >= before + rows[i].valid_for);
        assert_true(good_until <= seconds_now() + rows[i].valid_for);
    }
}

/* An option, what is said of each senseless value, and such values. */
struct senseless_row {
    const char *option;
    const char *says;
    const char *const *values;
};

static const struct senseless_row senseless_rows[] = {
    {"--valid-for", "is not a whole number from 1 to 86400",
     WORDS("0", "-1", "86401", "abc", "", "1.5", " 120", "120s", "99999999999999999999")},
    {"--max-body", "is not a whole number from 1024 to 16777216",
     WORDS("1023", "16777217", "64k", "+65536", "0x10000")},
    {"--threads", "is not a whole number from 1 to 256", WORDS("0", "257", "all")},
    {"--listen", "is not ADDRESS:PORT, such as 127.0.0.1:8080",
     WORDS("8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:http", "localhost:8080",
           "::1:8080", "[::1]", "[::1:8080", "")},
    {"--ledger", "is not a ledger; there is: memory",
     WORDS("paper", "Memory", "sqlite", "sqlite:", "")},
};

enum { OPTIONS = COUNT(senseless_rows), VALUES_MOST = 10 };

static const char *senseless_value(const struct senseless_row *row, size_t index) {
    size_t count = 0;
    while (row->values[count] != NULL)
        count++;
    return row->values[index % count];
}

/* One senseless value for each option at once: every one of them is complained of. */
static void check_senseless(struct scene *scene, size_t index) {
    const char *arguments[2 * OPTIONS + 3] = {"serve", "--check"};
    for (size_t i = 0; i < OPTIONS; i++) {
        arguments[2 + 2 * i] = senseless_rows[i].option;
        arguments[3 + 2 * i] = senseless_value(&senseless_rows[i], index);
    }
    struct ended ended = scene_run(scene, arguments, NULL);
    assert_int_equal(ended.exit_code, 2);
    for (size_t i = 0; i < OPTIONS; i++)
        assert_says(senseless_rows[i].option, ended.error,
                    arena_format(&scene->arena, "%s: \"%s\" %s", senseless_rows[i].option,
                                 senseless_value(&senseless_rows[i], index),
                                 senseless_rows[i].says));
}

static void given_senseless_values_when_started_then_each_error_says_what_is_right(void **state) {
    for (size_t i = 0; i < VALUES_MOST; i++)
        check_senseless(*state, i);
}

static void given_senseless_variables_when_started_then_all_of_them_are_named(void **state) {
    struct scene *scene = *state;
    const char *const *environment =
        WORDS("TANDEM_VALID_FOR=soon", "TANDEM_MAX_BODY=big", "TANDEM_LISTEN=here",
              "TANDEM_LEDGER=paper", "TANDEM_SIGNING_KEY_FILE=missing.key");
    struct ended ended = scene_run(scene, WORDS("serve", "--check"), environment);
    assert_int_equal(ended.exit_code, 2);
    static const char *const named[] = {"TANDEM_VALID_FOR", "TANDEM_MAX_BODY", "TANDEM_LISTEN",
                                        "TANDEM_LEDGER", "missing.key"};
    for (size_t i = 0; i < COUNT(named); i++)
        assert_says("variables", ended.error, named[i]);
}

static void
given_a_good_configuration_when_checked_then_it_exits_0_and_serves_nothing(void **state) {
    struct scene *scene = *state;
    const char *taken = arena_format(&scene->arena, "127.0.0.1:%u", scene->server.address.port);
    struct ended ended = scene_run(
        scene, WORDS("serve", "--check", "--listen", taken, "--signing-key-file", KEY_FILE), NULL);
    assert_int_equal(ended.exit_code, 0);
    assert_string_equal((const char *)ended.out.data, "the configuration is good\n");
    assert_string_equal(ended.error, "");
}

static void given_an_address_in_use_when_started_then_the_error_names_it(void **state) {
    struct scene *scene = *state;
    const char *taken = arena_format(&scene->arena, "127.0.0.1:%u", scene->server.address.port);
    struct ended ended =
        scene_run(scene, WORDS("serve", "--listen", taken, "--ledger", "memory"), NULL);
    assert_int_equal(ended.exit_code, 1);
    assert_int_equal(ended.out.size, 0);
    assert_says("address in use", ended.error, taken);
    assert_says("address in use", ended.error, "in use");
    assert_int_equal(book(scene, round_one(&scene->arena, A_BOOKING))->status, 200);
}

static bool has_ipv6(void) {
    const struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool has = made >= 0 && bind(made, (const struct sockaddr *)&address, sizeof address) == 0;
    if (made >= 0)
        close(made);
    return has;
}

static void given_an_ipv6_address_when_started_then_it_books_there(void **state) {
    struct scene *scene = *state;
    if (!has_ipv6())
        skip();
    server_start(&scene->server,
                 &(struct server_options){.arguments = WORDS("--signing-key-file", KEY_FILE),
                                          .listen = "[::1]:0",
                                          .directory = scene->directory},
                 &scene->arena);
    assert_string_equal(scene->server.address.host, "::1");
    assert_int_not_equal(scene->server.address.port, 0);
    assert_reply(answer(scene, ACCEPT_TIME("sat-10:30"), ask(scene)), 200,
                 booked_body(&scene->arena, "sat-10:30"));
}

static void given_one_thread_or_many_when_started_then_it_books(void **state) {
    struct scene *scene = *state;
    static const char *const counts[] = {"1", "8"};
    for (size_t i = 0; i < COUNT(counts); i++) {
        scene_start(scene, WORDS("--threads", counts[i], "--ledger", "memory"));
        assert_non_null(ask(scene));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(given_a_bad_key_file_when_started_then_the_error_names_it),
        SCENARIO_WITHOUT_SERVER(
            given_a_key_file_that_others_can_read_when_started_then_it_warns_and_books),
        SCENARIO_WITHOUT_SERVER(
            given_a_key_of_32_bytes_when_started_then_it_books_without_a_warning),
        SCENARIO_WITHOUT_SERVER(
            given_a_key_file_of_the_largest_size_when_it_grows_by_a_byte_then_it_is_refused),
        SCENARIO_WITHOUT_SERVER(given_no_key_file_when_started_then_booking_is_503),
        SCENARIO_WITHOUT_SERVER(given_two_keys_when_a_state_of_the_second_comes_then_it_verifies),
        SCENARIO_WITHOUT_SERVER(
            given_a_variable_and_an_option_when_started_then_the_option_beats_it),
        SCENARIO_WITHOUT_SERVER(
            given_several_key_files_in_the_variable_when_started_then_all_verify),
        SCENARIO_WITHOUT_SERVER(
            given_valid_for_when_a_state_is_issued_then_it_is_good_for_that_long),
        SCENARIO_WITHOUT_SERVER(
            given_senseless_values_when_started_then_each_error_says_what_is_right),
        SCENARIO_WITHOUT_SERVER(given_senseless_variables_when_started_then_all_of_them_are_named),
        SCENARIO(given_a_good_configuration_when_checked_then_it_exits_0_and_serves_nothing),
        SCENARIO(given_an_address_in_use_when_started_then_the_error_names_it),
        SCENARIO_WITHOUT_SERVER(given_an_ipv6_address_when_started_then_it_books_there),
        SCENARIO_WITHOUT_SERVER(given_one_thread_or_many_when_started_then_it_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
