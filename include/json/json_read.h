/* JSON text to a tree, with the protocol's rules: besides what json_tree_read refuses, an empty
 * text and a nesting deeper than JSON_DEPTH_MAX. It knows nothing of what the text is for. */
#ifndef TANDEM_JSON_READ_H
#define TANDEM_JSON_READ_H

#include "json_tree.h"
#include "json_value.h"

/* What is wrong with a text and where, for whoever sent it. */
struct json_problem {
    enum json_error_code code; /* jansson's; json_error_unknown for what it wasn't asked about */
    char text[160];            /* NUL-terminated; never quotes the text */
};

/* STATUS_OK and a tree, released with json_tree_done; STATUS_INVALID and a problem (which may be
 * NULL); STATUS_NO_MEMORY. */
enum status json_read(struct bytes text, struct json_tree *tree, struct json_problem *problem);

#endif
