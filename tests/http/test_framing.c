#include "fixtures.h"

#include "framing.h"

struct header {
    struct bytes name;
    struct bytes value;
};

#define HEADER(name, value)                                                                        \
    { ROW_BYTES(name), ROW_BYTES(value) }
#define HOST HEADER("Host", "elm.example")

enum { HEADERS_MOST = 4 };

static struct framing framing_of(const struct header *headers, size_t count) {
    struct framing framing = {0};
    for (size_t i = 0; i < count; i++)
        framing_add(&framing, headers[i].name, headers[i].value);
    return framing;
}

struct framing_row {
    const char *name;
    struct header headers[HEADERS_MOST];
    size_t count;
    const char *problem; /* NULL when there is none */
};

static void expect_problems(const struct framing_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct framing framing = framing_of(rows[i].headers, rows[i].count);
        const char *problem = framing_problem(&framing, true);
        struct bytes expected = bytes_of_text(rows[i].problem == NULL ? "" : rows[i].problem);
        assert_row_bytes(rows[i].name, bytes_of_text(problem == NULL ? "" : problem), expected);
    }
}

static void _when_two_readers_could_differ_on_the_length_then_it_is_refused(void **state) {
    (void)state;
    static const char twice[] = "Content-Length is given twice";
    static const char together[] = "Content-Length and Transfer-Encoding don't go together";
    static const char once[] = "Transfer-Encoding must be chunked, once";
    static const struct framing_row rows[] = {
        {"no body", {HOST}, 1, NULL},
        {"a length", {HOST, HEADER("Content-Length", "4")}, 2, NULL},
        {"a length in capitals", {HOST, HEADER("CONTENT-LENGTH", "4")}, 2, NULL},
        {"chunked", {HOST, HEADER("Transfer-Encoding", "chunked")}, 2, NULL},
        {"Chunked", {HOST, HEADER("transfer-encoding", "Chunked")}, 2, NULL},
        {"two lengths, the same",
         {HOST, HEADER("Content-Length", "4"), HEADER("content-length", "4")},
         3,
         twice},
        {"two lengths, different",
         {HOST, HEADER("Content-Length", "4"), HEADER("Content-Length", "5")},
         3,
         twice},
        {"length and chunked",
         {HOST, HEADER("Content-Length", "4"), HEADER("Transfer-Encoding", "chunked")},
         3,
         together},
        {"chunked and length",
         {HOST, HEADER("Transfer-Encoding", "chunked"), HEADER("Content-Length", "4")},
         3,
         together},
        {"gzip, chunked", {HOST, HEADER("Transfer-Encoding", "gzip, chunked")}, 2, once},
        {"chunked, chunked", {HOST, HEADER("Transfer-Encoding", "chunked, chunked")}, 2, once},
        {"identity", {HOST, HEADER("Transfer-Encoding", "identity")}, 2, once},
        {"chunked and a space", {HOST, HEADER("Transfer-Encoding", "chunked ")}, 2, once},
        {"xchunked", {HOST, HEADER("Transfer-Encoding", "xchunked")}, 2, once},
        {"chunked;q", {HOST, HEADER("Transfer-Encoding", "chunked;q=1")}, 2, once},
        {"a coding of nothing", {HOST, HEADER("Transfer-Encoding", "")}, 2, once},
        {"chunked twice",
         {HOST, HEADER("Transfer-Encoding", "chunked"), HEADER("Transfer-Encoding", "chunked")},
         3,
         once},
        {"gzip, then chunked",
         {HOST, HEADER("Transfer-Encoding", "gzip"), HEADER("Transfer-Encoding", "chunked")},
         3,
         once},
        {"no coding and a length",
         {HOST, HEADER("Transfer-Encoding", "identity"), HEADER("Content-Length", "4")},
         3,
         once},
    };
    expect_problems(rows, LENGTH_OF(rows));
}

