/* Fields in schemas: whether they are there, and under what conditions. Private to contract. */
#ifndef TANDEM_CONTRACT_LOOKUP_H
#define TANDEM_CONTRACT_LOOKUP_H

#include "schema.h"

/* Conditions that hold at once. */
struct conditions {
    const struct condition *items;
    size_t count;
};

/* True when the branch, which is `depth` steps along `along`, can carry the values of all those
 * conditions that have come the same way. */
bool conditions_carried(struct walk *walk, const struct branch *branch,
                        const struct conditions *conditions, const struct field *along,
                        size_t depth);

/* The same for any branch of a schema, from a body on. */
bool schema_carries(struct walk *walk, json_t *schema, const struct conditions *conditions);

/* True when the branch, which is `depth` steps along the field, has it. */
bool branch_has_field(struct walk *walk, const struct branch *branch, const struct field *field,
                      size_t depth);

/* True when some branch of the schema has the field. `depth` as above. */
bool schema_has_field(struct walk *walk, json_t *schema, const struct field *field, size_t depth);

/* What field_visit found. */
struct presence {
    bool found;    /* in a branch that can carry the conditions */
    bool may_miss; /* in another such branch, or not required there */
};

/* Adds to `out` what a schema, which is `depth` steps along the field, says of the field, and
 * visits the branches of the field's own schema; only those that can carry the conditions count.
 * `visit` may be NULL. */
void field_visit(struct walk *walk, json_t *schema, const struct field *field, size_t depth,
                 const struct conditions *conditions, branch_visitor visit, void *context,
                 struct presence *out);

#endif
