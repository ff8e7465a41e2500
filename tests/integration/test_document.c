/* The document is the one that the code has: every path, limit, reason and text in
 * openapi/booking.json is compared with the table of the code that it repeats, both ways. */
#include "booking.h"
#include "http_server.h"
#include "openapi_validator.h"
#include "refusal.h"
#include "routes.h"
#include "serve_mcp.h"
#include "support.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

enum { POINTER_SIZE = 512, ROUTES = ROUTE_COUNT + 1 };

static int load(void **state) {
    *state = openapi_load();
    return *state == NULL ? -1 : 0;
}

static int release(void **state) {
    json_decref(*state);
    return 0;
}

/* The methods that a route answers, besides a browser's preflight. */
static bool route_answers(const struct http_route *route, const char *method) {
    return strcasecmp(route->method, method) == 0 || strcmp(method, "options") == 0 ||
           (strcmp(route->method, "GET") == 0 && strcmp(method, "head") == 0);
}

static const struct http_route *find_route(const struct http_route *routes, const char *path) {
    for (size_t i = 0; i < ROUTES; i++)
        if (strcmp(routes[i].path, path) == 0)
            return &routes[i];
    return NULL;
}

static void
given_the_routes_of_the_code_when_compared_then_the_document_has_just_those(void **state) {
    struct http_route routes[ROUTES];
    routes_init(routes, NULL);
    routes[ROUTE_COUNT] = mcp_route(NULL, NULL);
    json_t *paths = json_object_get(*state, "paths");
    const char *path, *method;
    json_t *item, *operation;
    json_object_foreach(paths, path, item) {
        const struct http_route *route = find_route(routes, path);
        if (route == NULL)
            fail_msg("the code has no route %s", path);
        json_object_foreach(item, method, operation) {
            if (!route_answers(route, method))
                fail_msg("the code has no %s %s", method, path);
        }
    }
    for (size_t i = 0; i < ROUTES; i++) {
        json_t *declared = json_object_get(paths, routes[i].path);
        bool is_get = strcmp(routes[i].method, "GET") == 0;
        if (json_object_get(declared, is_get ? "get" : "post") == NULL ||
            (is_get && json_object_get(declared, "head") == NULL))
            fail_msg("the document has no %s %s", routes[i].method, routes[i].path);
    }
}

/* Every limit that the document states for a machine. */
static const struct {
    const char *pointer;
    long long value;
} limits[] = {
    {"#/components/parameters/Salon/schema/minLength", 1},
    {"#/components/parameters/Salon/schema/maxLength", SALON_SIZE_MAX},
    {"#/components/parameters/IdempotencyKey/schema/minLength", 1},
    {"#/components/parameters/IdempotencyKey/schema/maxLength", IDEMPOTENCY_KEY_SIZE_MAX + 2},
    {"#/components/schemas/Booking/properties/message/maxLength", MESSAGE_SIZE_MAX},
    {"#/components/schemas/Booking/properties/openSlots/maxItems", SLOT_COUNT_MAX},
    {"#/components/schemas/Booking/properties/openSlots/items/maxLength", SLOT_SIZE_MAX},
    {"#/components/schemas/AcceptAnswer/properties/content/properties/time/maxLength",
     SLOT_SIZE_MAX},
    {"#/components/schemas/TimeForm/properties/required/minItems", 1},
    {"#/components/schemas/TimeForm/properties/required/maxItems", 1},
    {"#/components/schemas/TimeField/properties/enum/minItems", 1},
    {"#/components/schemas/TimeField/properties/enum/maxItems", TIMES_ASKED_MAX},
    {"#/components/schemas/TimeField/properties/enum/items/maxLength", SLOT_SIZE_MAX},
    {"#/components/schemas/Booked/properties/slot/maxLength", SLOT_SIZE_MAX},
    {"#/components/schemas/Refusal/minLength", 1},
    {"#/components/schemas/OpenapiDocument/properties/security/maxItems", 0},
    {"#/components/headers/RetryAfter/schema/minimum", 1},
    {"#/components/headers/MaxAge/schema/minimum", 0},
};

/* Every limit that it states for people, as the text has it. */
static const struct {
    const char *pointer;
    const char *text; /* with # for the number */
    long long value;
} stated[] = {
    {"#/paths/~1salons~1{salon}~1book/post/requestBody/description", "At most # bytes",
     BODY_SIZE_DEFAULT},
    {"#/components/responses/BodyTooLarge/description", "# bytes", BODY_SIZE_DEFAULT},
    {"#/components/parameters/Salon/description", "1 to # bytes", SALON_SIZE_MAX},
    {"#/components/schemas/Booking/properties/message/description", "# bytes", MESSAGE_SIZE_MAX},
    {"#/components/schemas/Booking/properties/openSlots/items/description", "# bytes",
     SLOT_SIZE_MAX},
    {"#/components/schemas/AcceptAnswer/properties/content/properties/time/description", "# bytes",
     SLOT_SIZE_MAX},
    {"#/components/schemas/InputRequired/properties/requestState/description", "# seconds",
     VALID_FOR_DEFAULT},
    {"#/components/parameters/RequestId/description", "up to # safe", REQUEST_ID_SIZE_MAX},
    {"#/components/headers/RequestId/description", "up to # safe", REQUEST_ID_SIZE_MAX},
    {"#/components/parameters/RequestId/schema/pattern", "{1,#}$", REQUEST_ID_SIZE_MAX},
    {"#/components/headers/RequestId/schema/pattern", "{1,#}$", REQUEST_ID_SIZE_MAX},
};

