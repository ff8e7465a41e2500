/* The shape of the parts of a document that a comparison may look at, so that a mistake in it is a
 * problem with a place and not a schema that allows everything. Recursions follow the tree, never a
 * `$ref`, so the depth that input_read allows bounds them. */
#include "document.h"
#include "value.h"

struct check {
    json_t *root;
    struct contract_problem *problem;
};

typedef bool (*node_check)(const struct check *check, const struct place *place, json_t *node);

static bool refuse(const struct check *check, const struct place *place, const char *text) {
    problem_at(check->problem, place, text);
    return false;
}

static struct place below(const struct place *place, const char *name) {
    return (struct place){.above = place, .name = bytes_of_text(name)};
}

/* A member that may be absent. */
static bool check_member(const struct check *check, const struct place *place, json_t *object,
                         const char *name, node_check of_member) {
    json_t *node = node_member(object, name);
    struct place here = below(place, name);
    return node == NULL || of_member(check, &here, node);
}

static bool check_members(const struct check *check, const struct place *place, json_t *object,
                          node_check of_each) {
    if (!json_is_object(object))
        return refuse(check, place, "is not an object");
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        struct place here = {.above = place, .name = iterator_name(at)};
        if (!of_each(check, &here, json_object_iter_value(at)))
            return false;
    }
    return true;
}

static bool check_items(const struct check *check, const struct place *place, json_t *array,
                        node_check of_each) {
    if (!json_is_array(array))
        return refuse(check, place, "is not an array");
    for (size_t i = 0; i < json_array_size(array); i++) {
        struct place here = {.above = place, .index = i};
        if (!of_each(check, &here, json_array_get(array, i)))
            return false;
    }
    return true;
}

/* Members whose names begin with x- are the author's own. */
static bool is_extension(const struct place *place) {
    return bytes_equal(bytes_up_to(place->name, 2), BYTES("x-"));
}

static bool check_boolean(const struct check *check, const struct place *place, json_t *node) {
    return json_is_boolean(node) || refuse(check, place, "is neither true nor false");
}

static bool check_string(const struct check *check, const struct place *place, json_t *node) {
    return json_is_string(node) || refuse(check, place, "is not a string");
}

static bool check_strings(const struct check *check, const struct place *place, json_t *node) {
    return check_items(check, place, node, check_string);
}

static bool check_type_name(const struct check *check, const struct place *place, json_t *node) {
    return type_of_name(json_text(node)) != NULL || refuse(check, place, "is not a type");
}

static bool check_type(const struct check *check, const struct place *place, json_t *node) {
    if (json_is_array(node) && json_array_size(node) > 0)
        return check_items(check, place, node, check_type_name);
    return check_type_name(check, place, node);
}

static bool check_enum(const struct check *check, const struct place *place, json_t *node) {
    return json_is_array(node) || refuse(check, place, "is not an array");
}

/* True when the node is no reference, or one that leads to an object (or, for a schema, to true or
 * false). */
static bool check_reference(const struct check *check, const struct place *place, json_t *node) {
    json_t *reference = node_member(node, "$ref");
    struct place here = below(place, "$ref");
    if (reference == NULL)
        return true;
    if (!json_is_string(reference))
        return refuse(check, &here, "is not a string");
    json_t *target = reference_target(check->root, json_text(reference));
    if (json_is_object(target) || json_is_boolean(target))
        return true;
    return refuse(check, &here, "leads nowhere in this document");
}

static bool check_schema(const struct check *check, const struct place *place, json_t *node);

static bool check_schemas(const struct check *check, const struct place *place, json_t *node) {
    if (json_is_array(node) && json_array_size(node) == 0)
        return refuse(check, place, "is empty");
    return check_items(check, place, node, check_schema);
}

static bool check_properties(const struct check *check, const struct place *place, json_t *node) {
    return check_members(check, place, node, check_schema);
}

static bool check_schema(const struct check *check, const struct place *place, json_t *node) {
    static const struct {
        const char *name;
        node_check check;
    } keywords[] = {
        {"type", check_type},        {"enum", check_enum},
        {"nullable", check_boolean}, {"required", check_strings},
        {"readOnly", check_boolean}, {"writeOnly", check_boolean},
        {"items", check_schema},     {"properties", check_properties},
        {"allOf", check_schemas},    {"additionalProperties", check_schema},
        {"anyOf", check_schemas},    {"oneOf", check_schemas},
        {"not", check_schema},
    };
    if (json_is_boolean(node))
        return true;
    if (!json_is_object(node))
        return refuse(check, place, "is not a schema");
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (!check_member(check, place, node, keywords[i].name, keywords[i].check))
            return false;
    return check_reference(check, place, node);
}

