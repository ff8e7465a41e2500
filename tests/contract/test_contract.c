/* The contract on this product's own document, and what holds for any two documents. */
#include "diff.h"

#include "fixtures.h"

#include <stdio.h>

static void check_lines(json_t *provider, json_t *consumer, const char *wanted) {
    char *lines = diff_trees(provider, consumer);
    assert_string_equal(lines, wanted);
    free(lines);
}

static void given_our_client_when_compared_with_our_document_then_no_differences(void **state) {
    (void)state;
    json_t *provider = source_file("openapi/booking.json");
    json_t *consumer = source_file("openapi/consumers/booking-client.json");
    check_lines(provider, consumer, "the booking client: no differences\n");
    json_decref(consumer);
    json_decref(provider);
}

#define PLANTED_LINES(prefix)                                                                      \
    prefix "round one: POST /salons/{salonId}/book is not in the provider; it has "                \
           "\"/salons/{salon}/book\"\n" prefix                                                     \
           "round two: POST /salons/{salon}/book reads structuredContent.status; the provider "    \
           "can send \"not_booked\", which this consumer doesn't handle\n" prefix                  \
           "round two: POST /salons/{salon}/book handles structuredContent.status = "              \
           "\"cancelled\", which the provider never sends\n"

static void given_the_planted_copy_when_compared_then_its_three_lines(void **state) {
    (void)state;
    json_t *provider = source_file("openapi/booking.json");
    json_t *consumer = source_file("tests/contract/planted-client.json");
    check_lines(provider, consumer, PLANTED_LINES(""));
    json_decref(consumer);
    json_decref(provider);
}

/* The schema of a component of booking.json. */
static json_t *schema_of(json_t *provider, const char *name) {
    json_t *components = json_object_get(provider, "components");
    json_t *schema = json_object_get(json_object_get(components, "schemas"), name);
    assert_non_null(schema);
    return schema;
}

static void drop_string(json_t *array, const char *text) {
    size_t i = 0;
    while (i < json_array_size(array) &&
           strcmp(json_string_value(json_array_get(array, i)), text) != 0)
        i++;
    assert_true(i < json_array_size(array));
    json_array_remove(array, i);
}

/* F1 on our own document. */
static void given_slot_not_required_when_compared_with_our_client_then_both_rounds(void **state) {
    (void)state;
    json_t *provider = source_file("openapi/booking.json");
    json_t *consumer = source_file("openapi/consumers/booking-client.json");
    drop_string(json_object_get(schema_of(provider, "Booked"), "required"), "slot");
    check_lines(provider, consumer,
                "round one: POST /salons/{salon}/book reads structuredContent.slot, which the "
                "provider may leave out\n"
                "round two: POST /salons/{salon}/book reads structuredContent.slot, which the "
                "provider may leave out\n");
    json_decref(consumer);
    json_decref(provider);
}

/* F4 on our own document, in the other direction. */
static void given_a_dropped_action_when_compared_with_our_client_then_not_taken(void **state) {
    (void)state;
    json_t *provider = source_file("openapi/booking.json");
    json_t *consumer = source_file("openapi/consumers/booking-client.json");
    json_t *action = json_object_get(
        json_object_get(schema_of(provider, "DeclineOrCancelAnswer"), "properties"), "action");
    drop_string(json_object_get(action, "enum"), "decline");
    check_lines(provider, consumer,
                "round two: POST /salons/{salon}/book sends inputResponses.time.action = "
                "\"decline\", which the provider doesn't take\n");
    json_decref(consumer);
    json_decref(provider);
}

/* What the client refuses, or relies on, beyond the fields that it shows. */
static void given_another_mode_and_no_key_when_compared_with_our_client_then_both(void **state) {
    (void)state;
    json_t *provider = source_file("openapi/booking.json");
    json_t *consumer = source_file("openapi/consumers/booking-client.json");
    json_t *mode = json_object_get(
        json_object_get(schema_of(provider, "TimeQuestionParams"), "properties"), "mode");
    json_array_append_new(json_object_get(mode, "enum"), json_string("url"));
    json_t *paths = json_object_get(provider, "paths");
    json_t *book = json_object_get(json_object_get(paths, "/salons/{salon}/book"), "post");
    assert_int_equal(json_object_del(book, "parameters"), 0);
    check_lines(provider, consumer,
                "round one: POST /salons/{salon}/book reads inputRequests.time.params.mode; the "
                "provider can send \"url\", which this consumer doesn't handle\n"
                "round two: POST /salons/{salon}/book sends Idempotency-Key, which the provider "
                "doesn't read\n");
    json_decref(consumer);
    json_decref(provider);
}

