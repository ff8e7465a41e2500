/* What the consumer sends, against what the provider reads and requires. */
#include "compare.h"

#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>

/* Where one sent field goes. */
struct destination {
    json_t *parameter; /* NULL when it is none */
    bool in_body;
};

struct sends {
    struct comparison *comparison;
    struct body body;
    struct parameters parameters;
    struct destination *destinations; /* of each sending */
};

static const struct conditions no_conditions = {NULL, 0};

/* A parameter's name as the copy may write it: that of a header in either case. */
static bool names_parameter(struct bytes text, json_t *parameter) {
    struct bytes name = json_text(node_member(parameter, "name"));
    bool is_header =
        bytes_equal_ignoring_case(json_text(node_member(parameter, "in")), BYTES("header"));
    return is_header ? bytes_equal_ignoring_case(text, name) : bytes_equal(text, name);
}

/* True when the field is the parameter, or a property of a parameter that is an object. */
static bool is_of_parameter(struct walk *walk, const struct field *field, json_t *parameter) {
    if (names_parameter(field->text, parameter))
        return true;
    return field->count > 1 && field->steps[0].name.data != NULL &&
           names_parameter(field->steps[0].name, parameter) &&
           schema_has_field(walk, parameter_schema(parameter), field, 1);
}

static void find_destinations(struct sends *sends) {
    const struct expectation *expectation = sends->comparison->expectation;
    struct walk *walk = &sends->comparison->walk;
    for (size_t i = 0; i < expectation->send_count; i++) {
        const struct field *field = &expectation->sends[i].field;
        struct destination *destination = &sends->destinations[i];
        for (size_t j = 0; j < sends->parameters.count && destination->parameter == NULL; j++)
            if (is_of_parameter(walk, field, sends->parameters.items[j]))
                destination->parameter = sends->parameters.items[j];
        destination->in_body = body_has_field(walk, &sends->body, field);
    }
}

static void compare_read(const struct sends *sends) {
    const struct expectation *expectation = sends->comparison->expectation;
    for (size_t i = 0; i < expectation->send_count; i++)
        if (sends->destinations[i].parameter == NULL && !sends->destinations[i].in_body)
            comparison_differ_in_field(sends->comparison, "sends ",
                                       expectation->sends[i].field.text, NULL,
                                       ", which the provider doesn't read");
}

static void differ_in_required(struct comparison *comparison, struct bytes name) {
    comparison_differ_in_field(comparison, "doesn't send ", name, NULL,
                               ", which the provider requires");
}

static void compare_required_parameters(const struct sends *sends) {
    const struct expectation *expectation = sends->comparison->expectation;
    for (size_t i = 0; i < sends->parameters.count; i++) {
        json_t *parameter = sends->parameters.items[i];
        bool missing = node_member_is_true(parameter, "required") &&
                       !bytes_equal(json_text(node_member(parameter, "in")), BYTES("path"));
        for (size_t j = 0; j < expectation->send_count && missing; j++)
            missing =
                !is_of_parameter(&sends->comparison->walk, &expectation->sends[j].field, parameter);
        if (missing)
            differ_in_required(sends->comparison, json_text(node_member(parameter, "name")));
    }
}

/* A search for what is required and not sent, at one place of the body. */
struct demand {
    const struct sends *sends;
    struct conditions value;   /* one sent value, or none */
    const struct field *along; /* a sent field that goes through the place */
    size_t depth;              /* of the place */
    int rank;                  /* of the best branches so far */
    bool satisfied;            /* by one of these */
    json_t *missing;           /* from these: an array of names */
};

enum sent { NOT_SENT, PARTLY_SENT, SENT };

/* True when a sent field goes on from the demand's place. */
static bool goes_on(const struct demand *demand, const struct field *field) {
    return field->count > demand->depth && fields_share(field, demand->along, demand->depth);
}

/* How far a step from the place is sent; `through` gets a field that goes through it. */
static enum sent sent_at(const struct demand *demand, const struct step *step,
                         const struct field **through) {
    const struct expectation *expectation = demand->sends->comparison->expectation;
    enum sent sent = NOT_SENT;
    for (size_t i = 0; i < expectation->send_count; i++) {
        const struct field *field = &expectation->sends[i].field;
        if (!goes_on(demand, field) || !steps_equal(&field->steps[demand->depth], step))
            continue;
        if (field->count == demand->depth + 1)
            return SENT;
        sent = PARTLY_SENT;
        *through = field;
    }
    return sent;
}

static void keep(struct demand *demand, json_t *name) {
    if (name == NULL || json_array_append_new(demand->missing, name) != 0)
        demand->sends->comparison->walk.status = STATUS_NO_MEMORY;
}

