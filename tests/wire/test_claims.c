#include "fixtures.h"

#include "wire.h"

#include <string.h>

#define ABAB "abababababababababababababababababababababababababababababababab"
#define NONCE_TEXT "000102030405060708090a0b0c0d0eff"

static const unsigned char NONCE[CLAIMS_NONCE_SIZE] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                       8, 9, 10, 11, 12, 13, 14, 255};
static const struct bytes TIMES[] = {ROW_BYTES("sat-10:30"), ROW_BYTES("\"\xC3\xA9\n")};

static void _when_claims_are_written_then_they_are_sorted_and_without_spaces(void **state) {
    (void)state;
    unsigned char digest[CLAIMS_DIGEST_SIZE];
    memset(digest, 0xAB, sizeof digest);
    static const struct {
        const char *name;
        int64_t good_until;
        const unsigned char *nonce;
        size_t count;
        const char *expected;
    } rows[] = {
        {"without a nonce", 1791018120, NULL, 1,
         "{\"goodUntil\":1791018120,\"offered\":[\"sat-10:30\"],\"request\":\"" ABAB "\"}"},
        {"with a nonce", 1791018120, NONCE, 2,
         "{\"goodUntil\":1791018120,\"nonce\":\"" NONCE_TEXT
         "\",\"offered\":[\"sat-10:30\",\"\\\"\xC3\xA9\\n\"],\"request\":\"" ABAB "\"}"},
        {"before 1970, nothing offered", -1, NULL, 0,
         "{\"goodUntil\":-1,\"offered\":[],\"request\":\"" ABAB "\"}"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct buffer out = buffer_new(STATE_SIZE_MAX);
        struct offer offered = {TIMES, rows[i].count};
        wire_claims_write(&out, rows[i].good_until, rows[i].nonce, offered, digest);
        assert_row_bytes(rows[i].name, buffer_bytes(&out), bytes_of_text(rows[i].expected));
        buffer_done(&out);
    }
}

static void given_written_claims_when_they_are_read_then_they_are_the_same(void **state) {
    (void)state;
    unsigned char digest[CLAIMS_DIGEST_SIZE];
    memset(digest, 0xCD, sizeof digest);
    struct buffer out = buffer_new(STATE_SIZE_MAX);
    wire_claims_write(&out, INT64_MAX, NONCE, (struct offer){TIMES, 2}, digest);
    struct wire_claims claims;
    assert_int_equal(wire_claims_parse(buffer_bytes(&out), &claims), STATUS_OK);
    assert_true(claims.good_until == INT64_MAX);
    assert_true(claims.has_nonce);
    assert_memory_equal(claims.nonce, NONCE, sizeof NONCE);
    assert_int_equal(claims.digest.size, 64);
    assert_memory_equal(claims.digest.data, "cdcdcdcd", 8);
    assert_int_equal(claims.offered.count, 2);
    assert_row_bytes("first", claims.offered.times[0], TIMES[0]);
    assert_row_bytes("second", claims.offered.times[1], TIMES[1]);
    wire_claims_done(&claims);
    wire_claims_done(&claims);
    buffer_done(&out);
}

static void
_when_a_payload_has_claims_of_another_order_or_unknown_ones_then_it_is_read(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes payload;
        int64_t good_until;
        bool has_nonce;
        size_t count;
    } rows[] = {
        {"another order and spaces",
         ROW_BYTES("{ \"request\" : \"d\", \"offered\" : [ \"a\" ], \"goodUntil\" : 7 }"), 7, false,
         1},
        {"unknown claims",
         ROW_BYTES("{\"goodUntil\":7,\"offered\":[],\"request\":\"d\",\"x\":{\"goodUntil\":1.5}}"),
         7, false, 0},
        {"a nonce",
         ROW_BYTES("{\"goodUntil\":-7,\"nonce\":\"" NONCE_TEXT
                   "\",\"offered\":[\"\",\"\",\"\"],\"request\":\"d\"}"),
         -7, true, 3},
        {"a nonce in capitals",
         ROW_BYTES("{\"goodUntil\":0,\"nonce\":\"000102030405060708090A0B0C0D0EFF\",\"offered\":[],"
                   "\"request\":\"d\"}"),
         0, true, 0},
        {"a short nonce",
         ROW_BYTES("{\"goodUntil\":0,\"nonce\":\"0001\",\"offered\":[],\"request\":\"d\"}"), 0,
         false, 0},
        {"a nonce that is no string",
         ROW_BYTES("{\"goodUntil\":0,\"nonce\":7,\"offered\":[],\"request\":\"d\"}"), 0, false, 0},
        {"an empty digest", ROW_BYTES("{\"goodUntil\":0,\"offered\":[],\"request\":\"\"}"), 0,
         false, 0},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct wire_claims claims;
        assert_row_number(rows[i].name, wire_claims_parse(rows[i].payload, &claims), STATUS_OK);
        assert_row_number(rows[i].name, claims.good_until, rows[i].good_until);
        assert_row(rows[i].name, claims.has_nonce == rows[i].has_nonce);
        assert_row(rows[i].name,
                   !claims.has_nonce || memcmp(claims.nonce, NONCE, sizeof NONCE) == 0);
        assert_row_number(rows[i].name, claims.offered.count, rows[i].count);
        wire_claims_done(&claims);
    }
}

