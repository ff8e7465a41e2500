/* `tandem contract` as a command: its exit codes, and where it says what. */
#include "support.h"

#include "fixtures.h"
#include "program.h"

#include <string.h>

#define PROVIDER TANDEM_SOURCE_DIR "/openapi/booking.json"
#define CLIENT TANDEM_SOURCE_DIR "/openapi/consumers/booking-client.json"
#define PLANTED TANDEM_SOURCE_DIR "/tests/contract/planted-client.json"

enum { WORDS_MOST = 6 };

/* Runs `tandem contract` with those words, up to the first NULL. */
static struct ended run(struct arena *arena, const char *const words[WORDS_MOST]) {
    const char *arguments[WORDS_MOST + 2] = {"contract"};
    for (size_t i = 0; i < WORDS_MOST && words[i] != NULL; i++)
        arguments[i + 1] = words[i];
    const struct program program = {.arguments = arguments};
    return program_run(&program, arena);
}

static void check(const char *const words[WORDS_MOST], int exit_code, const char *out) {
    struct arena arena = {0};
    struct ended ended = run(&arena, words);
    assert_string_equal(ended.error, "");
    assert_string_equal((const char *)ended.out.data, out);
    assert_int_equal(ended.exit_code, exit_code);
    arena_done(&arena);
}

#define PLANTED_LINES(prefix)                                                                      \
    prefix "round one: POST /salons/{salonId}/book is not in the provider; it has "                \
           "\"/salons/{salon}/book\"\n" prefix                                                     \
           "round two: POST /salons/{salon}/book reads structuredContent.status; the provider "    \
           "can send \"not_booked\", which this consumer doesn't handle\n" prefix                  \
           "round two: POST /salons/{salon}/book handles structuredContent.status = "              \
           "\"cancelled\", which the provider never sends\n"

static void given_our_client_when_run_then_zero_and_no_differences(void **state) {
    (void)state;
    const char *const words[WORDS_MOST] = {PROVIDER, CLIENT};
    check(words, 0, "the booking client: no differences\n");
}

static void given_differences_when_run_then_one_and_the_lines(void **state) {
    (void)state;
    const char *const words[WORDS_MOST] = {PROVIDER, PLANTED};
    check(words, 1, PLANTED_LINES(""));
}

static void given_several_consumers_when_run_then_each_line_names_its_own(void **state) {
    (void)state;
    const char *const words[WORDS_MOST] = {PROVIDER, CLIENT, PLANTED};
    check(words, 1, "the booking client: no differences\n" PLANTED_LINES("the booking client: "));
}

static void given_format_json_when_run_then_an_array(void **state) {
    (void)state;
    const char *const clean[WORDS_MOST] = {"--format", "json", PROVIDER, CLIENT};
    check(clean, 0, "[]\n");
    struct arena arena = {0};
    const char *const words[WORDS_MOST] = {"--format=json", PROVIDER, PLANTED};
    struct ended ended = run(&arena, words);
    static const char start[] =
        "[\n  {\"consumer\":\"the booking client\",\"round\":\"round one\",";
    assert_int_equal(ended.exit_code, 1);
    assert_true(ended.out.size > sizeof start);
    assert_memory_equal(ended.out.data, start, sizeof start - 1);
    arena_done(&arena);
}

static void given_what_can_not_be_read_when_run_then_two_and_why(void **state) {
    (void)state;
    static const struct {
        const char *words[WORDS_MOST];
        const char *wanted;
    } rows[] = {
        {{PROVIDER, "/no/such/file"},
         "tandem contract: /no/such/file: can't be read: No such file or directory\n"},
        {{PROVIDER, "/"}, "tandem contract: /: can't be read: Is a directory\n"},
        {{"/dev/null", CLIENT},
         "tandem contract: /dev/null: line 1, column 0: the JSON is cut short\n"},
        {{CLIENT, CLIENT},
         "tandem contract: " CLIENT ": the document has no paths, so it is no OpenAPI document\n"},
        {{PROVIDER, CLIENT, PROVIDER},
         "tandem contract: " PROVIDER ": openapi is not a member of a consumer's copy\n"},
        {{PROVIDER, "/dev/zero"}, "tandem contract: /dev/zero: longer than 1048576 bytes\n"},
        {{PROVIDER},
         "tandem contract: name the provider's document and a consumer's copy; 'tandem contract "
         "--help' says more\n"},
#ifndef TANDEM_CLIENT
        {{"http://me:word@localhost/x?token", CLIENT},
         "tandem contract: http://localhost/x: this build can't fetch it, since it was made "
         "without "
         "the client (TANDEM_CLIENT=OFF); name a file\n"},
#endif
        {{"--format", "xml", PROVIDER, CLIENT},
         "tandem contract: --format is text or json, not \"xml\"\n"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct arena arena = {0};
        struct ended ended = run(&arena, rows[i].words);
        assert_row_number(rows[i].wanted, ended.exit_code, 2);
        assert_row_number(rows[i].wanted, ended.out.size, 0);
        assert_string_equal(ended.error, rows[i].wanted);
        arena_done(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_our_client_when_run_then_zero_and_no_differences),
        cmocka_unit_test(given_differences_when_run_then_one_and_the_lines),
        cmocka_unit_test(given_several_consumers_when_run_then_each_line_names_its_own),
        cmocka_unit_test(given_format_json_when_run_then_an_array),
        cmocka_unit_test(given_what_can_not_be_read_when_run_then_two_and_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
