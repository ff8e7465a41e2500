/* What a request's headers say about its framing, gathered one header at a time. Refuses what two
 * readers could read differently (protocol.md, section 4). Pure. */
#ifndef TANDEM_FRAMING_H
#define TANDEM_FRAMING_H

#include "bytes.h"

#include <stdint.h>

struct framing {
    unsigned hosts;
    unsigned lengths;
    unsigned codings;
    unsigned content_types;
    struct bytes content_type; /* the last one */
    uint64_t length;           /* UINT64_MAX when it is too large to tell */
    bool chunked;
    bool bad_name;
    bool bad_length;
};

void framing_add(struct framing *framing, struct bytes name, struct bytes value);

/* What is wrong, as a text for the client, or NULL. `needs_host` from HTTP/1.1 on. */
const char *framing_problem(const struct framing *framing, bool needs_host);

/* True when a body is announced that has at least one byte or no known end. */
bool framing_has_body(const struct framing *framing);

/* A header's value without the spaces and tabs around it. */
struct bytes framing_trim(struct bytes value);

/* True for application/json, in any case and with any parameters. */
bool content_type_is_json(struct bytes content_type);

#endif