static void write_place(struct buffer *out, const struct field *along, size_t depth) {
    for (size_t i = 0; i < depth; i++) {
        if (along->steps[i].name.data == NULL) {
            buffer_append(out, BYTES("[]"));
            continue;
        }
        if (i > 0)
            buffer_append_byte(out, '.');
        buffer_append(out, along->steps[i].name);
    }
    if (depth > 0)
        buffer_append_byte(out, '.');
}

static void keep_missing(struct demand *demand, struct bytes name) {
    struct buffer text = buffer_new(CONTRACT_REPORT_SIZE_MAX);
    write_place(&text, demand->along, demand->depth);
    json_write_characters(&text, name);
    if (text.status == STATUS_OK)
        keep(demand, json_stringn((const char *)text.data, text.size));
    else
        demand->sends->comparison->walk.status = text.status;
    buffer_done(&text);
}

static void demand_at(struct demand *demand, const struct conjunction *schemas);

/* What is missing further in, one step along a field. */
static void keep_deeper(struct demand *demand, const struct child *child,
                        const struct field *through) {
    struct demand deeper = {.sends = demand->sends,
                            .value = demand->value,
                            .along = through,
                            .depth = demand->depth + 1};
    demand_at(&deeper, &child->schemas);
    for (size_t i = 0; i < json_array_size(deeper.missing); i++)
        keep(demand, json_incref(json_array_get(deeper.missing, i)));
    json_decref(deeper.missing);
}

static void keep_required(struct demand *demand, const struct branch *branch, json_t *part) {
    struct walk *walk = &demand->sends->comparison->walk;
    json_t *names = node_member(part, "required");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const struct step step = {json_text(json_array_get(names, i))};
        const struct field *through = NULL;
        struct child child;
        branch_child(walk, branch, &step, &child);
        if (child.exists && walk->status == STATUS_OK &&
            sent_at(demand, &step, &through) == NOT_SENT)
            keep_missing(demand, step.name);
    }
}

/* True when an earlier sent field takes the same step from the place. */
static bool is_looked_at(const struct demand *demand, size_t index) {
    const struct sending *sendings = demand->sends->comparison->expectation->sends;
    for (size_t i = 0; i < index; i++)
        if (fields_share(&sendings[i].field, &sendings[index].field, demand->depth + 1))
            return true;
    return false;
}

static void keep_under_sent(struct demand *demand, const struct branch *branch) {
    const struct expectation *expectation = demand->sends->comparison->expectation;
    for (size_t i = 0; i < expectation->send_count; i++) {
        const struct field *field = &expectation->sends[i].field;
        const struct field *through = NULL;
        if (!goes_on(demand, field) || is_looked_at(demand, i) ||
            sent_at(demand, &field->steps[demand->depth], &through) != PARTLY_SENT)
            continue;
        struct child child;
        branch_child(&demand->sends->comparison->walk, branch, &field->steps[demand->depth],
                     &child);
        if (child.exists)
            keep_deeper(demand, &child, through);
    }
}

/* Branches that read everything that is sent come first, then objects. */
static int rank_of(const struct demand *demand, const struct branch *branch) {
    const struct sends *sends = demand->sends;
    const struct expectation *expectation = sends->comparison->expectation;
    bool reads_all = true;
    for (size_t i = 0; i < expectation->send_count && reads_all; i++) {
        const struct field *field = &expectation->sends[i].field;
        if (sends->destinations[i].in_body && goes_on(demand, field))
            reads_all = branch_has_field(&sends->comparison->walk, branch, field, demand->depth);
    }
    return (reads_all ? 2 : 0) + ((branch->kinds & KIND_OBJECT) != 0 ? 1 : 0);
}

static bool demand_of_branch(void *context, const struct branch *branch) {
    struct demand *demand = context;
    struct walk *walk = &demand->sends->comparison->walk;
    if (!conditions_carried(walk, branch, &demand->value, demand->along, demand->depth))
        return true;
    int rank = rank_of(demand, branch);
    if (rank < demand->rank || (rank == demand->rank && demand->satisfied))
        return true;
    if (rank > demand->rank)
        json_array_clear(demand->missing);
    demand->rank = rank;
    size_t before = json_array_size(demand->missing);
    for (size_t i = 0; i < branch->count; i++)
        keep_required(demand, branch, branch->parts[i]);
    keep_under_sent(demand, branch);
    demand->satisfied = json_array_size(demand->missing) == before;
    return walk->status == STATUS_OK;
}

/* Leaves in `missing` what has to be named: nothing when one of the best branches is satisfied. */
static void demand_at(struct demand *demand, const struct conjunction *schemas) {
    struct walk *walk = &demand->sends->comparison->walk;
    demand->rank = -1;
    demand->missing = json_array();
    if (demand->missing == NULL)
        walk->status = STATUS_NO_MEMORY;
    branches_visit(walk, schemas, demand_of_branch, demand);
    if (demand->satisfied)
        json_array_clear(demand->missing);
}

