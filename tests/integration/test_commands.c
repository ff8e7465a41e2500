/* The command line: help, version, usage errors, keygen, openapi. */
#include "checked_exchange.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])
#define RUN(scene, ...) scene_run((scene), (const char *const[]){__VA_ARGS__, NULL}, NULL)

static const char *const subcommands[] = {"serve", "keygen", "openapi"};

static void assert_says(const char *what, const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        fail_msg("%s: \"%s\" is not in:\n%s", what, part, text);
}

static void given_any_subcommand_when_asked_for_help_then_it_shows_an_example(void **state) {
    struct scene *scene = *state;
    for (size_t i = 0; i < COUNT(subcommands); i++) {
        struct ended ended = RUN(scene, subcommands[i], "--help");
        const char *out = (const char *)ended.out.data;
        assert_int_equal(ended.exit_code, 0);
        assert_string_equal(ended.error, "");
        assert_says(subcommands[i], out,
                    arena_format(&scene->arena, "usage: tandem %s", subcommands[i]));
        assert_says(subcommands[i], out,
                    arena_format(&scene->arena, "example:\n  tandem %s", subcommands[i]));
    }
}

static void given_serve_when_asked_for_help_then_each_option_shows_its_variable(void **state) {
    struct scene *scene = *state;
    static const char *const rows[][2] = {
        {"--listen ", "[TANDEM_LISTEN; default 127.0.0.1:8080]"},
        {"--signing-key-file ", "[TANDEM_SIGNING_KEY_FILE, several with : between]"},
        {"--valid-for ", "[TANDEM_VALID_FOR; default 120]"},
        {"--max-body ", "[TANDEM_MAX_BODY; default 65536]"},
        {"--threads ", "[TANDEM_THREADS]"},
        {"--ledger ", "[TANDEM_LEDGER]"},
        {"--check\n", "[TANDEM_CHECK]"},
    };
    const char *help = (const char *)RUN(scene, "serve", "--help").out.data;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_says("serve --help", help, rows[i][0]);
        assert_says("serve --help", help, rows[i][1]);
    }
}

static void given_tandem_when_asked_for_help_or_version_then_it_says_so_and_exits_0(void **state) {
    struct scene *scene = *state;
    struct ended help = RUN(scene, "--help");
    assert_int_equal(help.exit_code, 0);
    for (size_t i = 0; i < COUNT(subcommands); i++)
        assert_says("--help", (const char *)help.out.data, subcommands[i]);
    assert_says("--help", (const char *)help.out.data, "example:");
    struct ended version = RUN(scene, "--version");
    assert_int_equal(version.exit_code, 0);
    unsigned major, minor, patch;
    char newline;
    assert_int_equal(sscanf((const char *)version.out.data, "tandem %u.%u.%u%c", &major, &minor,
                            &patch, &newline),
                     4);
    assert_int_equal(newline, '\n');
}

