/* Forms: schemas read, answers checked. */
#include "fixtures.h"

#include "form.h"
#include "mcp_json.h"

#include <stdio.h>
#include <string.h>

#define FORM(properties, rest) "{\"type\":\"object\",\"properties\":{" properties "}" rest "}"

/* A form and what it is borrowed from. */
struct read_form {
    struct json_tree document;
    struct form form;
};

static void read_schema(struct read_form *read, const char *schema) {
    const char *problem = NULL;
    *read = (struct read_form){.document = {0}};
    assert_int_equal(mcp_json_read(bytes_of_text(schema), &read->document, &problem), STATUS_OK);
    if (form_read(read->document.root, &read->form, &problem) != STATUS_OK)
        fail_msg("%s: %s", schema, problem);
}

static void done(struct read_form *read) {
    form_done(&read->form);
    json_tree_done(&read->document);
}

static bool is(struct bytes bytes, const char *text) {
    return bytes_equal(bytes, bytes_of_text(text));
}

static void given_each_kind_of_field_when_read_then_all_of_it_is_there(void **state) {
    (void)state;
    struct read_form read;
    read_schema(
        &read,
        FORM("\"name\":{\"type\":\"string\",\"title\":\"Your name\",\"description\":\"In full\","
             "\"minLength\":2,\"maxLength\":9,\"default\":\"Ann\"},"
             "\"mail\":{\"type\":\"string\",\"format\":\"email\"},"
             "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":150,\"default\":30},"
             "\"score\":{\"type\":\"number\",\"minimum\":0.5,\"default\":95.5},"
             "\"agree\":{\"type\":\"boolean\",\"default\":false},"
             "\"plain\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"default\":\"b\"},"
             "\"named\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"enumNames\":[\"A!\",\"B!\"]},"
             "\"titled\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"An A\"}]},"
             "\"many\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"x\",\"y\"]},"
             "\"minItems\":1,\"maxItems\":2,\"default\":[\"y\"]},"
             "\"titles\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"x\",\"title\":"
             "\"An X\"},{\"const\":\"y\",\"title\":\"A Y\"}]}}",
             ",\"required\":[\"name\",\"many\"]"));
    const struct form_field *fields = read.form.fields;
    assert_int_equal(read.form.field_count, 10);
    assert_true(is(fields[0].name, "name") && is(fields[0].title, "Your name") &&
                is(fields[0].description, "In full") && is(fields[0].standard, "\"Ann\""));
    assert_true(fields[0].is_required && fields[0].least == 2 && fields[0].most == 9);
    assert_int_equal(fields[1].format, FORM_EMAIL);
    assert_false(fields[1].is_required);
    assert_true(fields[2].type == FORM_INTEGER && is(fields[2].standard, "30"));
    assert_true(fields[3].has_minimum && !fields[3].has_maximum && is(fields[3].standard, "95.5"));
    assert_true(fields[4].type == FORM_BOOLEAN && is(fields[4].standard, "false"));
    assert_true(fields[5].type == FORM_CHOICE && is(fields[5].standard, "\"b\""));
    assert_true(is(fields[6].choices[1].title, "B!") && is(fields[6].choices[1].value, "b"));
    assert_true(fields[7].choice_count == 1 && is(fields[7].choices[0].title, "An A"));
    assert_true(fields[8].type == FORM_CHOICES && is(fields[8].standard, "[\"y\"]"));
    assert_true(is(fields[9].choices[1].title, "A Y") && fields[9].standard.size == 0);
    done(&read);
}

static void given_a_schema_that_is_no_form_when_read_then_it_says_why(void **state) {
    (void)state;
    static const char *const schemas[] = {
        "7",
        "{}",
        "{\"type\":\"array\",\"properties\":{}}",
        "{\"properties\":[]}",
        FORM("\"a\":7", ""),
        FORM("\"a\":{}", ""),
        FORM("\"a\":{\"type\":\"object\"}", ""),
        FORM("\"a\":{\"type\":[\"string\"]}", ""),
        FORM("\"a\":{\"type\":\"string\",\"enum\":[]}", ""),
        FORM("\"a\":{\"type\":\"string\",\"enum\":7}", ""),
        FORM("\"a\":{\"type\":\"string\",\"enum\":[1]}", ""),
        FORM("\"a\":{\"type\":\"string\",\"oneOf\":[{\"title\":\"x\"}]}", ""),
        FORM("\"a\":{\"type\":\"string\",\"minLength\":-1}", ""),
        FORM("\"a\":{\"type\":\"string\",\"title\":7}", ""),
        FORM("\"a\":{\"type\":\"number\",\"minimum\":\"1\"}", ""),
        FORM("\"a\":{\"type\":\"array\"}", ""),
        FORM("\"a\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", ""),
    };
    for (size_t i = 0; i < LENGTH_OF(schemas); i++) {
        struct json_tree document = {0};
        struct form form;
        const char *problem = NULL;
        assert_int_equal(mcp_json_read(bytes_of_text(schemas[i]), &document, &problem), STATUS_OK);
        if (form_read(document.root, &form, &problem) != STATUS_INVALID || problem == NULL)
            fail_msg("%s is taken for a form", schemas[i]);
        json_tree_done(&document);
    }
}

