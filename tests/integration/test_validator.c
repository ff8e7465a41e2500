/* The validator that all integration tests rely on can fail (cases F6 and F8). */
#include "checked_exchange.h"
#include "openapi_validator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

/* The kinds of reply with status 200, each a real one. */
enum kind { ASKS, BOOKED, NOT_CHOSEN, NOTHING_OPEN, KIND_COUNT };

static const struct client_reply *real_reply(struct scene *scene, enum kind kind) {
    switch (kind) {
    case ASKS:
        return book(scene, round_one(&scene->arena, A_BOOKING));
    case BOOKED:
        return answer(scene, ACCEPT_TIME("sat-10:30"), ask(scene));
    case NOT_CHOSEN:
        return answer(scene, DECLINE, ask(scene));
    case NOTHING_OPEN:
    case KIND_COUNT:
        break;
    }
    return book(scene, round_one(&scene->arena, "{\"message\":\"\",\"openSlots\":[]}"));
}

static json_t *parse(const struct client_reply *reply) {
    json_t *value =
        json_loadb((const char *)reply->body.data, reply->body.size, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

static bool fits(struct scene *scene, const char *schema, json_t *value) {
    struct schema_problem problem;
    json_t *found = json_at(scene->document, schema);
    assert_non_null(found);
    return schema_check(scene->document, found, value, SCHEMA_STRICT, "body", &problem);
}

/* Case F6. */
static void
given_each_kind_of_reply_when_held_to_both_branches_then_exactly_one_matches(void **state) {
    struct scene *scene = *state;
    static const char *const branches[] = {"#/components/schemas/InputRequired",
                                           "#/components/schemas/Complete"};
    static const char *const outcomes[] = {"#/components/schemas/Booked",
                                           "#/components/schemas/NotBooked"};
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        json_t *value = parse(real_reply(scene, kind));
        json_t *outcome = json_object_get(value, "structuredContent");
        assert_int_equal(fits(scene, branches[0], value), kind == ASKS);
        assert_int_equal(fits(scene, branches[1], value), kind != ASKS);
        if (kind != ASKS) {
            assert_int_equal(fits(scene, outcomes[0], outcome), kind == BOOKED);
            assert_int_equal(fits(scene, outcomes[1], outcome), kind != BOOKED);
        }
        json_decref(value);
    }
}

/* Holds a reply with another body to the document; false when the validator objects. */
static bool passes_with(struct scene *scene, const struct client_reply *reply, json_t *body) {
    struct client_reply changed = *reply;
    struct schema_problem problem;
    char *text = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);
    changed.body = arena_copy(&scene->arena, bytes_of_text(text));
    free(text);
    const struct openapi_exchange made = {
        .method = "POST", .target = "/salons/elm-street/book", .reply = &changed};
    return openapi_check(scene->document, &made, &problem);
}

/* Every object inside a value, itself included. */
static size_t gather_objects(json_t *value, json_t **objects, size_t count) {
    const char *name;
    json_t *member;
    if (json_is_object(value))
        objects[count++] = value;
    json_object_foreach(value, name, member) {
        count = gather_objects(member, objects, count);
    }
    return count;
}

static void check_one_field_more(struct scene *scene, const struct client_reply *reply,
                                 json_t *body, json_t *object) {
    json_object_set_new(object, "more", json_string("x"));
    if (passes_with(scene, reply, body))
        fail_msg("a field more passes");
    json_object_del(object, "more");
    assert_true(passes_with(scene, reply, body));
}

/* Every field of a reply is required. */
static void check_each_field_less(struct scene *scene, const struct client_reply *reply,
                                  json_t *body, json_t *object) {
    json_t *copy = json_copy(object);
    const char *name;
    json_t *member;
    json_object_foreach(copy, name, member) {
        json_object_del(object, name);
        if (passes_with(scene, reply, body))
            fail_msg("without %s it passes", name);
        json_object_set(object, name, member);
        assert_true(passes_with(scene, reply, body));
    }
    json_decref(copy);
}

/* Case F8. */
static void given_a_real_reply_when_a_field_is_added_or_left_out_then_it_is_caught(void **state) {
    struct scene *scene = *state;
    for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
        json_t *objects[16];
        const struct client_reply *reply = real_reply(scene, kind);
        json_t *body = parse(reply);
        size_t count = gather_objects(body, objects, 0);
        assert_int_equal(count, kind == ASKS ? 7 : 2);
        for (size_t i = 0; i < count; i++) {
            check_one_field_more(scene, reply, body, objects[i]);
            check_each_field_less(scene, reply, body, objects[i]);
        }
        json_decref(body);
    }
}

