#include "lookup.h"

/* A search for one branch that will do. */
struct search {
    struct walk *walk;
    const struct conditions *conditions; /* NULL when any branch with the field will do */
    const struct field *along;
    size_t depth;
    bool found;
};

static bool stop_at_carrier(void *context, const struct branch *branch) {
    struct search *search = context;
    search->found =
        conditions_carried(search->walk, branch, search->conditions, search->along, search->depth);
    return !search->found;
}

/* True when an earlier condition takes the same next step, so that both were looked at with it. */
static bool is_looked_at(const struct conditions *conditions, size_t index, size_t depth) {
    const struct field *field = &conditions->items[index].field;
    for (size_t i = 0; i < index; i++)
        if (fields_share(&conditions->items[i].field, field, depth + 1))
            return true;
    return false;
}

static bool child_carries(struct walk *walk, const struct branch *branch,
                          const struct conditions *conditions, const struct field *along,
                          size_t depth) {
    struct child child;
    branch_child(walk, branch, &along->steps[depth], &child);
    if (!child.exists)
        return along->steps[depth].name.data != NULL && branch_is_free_form(branch);
    struct search search = {
        .walk = walk, .conditions = conditions, .along = along, .depth = depth + 1};
    branches_visit(walk, &child.schemas, stop_at_carrier, &search);
    return search.found;
}

bool conditions_carried(struct walk *walk, const struct branch *branch,
                        const struct conditions *conditions, const struct field *along,
                        size_t depth) {
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->items[i];
        if (!fields_share(&condition->field, along, depth))
            continue;
        if (condition->field.count == depth) {
            if (!branch_lists(walk, branch, condition->value))
                return false;
        } else if (!is_looked_at(conditions, i, depth) &&
                   !child_carries(walk, branch, conditions, &condition->field, depth)) {
            return false;
        }
    }
    return true;
}

bool schema_carries(struct walk *walk, json_t *schema, const struct conditions *conditions) {
    static const struct field start = {.count = 0};
    const struct conjunction schemas = conjunction_of(schema);
    struct search search = {.walk = walk, .conditions = conditions, .along = &start};
    branches_visit(walk, &schemas, stop_at_carrier, &search);
    return search.found;
}

static bool stop_at_field(void *context, const struct branch *branch) {
    struct search *search = context;
    search->found = branch_has_field(search->walk, branch, search->along, search->depth);
    return !search->found;
}

static bool conjunction_has_field(struct walk *walk, const struct conjunction *schemas,
                                  const struct field *field, size_t depth) {
    struct search search = {.walk = walk, .along = field, .depth = depth};
    branches_visit(walk, schemas, stop_at_field, &search);
    return search.found;
}

bool branch_has_field(struct walk *walk, const struct branch *branch, const struct field *field,
                      size_t depth) {
    if (depth == field->count)
        return true;
    struct child child;
    branch_child(walk, branch, &field->steps[depth], &child);
    return child.exists && conjunction_has_field(walk, &child.schemas, field, depth + 1);
}

bool schema_has_field(struct walk *walk, json_t *schema, const struct field *field, size_t depth) {
    const struct conjunction schemas = conjunction_of(schema);
    return conjunction_has_field(walk, &schemas, field, depth);
}

struct descent {
    struct walk *walk;
    const struct field *field;
    size_t depth;
    const struct conditions *conditions;
    branch_visitor visit;
    void *context;
    struct presence *presence;
};

/* True when a condition goes on from here, so that the value here is what it goes into. */
static bool condition_goes_on(const struct descent *descent) {
    for (size_t i = 0; i < descent->conditions->count; i++) {
        const struct field *field = &descent->conditions->items[i].field;
        if (field->count > descent->depth && fields_share(field, descent->field, descent->depth))
            return true;
    }
    return false;
}

static bool descend(void *context, const struct branch *branch) {
    const struct descent *descent = context;
    struct walk *walk = descent->walk;
    if (!conditions_carried(walk, branch, descent->conditions, descent->field, descent->depth))
        return true;
    if (descent->depth == descent->field->count) {
        descent->presence->found = true;
        return descent->visit == NULL || descent->visit(descent->context, branch);
    }
    const struct step *step = &descent->field->steps[descent->depth];
    struct child child;
    branch_child(walk, branch, step, &child);
    if (!child.required || !(branch_is_only_for(branch, step) || condition_goes_on(descent)))
        descent->presence->may_miss = true;
    if (!child.exists)
        return true;
    struct descent deeper = *descent;
    deeper.depth++;
    branches_visit(walk, &child.schemas, descend, &deeper);
    return true;
}

void field_visit(struct walk *walk, json_t *schema, const struct field *field, size_t depth,
                 const struct conditions *conditions, branch_visitor visit, void *context,
                 struct presence *out) {
    const struct conjunction schemas = conjunction_of(schema);
    struct descent descent = {.walk = walk,
                              .field = field,
                              .depth = depth,
                              .conditions = conditions,
                              .visit = visit,
                              .context = context,
                              .presence = out};
    branches_visit(walk, &schemas, descend, &descent);
}
