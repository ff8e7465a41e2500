/* What the consumer reads, against what the provider sends. */
#include "compare.h"

#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>

/* What all the branches that have one field send in it. */
struct gathering {
    struct comparison *comparison;
    const struct reading *reading;
    const struct type *types[TYPES_MOST];
    size_t type_count;
    bool unlimited; /* a branch doesn't list its values */
    bool *sent;     /* for each value that the consumer handles */
};

static void gather_types(struct gathering *gathering, const struct branch *branch) {
    const struct type *types[TYPES_MOST];
    size_t count = branch_types(branch, types);
    for (size_t i = 0; i < count; i++) {
        size_t known = 0;
        while (known < gathering->type_count && gathering->types[known] != types[i])
            known++;
        gathering->types[known] = types[i];
        gathering->type_count += known == gathering->type_count;
    }
}

static void differ_in_unhandled(struct gathering *gathering, json_t *value) {
    struct buffer text = buffer_new(CONTRACT_REPORT_SIZE_MAX);
    buffer_append(&text, BYTES("reads "));
    buffer_append(&text, gathering->reading->field.text);
    buffer_append(&text, BYTES("; the provider can send "));
    json_value_write(&text, value);
    buffer_append(&text, BYTES(", which this consumer doesn't handle"));
    comparison_differ(gathering->comparison, &text);
}

/* Lines for what isn't handled are added as it is met, in the document's order. */
static void gather_values(struct gathering *gathering, const struct branch *branch) {
    struct walk *walk = &gathering->comparison->walk;
    json_t *handled = gathering->reading->values;
    if (!branch_is_limited(branch)) {
        gathering->unlimited = true;
        return;
    }
    json_t *value = NULL;
    for (size_t i = 0; (value = branch_candidate(branch, i)) != NULL; i++)
        if (walk_goes_on(walk, 1 + json_array_size(handled)) &&
            branch_lists_candidate(walk, branch, value) && !value_is_among(value, handled))
            differ_in_unhandled(gathering, value);
    for (size_t i = 0; i < json_array_size(handled); i++)
        if (!gathering->sent[i])
            gathering->sent[i] = branch_lists(walk, branch, json_array_get(handled, i));
}

static bool gather(void *context, const struct branch *branch) {
    struct gathering *gathering = context;
    if (gathering->reading->values != NULL)
        gather_values(gathering, branch);
    else
        gather_types(gathering, branch);
    return gathering->comparison->walk.status == STATUS_OK;
}

static void differ_in_type(const struct gathering *gathering) {
    const struct type *wanted = gathering->reading->type;
    bool other = false;
    for (size_t i = 0; i < gathering->type_count; i++)
        other = other || (gathering->types[i]->kinds & ~wanted->kinds) != 0;
    if (!other)
        return;
    struct buffer text = buffer_new(CONTRACT_REPORT_SIZE_MAX);
    buffer_append(&text, BYTES("reads "));
    buffer_append(&text, gathering->reading->field.text);
    buffer_append(&text, BYTES(" as "));
    buffer_append_text(&text, wanted->name);
    buffer_append(&text, BYTES("; the provider sends "));
    for (size_t i = 0; i < gathering->type_count; i++) {
        if (i > 0)
            buffer_append(&text, BYTES(", "));
        json_write_string(&text, bytes_of_text(gathering->types[i]->name));
    }
    comparison_differ(gathering->comparison, &text);
}

static void differ_in_handled(const struct gathering *gathering) {
    struct comparison *comparison = gathering->comparison;
    struct bytes field = gathering->reading->field.text;
    if (gathering->unlimited) {
        comparison_differ_in_field(comparison, "handles ", field, NULL,
                                   ", which the provider doesn't limit to values");
        return;
    }
    for (size_t i = 0; i < json_array_size(gathering->reading->values); i++)
        if (!gathering->sent[i])
            comparison_differ_in_field(comparison, "handles ", field,
                                       json_array_get(gathering->reading->values, i),
                                       ", which the provider never sends");
}