static bool passes(struct scene *scene, const char *method, const char *target,
                   const struct client_reply *reply) {
    struct schema_problem problem;
    const struct openapi_exchange made = {.method = method, .target = target, .reply = reply};
    return openapi_check(scene->document, &made, &problem);
}

static void given_a_real_reply_when_its_head_is_another_then_it_is_caught(void **state) {
    struct scene *scene = *state;
    static const char target[] = "/salons/elm-street/book";
    const struct client_reply *reply = real_reply(scene, ASKS);
    assert_true(passes(scene, "POST", target, reply));
    struct client_reply changed = *reply;
    changed.status = 201;
    assert_false(passes(scene, "POST", target, &changed));
    changed.status = 400;
    assert_false(passes(scene, "POST", target, &changed));
    changed = *reply;
    changed.headers[changed.header_count++] = (struct client_header){"X-More", "x"};
    assert_false(passes(scene, "POST", target, &changed));
    changed = *reply;
    changed.headers[changed.header_count++] = changed.headers[0];
    assert_false(passes(scene, "POST", target, &changed));
    assert_false(passes(scene, "GET", target, reply));
    assert_false(passes(scene, "HEAD", target, reply));
    assert_false(passes(scene, "POST", "/salons/elm-street", reply));
    assert_false(passes(scene, "POST", "/openapi.json", reply));
}

static void given_a_real_reply_when_a_header_is_missing_or_wrong_then_it_is_caught(void **state) {
    struct scene *scene = *state;
    static const char *const required[] = {"Content-Type", "Cache-Control",
                                           "X-Content-Type-Options", "X-Request-Id"};
    const struct client_reply *reply = real_reply(scene, BOOKED);
    for (size_t i = 0; i < COUNT(required); i++) {
        struct client_reply changed = *reply;
        size_t at = 0;
        while (strcmp(changed.headers[at].name, required[i]) != 0)
            at++;
        changed.headers[at].value = "a wrong value";
        if (passes(scene, "POST", "/salons/elm-street/book", &changed))
            fail_msg("a wrong %s passes", required[i]);
        changed.headers[at] = changed.headers[--changed.header_count];
        if (passes(scene, "POST", "/salons/elm-street/book", &changed))
            fail_msg("without %s it passes", required[i]);
    }
}

struct schema_row {
    const char *schema;
    const char *good; /* NULL: there is none */
    const char *bad;  /* NULL: there is none */
};

static bool holds(const char *schema_text, const char *value_text, enum schema_reading reading,
                  struct schema_problem *problem) {
    json_t *schema = json_loads(schema_text, 0, NULL);
    json_t *value = json_loads(value_text, JSON_DECODE_ANY, NULL);
    assert_non_null(schema);
    assert_non_null(value);
    bool good = schema_check(schema, schema, value, reading, "value", problem);
    json_decref(schema);
    json_decref(value);
    return good;
}