struct parsed {
    struct contract_provider *provider;
    struct contract_consumer *consumers[2];
    struct contract_report *report;
};

static char *text_of_file(const char *path) {
    json_t *root = source_file(path);
    char *text = json_dumps(root, 0);
    json_decref(root);
    assert_non_null(text);
    return text;
}

/* The planted copy and our client's, in one report. */
static void compare_two(struct parsed *parsed) {
    static const char *const paths[] = {"tests/contract/planted-client.json",
                                        "openapi/consumers/booking-client.json"};
    struct contract_problem problem;
    char *provider = text_of_file("openapi/booking.json");
    assert_int_equal(contract_provider_read(bytes_of_text(provider), &parsed->provider, &problem),
                     STATUS_OK);
    free(provider);
    assert_int_equal(contract_report_new(&parsed->report), STATUS_OK);
    for (size_t i = 0; i < 2; i++) {
        char *consumer = text_of_file(paths[i]);
        assert_int_equal(
            contract_consumer_read(bytes_of_text(consumer), &parsed->consumers[i], &problem),
            STATUS_OK);
        free(consumer);
        assert_int_equal(
            contract_compare(parsed->provider, parsed->consumers[i], parsed->report, &problem),
            STATUS_OK);
    }
}

static void parsed_done(struct parsed *parsed) {
    contract_report_free(parsed->report);
    contract_consumer_free(parsed->consumers[0]);
    contract_consumer_free(parsed->consumers[1]);
    contract_provider_free(parsed->provider);
}

static void given_two_consumers_when_written_then_each_line_has_its_consumer(void **state) {
    (void)state;
    struct parsed parsed;
    compare_two(&parsed);
    struct buffer text = buffer_new(1 << 20);
    contract_report_write_text(parsed.report, &text);
    buffer_append_byte(&text, '\0');
    assert_string_equal(
        (const char *)text.data,
        PLANTED_LINES("the booking client: ") "the booking client: no differences\n");
    buffer_done(&text);
    parsed_done(&parsed);
}

static void given_differences_when_written_as_json_then_an_array_of_objects(void **state) {
    (void)state;
    struct parsed parsed;
    compare_two(&parsed);
    struct buffer text = buffer_new(1 << 20);
    contract_report_write_json(parsed.report, &text);
    json_t *root = json_loadb((const char *)text.data, text.size, 0, NULL);
    assert_int_equal(contract_report_count(parsed.report), 3);
    assert_int_equal(json_array_size(root), 3);
    json_t *wanted =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "consumer", "the booking client", "round",
                  "round one", "method", "POST", "path", "/salons/{salonId}/book", "line",
                  "round one: POST /salons/{salonId}/book is not in the provider; it has "
                  "\"/salons/{salon}/book\"");
    assert_true(json_equal(json_array_get(root, 0), wanted));
    json_decref(wanted);
    json_decref(root);
    buffer_done(&text);
    parsed_done(&parsed);
}

static void given_no_differences_when_written_as_json_then_an_empty_array(void **state) {
    (void)state;
    struct contract_report *report = NULL;
    assert_int_equal(contract_report_new(&report), STATUS_OK);
    struct buffer text = buffer_new(64);
    contract_report_write_json(report, &text);
    assert_int_equal(text.size, 3);
    assert_memory_equal(text.data, "[]\n", 3);
    buffer_done(&text);
    contract_report_free(report);
}

#define PROVIDER(schema)                                                                           \
    "{\"openapi\":\"3.0.3\",\"paths\":{\"/p\":{\"post\":{\"responses\":{\"200\":{\"content\":{"    \
    "\"application/json\":{\"schema\":" schema "}}}}}}}}"
#define CONSUMER(members)                                                                          \
    "{\"consumer\":\"c\",\"expectations\":[{\"round\":\"r\",\"method\":\"post\",\"path\":\"/p\","  \
    "" members "}]}"