static void given_a_word_that_is_not_there_when_run_then_it_exits_2_with_a_hint(void **state) {
    struct scene *scene = *state;
    const struct {
        const char *const *arguments;
        const char *word;
        const char *hint;
    } rows[] = {
        {(const char *const[]){"server", NULL}, "server", "'tandem --help'"},
        {(const char *const[]){"--bogus", NULL}, "--bogus", "'tandem --help'"},
        {(const char *const[]){"serve", "--bogus", NULL}, "--bogus", "'tandem serve --help'"},
        {(const char *const[]){"serve", "-x", NULL}, "-x", "'tandem serve --help'"},
        {(const char *const[]){"serve", "word", NULL}, "word", "'tandem serve --help'"},
        {(const char *const[]){"serve", "--listen", NULL}, "--listen", "'tandem serve --help'"},
        {(const char *const[]){"serve", "--check=1", NULL}, "--check", "'tandem serve --help'"},
        {(const char *const[]){"serve", "--valid-for", "1", "--valid-for", "2", NULL},
         "--valid-for", "'tandem serve --help'"},
        {(const char *const[]){"serve", "--check", "--check", NULL}, "given twice: --check",
         "'tandem serve --help'"},
        {(const char *const[]){"keygen", "a", "b", NULL}, "b", "'tandem keygen --help'"},
        {(const char *const[]){"openapi", "x", NULL}, "x", "'tandem openapi --help'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ended ended = scene_run(scene, rows[i].arguments, NULL);
        if (ended.exit_code != 2)
            fail_msg("%s: exit code %d", rows[i].word, ended.exit_code);
        assert_says(rows[i].word, ended.error, rows[i].word);
        assert_says(rows[i].word, ended.error, rows[i].hint);
        assert_int_equal(ended.out.size, 0);
    }
    struct ended bare = scene_run(scene, (const char *const[]){NULL}, NULL);
    assert_int_equal(bare.exit_code, 2);
    assert_says("no word at all", bare.error, "usage: tandem COMMAND");
}

static bool is_key(const char *text, size_t size) {
    return size == 65 && strspn(text, "0123456789abcdef") == 64 && text[64] == '\n';
}

static struct bytes read_file(struct scene *scene, const char *name) {
    struct buffer text = buffer_new(1 << 20);
    FILE *file = fopen(arena_format(&scene->arena, "%s/%s", scene->directory, name), "rb");
    assert_non_null(file);
    unsigned char piece[4096];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_append(&text, (struct bytes){piece, got});
    fclose(file);
    struct bytes copy = arena_copy(&scene->arena, buffer_bytes(&text));
    buffer_done(&text);
    return copy;
}

static void given_a_new_file_when_keygen_writes_it_then_only_its_owner_may_read_it(void **state) {
    struct scene *scene = *state;
    struct ended ended = RUN(scene, "keygen", "new.key");
    struct bytes key = read_file(scene, "new.key");
    struct stat facts;
    assert_int_equal(ended.exit_code, 0);
    assert_int_equal(ended.out.size, 0);
    assert_true(is_key((const char *)key.data, key.size));
    assert_int_equal(stat(arena_format(&scene->arena, "%s/new.key", scene->directory), &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    assert_int_equal(RUN(scene, "serve", "--check", "--signing-key-file", "new.key").exit_code, 0);
}

static void
given_a_file_that_is_there_when_keygen_comes_then_it_is_never_overwritten(void **state) {
    struct scene *scene = *state;
    struct bytes before = read_file(scene, KEY_FILE);
    struct ended ended = RUN(scene, "keygen", KEY_FILE);
    assert_int_equal(ended.exit_code, 1);
    assert_says("keygen", ended.error, KEY_FILE);
    assert_true(bytes_equal(before, read_file(scene, KEY_FILE)));
    ended = RUN(scene, "keygen", "no-such-directory/key");
    assert_int_equal(ended.exit_code, 1);
    assert_says("keygen", ended.error, "no-such-directory/key");
}

static void given_no_file_when_keygen_runs_twice_then_it_prints_two_keys(void **state) {
    struct scene *scene = *state;
    struct bytes first = RUN(scene, "keygen").out;
    struct bytes second = RUN(scene, "keygen").out;
    assert_true(is_key((const char *)first.data, first.size));
    assert_true(is_key((const char *)second.data, second.size));
    assert_false(bytes_equal(first, second));
}

static void given_the_document_when_printed_or_served_then_it_is_the_committed_file(void **state) {
    struct scene *scene = *state;
    FILE *file = fopen(TANDEM_SOURCE_DIR "/openapi/booking.json", "rb");
    assert_non_null(file);
    unsigned char *text = arena_take(&scene->arena, 1 << 20);
    struct bytes committed = {text, fread(text, 1, 1 << 20, file)};
    fclose(file);
    struct ended printed = RUN(scene, "openapi");
    assert_int_equal(printed.exit_code, 0);
    assert_true(bytes_equal(printed.out, committed));
    const struct client_reply *served =
        exchange(scene, &(struct client_request){.method = "GET", .target = "/openapi.json"});
    assert_int_equal(served->status, 200);
    assert_true(bytes_equal(served->body, committed));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(given_any_subcommand_when_asked_for_help_then_it_shows_an_example),
        SCENARIO_WITHOUT_SERVER(
            given_serve_when_asked_for_help_then_each_option_shows_its_variable),
        SCENARIO_WITHOUT_SERVER(
            given_tandem_when_asked_for_help_or_version_then_it_says_so_and_exits_0),
        SCENARIO_WITHOUT_SERVER(
            given_a_word_that_is_not_there_when_run_then_it_exits_2_with_a_hint),
        SCENARIO_WITHOUT_SERVER(
            given_a_new_file_when_keygen_writes_it_then_only_its_owner_may_read_it),
        SCENARIO_WITHOUT_SERVER(
            given_a_file_that_is_there_when_keygen_comes_then_it_is_never_overwritten),
        SCENARIO_WITHOUT_SERVER(given_no_file_when_keygen_runs_twice_then_it_prints_two_keys),
        SCENARIO(given_the_document_when_printed_or_served_then_it_is_the_committed_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
