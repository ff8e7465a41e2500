/* JSON text to a jansson tree, in memory of its own. jansson 2.14 goes on with half a text when an
 * allocation fails, and writes where it must not, so it never gets to see one fail: the parse is
 * left by longjmp. That leaks nothing, because all that the parser took comes from chunks that are
 * released as a whole, which also is quicker than to take and release every node. Whoever reads
 * JSON from outside reads it here. It must not know what the JSON means, nor its limits: the caller
 * bounds size and nesting before. */
#ifndef TANDEM_JSON_TREE_H
#define TANDEM_JSON_TREE_H

#include "bytes.h"
#include "status.h"

#include <jansson.h>

struct json_chunk;

/* A tree and all the memory that it takes. It is only read, from any one thread at a time; no
 * json_decref, nor anything that would change it: it ends as a whole. */
struct json_tree {
    json_t *root;
    struct json_chunk *chunks;
};

/* Reads any JSON value. STATUS_OK and a tree, released with json_tree_done; STATUS_INVALID and
 * jansson's error (whose own text quotes the input): no JSON, not UTF-8, a name given twice, a NUL
 * in a string, a number out of range; STATUS_NO_MEMORY. Any thread; from the first call on,
 * jansson's allocations in this process are its own. */
enum status json_tree_read(struct bytes text, struct json_tree *out, json_error_t *error);

/* The same, but a NUL in a string (not in a name) is taken: for texts that go back as they came. */
enum status json_tree_read_with_nul(struct bytes text, struct json_tree *out, json_error_t *error);

/* Harmless on one that is all zero. */
void json_tree_done(struct json_tree *tree);

#endif