static void given_each_keyword_when_a_value_fits_or_not_then_the_validator_sees_it(void **state) {
    (void)state;
    static const struct schema_row rows[] = {
        {"{\"type\":\"string\"}", "\"a\"", "1"},
        {"{\"type\":\"integer\"}", "1", "1.5"},
        {"{\"type\":\"number\"}", "1.5", "\"1\""},
        {"{\"type\":\"boolean\"}", "false", "null"},
        {"{\"type\":\"array\"}", "[]", "{}"},
        {"{\"type\":\"object\"}", "{}", "[]"},
        {"{\"type\":\"string\",\"nullable\":true}", "null", "1"},
        {"{\"enum\":[\"a\",1]}", "1", "2"},
        {"{\"pattern\":\"^a{2}$\"}", "\"aa\"", "\"aaa\""},
        {"{\"minLength\":2}", "\"\\u00e9\\ud83d\\udc88\"", "\"\\u00e9\""},
        {"{\"maxLength\":1}", "\"\\ud83d\\udc88\"", "\"ab\""},
        {"{\"minItems\":1}", "[1]", "[]"},
        {"{\"maxItems\":1}", "[1]", "[1,2]"},
        {"{\"uniqueItems\":true}", "[1,2,\"1\"]", "[1,2,1]"},
        {"{\"items\":{\"type\":\"string\"}}", "[\"a\"]", "[\"a\",1]"},
        {"{\"minimum\":2}", "2", "1"},
        {"{\"maximum\":2}", "2", "2.5"},
        {"{\"required\":[\"a\"]}", "{\"a\":null}", "{\"b\":1}"},
        {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":\"\"}", "{\"a\":1}"},
        {"{\"properties\":{\"a\":{}}}", "{\"a\":1}", "{\"b\":1}"},
        {"{\"type\":\"object\"}", "{}", "{\"b\":1}"},
        {"{\"type\":\"object\",\"additionalProperties\":false}", "{}", "{\"b\":1}"},
        {"{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}", "{\"b\":\"\"}",
         "{\"b\":1}"},
        {"{\"type\":\"object\",\"additionalProperties\":true}", "{\"b\":1}", NULL},
        {"{\"oneOf\":[{\"minimum\":1},{\"minimum\":5}]}", "2", "6"},
        {"{\"oneOf\":[{\"minimum\":1},{\"minimum\":5}]}", "2", "0"},
        {"{\"anyOf\":[{\"minimum\":1},{\"minimum\":5}]}", "6", "0"},
        {"{\"allOf\":[{\"minimum\":1},{\"maximum\":5}]}", "2", "6"},
        {"{\"$ref\":\"#/x\",\"x\":1}", NULL, "1"},
        {"{\"$ref\":\"#\"}", NULL, "1"},
        {"{\"$ref\":\"#/nowhere\"}", NULL, "1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct schema_problem problem = {""};
        if (rows[i].good != NULL && !holds(rows[i].schema, rows[i].good, SCHEMA_STRICT, &problem))
            fail_msg("%s against %s: %s", rows[i].good, rows[i].schema, problem.text);
        if (rows[i].bad != NULL && holds(rows[i].schema, rows[i].bad, SCHEMA_STRICT, &problem))
            fail_msg("%s passes %s", rows[i].bad, rows[i].schema);
    }
}

static void given_a_request_when_it_has_a_field_more_then_it_passes_unless_forbidden(void **state) {
    (void)state;
    struct schema_problem problem;
    assert_true(holds("{\"type\":\"object\"}", "{\"b\":1}", SCHEMA_LENIENT, &problem));
    assert_false(holds("{\"type\":\"object\",\"additionalProperties\":false}", "{\"b\":1}",
                       SCHEMA_LENIENT, &problem));
}

static void given_a_keyword_that_it_does_not_know_when_checked_then_nothing_passes(void **state) {
    (void)state;
    static const char *const schemas[] = {
        "{\"not\":{\"type\":\"string\"}}",
        "{\"const\":1}",
        "{\"format\":\"int64\"}",
        "{\"multipleOf\":1}",
        "{\"type\":\"integer\",\"exclusiveMinimum\":true}",
        "{\"type\":[\"integer\"]}",
        "{\"pattern\":\"\\\\d\"}",
        "{\"pattern\":\"(?i)a\"}",
        "{\"maximum\":\"5\"}",
        "{\"anyOf\":[{\"unknown\":1}]}",
        "{\"x-ours\":true}",
    };
    for (size_t i = 0; i < COUNT(schemas); i++) {
        struct schema_problem problem = {""};
        if (holds(schemas[i], "1", SCHEMA_STRICT, &problem))
            fail_msg("1 passes %s", schemas[i]);
        assert_int_not_equal(strlen(problem.text), 0);
    }
}

static void given_a_problem_when_reported_then_it_says_where(void **state) {
    (void)state;
    struct schema_problem problem;
    assert_false(holds("{\"properties\":{\"a\":{\"items\":{\"required\":[\"b\"]}}}}",
                       "{\"a\":[{\"b\":1},{}]}", SCHEMA_STRICT, &problem));
    assert_string_equal(problem.text, "value.a[1].b is missing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_each_kind_of_reply_when_held_to_both_branches_then_exactly_one_matches),
        SCENARIO(given_a_real_reply_when_a_field_is_added_or_left_out_then_it_is_caught),
        SCENARIO(given_a_real_reply_when_its_head_is_another_then_it_is_caught),
        SCENARIO(given_a_real_reply_when_a_header_is_missing_or_wrong_then_it_is_caught),
        cmocka_unit_test(given_each_keyword_when_a_value_fits_or_not_then_the_validator_sees_it),
        cmocka_unit_test(given_a_request_when_it_has_a_field_more_then_it_passes_unless_forbidden),
        cmocka_unit_test(given_a_keyword_that_it_does_not_know_when_checked_then_nothing_passes),
        cmocka_unit_test(given_a_problem_when_reported_then_it_says_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