static void _when_a_length_is_not_digits_then_it_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes value;
        bool is_number;
        uint64_t length; /* the least that is told */
    } rows[] = {
        {"0", ROW_BYTES("0"), true, 0},
        {"4", ROW_BYTES("4"), true, 4},
        {"zeros before", ROW_BYTES("0004"), true, 4},
        {"white space around", ROW_BYTES(" \t4 \t"), true, 4},
        {"5000000000", ROW_BYTES("5000000000"), true, 5000000000},
        {"2^63", ROW_BYTES("9223372036854775808"), true, 1000000000000000000},
        {"2^64 - 1", ROW_BYTES("18446744073709551615"), true, 1000000000000000000},
        {"2^64 and 4", ROW_BYTES("18446744073709551620"), true, 1000000000000000000},
        {"10^40", ROW_BYTES("10000000000000000000000000000000000000000"), true,
         1000000000000000000},
        {"empty", ROW_BYTES(""), false, 0},
        {"white space", ROW_BYTES(" "), false, 0},
        {"a sign", ROW_BYTES("+4"), false, 0},
        {"negative", ROW_BYTES("-4"), false, 0},
        {"a list", ROW_BYTES("4, 4"), false, 0},
        {"two words", ROW_BYTES("4 4"), false, 0},
        {"hex", ROW_BYTES("0x4"), false, 0},
        {"a fraction", ROW_BYTES("4.0"), false, 0},
        {"an exponent", ROW_BYTES("4e1"), false, 0},
        {"a NUL", ROW_BYTES("4\0"), false, 0},
        {"before 0", ROW_BYTES("/"), false, 0},
        {"after 9", ROW_BYTES(":"), false, 0},
        {"a vertical tab", ROW_BYTES("\v4"), false, 0},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct header headers[] = {HOST, {BYTES("Content-Length"), rows[i].value}};
        struct framing framing = framing_of(headers, LENGTH_OF(headers));
        const char *problem = framing_problem(&framing, true);
        assert_row(rows[i].name, (problem == NULL) == rows[i].is_number);
        if (problem != NULL)
            assert_string_equal(problem, "Content-Length is not a number");
        assert_row(rows[i].name, framing.length >= rows[i].length);
        assert_row(rows[i].name,
                   rows[i].length >= 1000000000000000000 || framing.length == rows[i].length);
        assert_row(rows[i].name,
                   !rows[i].is_number || framing_has_body(&framing) == (rows[i].length > 0));
    }
}

static void _when_the_host_is_not_there_once_then_it_is_refused(void **state) {
    (void)state;
    static const struct framing_row rows[] = {
        {"one", {HOST}, 1, NULL},
        {"one in capitals", {HEADER("HOST", "")}, 1, NULL},
        {"none", {HEADER("Accept", "*/*")}, 1, "Host is missing"},
        {"almost one", {HEADER("Hosts", "elm.example")}, 1, "Host is missing"},
        {"two, the same", {HOST, HOST}, 2, "Host is given twice"},
        {"two, different", {HOST, HEADER("host", "oak.example")}, 2, "Host is given twice"},
    };
    expect_problems(rows, LENGTH_OF(rows));
    struct framing framing = {0};
    assert_null(framing_problem(&framing, false));
    assert_false(framing_has_body(&framing));
    framing.hosts = 2;
    assert_non_null(framing_problem(&framing, false));
}

static void _when_a_headers_name_is_no_token_then_it_is_refused(void **state) {
    (void)state;
    static const char no_token[] = "a header's name is not a token";
    static const struct framing_row rows[] = {
        {"every sign of a token", {HOST, HEADER("!#$%&'*+-.^_`|~09azAZ", "")}, 2, NULL},
        {"a space after", {HOST, HEADER("Content-Length ", "4")}, 2, no_token},
        {"a space before", {HOST, HEADER(" Content-Length", "4")}, 2, no_token},
        {"a tab", {HOST, HEADER("Content\tLength", "4")}, 2, no_token},
        {"empty", {HOST, HEADER("", "4")}, 2, no_token},
        {"a NUL", {HOST, HEADER("Content-Length\0", "4")}, 2, no_token},
        {"a colon", {HOST, HEADER("Content:Length", "4")}, 2, no_token},
        {"a slash", {HOST, HEADER("Content/Length", "4")}, 2, no_token},
        {"parentheses", {HOST, HEADER("(Content)", "4")}, 2, no_token},
        {"a quote", {HOST, HEADER("\"Content\"", "4")}, 2, no_token},
        {"not ASCII", {HOST, HEADER("Caf\xC3\xA9", "4")}, 2, no_token},
        {"DEL", {HOST, HEADER("Content\x7F", "4")}, 2, no_token},
        {"a carriage return", {HOST, HEADER("\rContent", "4")}, 2, no_token},
    };
    expect_problems(rows, LENGTH_OF(rows));
}

