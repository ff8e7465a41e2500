/* A provider's OpenAPI document: its tree, its references, its operations. Private to contract. */
#ifndef TANDEM_CONTRACT_DOCUMENT_H
#define TANDEM_CONTRACT_DOCUMENT_H

#include "consumer.h"
#include "input.h"

enum { PARAMETERS_MOST = 128, BODY_TYPES_MOST = 32 };

struct contract_provider {
    struct json_tree tree;
    struct json_tree null_tree;
    json_t *root;
    json_t *null_schema; /* what `nullable` adds */
    bool heeds_siblings; /* OpenAPI 3.1: what stands beside a $ref counts */
};

/* What a `$ref` such as "#/components/schemas/A" points to, one step: the target may be a reference
 * itself. NULL when there is no such place in the document. */
json_t *reference_target(json_t *root, struct bytes reference);

/* Follows `$ref` from a response, parameter, request body, header or path item. NULL when it leads
 * nowhere, or only back to itself. */
json_t *reference_follow(json_t *root, json_t *node);

/* STATUS_OK when every part of the document that a comparison may look at has the right shape and
 * every `$ref` there leads somewhere; STATUS_INVALID and a problem otherwise. */
enum status document_check(json_t *root, struct contract_problem *problem);

/* An operation and the path item it is in, both borrowed from the provider. */
struct operation {
    json_t *item;
    json_t *body;         /* NULL when the provider has no such operation */
    struct bytes nearest; /* then: the path that differs by a parameter's name only, or empty */
};

struct operation operation_find(const struct contract_provider *provider,
                                const struct expectation *expectation);

/* The parameters that count for an operation: those of its path that it doesn't override, then its
 * own. */
struct parameters {
    json_t *items[PARAMETERS_MOST];
    size_t count;
};

/* STATUS_LIMIT when there are more than PARAMETERS_MOST. */
enum status operation_parameters(const struct contract_provider *provider,
                                 const struct operation *operation, struct parameters *out);

/* The schemas of a JSON body, one for each JSON type that it is described in. */
struct body {
    json_t *schemas[BODY_TYPES_MOST]; /* NULL: not described */
    size_t count;
    bool required; /* of a request */
};

/* STATUS_LIMIT when there are more than BODY_TYPES_MOST. No body, or none in JSON, has count 0. */
enum status operation_request(const struct contract_provider *provider,
                              const struct operation *operation, struct body *out);
enum status operation_reply(const struct contract_provider *provider,
                            const struct operation *operation, int status, struct body *out);

/* The schema of a parameter, or NULL when it isn't described. */
json_t *parameter_schema(json_t *parameter);

#endif
