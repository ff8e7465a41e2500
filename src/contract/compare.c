#include "compare.h"

#include "json_text.h"

#include <stdio.h>

void comparison_differ(struct comparison *comparison, struct buffer *text) {
    struct walk *walk = &comparison->walk;
    if (walk->status == STATUS_OK)
        walk->status = text->status;
    if (walk->status == STATUS_OK)
        walk->status = report_add(comparison->report, comparison->expectation, buffer_bytes(text));
    if (walk->status == STATUS_LIMIT && walk->problem->text[0] == '\0')
        snprintf(walk->problem->text, sizeof walk->problem->text,
                 "there are too many differences to report");
    buffer_done(text);
}

void comparison_differ_in_field(struct comparison *comparison, const char *before,
                                struct bytes field, json_t *value, const char *after) {
    struct buffer text = buffer_new(CONTRACT_REPORT_SIZE_MAX);
    buffer_append_text(&text, before);
    buffer_append(&text, field);
    if (value != NULL) {
        buffer_append(&text, BYTES(" = "));
        json_value_write(&text, value);
    }
    buffer_append_text(&text, after);
    comparison_differ(comparison, &text);
}

bool body_has_field(struct walk *walk, const struct body *body, const struct field *field) {
    for (size_t i = 0; i < body->count; i++)
        if (!schema_has_field(walk, body->schemas[i], field, 0))
            return false;
    return body->count > 0;
}

static void differ_in_operation(struct comparison *comparison) {
    struct buffer text = buffer_new(CONTRACT_REPORT_SIZE_MAX);
    buffer_append(&text, BYTES("is not in the provider"));
    if (comparison->operation.nearest.size > 0) {
        buffer_append(&text, BYTES("; it has "));
        json_write_string(&text, comparison->operation.nearest);
    }
    comparison_differ(comparison, &text);
}

static void compare_expectation(struct comparison *comparison) {
    comparison->operation = operation_find(comparison->walk.provider, comparison->expectation);
    if (comparison->operation.body == NULL) {
        differ_in_operation(comparison);
        return;
    }
    comparison->walk.direction = READ_BY_PROVIDER;
    comparison_of_sends(comparison);
    comparison->walk.direction = SENT_BY_PROVIDER;
    comparison_of_reads(comparison);
}

enum status contract_compare(const struct contract_provider *provider,
                             const struct contract_consumer *consumer,
                             struct contract_report *report, struct contract_problem *problem) {
    problem->text[0] = '\0';
    enum status status = report_add_consumer(report, consumer->name);
    struct comparison comparison = {
        .walk = {.provider = provider, .problem = problem, .status = status}, .report = report};
    for (size_t i = 0; i < consumer->count && comparison.walk.status == STATUS_OK; i++) {
        comparison.expectation = &consumer->expectations[i];
        compare_expectation(&comparison);
    }
    return comparison.walk.status;
}