/* An object that may be a reference, which must lead to an object. */
static bool check_component(const struct check *check, const struct place *place, json_t *node) {
    if (!json_is_object(node))
        return refuse(check, place, "is not an object");
    if (!check_reference(check, place, node))
        return false;
    return reference_follow(check->root, node) != NULL ||
           refuse(check, place, "has a $ref that only leads back to itself");
}

static bool check_media_type(const struct check *check, const struct place *place, json_t *node) {
    if (!json_is_object(node))
        return refuse(check, place, "is not an object");
    return check_member(check, place, node, "schema", check_schema);
}

static bool check_content(const struct check *check, const struct place *place, json_t *node) {
    return check_members(check, place, node, check_media_type);
}

static bool check_request_body(const struct check *check, const struct place *place, json_t *node) {
    return check_component(check, place, node) &&
           check_member(check, place, node, "required", check_boolean) &&
           check_member(check, place, node, "content", check_content);
}

static bool check_header(const struct check *check, const struct place *place, json_t *node) {
    return check_request_body(check, place, node) &&
           check_member(check, place, node, "schema", check_schema);
}

static bool check_parameter(const struct check *check, const struct place *place, json_t *node) {
    if (!check_header(check, place, node))
        return false;
    if (node_member(node, "$ref") != NULL)
        return true;
    if (!json_is_string(node_member(node, "name")) || !json_is_string(node_member(node, "in")))
        return refuse(check, place, "has no name, or doesn't say what it is in");
    return true;
}

static bool check_parameters(const struct check *check, const struct place *place, json_t *node) {
    return check_items(check, place, node, check_parameter);
}

static bool check_headers(const struct check *check, const struct place *place, json_t *node) {
    return check_members(check, place, node, check_header);
}

static bool check_response(const struct check *check, const struct place *place, json_t *node) {
    if (is_extension(place))
        return true;
    return check_component(check, place, node) &&
           check_member(check, place, node, "headers", check_headers) &&
           check_member(check, place, node, "content", check_content);
}

static bool check_responses(const struct check *check, const struct place *place, json_t *node) {
    return check_members(check, place, node, check_response);
}

static bool check_operation(const struct check *check, const struct place *place, json_t *node) {
    if (!json_is_object(node))
        return refuse(check, place, "is not an object");
    return check_member(check, place, node, "parameters", check_parameters) &&
           check_member(check, place, node, "requestBody", check_request_body) &&
           check_member(check, place, node, "responses", check_responses);
}

static bool check_path_item(const struct check *check, const struct place *place, json_t *node) {
    if (is_extension(place))
        return true;
    if (!check_component(check, place, node))
        return false;
    for (size_t i = 0; i < METHOD_COUNT; i++)
        if (!check_member(check, place, node, openapi_methods[i].name, check_operation))
            return false;
    return check_member(check, place, node, "parameters", check_parameters);
}

static bool check_path_items(const struct check *check, const struct place *place, json_t *node) {
    return check_members(check, place, node, check_path_item);
}

static bool check_request_bodies(const struct check *check, const struct place *place,
                                 json_t *node) {
    return check_members(check, place, node, check_request_body);
}

static bool check_named_parameters(const struct check *check, const struct place *place,
                                   json_t *node) {
    return check_members(check, place, node, check_parameter);
}

static bool check_components(const struct check *check, const struct place *place, json_t *node) {
    if (!json_is_object(node))
        return refuse(check, place, "is not an object");
    return check_member(check, place, node, "schemas", check_properties) &&
           check_member(check, place, node, "parameters", check_named_parameters) &&
           check_member(check, place, node, "requestBodies", check_request_bodies) &&
           check_member(check, place, node, "headers", check_headers) &&
           check_member(check, place, node, "responses", check_responses);
}

static bool check_version(const struct check *check, const struct place *place, json_t *node) {
    return bytes_equal(bytes_up_to(json_text(node), 2), BYTES("3.")) ||
           refuse(check, place, "is not a version 3 of OpenAPI");
}

enum status document_check(json_t *root, struct contract_problem *problem) {
    const struct check check = {.root = root, .problem = problem};
    if (!json_is_object(root))
        return problem_at(problem, NULL, "is not an object");
    if (node_member(root, "openapi") == NULL && node_member(root, "swagger") != NULL)
        return problem_at(problem, NULL, "is Swagger 2.0, and OpenAPI 3.0 is needed");
    if (node_member(root, "paths") == NULL)
        return problem_at(problem, NULL, "has no paths, so it is no OpenAPI document");
    bool good = check_member(&check, NULL, root, "openapi", check_version) &&
                check_member(&check, NULL, root, "paths", check_path_items) &&
                check_member(&check, NULL, root, "components", check_components);
    return good ? STATUS_OK : STATUS_INVALID;
}
