/* Text to a JSON tree, and problems that name a place in it. Private to contract. */
#ifndef TANDEM_CONTRACT_INPUT_H
#define TANDEM_CONTRACT_INPUT_H

#include "contract.h"
#include "json_tree.h"
#include "json_value.h"

/* The deepest nesting of a document; the root is 1. It bounds every recursion over a tree. */
enum { CONTRACT_DEPTH_MAX = 128 };

/* A place in a document, as a chain of frames on the stack. */
struct place {
    const struct place *above; /* NULL at the top */
    struct bytes name;         /* of a member; data is NULL for an item */
    size_t index;              /* of an item */
};

/* STATUS_OK and a tree, released with json_tree_done. STATUS_INVALID or STATUS_LIMIT and a problem:
 * longer than `size_most`, nested too deeply, not JSON, a name given twice, a NUL, a number out of
 * range. STATUS_NO_MEMORY. */
enum status input_read(struct bytes text, size_t size_most, struct json_tree *out,
                       struct contract_problem *problem);

/* Sets the problem to the place and the text, such as "a.b[1] is not an object", and returns
 * STATUS_INVALID. `place` NULL is the root. */
enum status problem_at(struct contract_problem *problem, const struct place *place,
                       const char *text);

/* Sets the problem to `before`, the quoted text and `after`; returns `status`. */
enum status problem_of(struct contract_problem *problem, enum status status, const char *before,
                       struct bytes quoted, const char *after);

/* A member of an object, or NULL: also when `object` is none. */
json_t *node_member(const json_t *object, const char *name);
json_t *node_member_named(const json_t *object, struct bytes name);

/* The member that is the literal true. */
bool node_member_is_true(const json_t *object, const char *name);

/* The name of the member at an object's iterator, borrowed. */
struct bytes iterator_name(void *iterator);

#endif