static void given_broken_text_when_read_then_line_and_column(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *provider;
        const char *consumer;
        const char *wanted;
    } rows[] = {
        {"cut", "{\n \"openapi\":", "{}", "problem: line 2, column 11: the JSON is cut short"},
        {"empty", "", "{}", "problem: line 1, column 0: the JSON is cut short"},
        {"no JSON", "paths:\n", "{}", "problem: line 1, column 5: not JSON"},
        {"more", "{} x", "{}", "problem: line 1, column 4: something follows the JSON value"},
        {"twice", PROVIDER("{}"), "{\"consumer\":\"c\",\n\"consumer\":\"d\"}",
         "problem: line 2, column 10: a name is given twice"},
        {"twice, escaped", PROVIDER("{\"type\":\"string\",\"t\\u0079pe\":\"string\"}"), "{}",
         "problem: line 1, column 130: a name is given twice"},
        {"a NUL", PROVIDER("{}"), "{\"consumer\":\"\\u0000\"}",
         "problem: line 1, column 20: a NUL in a string"},
        {"a large number", PROVIDER("{\"maximum\":1e999}"), "{}",
         "problem: line 1, column 118: a number is out of range"},
        {"a type that isn't one", PROVIDER("{}"), CONSUMER("\"reads\":{\"x\":\"strng\"}"),
         "problem: expectations[0].reads.x is neither a type nor a list of values"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        char *lines = diff_texts(bytes_of_text(rows[i].provider), bytes_of_text(rows[i].consumer));
        if (strcmp(lines, rows[i].wanted) != 0)
            fail_msg("%s: wanted %s, got %s", rows[i].name, rows[i].wanted, lines);
        free(lines);
    }
}

/* `count` times `text`, between `before` and `after`; the caller frees it. */
static char *repeated(const char *before, const char *text, size_t count, const char *after) {
    struct buffer out = buffer_new(1 << 26);
    buffer_append_text(&out, before);
    append_repeated(&out, text, count);
    buffer_append_text(&out, after);
    buffer_append_byte(&out, '\0');
    assert_int_equal(out.status, STATUS_OK);
    return (char *)buffer_take(&out);
}

static void check_problem(const char *provider, const char *consumer, const char *wanted) {
    char *lines = diff_texts(bytes_of_text(provider), bytes_of_text(consumer));
    assert_string_equal(lines, wanted);
    free(lines);
}

static void given_deep_or_long_text_when_read_then_a_limit(void **state) {
    (void)state;
    char *deep = repeated("", "[", 100000, "");
    check_problem(deep, "{}", "problem: nested deeper than 128");
    free(deep);
    char *at_limit = repeated("{\"paths\":{},\"x\":[", "[", 126, "");
    check_problem(at_limit, "{}", "problem: line 1, column 143: the JSON is cut short");
    free(at_limit);
    char *copy = repeated("\"", "0123456789abcdef", 65536, "\"");
    check_problem(PROVIDER("{}"), copy, "problem: longer than 1048576 bytes");
    free(copy);
    char *path =
        repeated("{\"consumer\":\"c\",\"expectations\":[{\"round\":\"r\",\"method\":\"get\","
                 "\"path\":\"/p\",\"sends\":[\"a",
                 ".b", 32, "\"]}]}");
    check_problem(PROVIDER("{}"), path,
                  "problem: expectations[0].sends[0] is not the path of a field");
    free(path);
}

/* 3 to the power of 25 branches. */
static void given_schemas_with_too_many_branches_when_compared_then_a_limit(void **state) {
    (void)state;
    char *provider =
        repeated("{\"paths\":{\"/p\":{\"post\":{\"responses\":{\"200\":{\"content\":{\"application/"
                 "json\":{\"schema\":{\"allOf\":[{}",
                 ",{\"oneOf\":[{\"type\":\"object\"},{\"required\":[]},{\"properties\":{}}]}", 25,
                 "]}}}}}}}}}");
    check_problem(provider, CONSUMER("\"reads\":{\"x\":\"string\"}"),
                  "problem: its schemas have too many branches or values to compare");
    free(provider);
}

static void given_a_schema_of_too_many_parts_when_compared_then_a_limit(void **state) {
    (void)state;
    char *provider =
        repeated("{\"paths\":{\"/p\":{\"post\":{\"responses\":{\"200\":{\"content\":{\"application/"
                 "json\":{\"schema\":{\"allOf\":[{}",
                 ",{}", 100, "]}}}}}}}}}");
    check_problem(provider, CONSUMER("\"reads\":{\"x\":\"string\"}"),
                  "problem: one of its schemas is made of too many others");
    free(provider);
}