static void _when_every_byte_is_tried_in_a_name_then_those_of_rfc_9110_are_taken(void **state) {
    (void)state;
    struct bytes token = BYTES("!#$%&'*+-.^_`|~0123456789"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    for (unsigned value = 0; value < 256; value++) {
        unsigned char byte = (unsigned char)value;
        struct framing framing = {0};
        framing_add(&framing, (struct bytes){&byte, 1}, BYTES(""));
        if (framing.bad_name == (bytes_find(token, byte) < token.size))
            fail_msg("byte %02x", value);
    }
}

static void _when_a_body_is_announced_then_it_is_known(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct header header;
        bool has_body;
    } rows[] = {
        {"nothing", HEADER("Accept", "*/*"), false},
        {"a length of 0", HEADER("Content-Length", "0"), false},
        {"a length of 1", HEADER("Content-Length", "1"), true},
        {"chunked", HEADER("Transfer-Encoding", "chunked"), true},
        {"another coding", HEADER("Transfer-Encoding", "gzip"), true},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct framing framing = framing_of(&rows[i].header, 1);
        assert_row(rows[i].name, framing_has_body(&framing) == rows[i].has_body);
    }
}

static void _when_content_types_are_given_then_they_are_counted_and_the_last_is_kept(void **state) {
    (void)state;
    static const struct header headers[] = {HEADER("Content-Type", "application/json"),
                                            HEADER("content-type", "text/plain")};
    struct framing framing = framing_of(headers, 1);
    assert_int_equal(framing.content_types, 1);
    assert_row_bytes("one", framing.content_type, BYTES("application/json"));
    framing = framing_of(headers, 2);
    assert_int_equal(framing.content_types, 2);
    assert_row_bytes("two", framing.content_type, BYTES("text/plain"));
}

static void _when_a_content_type_is_judged_then_only_json_will_do(void **state) {
    (void)state;
    static const struct {
        const char *type;
        bool is_json;
    } rows[] = {
        {"application/json", true},
        {"application/json; charset=utf-8", true},
        {"application/json;charset=utf-8", true},
        {"application/json ; charset=utf-8", true},
        {"application/json;", true},
        {"application/json; ;", true},
        {"APPLICATION/Json", true},
        {" application/json\t", true},
        {"", false},
        {";", false},
        {"application/x-www-form-urlencoded", false},
        {"application/jsonx", false},
        {"application/jso", false},
        {"application/json, text/plain", false},
        {"application/json charset=utf-8", false},
        {"application/problem+json", false},
        {"application /json", false},
        {"text/json", false},
        {"text/plain; application/json", false},
        {"json", false},
        {"*/*", false},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++)
        assert_row(rows[i].type,
                   content_type_is_json(bytes_of_text(rows[i].type)) == rows[i].is_json);
    assert_false(content_type_is_json((struct bytes){NULL, 0}));
    assert_false(content_type_is_json(BYTES("application/json\0")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_two_readers_could_differ_on_the_length_then_it_is_refused),
        cmocka_unit_test(_when_a_length_is_not_digits_then_it_is_refused),
        cmocka_unit_test(_when_the_host_is_not_there_once_then_it_is_refused),
        cmocka_unit_test(_when_a_headers_name_is_no_token_then_it_is_refused),
        cmocka_unit_test(_when_every_byte_is_tried_in_a_name_then_those_of_rfc_9110_are_taken),
        cmocka_unit_test(_when_a_body_is_announced_then_it_is_known),
        cmocka_unit_test(_when_content_types_are_given_then_they_are_counted_and_the_last_is_kept),
        cmocka_unit_test(_when_a_content_type_is_judged_then_only_json_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