static void given_too_many_fields_or_choices_when_read_then_it_is_no_form(void **state) {
    (void)state;
    struct buffer texts[] = {buffer_new(SIZE_MAX), buffer_new(SIZE_MAX)};
    buffer_append_text(&texts[0], "{\"properties\":{");
    for (int i = 0; i <= FORM_FIELDS_MOST; i++) {
        char field[64];
        snprintf(field, sizeof field, "%s\"f%d\":{\"type\":\"string\"}", i == 0 ? "" : ",", i);
        buffer_append_text(&texts[0], field);
    }
    buffer_append_text(&texts[0], "}}");
    buffer_append_text(&texts[1], "{\"properties\":{\"a\":{\"type\":\"string\",\"enum\":[\"\"");
    for (int i = 0; i < FORM_CHOICES_MOST; i++)
        buffer_append_text(&texts[1], ",\"\"");
    buffer_append_text(&texts[1], "]}}}");
    for (size_t i = 0; i < 2; i++) {
        struct json_tree document = {0};
        struct form form;
        const char *problem = NULL;
        assert_int_equal(mcp_json_read(buffer_bytes(&texts[i]), &document, &problem), STATUS_OK);
        assert_int_equal(form_read(document.root, &form, &problem), STATUS_INVALID);
        json_tree_done(&document);
        buffer_done(&texts[i]);
    }
}

static void given_a_default_that_its_field_forbids_when_read_then_there_is_none(void **state) {
    (void)state;
    static const char *const fields[] = {
        "{\"type\":\"string\",\"default\":7}",
        "{\"type\":\"string\",\"maxLength\":1,\"default\":\"ab\"}",
        "{\"type\":\"string\",\"format\":\"date\",\"default\":\"today\"}",
        "{\"type\":\"integer\",\"default\":1.5}",
        "{\"type\":\"integer\",\"maximum\":3,\"default\":4}",
        "{\"type\":\"boolean\",\"default\":\"true\"}",
        "{\"type\":\"string\",\"enum\":[\"a\"],\"default\":\"b\"}",
        "{\"type\":\"string\",\"oneOf\":[{\"const\":\"a\",\"title\":\"T\"}],\"default\":\"T\"}",
        "{\"type\":\"array\",\"items\":{\"enum\":[\"a\"]},\"default\":[\"b\"]}",
        "{\"type\":\"array\",\"items\":{\"enum\":[\"a\"]},\"minItems\":2,\"default\":[\"a\"]}",
        "{\"type\":\"array\",\"items\":{\"enum\":[\"a\"]},\"default\":\"a\"}",
    };
    for (size_t i = 0; i < LENGTH_OF(fields); i++) {
        char schema[256];
        struct read_form read;
        snprintf(schema, sizeof schema,
                 "{\"properties\":{\"a\":%s,\"b\":{\"type\":\"string\","
                 "\"default\":\"ok\"}}}",
                 fields[i]);
        read_schema(&read, schema);
        if (read.form.fields[0].standard.size != 0)
            fail_msg("%s keeps its default", fields[i]);
        assert_true(is(read.form.fields[1].standard, "\"ok\""));
        done(&read);
    }
}

struct answer_row {
    const char *field; /* its schema */
    const char *text;
    const char *json; /* NULL: it is refused */
    const char *problem;
};

static void check_answers(const struct answer_row *rows, size_t count, bool numbers_count) {
    for (size_t i = 0; i < count; i++) {
        char schema[512];
        struct read_form read;
        struct buffer json = buffer_new(SIZE_MAX);
        struct buffer problem = buffer_new(SIZE_MAX);
        snprintf(schema, sizeof schema, "{\"properties\":{\"a\":{%s}}}", rows[i].field);
        read_schema(&read, schema);
        enum status status = form_answer(&read.form.fields[0], bytes_of_text(rows[i].text),
                                         numbers_count, &json, &problem);
        bool is_right =
            rows[i].json == NULL
                ? status == STATUS_INVALID && is(buffer_bytes(&problem), rows[i].problem)
                : status == STATUS_OK && is(buffer_bytes(&json), rows[i].json);
        if (!is_right)
            fail_msg("%s, \"%s\": status %d, %.*s %.*s", rows[i].field, rows[i].text, status,
                     (int)json.size, json.data, (int)problem.size, problem.data);
        buffer_done(&json);
        buffer_done(&problem);
        done(&read);
    }
}

