#include "fixtures.h"

#include "target.h"

#include <stdlib.h>

static const char BOOK[] = "/salons/{salon}/book";

static void _when_a_target_is_split_then_its_path_is_what_comes_before_the_query(void **state) {
    (void)state;
    static const struct {
        const char *name;
        struct bytes target;
        const char *path; /* NULL for what is no path */
    } rows[] = {
        {"origin form", ROW_BYTES("/salons/elm-street/book"), "/salons/elm-street/book"},
        {"the root", ROW_BYTES("/"), "/"},
        {"a query", ROW_BYTES("/salons/elm/book?x=/y&z"), "/salons/elm/book"},
        {"an empty query", ROW_BYTES("/salons/elm/book?"), "/salons/elm/book"},
        {"a query in a query", ROW_BYTES("/a?b?c"), "/a"},
        {"an escaped question mark", ROW_BYTES("/a%3Fb"), "/a%3Fb"},
        {"a fragment", ROW_BYTES("/salons/elm/book#there"), NULL},
        {"a fragment after a query", ROW_BYTES("/salons/elm/book?x#there"), NULL},
        {"an empty fragment", ROW_BYTES("/salons/elm/book#"), NULL},
        {"absolute form", ROW_BYTES("http://elm.example/salons/elm/book?x"), "/salons/elm/book"},
        {"absolute form over TLS", ROW_BYTES("https://elm.example:8443/a"), "/a"},
        {"absolute form in capitals", ROW_BYTES("HTTP://ELM.EXAMPLE/a"), "/a"},
        {"absolute form, IPv6", ROW_BYTES("http://[::1]:8080/a"), "/a"},
        {"absolute form in the path", ROW_BYTES("/http://elm.example/a"), "/http://elm.example/a"},
        {"absolute form without a path", ROW_BYTES("http://elm.example"), NULL},
        {"absolute form without a host", ROW_BYTES("http:///salons/elm/book"), NULL},
        {"absolute form, a path in the query", ROW_BYTES("http://elm.example?/salons/elm/book"),
         NULL},
        {"absolute form twice", ROW_BYTES("http://http://elm.example/a"), "//elm.example/a"},
        {"another scheme", ROW_BYTES("ftp://elm.example/a"), NULL},
        {"authority form", ROW_BYTES("elm.example:80"), NULL},
        {"asterisk form", ROW_BYTES("*"), NULL},
        {"a path without its slash", ROW_BYTES("salons/elm/book"), NULL},
        {"a query alone", ROW_BYTES("?x"), NULL},
        {"empty", {NULL, 0}, NULL},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct bytes path = BYTES("untouched");
        bool is_path = target_path(rows[i].target, &path);
        assert_row(rows[i].name, is_path == (rows[i].path != NULL));
        const char *expected = rows[i].path == NULL ? "untouched" : rows[i].path;
        assert_row_bytes(rows[i].name, path, bytes_of_text(expected));
    }
}

static void _when_a_target_has_a_byte_that_readers_split_at_then_it_is_not_plain(void **state) {
    (void)state;
    for (unsigned value = 0; value < 256; value++) {
        unsigned char bytes[] = {'/', 'a', (unsigned char)value, 'b'};
        bool plain = value > 0x20 && value != 0x7F;
        for (size_t size = 3; size <= sizeof bytes; size++)
            if (target_is_plain((struct bytes){bytes, size}) != plain)
                fail_msg("byte %02x", value);
    }
    assert_true(target_is_plain(BYTES("/salons/elm-street/book?x=%20")));
}

struct match_row {
    const char *name;
    struct bytes path;
    enum target_match match;
    struct bytes parameter; /* with TARGET_MATCHES */
};

static void expect_matches(const char *template, const struct match_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        /* Exactly the room that is promised, so that the sanitizers see one byte more. */
        unsigned char *room = malloc(rows[i].path.size == 0 ? 1 : rows[i].path.size);
        assert_non_null(room);
        struct bytes parameter = {NULL, 0};
        assert_row_number(rows[i].name, target_match(rows[i].path, template, room, &parameter),
                          rows[i].match);
        if (rows[i].match == TARGET_MATCHES)
            assert_row_bytes(rows[i].name, parameter, rows[i].parameter);
        free(room);
    }
}

