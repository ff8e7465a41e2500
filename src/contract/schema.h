/* Schemas as sets of branches (contract.h says what those are). Private to contract; must not know
 * of consumers' copies but for the paths in them. */
#ifndef TANDEM_CONTRACT_SCHEMA_H
#define TANDEM_CONTRACT_SCHEMA_H

#include "document.h"
#include "value.h"

enum {
    PARTS_MOST = 64,      /* schemas that hold at once in one branch */
    DEPTH_MOST = 1000,    /* schemas on the way from a body to a field: bounds the stack */
    WORK_MOST = 40000000, /* some 10 ns each: what one comparison may take */
    TYPES_MOST = 7,
};

enum direction { READ_BY_PROVIDER, SENT_BY_PROVIDER };

/* One walk over schemas. The first failure stops everything: `status` says so, and every function
 * here does nothing once it is set. */
struct walk {
    const struct contract_provider *provider;
    struct contract_problem *problem;
    enum direction direction;
    enum status status;
    size_t work;
    size_t depth;
};

/* Counts work; false when the walk has failed. */
bool walk_goes_on(struct walk *walk, size_t work);

/* Schemas that hold together. NULL is one that says nothing. */
struct conjunction {
    json_t *schemas[PARTS_MOST];
    size_t count;
};

struct conjunction conjunction_of(json_t *schema);

/* One way to choose: schema objects of which all keywords hold but those that combine schemas. */
struct branch {
    json_t *parts[PARTS_MOST];
    size_t count;
    unsigned kinds; /* that a value may have */
};

/* Gets one branch, which is valid during the call; returns false to have no more of them. */
typedef bool (*branch_visitor)(void *context, const struct branch *branch);

/* Visits the branches of schemas that hold together, in the document's order. */
void branches_visit(struct walk *walk, const struct conjunction *schemas, branch_visitor visit,
                    void *context);

/* What a branch says of one step into it. */
struct child {
    bool exists;
    bool required;
    struct conjunction schemas; /* of the child; only set when it exists */
};

void branch_child(struct walk *walk, const struct branch *branch, const struct step *step,
                  struct child *out);

/* True when values of the branch can't be anything but what `step` goes into. */
bool branch_is_only_for(const struct branch *branch, const struct step *step);

/* True for an object that says nothing of some properties, so that it may have any. */
bool branch_is_free_form(const struct branch *branch);

/* True when the branch's values are a list. */
bool branch_is_limited(const struct branch *branch);

/* The index-th candidate of that list, or NULL at its end. Those that
 * branch_lists_candidate count. */
json_t *branch_candidate(const struct branch *branch, size_t index);

/* True when a candidate is in the branch's other lists too. */
bool branch_lists_candidate(struct walk *walk, const struct branch *branch, json_t *candidate);

/* True when every list of values in the branch has this one or, without a list, its types do. */
bool branch_lists(struct walk *walk, const struct branch *branch, json_t *value);

/* True when the branch allows the value: every list has it, and the types do. */
bool branch_takes(struct walk *walk, const struct branch *branch, json_t *value);

/* The types that the branch's values may have, as it names them. Returns how many. */
size_t branch_types(const struct branch *branch, const struct type *out[TYPES_MOST]);

#endif