static void given_strings_when_answered_then_length_and_format_are_checked(void **state) {
    (void)state;
#define TEXT "\"type\":\"string\""
#define DATE TEXT ",\"format\":\"date\""
#define DATE_TIME TEXT ",\"format\":\"date-time\""
#define EMAIL TEXT ",\"format\":\"email\""
#define URI TEXT ",\"format\":\"uri\""
#define NO_DATE "it must be a date such as 2026-07-28"
#define NO_TIME "it must be a time such as 2026-07-28T10:30:00Z"
#define NO_EMAIL "it must be an e-mail address"
#define NO_URI "it must be a URI such as https://example.org/"
    static const struct answer_row rows[] = {
        {TEXT, " a\t\"\x1B", "\" a\\t\\\"\\u001b\"", NULL},
        {TEXT, "", "\"\"", NULL},
        {TEXT, "\xFF", NULL, "it must be UTF-8"},
        {TEXT ",\"maxLength\":2", "\xC3\xA9\xC3\xA9", "\"\xC3\xA9\xC3\xA9\"", NULL},
        {TEXT ",\"maxLength\":2", "abc", NULL, "its characters must be 2 at the most"},
        {TEXT ",\"minLength\":2", "a", NULL, "its characters must be 2 at least"},
        {TEXT ",\"minLength\":2,\"maxLength\":3", "abcd", NULL,
         "its characters must be from 2 to 3"},
        {TEXT ",\"format\":\"unknown\"", "x", "\"x\"", NULL},
        {DATE, "2026-07-28", "\"2026-07-28\"", NULL},
        {DATE, "2024-02-29", "\"2024-02-29\"", NULL},
        {DATE, "2000-02-29", "\"2000-02-29\"", NULL},
        {DATE, "2026-02-29", NULL, NO_DATE},
        {DATE, "1900-02-29", NULL, NO_DATE},
        {DATE, "2026-13-01", NULL, NO_DATE},
        {DATE, "2026-00-01", NULL, NO_DATE},
        {DATE, "2026-01-00", NULL, NO_DATE},
        {DATE, "2026-7-28", NULL, NO_DATE},
        {DATE, "2026-07-28 ", NULL, NO_DATE},
        {DATE_TIME, "2026-07-28T10:30:00Z", "\"2026-07-28T10:30:00Z\"", NULL},
        {DATE_TIME, "2026-07-28t23:59:60.123+02:00", "\"2026-07-28t23:59:60.123+02:00\"", NULL},
        {DATE_TIME, "2026-07-28T10:30:00", NULL, NO_TIME},
        {DATE_TIME, "2026-07-28 10:30:00Z", NULL, NO_TIME},
        {DATE_TIME, "2026-07-28T24:00:00Z", NULL, NO_TIME},
        {DATE_TIME, "2026-07-28T10:30:00.Z", NULL, NO_TIME},
        {DATE_TIME, "2026-07-28T10:30:00Zx", NULL, NO_TIME},
        {DATE_TIME, "2026-07-28T10:30:00+2:00", NULL, NO_TIME},
        {EMAIL, "ann@example.org", "\"ann@example.org\"", NULL},
        {EMAIL, "a.b+c@x-y.example", "\"a.b+c@x-y.example\"", NULL},
        {EMAIL, "ann", NULL, NO_EMAIL},
        {EMAIL, "@example.org", NULL, NO_EMAIL},
        {EMAIL, "ann@", NULL, NO_EMAIL},
        {EMAIL, "ann@b@c", NULL, NO_EMAIL},
        {EMAIL, "an n@example.org", NULL, NO_EMAIL},
        {EMAIL, "ann@exa mple.org", NULL, NO_EMAIL},
        {EMAIL, "ann@.org", NULL, NO_EMAIL},
        {EMAIL, "ann@example..org", NULL, NO_EMAIL},
        {EMAIL, "ann@-x.org", NULL, NO_EMAIL},
        {URI, "https://example.org/a?b#c", "\"https://example.org/a?b#c\"", NULL},
        {URI, "urn:x:%41", "\"urn:x:%41\"", NULL},
        {URI, "example.org", NULL, NO_URI},
        {URI, "https:", NULL, NO_URI},
        {URI, "1x:y", NULL, NO_URI},
        {URI, "x:a b", NULL, NO_URI},
        {URI, "x:%4", NULL, NO_URI},
        {URI, "x:<y>", NULL, NO_URI},
    };
    check_answers(rows, LENGTH_OF(rows), false);
}