/* A second, simpler reading of a schema, to derive a copy from a document: what each path may be,
 * all branches taken together. */
struct derived {
    json_t *provider;
    json_t *types;  /* path -> object whose names are types */
    json_t *values; /* path -> array of values, or null when a branch has none */
};

static json_t *target(json_t *root, json_t *schema) {
    json_t *reference = json_object_get(schema, "$ref");
    if (reference == NULL)
        return schema;
    char name[256];
    assert_int_equal(sscanf(json_string_value(reference), "#/components/schemas/%255s", name), 1);
    return schema_of(root, name);
}

static void derive(struct derived *derived, json_t *unresolved, const char *path);

static void note(struct derived *derived, json_t *schema, const char *path) {
    json_t *types = json_object_get(derived->types, path);
    json_t *values = json_object_get(schema, "enum");
    json_t *known = json_object_get(derived->values, path);
    if (types == NULL) {
        types = json_object();
        json_object_set_new(derived->types, path, types);
        known = json_array();
        json_object_set_new(derived->values, path, known);
    }
    json_object_set_new(types, json_string_value(json_object_get(schema, "type")), json_true());
    if (json_is_true(json_object_get(schema, "nullable")))
        json_object_set_new(types, "null", json_true());
    if (values == NULL)
        json_object_set_new(derived->values, path, json_null());
    else if (json_is_array(known))
        json_array_extend(known, values);
}

static void derive_choices(struct derived *derived, json_t *schema, const char *path) {
    static const char *const names[] = {"oneOf", "anyOf", "allOf"};
    for (size_t i = 0; i < LENGTH_OF(names); i++) {
        json_t *choices = json_object_get(schema, names[i]);
        for (size_t j = 0; j < json_array_size(choices); j++)
            derive(derived, json_array_get(choices, j), path);
    }
}

static void derive(struct derived *derived, json_t *unresolved, const char *path) {
    json_t *schema = target(derived->provider, unresolved);
    char further[512];
    const char *name = NULL;
    json_t *property = NULL;
    if (json_object_get(schema, "type") != NULL && path[0] != '\0')
        note(derived, schema, path);
    derive_choices(derived, schema, path);
    json_object_foreach(json_object_get(schema, "properties"), name, property) {
        snprintf(further, sizeof further, "%s%s%s", path, path[0] == '\0' ? "" : ".", name);
        derive(derived, property, further);
    }
    json_t *items = json_object_get(schema, "items");
    snprintf(further, sizeof further, "%s[]", path);
    if (items != NULL)
        derive(derived, items, further);
}

static struct derived derived_from(json_t *provider, json_t *schema) {
    struct derived derived = {provider, json_object(), json_object()};
    derive(&derived, schema, "");
    return derived;
}

static void derived_done(struct derived *derived) {
    json_decref(derived->types);
    json_decref(derived->values);
}

/* Values where every branch has some, else the type where there is one. */
static json_t *reads_of(const struct derived *derived) {
    json_t *reads = json_object();
    const char *path = NULL;
    json_t *types = NULL;
    json_object_foreach(derived->types, path, types) {
        json_t *values = json_object_get(derived->values, path);
        if (json_is_array(values))
            json_object_set(reads, path, values);
        else if (json_object_size(types) == 1)
            json_object_set_new(reads, path,
                                json_string(json_object_iter_key(json_object_iter(types))));
    }
    return reads;
}

static json_t *body_schema(json_t *node) {
    return json_object_get(json_object_get(json_object_get(node, "content"), "application/json"),
                           "schema");
}

static void add_sends(json_t *expectation, const struct derived *derived) {
    json_t *sends = json_array();
    json_t *all_values = json_object();
    const char *path = NULL;
    json_t *values = NULL;
    json_object_foreach(derived->values, path, values) {
        json_array_append_new(sends, json_string(path));
        if (json_is_array(values))
            json_object_set(all_values, path, values);
    }
    json_object_set_new(expectation, "sends", sends);
    json_object_set_new(expectation, "sendsValues", all_values);
}

static json_t *resolved_response(json_t *provider, json_t *response) {
    json_t *reference = json_object_get(response, "$ref");
    char name[256];
    if (reference == NULL)
        return response;
    assert_int_equal(sscanf(json_string_value(reference), "#/components/responses/%255s", name), 1);
    json_t *components = json_object_get(provider, "components");
    return json_object_get(json_object_get(components, "responses"), name);
}