static void compare_required_in(const struct sends *sends, json_t *schema,
                                struct conditions value) {
    static const struct field start = {.count = 0};
    const struct conjunction schemas = conjunction_of(schema);
    struct demand demand = {.sends = sends, .value = value, .along = &start};
    demand_at(&demand, &schemas);
    for (size_t i = 0; i < json_array_size(demand.missing); i++)
        differ_in_required(sends->comparison, json_text(json_array_get(demand.missing, i)));
    json_decref(demand.missing);
}

static bool sends_body(const struct sends *sends) {
    for (size_t i = 0; i < sends->comparison->expectation->send_count; i++)
        if (sends->destinations[i].in_body || sends->destinations[i].parameter == NULL)
            return true;
    return false;
}

/* Once for the fields, and once for every value that is sent: a branch that only some of them fit
 * is no excuse for the others. */
static void compare_required(const struct sends *sends) {
    const struct expectation *expectation = sends->comparison->expectation;
    compare_required_parameters(sends);
    if (!sends->body.required && !sends_body(sends))
        return;
    for (size_t i = 0; i < sends->body.count; i++) {
        json_t *schema = sends->body.schemas[i];
        compare_required_in(sends, schema, no_conditions);
        for (size_t j = 0; j < expectation->send_count; j++) {
            const struct sending *sending = &expectation->sends[j];
            for (size_t k = 0; k < json_array_size(sending->values); k++) {
                const struct condition value = {sending->field, json_array_get(sending->values, k)};
                if (sends->destinations[j].in_body)
                    compare_required_in(sends, schema, (struct conditions){&value, 1});
            }
        }
    }
}

/* A search for a branch that takes a value. */
struct taker {
    struct walk *walk;
    json_t *value;
    bool found;
};

static bool stop_at_taker(void *context, const struct branch *branch) {
    struct taker *taker = context;
    taker->found = taker->found || branch_takes(taker->walk, branch, taker->value);
    return !taker->found;
}

static bool is_taken(struct walk *walk, json_t *schema, const struct field *field, size_t depth,
                     json_t *value) {
    struct taker taker = {.walk = walk, .value = value};
    struct presence presence = {.found = false};
    field_visit(walk, schema, field, depth, &no_conditions, stop_at_taker, &taker, &presence);
    return taker.found;
}

static bool is_taken_where_sent(const struct sends *sends, size_t index, json_t *value) {
    const struct field *field = &sends->comparison->expectation->sends[index].field;
    const struct destination *destination = &sends->destinations[index];
    struct walk *walk = &sends->comparison->walk;
    bool taken = true;
    for (size_t i = 0; i < sends->body.count && destination->in_body && taken; i++)
        taken = is_taken(walk, sends->body.schemas[i], field, 0, value);
    if (destination->parameter == NULL || !taken)
        return taken;
    size_t depth = names_parameter(field->text, destination->parameter) ? field->count : 1;
    return is_taken(walk, parameter_schema(destination->parameter), field, depth, value);
}

static void compare_values(const struct sends *sends) {
    const struct expectation *expectation = sends->comparison->expectation;
    for (size_t i = 0; i < expectation->send_count; i++) {
        const struct sending *sending = &expectation->sends[i];
        for (size_t j = 0; j < json_array_size(sending->values); j++) {
            json_t *value = json_array_get(sending->values, j);
            if (!is_taken_where_sent(sends, i, value))
                comparison_differ_in_field(sends->comparison, "sends ", sending->field.text, value,
                                           ", which the provider doesn't take");
        }
    }
}

static void compare_all(struct sends *sends) {
    find_destinations(sends);
    compare_read(sends);
    compare_required(sends);
    compare_values(sends);
}

void comparison_of_sends(struct comparison *comparison) {
    struct walk *walk = &comparison->walk;
    struct sends sends = {.comparison = comparison};
    walk->status = operation_parameters(walk->provider, &comparison->operation, &sends.parameters);
    if (walk->status == STATUS_OK)
        walk->status = operation_request(walk->provider, &comparison->operation, &sends.body);
    if (walk->status == STATUS_LIMIT)
        snprintf(walk->problem->text, sizeof walk->problem->text,
                 "an operation has more than %d parameters, or its body more than %d JSON types",
                 PARAMETERS_MOST, BODY_TYPES_MOST);
    if (walk->status != STATUS_OK)
        return;
    sends.destinations =
        calloc(comparison->expectation->send_count + 1, sizeof *sends.destinations);
    if (sends.destinations == NULL)
        walk->status = STATUS_NO_MEMORY;
    else
        compare_all(&sends);
    free(sends.destinations);
}
