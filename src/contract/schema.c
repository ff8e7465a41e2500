#include "schema.h"

#include <stdio.h>

enum { WORK_OF_ONE = 8, WORK_OF_PART = 4 };

bool walk_goes_on(struct walk *walk, size_t work) {
    if (walk->status != STATUS_OK)
        return false;
    walk->work += work;
    if (walk->work <= WORK_MOST)
        return true;
    snprintf(walk->problem->text, sizeof walk->problem->text,
             "its schemas have too many branches or values to compare");
    walk->status = STATUS_LIMIT;
    return false;
}

struct conjunction conjunction_of(json_t *schema) {
    return (struct conjunction){.schemas = {schema}, .count = 1};
}

/* How a schema hangs under the one above it. */
enum link { BY_REFERENCE, BY_ALL, BY_CHOICE };

/* The schemas that led to one, innermost first: to see that one comes back to itself. */
struct ancestor {
    json_t *schema;
    enum link link; /* of this schema to the one above */
    const struct ancestor *above;
};

/* What is still to be taken into a branch: a list on the stack, whose tails are shared. */
struct pending {
    enum { ONE, REST_OF_CONJUNCTION, REST_OF_ALL, CHOICE } what;
    json_t *node; /* a schema for ONE, an array for the last two */
    const struct conjunction *conjunction;
    size_t index; /* where the rest begins */
    enum link link;
    const struct ancestor *above;
    const struct pending *next;
};

struct expansion {
    struct walk *walk;
    struct branch branch; /* grows and shrinks as choices are tried */
    bool stopped;         /* by the visitor */
    branch_visitor visit;
    void *context;
};

static unsigned part_kinds(json_t *part) {
    json_t *type = node_member(part, "type");
    if (json_is_string(type)) {
        const struct type *known = type_of_name(json_text(type));
        return known == NULL ? KIND_ALL : known->kinds;
    }
    unsigned kinds = 0;
    for (size_t i = 0; i < json_array_size(type); i++) {
        const struct type *known = type_of_name(json_text(json_array_get(type, i)));
        kinds |= known == NULL ? KIND_ALL : known->kinds;
    }
    return kinds == 0 ? KIND_ALL : kinds;
}

/* False when no value of the branch is left. */
static bool is_possible(struct walk *walk, const struct branch *branch) {
    if (branch->kinds == 0)
        return false;
    if (!branch_is_limited(branch))
        return true;
    json_t *value = NULL;
    for (size_t i = 0; (value = branch_candidate(branch, i)) != NULL; i++)
        if ((branch->kinds & (unsigned)value_kind(value)) != 0 &&
            branch_lists_candidate(walk, branch, value))
            return true;
    return false;
}

static void finish_branch(struct expansion *expansion) {
    struct branch *branch = &expansion->branch;
    branch->kinds = KIND_ALL;
    for (size_t i = 0; i < branch->count; i++)
        branch->kinds &= part_kinds(branch->parts[i]);
    walk_goes_on(expansion->walk, WORK_OF_PART * branch->count);
    if (is_possible(expansion->walk, branch) && expansion->walk->status == STATUS_OK &&
        !expansion->visit(expansion->context, branch))
        expansion->stopped = true;
}

/* NOLINTBEGIN(misc-no-recursion): is_at_limit bounds it. */
static void take(struct expansion *expansion, const struct pending *pending);

static void take_schema(struct expansion *expansion, const struct pending *pending, json_t *schema);

/* The rest of a list whose members all hold: the first of them, then the others. */
static void take_first(struct expansion *expansion, const struct pending *list, size_t size,
                       json_t *first) {
    if (list->index >= size) {
        take(expansion, list->next);
        return;
    }
    struct pending rest = *list;
    rest.index++;
    const struct pending one = {
        .what = ONE, .node = first, .link = list->link, .above = list->above, .next = &rest};
    take(expansion, &one);
}

static void take_each(struct expansion *expansion, const struct pending *choice) {
    for (size_t i = 0; i < json_array_size(choice->node); i++) {
        const struct pending one = {.what = ONE,
                                    .node = json_array_get(choice->node, i),
                                    .link = BY_CHOICE,
                                    .above = choice->above,
                                    .next = choice->next};
        if (!expansion->stopped)
            take(expansion, &one);
    }
}

static bool is_at_limit(struct expansion *expansion) {
    struct walk *walk = expansion->walk;
    if (!walk_goes_on(walk, WORK_OF_ONE + expansion->branch.count))
        return true;
    if (walk->depth < DEPTH_MOST && expansion->branch.count < PARTS_MOST)
        return false;
    snprintf(walk->problem->text, sizeof walk->problem->text,
             "one of its schemas is made of too many others");
    walk->status = STATUS_LIMIT;
    return true;
}

