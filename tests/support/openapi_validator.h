/* Holds an exchange between a client and the server to the OpenAPI document: the path, the status,
 * every header, the content type and the body must be declared, and what is declared as required
 * must be there. */
#ifndef TANDEM_TEST_OPENAPI_VALIDATOR_H
#define TANDEM_TEST_OPENAPI_VALIDATOR_H

#include "http_client.h"
#include "json_schema.h"

/* What went over the wire. */
struct openapi_exchange {
    const char *method;
    const char *target; /* as sent */
    const struct client_reply *reply;
    /* The request's body, which is held to the document when the reply is a success; NULL data: it
     * isn't. */
    struct bytes request_body;
};

/* The committed document, released with json_decref; NULL when it can't be read. */
json_t *openapi_load(void);

/* True when the exchange is as the document says. A path that the document doesn't have must be
 * answered as its response NotFound says, or as RequestUnreadable; a method that a path doesn't
 * have, as some method of that path declares. */
bool openapi_check(json_t *document, const struct openapi_exchange *exchange,
                   struct schema_problem *problem);

/* The object itself, or what its $ref points to. */
json_t *openapi_resolve(json_t *document, json_t *object);

#endif