static void add_derived(json_t *expectations, json_t *provider, const char *path,
                        const char *method, json_t *operation) {
    const char *status = NULL;
    json_t *response = NULL;
    json_object_foreach(json_object_get(operation, "responses"), status, response) {
        json_t *expectation = json_pack("{s:s, s:s, s:s, s:i}", "round", status, "method", method,
                                        "path", path, "status", atoi(status));
        struct derived sent =
            derived_from(provider, body_schema(json_object_get(operation, "requestBody")));
        struct derived read =
            derived_from(provider, body_schema(resolved_response(provider, response)));
        add_sends(expectation, &sent);
        json_object_set_new(expectation, "reads", reads_of(&read));
        json_array_append_new(expectations, expectation);
        derived_done(&sent);
        derived_done(&read);
    }
}

static void given_a_copy_derived_from_our_document_when_compared_then_no_differences(void **state) {
    (void)state;
    json_t *provider = source_file("openapi/booking.json");
    json_t *expectations = json_array();
    const char *path = NULL;
    json_t *item = NULL;
    json_object_foreach(json_object_get(provider, "paths"), path, item) {
        const char *method = NULL;
        json_t *operation = NULL;
        json_object_foreach(item, method, operation) {
            if (json_object_get(operation, "responses") != NULL)
                add_derived(expectations, provider, path, method, operation);
        }
    }
    assert_true(json_array_size(expectations) > 5);
    json_t *consumer = json_pack("{s:s, s:o}", "consumer", "itself", "expectations", expectations);
    check_lines(provider, consumer, "itself: no differences\n");
    json_decref(consumer);
    json_decref(provider);
}

static const char *const names[] = {"a", "b", "c"};

static json_t *random_schema(struct dice *dice, int depth);

static json_t *random_schemas(struct dice *dice, int depth) {
    json_t *all = json_array();
    for (uint64_t count = 1 + dice_roll(dice, 3); count > 0; count--)
        json_array_append_new(all, random_schema(dice, depth - 1));
    return all;
}

static void add_random_keyword(struct dice *dice, json_t *schema, int depth) {
    static const char *const types[] = {"string", "object", "array", "integer", "boolean"};
    static const char *const choices[] = {"oneOf", "anyOf", "allOf"};
    json_t *properties = NULL;
    switch (dice_roll(dice, depth > 0 ? 9u : 5u)) {
    case 0:
    case 1:
        json_object_set_new(schema, "type", json_string(types[dice_roll(dice, 5)]));
        break;
    case 2:
        json_object_set_new(
            schema, "enum",
            json_pack("[s,s,n]", names[dice_roll(dice, 3)], names[dice_roll(dice, 3)]));
        break;
    case 3:
        json_object_set_new(schema, "required", json_pack("[s]", names[dice_roll(dice, 3)]));
        break;
    case 4:
        json_object_set_new(schema, "nullable", json_boolean(dice_roll(dice, 2)));
        break;
    case 5:
        json_object_set_new(schema, choices[dice_roll(dice, 3)], random_schemas(dice, depth));
        break;
    case 6:
        json_object_set_new(schema, "items", random_schema(dice, depth - 1));
        break;
    case 7:
        json_object_set_new(schema, "additionalProperties",
                            dice_roll(dice, 2) ? json_false() : random_schema(dice, depth - 1));
        break;
    default:
        properties = json_object();
        json_object_set_new(properties, names[dice_roll(dice, 3)], random_schema(dice, depth - 1));
        json_object_set_new(properties, names[dice_roll(dice, 3)], random_schema(dice, depth - 1));
        json_object_set_new(schema, "properties", properties);
        break;
    }
}

static json_t *random_schema(struct dice *dice, int depth) {
    char reference[64];
    if (dice_roll(dice, 4) == 0) {
        snprintf(reference, sizeof reference, "#/components/schemas/%s", names[dice_roll(dice, 3)]);
        return json_pack("{s:s}", "$ref", reference);
    }
    json_t *schema = json_object();
    for (uint64_t count = dice_roll(dice, 5); count > 0; count--)
        add_random_keyword(dice, schema, depth);
    return schema;
}

static void random_field(struct dice *dice, char out[32]) {
    size_t used = (size_t)snprintf(out, 32, "%s", names[dice_roll(dice, 3)]);
    for (uint64_t steps = dice_roll(dice, 4); steps > 0; steps--)
        used += dice_roll(dice, 4) == 0
                    ? (size_t)snprintf(out + used, 32 - used, "[]")
                    : (size_t)snprintf(out + used, 32 - used, ".%s", names[dice_roll(dice, 3)]);
}