static void given_numbers_when_answered_then_kind_and_range_are_checked(void **state) {
    (void)state;
#define INTEGER "\"type\":\"integer\""
#define NUMBER "\"type\":\"number\""
#define NO_INTEGER "it must be a whole number"
    static const struct answer_row rows[] = {
        {INTEGER, " 42 ", "42", NULL},
        {INTEGER, "-0", "0", NULL},
        {INTEGER, "9007199254740991", "9007199254740991", NULL},
        {INTEGER, "9007199254740993", NULL, NO_INTEGER},
        {INTEGER, "1e3", "1000", NULL},
        {INTEGER, "1.5", NULL, NO_INTEGER},
        {INTEGER, "", NULL, NO_INTEGER},
        {INTEGER, "+1", NULL, NO_INTEGER},
        {INTEGER, "01", NULL, NO_INTEGER},
        {INTEGER, "0x10", NULL, NO_INTEGER},
        {INTEGER, "ten", NULL, NO_INTEGER},
        {INTEGER, "1 2", NULL, NO_INTEGER},
        {INTEGER ",\"minimum\":1,\"maximum\":5", "5", "5", NULL},
        {INTEGER ",\"minimum\":1,\"maximum\":5", "6", NULL, NO_INTEGER " from 1 to 5"},
        {INTEGER ",\"minimum\":1", "0", NULL, NO_INTEGER " of at least 1"},
        {NUMBER, "-2.50", "-2.50", NULL},
        {NUMBER, "1e2", "1e2", NULL},
        {NUMBER, "1e400", NULL, "it must be a number"},
        {NUMBER, "-7777777777777777777093", NULL, "it must be a number"},
        {NUMBER, ".5", NULL, "it must be a number"},
        {NUMBER, "5.", NULL, "it must be a number"},
        {NUMBER, "nan", NULL, "it must be a number"},
        {NUMBER, "1,5", NULL, "it must be a number"},
        {NUMBER ",\"maximum\":2.5", "2.6", NULL, "it must be a number of at most 2.5"},
    };
    check_answers(rows, LENGTH_OF(rows), true);
}

static void given_choices_when_answered_then_values_titles_and_numbers_are_found(void **state) {
    (void)state;
#define CHOICE                                                                                     \
    "\"type\":\"string\",\"oneOf\":[{\"const\":\"2\",\"title\":\"First\"},{\"const\":\"b\","       \
    "\"title\":\"2nd\"},{\"const\":\"c\",\"title\":\"b\"}]"
#define CHOICES                                                                                    \
    "\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":{\"enum\":[\"x\",\"y\",\"z,w\"]}"
#define NO_CHOICE "it is not among the choices"
    static const struct answer_row with_numbers[] = {
        {CHOICE, "2", "\"2\"", NULL},
        {CHOICE, "b", "\"b\"", NULL},
        {CHOICE, "2nd", "\"b\"", NULL},
        {CHOICE, " First ", "\"2\"", NULL},
        {CHOICE, "3", "\"c\"", NULL},
        {CHOICE, "4", NULL, NO_CHOICE},
        {CHOICE, "0", NULL, NO_CHOICE},
        {CHOICE, "first", NULL, NO_CHOICE},
        {CHOICES, "2,1", "[\"x\",\"y\"]", NULL},
    };
    check_answers(with_numbers, LENGTH_OF(with_numbers), true);
    static const struct answer_row without_numbers[] = {
        {CHOICE, "3", NULL, NO_CHOICE},
        {CHOICES, "y, x", "[\"x\",\"y\"]", NULL},
        {CHOICES, "x,x", "[\"x\"]", NULL},
        {CHOICES, "z,w", "[\"z,w\"]", NULL},
        {CHOICES, "x,q", NULL, "q is not among the choices"},
        {CHOICES, "", NULL, "the number of choices must be from 1 to 2"},
        {CHOICES, "1", NULL, "1 is not among the choices"},
        {"\"type\":\"boolean\"", "yes", "true", NULL},
        {"\"type\":\"boolean\"", " N", "false", NULL},
        {"\"type\":\"boolean\"", "TRUE", "true", NULL},
        {"\"type\":\"boolean\"", "1", NULL, "it must be yes or no"},
    };
    check_answers(without_numbers, LENGTH_OF(without_numbers), false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_each_kind_of_field_when_read_then_all_of_it_is_there),
        cmocka_unit_test(given_a_schema_that_is_no_form_when_read_then_it_says_why),
        cmocka_unit_test(given_too_many_fields_or_choices_when_read_then_it_is_no_form),
        cmocka_unit_test(given_a_default_that_its_field_forbids_when_read_then_there_is_none),
        cmocka_unit_test(given_strings_when_answered_then_length_and_format_are_checked),
        cmocka_unit_test(given_numbers_when_answered_then_kind_and_range_are_checked),
        cmocka_unit_test(given_choices_when_answered_then_values_titles_and_numbers_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