static void
given_the_limits_of_the_code_when_compared_then_the_document_has_the_same(void **state) {
    for (size_t i = 0; i < COUNT(limits); i++) {
        json_t *value = json_at(*state, limits[i].pointer);
        if (!json_is_integer(value) || json_integer_value(value) != limits[i].value)
            fail_msg("%s is not %lld", limits[i].pointer, limits[i].value);
    }
}

static void given_the_limits_of_the_code_when_compared_then_the_texts_have_the_same(void **state) {
    for (size_t i = 0; i < COUNT(stated); i++) {
        const char *text = json_string_value(json_at(*state, stated[i].pointer));
        char wanted[64];
        const char *place = strchr(stated[i].text, '#');
        snprintf(wanted, sizeof wanted, "%.*s%lld%s", (int)(place - stated[i].text), stated[i].text,
                 stated[i].value, place + 1);
        if (text == NULL || strstr(text, wanted) == NULL)
            fail_msg("%s does not say \"%s\"", stated[i].pointer, wanted);
    }
}

static bool is_limit(const char *keyword) {
    static const char *const keywords[] = {"minLength", "maxLength", "minItems",
                                           "maxItems",  "minimum",   "maximum"};
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (strcmp(keyword, keywords[i]) == 0)
            return true;
    return false;
}

static bool is_compared(const char *pointer) {
    for (size_t i = 0; i < COUNT(limits); i++)
        if (strcmp(limits[i].pointer, pointer) == 0)
            return true;
    for (size_t i = 0; i < COUNT(stated); i++)
        if (strcmp(stated[i].pointer, pointer) == 0)
            return true;
    return false;
}

/* Calls `visit` with every value outside of examples. */
static void walk(json_t *value, const char *pointer,
                 void (*visit)(const char *pointer, const char *name, json_t *value)) {
    const char *name;
    json_t *member;
    char inner[POINTER_SIZE];
    json_object_foreach(value, name, member) {
        size_t size = (size_t)snprintf(inner, sizeof inner, "%s/", pointer);
        for (const char *at = name; *at != '\0' && size + 3 < sizeof inner; at++)
            size += (size_t)snprintf(inner + size, 3, "%s%c", *at == '/' ? "~" : "",
                                     *at == '/' ? '1' : *at);
        visit(inner, name, member);
        if (strcmp(name, "example") != 0 && strcmp(name, "examples") != 0)
            walk(member, inner, visit);
    }
}

static void check_compared(const char *pointer, const char *name, json_t *value) {
    if (is_limit(name) && json_is_number(value) && !is_compared(pointer))
        fail_msg("%s is compared with nothing", pointer);
    bool is_text = strcmp(name, "description") == 0 || strcmp(name, "pattern") == 0;
    const char *text = json_is_string(value) && is_text ? json_string_value(value) : "";
    bool has_limit = strstr(text, " bytes") != NULL || strstr(text, "seconds,") != NULL ||
                     strchr(text, '{') != NULL;
    for (; *text != '\0'; text++)
        if (has_limit && isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) &&
            !is_compared(pointer))
            fail_msg("the number in %s is compared with nothing", pointer);
}

static void
given_any_limit_in_the_document_when_looked_up_then_it_is_one_of_those_compared(void **state) {
    walk(*state, "#", check_compared);
}

/* Reasons that the routes say outside of the refusals' table. */
static const struct {
    const char *label;
    unsigned status;
    const char *reason;
} other_reasons[] = {
    {"not_ready", 503, "not ready"},
    {"key_unreadable", 400, "Idempotency-Key is not readable"},
};

static bool is_reason_of(enum refusal refusal, const char *value) {
    const char *reason = refusal_row(refusal)->reason;
    size_t size = strlen(value), tail = strlen(reason);
    if (refusal == REFUSAL_NEVER_OFFERED)
        return size > tail && value[size - tail - 1] == ' ' &&
               strcmp(value + size - tail, reason) == 0;
    return refusal == REFUSAL_UNREADABLE || strcmp(value, reason) == 0;
}

/* True when an example of a refusal is a row of the code's tables; marks which. */
static bool is_known(unsigned status, const char *label, const char *value,
                     bool seen[REFUSAL_COUNT]) {
    for (enum refusal i = 0; i < REFUSAL_COUNT; i++) {
        if (strcmp(refusal_row(i)->label, label) != 0)
            continue;
        seen[i] = true;
        return refusal_row(i)->status == status && is_reason_of(i, value);
    }
    for (size_t i = 0; i < COUNT(other_reasons); i++)
        if (strcmp(other_reasons[i].label, label) == 0)
            return other_reasons[i].status == status && strcmp(other_reasons[i].reason, value) == 0;
    return false;
}