static struct conditions whens_of(const struct expectation *expectation) {
    return (struct conditions){expectation->whens, expectation->when_count};
}

/* The types or values of a field, from all the JSON types of the body. */
static void compare_content(struct comparison *comparison, const struct body *body,
                            const struct reading *reading) {
    const struct conditions whens = whens_of(comparison->expectation);
    struct gathering gathering = {.comparison = comparison, .reading = reading};
    struct presence presence = {.found = false};
    gathering.sent = calloc(json_array_size(reading->values) + 1, sizeof *gathering.sent);
    if (gathering.sent == NULL) {
        comparison->walk.status = STATUS_NO_MEMORY;
        return;
    }
    for (size_t i = 0; i < body->count; i++)
        field_visit(&comparison->walk, body->schemas[i], &reading->field, 0, &whens, gather,
                    &gathering, &presence);
    if (presence.found && reading->values == NULL)
        differ_in_type(&gathering);
    else if (presence.found)
        differ_in_handled(&gathering);
    free(gathering.sent);
}

/* True when `when` can hold and the field not be there. Conditions that can each hold but never
 * together are in doubt, so the field is too. */
static bool may_be_left_out(struct comparison *comparison, const struct body *body,
                            const struct reading *reading) {
    const struct conditions whens = whens_of(comparison->expectation);
    struct presence presence = {.found = false};
    if (whens.count == 0)
        return false;
    for (size_t i = 0; i < body->count; i++)
        field_visit(&comparison->walk, body->schemas[i], &reading->field, 0, &whens, NULL, NULL,
                    &presence);
    return presence.may_miss || !presence.found;
}

/* Without a branch that can carry what `when` says, which has its own line, nothing more can be
 * said of the field. */
static void compare_reading(struct comparison *comparison, const struct body *body,
                            const struct reading *reading, bool whens_can_hold) {
    struct bytes field = reading->field.text;
    if (!body_has_field(&comparison->walk, body, &reading->field)) {
        comparison_differ_in_field(comparison, "reads ", field, NULL,
                                   ", which the provider never sends");
        return;
    }
    if (!whens_can_hold)
        return;
    if (may_be_left_out(comparison, body, reading))
        comparison_differ_in_field(comparison, "reads ", field, NULL,
                                   ", which the provider may leave out");
    compare_content(comparison, body, reading);
}

/* A condition that never holds would let its fields pass unseen. False when it is one. */
static bool compare_when(struct comparison *comparison, const struct body *body,
                         const struct condition *when) {
    const struct conditions alone = {when, 1};
    if (!body_has_field(&comparison->walk, body, &when->field)) {
        comparison_differ_in_field(comparison, "reads ", when->field.text, NULL,
                                   ", which the provider never sends");
        return false;
    }
    for (size_t i = 0; i < body->count; i++)
        if (schema_carries(&comparison->walk, body->schemas[i], &alone))
            return true;
    comparison_differ_in_field(comparison, "handles ", when->field.text, when->value,
                               ", which the provider never sends");
    return false;
}

void comparison_of_reads(struct comparison *comparison) {
    const struct expectation *expectation = comparison->expectation;
    struct walk *walk = &comparison->walk;
    struct body body;
    if (walk->status != STATUS_OK)
        return;
    walk->status =
        operation_reply(walk->provider, &comparison->operation, expectation->status, &body);
    if (walk->status == STATUS_LIMIT)
        snprintf(walk->problem->text, sizeof walk->problem->text,
                 "a reply has more than %d JSON types", BODY_TYPES_MOST);
    bool can_hold = true;
    for (size_t i = 0; i < expectation->when_count && walk->status == STATUS_OK; i++)
        can_hold = compare_when(comparison, &body, &expectation->whens[i]) && can_hold;
    for (size_t i = 0; i < expectation->read_count && walk->status == STATUS_OK; i++)
        compare_reading(comparison, &body, &expectation->reads[i], can_hold);
}
