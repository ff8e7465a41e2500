/* JSON text to a jansson tree, with the protocol's rules: a name given twice, a NUL, a nesting
 * deeper than JSON_DEPTH_MAX and a number out of range are refused. Private to wire. */
#ifndef TANDEM_JSON_READ_H
#define TANDEM_JSON_READ_H

#include "bytes.h"
#include "json_tree.h"
#include "wire.h"

/* STATUS_OK and a tree, released with json_tree_done; STATUS_INVALID and a problem (which may be
 * NULL); STATUS_NO_MEMORY. */
enum status json_read(struct bytes text, struct json_tree *tree, struct wire_problem *problem);

/* The text of a string, borrowed from the tree. */
struct bytes json_text(const json_t *string);

#endif