static void _when_a_payload_is_no_claims_then_it_is_invalid(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes payload;
    } rows[] = {
        {"empty", {NULL, 0}},
        {"no JSON", ROW_BYTES("goodUntil")},
        {"an array", ROW_BYTES("[7,[],\"d\"]")},
        {"null", ROW_BYTES("null")},
        {"an empty object", ROW_BYTES("{}")},
        {"goodUntil missing", ROW_BYTES("{\"offered\":[],\"request\":\"d\"}")},
        {"goodUntil a string", ROW_BYTES("{\"goodUntil\":\"7\",\"offered\":[],\"request\":\"d\"}")},
        {"goodUntil null", ROW_BYTES("{\"goodUntil\":null,\"offered\":[],\"request\":\"d\"}")},
        {"goodUntil 7.0", ROW_BYTES("{\"goodUntil\":7.0,\"offered\":[],\"request\":\"d\"}")},
        {"goodUntil 1.79e9", ROW_BYTES("{\"goodUntil\":1.79e9,\"offered\":[],\"request\":\"d\"}")},
        {"goodUntil out of range",
         ROW_BYTES("{\"goodUntil\":17000000000000000000,\"offered\":[],\"request\":\"d\"}")},
        {"offered missing", ROW_BYTES("{\"goodUntil\":7,\"request\":\"d\"}")},
        {"offered null", ROW_BYTES("{\"goodUntil\":7,\"offered\":null,\"request\":\"d\"}")},
        {"offered an object", ROW_BYTES("{\"goodUntil\":7,\"offered\":{},\"request\":\"d\"}")},
        {"offered a string", ROW_BYTES("{\"goodUntil\":7,\"offered\":\"a\",\"request\":\"d\"}")},
        {"an offered number",
         ROW_BYTES("{\"goodUntil\":7,\"offered\":[\"a\",7],\"request\":\"d\"}")},
        {"an offered null", ROW_BYTES("{\"goodUntil\":7,\"offered\":[null],\"request\":\"d\"}")},
        {"request missing", ROW_BYTES("{\"goodUntil\":7,\"offered\":[]}")},
        {"request a number", ROW_BYTES("{\"goodUntil\":7,\"offered\":[],\"request\":7}")},
        {"a claim twice",
         ROW_BYTES("{\"goodUntil\":7,\"goodUntil\":8,\"offered\":[],\"request\":\"d\"}")},
        {"a claim twice, as an escape",
         ROW_BYTES("{\"goodUntil\":7,\"offered\":[],\"\\u006fffered\":[],\"request\":\"d\"}")},
        {"an unknown claim twice",
         ROW_BYTES("{\"goodUntil\":7,\"offered\":[],\"request\":\"d\",\"x\":1,\"x\":1}")},
        {"a NUL", ROW_BYTES("{\"goodUntil\":7,\"offered\":[\"\\u0000\"],\"request\":\"d\"}")},
        {"cut", ROW_BYTES("{\"goodUntil\":7,\"offered\":[],\"request\":\"d\"")},
        {"more after it", ROW_BYTES("{\"goodUntil\":7,\"offered\":[],\"request\":\"d\"}.")},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct wire_claims claims = {.good_until = 99};
        assert_row_number(rows[i].name, wire_claims_parse(rows[i].payload, &claims),
                          STATUS_INVALID);
        assert_row(rows[i].name, claims.good_until == 99 && claims.owned == NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_claims_are_written_then_they_are_sorted_and_without_spaces),
        cmocka_unit_test(given_written_claims_when_they_are_read_then_they_are_the_same),
        cmocka_unit_test(
            _when_a_payload_has_claims_of_another_order_or_unknown_ones_then_it_is_read),
        cmocka_unit_test(_when_a_payload_is_no_claims_then_it_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