static void take(struct expansion *expansion, const struct pending *pending) {
    if (expansion->stopped || is_at_limit(expansion))
        return;
    if (pending == NULL) {
        finish_branch(expansion);
        return;
    }
    expansion->walk->depth++;
    switch (pending->what) {
    case ONE:
        take_schema(expansion, pending, pending->node);
        break;
    case REST_OF_CONJUNCTION:
        take_first(expansion, pending, pending->conjunction->count,
                   pending->index < pending->conjunction->count
                       ? pending->conjunction->schemas[pending->index]
                       : NULL);
        break;
    case REST_OF_ALL:
        take_first(expansion, pending, json_array_size(pending->node),
                   json_array_get(pending->node, pending->index));
        break;
    case CHOICE:
        take_each(expansion, pending);
        break;
    }
    expansion->walk->depth--;
}

/* A schema that is met again under itself. As a choice: what it allows is what its other choices
 * allow, so this one adds no branch. Under allOf: it demands nothing new. Through references alone
 * it says nothing at all, which is no schema. */
static void take_again(struct expansion *expansion, const struct pending *pending,
                       const struct ancestor *first) {
    enum link link = pending->link;
    for (const struct ancestor *at = pending->above; at != first && link == BY_REFERENCE;
         at = at->above)
        link = at->link;
    if (link == BY_ALL)
        take(expansion, pending->next);
    if (link != BY_REFERENCE)
        return;
    struct walk *walk = expansion->walk;
    walk->status =
        problem_of(walk->problem, STATUS_INVALID, "the $ref ",
                   json_text(node_member(first->schema, "$ref")), " only leads back to itself");
}

static bool is_part(const struct branch *branch, json_t *schema) {
    for (size_t i = 0; i < branch->count; i++)
        if (branch->parts[i] == schema)
            return true;
    return false;
}

static json_t *target_of(struct expansion *expansion, json_t *reference) {
    struct walk *walk = expansion->walk;
    json_t *target = reference_target(walk->provider->root, json_text(reference));
    if (!json_is_object(target) && !json_is_boolean(target))
        walk->status = problem_of(walk->problem, STATUS_INVALID, "the $ref ", json_text(reference),
                                  " leads nowhere in this document");
    return target;
}

static void take_part(struct expansion *expansion, const struct pending *next, json_t *part) {
    if (is_at_limit(expansion))
        return;
    expansion->branch.parts[expansion->branch.count++] = part;
    take(expansion, next);
    expansion->branch.count--;
}

/* A schema's own keywords, then what it combines. What stands beside a `$ref` only counts where the
 * version of OpenAPI says so. */
static void take_keywords(struct expansion *expansion, const struct pending *pending,
                          json_t *schema) {
    const struct ancestor here = {schema, pending->link, pending->above};
    const struct pending *next = pending->next;
    json_t *reference = node_member(schema, "$ref");
    struct pending target = {.what = ONE, .link = BY_REFERENCE, .above = &here, .next = next};
    if (json_is_string(reference)) {
        target.node = target_of(expansion, reference);
        next = &target;
    }
    if (json_is_string(reference) && !expansion->walk->provider->heeds_siblings) {
        take(expansion, next);
        return;
    }
    const struct pending one_of = {
        .what = CHOICE, .node = node_member(schema, "oneOf"), .above = &here, .next = next};
    next = json_is_array(one_of.node) ? &one_of : next;
    const struct pending any_of = {
        .what = CHOICE, .node = node_member(schema, "anyOf"), .above = &here, .next = next};
    next = json_is_array(any_of.node) ? &any_of : next;
    const struct pending all_of = {.what = REST_OF_ALL,
                                   .node = node_member(schema, "allOf"),
                                   .link = BY_ALL,
                                   .above = &here,
                                   .next = next};
    next = json_is_array(all_of.node) ? &all_of : next;
    take_part(expansion, next, schema);
}

/* True when null is one more branch of the schema. What a provider takes is the narrower reading:
 * with an enum that doesn't have it, null isn't taken. */
static bool adds_null(const struct walk *walk, json_t *schema) {
    if (!node_member_is_true(schema, "nullable"))
        return false;
    json_t *values = node_member(schema, "enum");
    return walk->direction == SENT_BY_PROVIDER || values == NULL ||
           value_is_among(json_null(), values);
}

static void take_schema(struct expansion *expansion, const struct pending *pending,
                        json_t *schema) {
    const struct ancestor *again = pending->above;
    while (again != NULL && again->schema != schema)
        again = again->above;
    if (again != NULL) {
        take_again(expansion, pending, again);
        return;
    }
    if (json_is_false(schema))
        return;
    if (!json_is_object(schema) || is_part(&expansion->branch, schema)) {
        take(expansion, pending->next);
        return;
    }
    take_keywords(expansion, pending, schema);
    if (adds_null(expansion->walk, schema))
        take_part(expansion, pending->next, expansion->walk->provider->null_schema);
}

/* NOLINTEND(misc-no-recursion) */

void branches_visit(struct walk *walk, const struct conjunction *schemas, branch_visitor visit,
                    void *context) {
    struct expansion expansion = {.walk = walk, .visit = visit, .context = context};
    const struct pending all = {
        .what = REST_OF_CONJUNCTION, .conjunction = schemas, .link = BY_ALL};
    take(&expansion, &all);
}
