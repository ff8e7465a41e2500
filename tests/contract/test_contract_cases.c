/* The tables in the folder cases: a document, a copy, and the lines between them. A case says only
 * what it is about; everything else is one operation, POST /p, with `reply` as its 200 and
 * `request` as its body. */
#include "diff.h"

/* A new object with the members of both; those of `over` win. */
static json_t *merged(json_t *under, json_t *over) {
    json_t *all = json_object();
    json_object_update(all, under);
    json_object_update(all, over);
    return all;
}

static json_t *content_of(json_t *schema) {
    return json_pack("{s:{s:{s:O}}}", "content", "application/json", "schema", schema);
}

static json_t *operation_of(json_t *row, json_t *reply) {
    json_t *operation = json_object();
    json_t *responses = json_object();
    json_t *request = json_object_get(row, "request");
    if (reply != NULL)
        json_object_set_new(responses, "200", content_of(reply));
    json_object_set_new(operation, "responses", responses);
    if (request != NULL) {
        json_t *body = content_of(request);
        json_object_set_new(body, "required", json_true());
        json_object_set_new(operation, "requestBody", body);
    }
    json_t *all = merged(operation, json_object_get(row, "operation"));
    json_decref(operation);
    return all;
}

static json_t *provider_of(json_t *row, json_t *reply) {
    json_t *given = json_object_get(row, "provider");
    if (given != NULL)
        return json_incref(given);
    json_t *item = merged(json_object_get(row, "item"), NULL);
    json_object_set_new(item, "post", operation_of(row, reply));
    json_t *document = json_pack("{s:s, s:{s:o}}", "openapi", "3.0.3", "paths", "/p", item);
    json_t *components = json_object_get(row, "components");
    if (components != NULL)
        json_object_set_new(document, "components", json_deep_copy(components));
    json_t *all = merged(document, json_object_get(row, "document"));
    json_decref(document);
    return all;
}

static json_t *consumer_of(json_t *row) {
    json_t *given = json_object_get(row, "consumer");
    if (given != NULL)
        return json_incref(given);
    json_t *plain = json_pack("{s:s, s:s, s:s}", "round", "r", "method", "post", "path", "/p");
    json_t *expectation = merged(plain, json_object_get(row, "copy"));
    json_decref(plain);
    return json_pack("{s:s, s:[o]}", "consumer", "c", "expectations", expectation);
}

/* The lines that the row wants, as the report writes them. */
static void write_wanted(json_t *row, char *out, size_t size) {
    json_t *lines = json_object_get(row, "lines");
    json_t *path = json_object_get(json_object_get(row, "copy"), "path");
    const char *problem = json_string_value(json_object_get(row, "problem"));
    size_t used = 0;
    if (problem != NULL)
        snprintf(out, size, "problem: %s", problem);
    else if (json_array_size(lines) == 0)
        snprintf(out, size, "c: no differences\n");
    for (size_t i = 0; i < json_array_size(lines); i++)
        used += (size_t)snprintf(out + used, size - used, "r: POST %s %s\n",
                                 path == NULL ? "/p" : json_string_value(path),
                                 json_string_value(json_array_get(lines, i)));
}

static void check_row(json_t *row, json_t *reply, const char *how) {
    char wanted[4096] = "";
    write_wanted(row, wanted, sizeof wanted);
    json_t *provider = provider_of(row, reply);
    json_t *consumer = consumer_of(row);
    char *lines = diff_trees(provider, consumer);
    if (strcmp(lines, wanted) != 0)
        fail_msg("%s%s\nwanted:\n%s\ngot:\n%s", json_string_value(json_object_get(row, "name")),
                 how, wanted, lines);
    free(lines);
    json_decref(consumer);
    json_decref(provider);
}

static void check_table(const char *path) {
    json_t *table = source_file(path);
    for (size_t i = 0; i < json_array_size(table); i++)
        check_row(json_array_get(table, i), json_object_get(json_array_get(table, i), "reply"), "");
    assert_true(json_array_size(table) > 0);
    json_decref(table);
}

