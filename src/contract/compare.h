/* The halves of one comparison. Private to contract. */
#ifndef TANDEM_CONTRACT_COMPARE_H
#define TANDEM_CONTRACT_COMPARE_H

#include "lookup.h"
#include "report.h"

/* One expectation against the operation that it is about. Failures are in `walk`. */
struct comparison {
    struct walk walk;
    struct contract_report *report;
    const struct expectation *expectation;
    struct operation operation;
};

/* Adds a line. Nothing happens once the walk has failed. */
void comparison_differ(struct comparison *comparison, struct buffer *text);

/* Adds the line of a field, and of a value when it isn't NULL: `before`, the field, ` = ` and the
 * value, `after`. */
void comparison_differ_in_field(struct comparison *comparison, const char *before,
                                struct bytes field, json_t *value, const char *after);

/* True when each of the JSON types that a body comes in has the field. */
bool body_has_field(struct walk *walk, const struct body *body, const struct field *field);

void comparison_of_sends(struct comparison *comparison);
void comparison_of_reads(struct comparison *comparison);

#endif