static void _when_a_salon_can_be_read_then_it_is_decoded_once(void **state) {
    (void)state;
    static const struct match_row rows[] = {
        {"plain", ROW_BYTES("/salons/elm-street/book"), TARGET_MATCHES, ROW_BYTES("elm-street")},
        {"%2F", ROW_BYTES("/salons/elm%2Fstreet/book"), TARGET_MATCHES, ROW_BYTES("elm/street")},
        {"%2f", ROW_BYTES("/salons/elm%2fstreet/book"), TARGET_MATCHES, ROW_BYTES("elm/street")},
        {"a slash alone", ROW_BYTES("/salons/%2F/book"), TARGET_MATCHES, ROW_BYTES("/")},
        {"a plus", ROW_BYTES("/salons/a+b/book"), TARGET_MATCHES, ROW_BYTES("a+b")},
        {"an escaped plus", ROW_BYTES("/salons/a%2Bb/book"), TARGET_MATCHES, ROW_BYTES("a+b")},
        {"a space", ROW_BYTES("/salons/a%20b/book"), TARGET_MATCHES, ROW_BYTES("a b")},
        {"twice escaped", ROW_BYTES("/salons/a%2520b/book"), TARGET_MATCHES, ROW_BYTES("a%20b")},
        {"an escaped %00", ROW_BYTES("/salons/a%2500/book"), TARGET_MATCHES, ROW_BYTES("a%00")},
        {"UTF-8, escaped", ROW_BYTES("/salons/caf%C3%A9/book"), TARGET_MATCHES,
         ROW_BYTES("caf\xC3\xA9")},
        {"UTF-8, raw", ROW_BYTES("/salons/caf\xC3\xA9/book"), TARGET_MATCHES,
         ROW_BYTES("caf\xC3\xA9")},
        {"decomposed", ROW_BYTES("/salons/cafe%CC%81/book"), TARGET_MATCHES,
         ROW_BYTES("cafe\xCC\x81")},
        {"three dots", ROW_BYTES("/salons/.../book"), TARGET_MATCHES, ROW_BYTES("...")},
        {"a dot before", ROW_BYTES("/salons/.elm/book"), TARGET_MATCHES, ROW_BYTES(".elm")},
        {"dots and a slash", ROW_BYTES("/salons/..%2F/book"), TARGET_MATCHES, ROW_BYTES("../")},
        {"the route's own words", ROW_BYTES("/salons/book/book"), TARGET_MATCHES,
         ROW_BYTES("book")},
        {"%73alons", ROW_BYTES("/%73alons/elm/book"), TARGET_MATCHES, ROW_BYTES("elm")},
        {"every letter escaped", ROW_BYTES("/%73%61%6c%6F%6e%73/%65/%62%6f%6f%6b"), TARGET_MATCHES,
         ROW_BYTES("e")},
    };
    expect_matches(BOOK, rows, LENGTH_OF(rows));
}

static void _when_a_salon_can_not_be_read_then_the_reason_is_told(void **state) {
    (void)state;
    static const struct match_row rows[] = {
        {"%00", ROW_BYTES("/salons/elm-street%00x/book"), TARGET_NUL, {NULL, 0}},
        {"%00 alone", ROW_BYTES("/salons/%00/book"), TARGET_NUL, {NULL, 0}},
        {"dots and %00", ROW_BYTES("/salons/..%00/book"), TARGET_NUL, {NULL, 0}},
        {"a raw NUL", ROW_BYTES("/salons/elm\0x/book"), TARGET_NUL, {NULL, 0}},
        {"%zz", ROW_BYTES("/salons/elm%zz/book"), TARGET_BROKEN_ESCAPE, {NULL, 0}},
        {"% at the end", ROW_BYTES("/salons/elm%/book"), TARGET_BROKEN_ESCAPE, {NULL, 0}},
        {"one digit", ROW_BYTES("/salons/elm%4/book"), TARGET_BROKEN_ESCAPE, {NULL, 0}},
        {"%%", ROW_BYTES("/salons/elm%%41/book"), TARGET_BROKEN_ESCAPE, {NULL, 0}},
        {"%u0041", ROW_BYTES("/salons/%u0041/book"), TARGET_BROKEN_ESCAPE, {NULL, 0}},
        {"Latin-1", ROW_BYTES("/salons/caf%E9/book"), TARGET_NOT_UTF8, {NULL, 0}},
        {"%FF", ROW_BYTES("/salons/%FF/book"), TARGET_NOT_UTF8, {NULL, 0}},
        {"overlong NUL", ROW_BYTES("/salons/%C0%80/book"), TARGET_NOT_UTF8, {NULL, 0}},
        {"overlong slash", ROW_BYTES("/salons/%C0%AF/book"), TARGET_NOT_UTF8, {NULL, 0}},
        {"a surrogate", ROW_BYTES("/salons/%ED%A0%80/book"), TARGET_NOT_UTF8, {NULL, 0}},
    };
    expect_matches(BOOK, rows, LENGTH_OF(rows));
}