static void given_a_reply_when_compared_then_the_lines_of_the_table(void **state) {
    (void)state;
    check_table("tests/contract/cases/reads.json");
}

static void given_a_request_when_compared_then_the_lines_of_the_table(void **state) {
    (void)state;
    check_table("tests/contract/cases/sends.json");
}

static void given_an_operation_when_compared_then_the_lines_of_the_table(void **state) {
    (void)state;
    check_table("tests/contract/cases/operations.json");
}

static void given_no_readable_contract_when_read_then_the_problem_says_where(void **state) {
    (void)state;
    check_table("tests/contract/cases/unreadable.json");
}

/* The row with its reply wrapped, as `format` says with W1 and W2 as components. */
static void check_wrapped(json_t *row, const char *reply, const char *first, const char *second) {
    json_t *copy = json_deep_copy(row);
    json_t *components = json_object_get(copy, "components");
    if (components == NULL) {
        components = json_object();
        json_object_set_new(copy, "components", components);
    }
    if (json_object_get(components, "schemas") == NULL)
        json_object_set_new(components, "schemas", json_object());
    json_t *schemas = json_object_get(components, "schemas");
    json_object_set(schemas, "Wrapped", json_object_get(row, "reply"));
    json_object_set_new(schemas, "W1", json_loads(first, 0, NULL));
    json_object_set_new(schemas, "W2", json_loads(second, 0, NULL));
    json_t *wrapped = json_loads(reply, 0, NULL);
    assert_non_null(wrapped);
    check_row(copy, wrapped, reply);
    json_decref(wrapped);
    json_decref(copy);
}

/* F2. */
static void given_a_wrapped_schema_when_compared_then_the_lines_stay(void **state) {
    (void)state;
    static const char *const wrappers[][3] = {
#define TO(name) "{\"$ref\":\"#/components/schemas/" name "\"}"
        {"{\"anyOf\":[" TO("Wrapped") "]}", "{}", "{}"},
        {"{\"oneOf\":[" TO("Wrapped") "]}", "{}", "{}"},
        {"{\"allOf\":[" TO("Wrapped") "]}", "{}", "{}"},
        {"{\"allOf\":[{\"oneOf\":[{\"anyOf\":[" TO("Wrapped") "]}]}]}", "{}", "{}"},
        {TO("W1"), TO("W2"), TO("Wrapped")},
        {TO("W1"), "{\"oneOf\":[" TO("W1") "," TO("Wrapped") "]}", "{}"},
        {TO("W1"), "{\"anyOf\":[" TO("Wrapped") "," TO("W2") "]}", TO("W1")},
        {TO("W1"), "{\"allOf\":[" TO("Wrapped") "," TO("W2") "]}", "{\"allOf\":[" TO("W1") "]}"},
        {"{\"anyOf\":[" TO("Wrapped") "," TO("Wrapped") "]}", "{}", "{}"},
        {"{\"allOf\":[" TO("Wrapped") "," TO("Wrapped") "]}", "{}", "{}"},
#undef TO
    };
    json_t *table = source_file("tests/contract/cases/reads.json");
    for (size_t i = 0; i < json_array_size(table); i++) {
        json_t *row = json_array_get(table, i);
        /* This row's reference goes through the place where the schema stood. */
        if (strcmp(json_string_value(json_object_get(row, "name")),
                   "references to odd places, escaped") == 0)
            continue;
        for (size_t j = 0; j < sizeof wrappers / sizeof wrappers[0]; j++)
            check_wrapped(row, wrappers[j][0], wrappers[j][1], wrappers[j][2]);
    }
    json_decref(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_reply_when_compared_then_the_lines_of_the_table),
        cmocka_unit_test(given_a_request_when_compared_then_the_lines_of_the_table),
        cmocka_unit_test(given_an_operation_when_compared_then_the_lines_of_the_table),
        cmocka_unit_test(given_no_readable_contract_when_read_then_the_problem_says_where),
        cmocka_unit_test(given_a_wrapped_schema_when_compared_then_the_lines_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
