/* JSON text to a jansson tree, with the protocol's rules: a name given twice, a NUL, a nesting
 * deeper than JSON_DEPTH_MAX and a number out of range are refused. It knows nothing of what the
 * text is for. */
#ifndef TANDEM_JSON_READ_H
#define TANDEM_JSON_READ_H

#include "bytes.h"
#include "status.h"

#include <jansson.h>

/* What is wrong with a text and where, for whoever sent it. */
struct json_problem {
    enum json_error_code code; /* jansson's; json_error_unknown for what it wasn't asked about */
    char text[160];            /* NUL-terminated; never quotes the text */
};

/* A tree and all the memory that it takes. It is only read, from any one thread at a time; no
 * json_decref: it ends as a whole. */
struct json_document {
    const json_t *root;
    struct json_chunk *chunks;
};

/* STATUS_OK and a document, released with json_document_done; STATUS_INVALID and a problem (which
 * may be NULL); STATUS_NO_MEMORY. */
enum status json_read(struct bytes text, struct json_document *document,
                      struct json_problem *problem);
void json_document_done(struct json_document *document);

/* The text of a string, borrowed from the document. */
struct bytes json_text(const json_t *string);

#endif
