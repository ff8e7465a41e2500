#include "document.h"

#include <string.h>

/* What is left of a path that begins with a parameter, after it. */
static struct bytes after_parameter(struct bytes path) {
    return bytes_from(path, bytes_find(path, '}') + 1);
}

/* Equal when the names in braces are left out of account. */
static bool same_template(struct bytes left, struct bytes right) {
    while (left.size > 0 && right.size > 0) {
        if (left.data[0] != right.data[0])
            return false;
        bool parameter = left.data[0] == '{';
        left = parameter ? after_parameter(left) : bytes_from(left, 1);
        right = parameter ? after_parameter(right) : bytes_from(right, 1);
    }
    return left.size == 0 && right.size == 0;
}

struct operation operation_find(const struct contract_provider *provider,
                                const struct expectation *expectation) {
    struct operation operation = {.body = NULL};
    json_t *paths = node_member(provider->root, "paths");
    json_t *exact = node_member_named(paths, expectation->path);
    if (exact != NULL) {
        operation.item = reference_follow(provider->root, exact);
        operation.body = node_member(operation.item, expectation->method->name);
        return operation;
    }
    for (void *at = json_object_iter(paths); at != NULL; at = json_object_iter_next(paths, at)) {
        if (!same_template(iterator_name(at), expectation->path))
            continue;
        json_t *item = reference_follow(provider->root, json_object_iter_value(at));
        if (node_member(item, expectation->method->name) == NULL)
            continue;
        operation.nearest = iterator_name(at);
        break;
    }
    return operation;
}

static bool same_parameter(json_t *left, json_t *right) {
    return json_equal(node_member(left, "name"), node_member(right, "name")) &&
           json_equal(node_member(left, "in"), node_member(right, "in"));
}

static bool overrides(const struct contract_provider *provider, json_t *list, json_t *parameter) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (same_parameter(reference_follow(provider->root, json_array_get(list, i)), parameter))
            return true;
    return false;
}

static enum status add_parameters(const struct contract_provider *provider, json_t *list,
                                  json_t *overriding, struct parameters *out) {
    if (json_array_size(list) > PARAMETERS_MOST || json_array_size(overriding) > PARAMETERS_MOST)
        return STATUS_LIMIT;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *parameter = reference_follow(provider->root, json_array_get(list, i));
        if (parameter == NULL || overrides(provider, overriding, parameter))
            continue;
        if (out->count == PARAMETERS_MOST)
            return STATUS_LIMIT;
        out->items[out->count++] = parameter;
    }
    return STATUS_OK;
}

enum status operation_parameters(const struct contract_provider *provider,
                                 const struct operation *operation, struct parameters *out) {
    out->count = 0;
    json_t *own = node_member(operation->body, "parameters");
    enum status status =
        add_parameters(provider, node_member(operation->item, "parameters"), own, out);
    return status == STATUS_OK ? add_parameters(provider, own, NULL, out) : status;
}

static bool is_json_type(struct bytes type) {
    const struct bytes suffix = BYTES("+json");
    return bytes_equal_ignoring_case(type, BYTES("application/json")) ||
           bytes_equal_ignoring_case(type, BYTES("text/json")) ||
           (type.size > suffix.size &&
            bytes_equal_ignoring_case(bytes_from(type, type.size - suffix.size), suffix));
}

/* A range that JSON is in. */
static bool is_wildcard(struct bytes type) {
    return bytes_equal(type, BYTES("*/*")) || bytes_equal(type, BYTES("application/*"));
}

/* Those of the media types that count, which are looked at without their parameters. */
static enum status add_schemas(json_t *content, bool (*counts)(struct bytes), struct body *out) {
    for (void *at = json_object_iter(content); at != NULL;
         at = json_object_iter_next(content, at)) {
        struct bytes name = iterator_name(at);
        if (!counts(bytes_trimmed(bytes_up_to(name, bytes_find(name, ';')))))
            continue;
        if (out->count == BODY_TYPES_MOST)
            return STATUS_LIMIT;
        out->schemas[out->count++] = node_member(json_object_iter_value(at), "schema");
    }
    return STATUS_OK;
}

/* A range only stands for JSON where no JSON type is named. */
static enum status body_schemas(json_t *content, struct body *out) {
    enum status status = add_schemas(content, is_json_type, out);
    return status == STATUS_OK && out->count == 0 ? add_schemas(content, is_wildcard, out) : status;
}

enum status operation_request(const struct contract_provider *provider,
                              const struct operation *operation, struct body *out) {
    json_t *request = reference_follow(provider->root, node_member(operation->body, "requestBody"));
    *out = (struct body){.required = node_member_is_true(request, "required")};
    return body_schemas(node_member(request, "content"), out);
}

static json_t *find_response(json_t *responses, int status) {
    unsigned char digit = (unsigned char)('0' + status / 100);
    unsigned char exact[] = {digit, (unsigned char)('0' + status / 10 % 10),
                             (unsigned char)('0' + status % 10)};
    unsigned char range[] = {digit, 'X', 'X'};
    unsigned char range_in_small[] = {digit, 'x', 'x'};
    json_t *response = node_member_named(responses, (struct bytes){exact, sizeof exact});
    if (response == NULL)
        response = node_member_named(responses, (struct bytes){range, sizeof range});
    if (response == NULL)
        response =
            node_member_named(responses, (struct bytes){range_in_small, sizeof range_in_small});
    return response == NULL ? node_member(responses, "default") : response;
}

enum status operation_reply(const struct contract_provider *provider,
                            const struct operation *operation, int status, struct body *out) {
    json_t *response = find_response(node_member(operation->body, "responses"), status);
    *out = (struct body){.count = 0};
    return body_schemas(node_member(reference_follow(provider->root, response), "content"), out);
}

json_t *parameter_schema(json_t *parameter) {
    json_t *content = node_member(parameter, "content");
    void *first = json_object_iter(content);
    return first == NULL ? node_member(parameter, "schema")
                         : node_member(json_object_iter_value(first), "schema");
}