static json_t *random_expectation(struct dice *dice) {
    char field[32];
    json_t *sends = json_array();
    json_t *values = json_object();
    json_t *whens = json_object();
    json_t *reads = json_object();
    for (uint64_t count = dice_roll(dice, 4); count > 0; count--) {
        random_field(dice, field);
        json_array_append_new(sends, json_string(field));
        random_field(dice, field);
        json_object_set_new(reads, field, json_string(dice_roll(dice, 2) ? "string" : "object"));
        random_field(dice, field);
        json_object_set_new(reads, field, json_pack("[s]", names[dice_roll(dice, 3)]));
    }
    random_field(dice, field);
    if (dice_roll(dice, 2) != 0)
        json_object_set_new(values, field, json_pack("[s,n]", names[dice_roll(dice, 3)]));
    random_field(dice, field);
    if (dice_roll(dice, 2) != 0)
        json_object_set_new(whens, field, json_string(names[dice_roll(dice, 3)]));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "round", "r", "method", "post", "path",
                     "/p", "sends", sends, "sendsValues", values, "when", whens, "reads", reads);
}

static json_t *random_provider(struct dice *dice) {
    json_t *schemas = json_object();
    for (size_t i = 0; i < 3; i++)
        json_object_set_new(schemas, names[i], random_schema(dice, 3));
    return json_pack("{s:s, s:{s:{s:{s:{s:{s:{s:o}}}, s:{s:{s:{s:{s:o}}}}}}}, s:{s:o}}", "openapi",
                     "3.0.3", "paths", "/p", "post", "requestBody", "content", "application/json",
                     "schema", random_schema(dice, 3), "responses", "200", "content",
                     "application/json", "schema", random_schema(dice, 3), "components", "schemas",
                     schemas);
}

/* Whatever they are: no crash, no hang; and there are some of each outcome. */
static void given_random_documents_when_compared_then_lines_or_a_problem(void **state) {
    (void)state;
    size_t clean = 0;
    size_t problems = 0;
    for (unsigned i = 0; i < 4000; i++) {
        struct dice dice = {i + 1};
        json_t *provider = random_provider(&dice);
        assert_non_null(provider);
        json_t *consumer = json_pack("{s:s, s:[o, o]}", "consumer", "c", "expectations",
                                     random_expectation(&dice), random_expectation(&dice));
        char *lines = diff_trees(provider, consumer);
        if (strncmp(lines, "problem: ", 9) != 0 && strncmp(lines, "r: POST /p ", 11) != 0 &&
            strcmp(lines, "c: no differences\n") != 0)
            fail_msg("seed %u: %s", i, lines);
        clean += strcmp(lines, "c: no differences\n") == 0;
        problems += strncmp(lines, "problem: ", 9) == 0;
        free(lines);
        json_decref(consumer);
        json_decref(provider);
    }
    assert_true(clean > 0);
    assert_true(problems > 0);
    assert_true(clean + problems < 4000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_our_client_when_compared_with_our_document_then_no_differences),
        cmocka_unit_test(given_the_planted_copy_when_compared_then_its_three_lines),
        cmocka_unit_test(given_slot_not_required_when_compared_with_our_client_then_both_rounds),
        cmocka_unit_test(given_a_dropped_action_when_compared_with_our_client_then_not_taken),
        cmocka_unit_test(given_another_mode_and_no_key_when_compared_with_our_client_then_both),
        cmocka_unit_test(given_two_consumers_when_written_then_each_line_has_its_consumer),
        cmocka_unit_test(given_differences_when_written_as_json_then_an_array_of_objects),
        cmocka_unit_test(given_no_differences_when_written_as_json_then_an_empty_array),
        cmocka_unit_test(given_broken_text_when_read_then_line_and_column),
        cmocka_unit_test(given_deep_or_long_text_when_read_then_a_limit),
        cmocka_unit_test(given_schemas_with_too_many_branches_when_compared_then_a_limit),
        cmocka_unit_test(given_a_schema_of_too_many_parts_when_compared_then_a_limit),
        cmocka_unit_test(given_a_copy_derived_from_our_document_when_compared_then_no_differences),
        cmocka_unit_test(given_random_documents_when_compared_then_lines_or_a_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