static json_t *json_content(json_t *object) {
    return json_object_get(json_object_get(object, "content"), "application/json");
}

/* The reason that a refusal's body gives: as it is, or in an error of JSON-RPC. */
static const char *reason_in(json_t *body) {
    json_t *error = json_object_get(body, "error");
    return json_string_value(error == NULL ? body : json_object_get(error, "message"));
}

static void check_refusals(json_t *document, json_t *responses, bool seen[REFUSAL_COUNT]) {
    const char *status, *label;
    json_t *response, *example;
    json_object_foreach(responses, status, response) {
        json_t *examples =
            json_object_get(json_content(openapi_resolve(document, response)), "examples");
        unsigned number = (unsigned)strtoul(status, NULL, 10);
        json_object_foreach(examples, label, example) {
            const char *value = reason_in(json_object_get(example, "value"));
            if (number >= 400 && (value == NULL || !is_known(number, label, value, seen)))
                fail_msg("%s %s: \"%s\" is not in the code's tables", status, label,
                         value == NULL ? "" : value);
        }
    }
}

static void
given_the_refusals_of_the_code_when_compared_then_the_document_has_just_those(void **state) {
    bool seen[REFUSAL_COUNT] = {false};
    const char *path, *method;
    json_t *item, *operation;
    json_object_foreach(json_object_get(*state, "paths"), path, item) {
        json_object_foreach(item, method, operation) {
            check_refusals(*state, json_object_get(operation, "responses"), seen);
        }
    }
    for (enum refusal i = 0; i < REFUSAL_COUNT; i++)
        if (!seen[i])
            fail_msg("the document doesn't have the refusal %s", refusal_row(i)->label);
}

static void given_the_texts_of_the_code_when_compared_then_the_document_has_the_same(void **state) {
#define POST_200 "#/paths/~1salons~1{salon}~1book/post/responses/200/content/application~1json"
    const struct {
        const char *pointer;
        const char *text;
    } rows[] = {
        {POST_200 "/examples/input_required/value/inputRequests/time/params/message",
         QUESTION_TEXT},
        {POST_200 "/examples/not_booked/value/structuredContent/say", SAY_NOT_CHOSEN},
        {POST_200 "/examples/nothing_open/value/structuredContent/say", SAY_NOTHING_OPEN},
        {"#/components/schemas/TimeQuestionParams/properties/message/example", QUESTION_TEXT},
        {"#/components/schemas/NotBooked/properties/say/example", SAY_NOT_CHOSEN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text = json_string_value(json_at(*state, rows[i].pointer));
        if (text == NULL || strcmp(text, rows[i].text) != 0)
            fail_msg("%s is not \"%s\"", rows[i].pointer, rows[i].text);
    }
    const char *booked =
        json_string_value(json_at(*state, POST_200 "/examples/booked/value/structuredContent/say"));
    assert_non_null(booked);
    assert_non_null(strstr(booked, SAY_BOOKED_SUFFIX));
    json_t *retry = json_at(*state, "#/components/headers/RetryAfter/example");
    assert_int_equal(json_integer_value(retry), strtol(RETRY_AFTER_TEXT, NULL, 10));
}

static void check_example(json_t *document, json_t *schema, json_t *example, const char *where) {
    struct schema_problem problem;
    if (!schema_check(document, schema, example, SCHEMA_STRICT, where, &problem))
        fail_msg("the example of %s: %s", where, problem.text);
}

static void
given_the_examples_of_the_document_when_checked_then_each_fits_its_schema(void **state) {
    const char *name, *label;
    json_t *schema, *response, *example;
    json_t *components = json_object_get(*state, "components");
    json_object_foreach(json_object_get(components, "schemas"), name, schema) {
        if (json_object_get(schema, "example") != NULL)
            check_example(*state, schema, json_object_get(schema, "example"), name);
    }
    json_object_foreach(json_object_get(components, "responses"), name, response) {
        json_t *content = json_content(response);
        json_object_foreach(json_object_get(content, "examples"), label, example) {
            check_example(*state, json_object_get(content, "schema"),
                          json_object_get(example, "value"), name);
        }
    }
    json_t *content = json_at(*state, POST_200);
    json_object_foreach(json_object_get(content, "examples"), label, example) {
        check_example(*state, json_object_get(content, "schema"), json_object_get(example, "value"),
                      label);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            given_the_routes_of_the_code_when_compared_then_the_document_has_just_those),
        cmocka_unit_test(given_the_limits_of_the_code_when_compared_then_the_document_has_the_same),
        cmocka_unit_test(given_the_limits_of_the_code_when_compared_then_the_texts_have_the_same),
        cmocka_unit_test(
            given_any_limit_in_the_document_when_looked_up_then_it_is_one_of_those_compared),
        cmocka_unit_test(
            given_the_refusals_of_the_code_when_compared_then_the_document_has_just_those),
        cmocka_unit_test(given_the_texts_of_the_code_when_compared_then_the_document_has_the_same),
        cmocka_unit_test(given_the_examples_of_the_document_when_checked_then_each_fits_its_schema),
    };
    return cmocka_run_group_tests(tests, load, release);
}