static void _when_the_path_is_another_then_it_does_not_match(void **state) {
    (void)state;
    static const struct match_row rows[] = {
        {"empty", {NULL, 0}, TARGET_OTHER, {NULL, 0}},
        {"the root", ROW_BYTES("/"), TARGET_OTHER, {NULL, 0}},
        {"shorter", ROW_BYTES("/salons/elm"), TARGET_OTHER, {NULL, 0}},
        {"longer", ROW_BYTES("/salons/elm/book/now"), TARGET_OTHER, {NULL, 0}},
        {"a trailing slash", ROW_BYTES("/salons/elm/book/"), TARGET_OTHER, {NULL, 0}},
        {"two trailing slashes", ROW_BYTES("/salons/elm/book//"), TARGET_OTHER, {NULL, 0}},
        {"a leading slash more", ROW_BYTES("//salons/elm/book"), TARGET_OTHER, {NULL, 0}},
        {"an empty salon", ROW_BYTES("/salons//book"), TARGET_OTHER, {NULL, 0}},
        {"no salon", ROW_BYTES("/salons/book"), TARGET_OTHER, {NULL, 0}},
        {"capitals", ROW_BYTES("/Salons/elm/book"), TARGET_OTHER, {NULL, 0}},
        {"another word", ROW_BYTES("/salons/elm/books"), TARGET_OTHER, {NULL, 0}},
        {"a part of the word", ROW_BYTES("/salons/elm/boo"), TARGET_OTHER, {NULL, 0}},
        {"a NUL after the word", ROW_BYTES("/salons/elm/book%00"), TARGET_OTHER, {NULL, 0}},
        {"an escaped slash between", ROW_BYTES("/salons%2Felm/book"), TARGET_OTHER, {NULL, 0}},
        {"a broken escape in a word", ROW_BYTES("/salons%zz/elm/book"), TARGET_OTHER, {NULL, 0}},
        {"a broken escape, another path", ROW_BYTES("/salons/%zz/cancel"), TARGET_OTHER, {NULL, 0}},
        {"a broken escape, a trailing slash",
         ROW_BYTES("/salons/%zz/book/"),
         TARGET_OTHER,
         {NULL, 0}},
        {"a dot", ROW_BYTES("/salons/./book"), TARGET_OTHER, {NULL, 0}},
        {"two dots", ROW_BYTES("/salons/../book"), TARGET_OTHER, {NULL, 0}},
        {"%2e", ROW_BYTES("/salons/%2e/book"), TARGET_OTHER, {NULL, 0}},
        {"%2E", ROW_BYTES("/salons/%2E/book"), TARGET_OTHER, {NULL, 0}},
        {"%2e%2e", ROW_BYTES("/salons/%2e%2e/book"), TARGET_OTHER, {NULL, 0}},
        {".%2E", ROW_BYTES("/salons/.%2E/book"), TARGET_OTHER, {NULL, 0}},
        {"%2e.", ROW_BYTES("/salons/%2e./book"), TARGET_OTHER, {NULL, 0}},
        {"dots before the route", ROW_BYTES("/x/../salons/elm/book"), TARGET_OTHER, {NULL, 0}},
        {"dots after the route", ROW_BYTES("/salons/elm/book/."), TARGET_OTHER, {NULL, 0}},
    };
    expect_matches(BOOK, rows, LENGTH_OF(rows));
}

static void
given_a_route_without_a_parameter_when_a_path_comes_then_only_that_path_matches(void **state) {
    (void)state;
    static const struct match_row rows[] = {
        {"it", ROW_BYTES("/openapi.json"), TARGET_MATCHES, {NULL, 0}},
        {"it, escaped", ROW_BYTES("/openapi%2Ejson"), TARGET_MATCHES, {NULL, 0}},
        {"a trailing slash", ROW_BYTES("/openapi.json/"), TARGET_OTHER, {NULL, 0}},
        {"another", ROW_BYTES("/openapi.yaml"), TARGET_OTHER, {NULL, 0}},
        {"longer", ROW_BYTES("/openapi.jsonx"), TARGET_OTHER, {NULL, 0}},
        {"cut by a NUL", ROW_BYTES("/openapi.json%00"), TARGET_OTHER, {NULL, 0}},
        {"broken", ROW_BYTES("/openapi.json%"), TARGET_OTHER, {NULL, 0}},
    };
    expect_matches("/openapi.json", rows, LENGTH_OF(rows));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(_when_a_target_is_split_then_its_path_is_what_comes_before_the_query),
        cmocka_unit_test(_when_a_target_has_a_byte_that_readers_split_at_then_it_is_not_plain),
        cmocka_unit_test(_when_a_salon_can_be_read_then_it_is_decoded_once),
        cmocka_unit_test(_when_a_salon_can_not_be_read_then_the_reason_is_told),
        cmocka_unit_test(_when_the_path_is_another_then_it_does_not_match),
        cmocka_unit_test(
            given_a_route_without_a_parameter_when_a_path_comes_then_only_that_path_matches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
