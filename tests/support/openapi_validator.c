#include "openapi_validator.h"

#include "hex.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SEGMENT_SIZE = 1024, STATUS_SIZE = 8 };

json_t *openapi_load(void) {
    return json_load_file(TANDEM_SOURCE_DIR "/openapi/booking.json", JSON_REJECT_DUPLICATES, NULL);
}

json_t *openapi_resolve(json_t *document, json_t *object) {
    for (int i = 0; i < 16 && json_object_get(object, "$ref") != NULL; i++)
        object = json_at(document, json_string_value(json_object_get(object, "$ref")));
    return object;
}

/* The path of a target in origin or absolute form, without its query. */
static struct bytes path_of(const char *target) {
    if (strncasecmp(target, "http://", 7) == 0)
        target = strchr(target + 7, '/');
    struct bytes path = bytes_of_text(target == NULL ? "" : target);
    return bytes_up_to(path, bytes_find(path, '?'));
}

static struct bytes next_segment(struct bytes *path) {
    *path = bytes_from(*path, 1);
    struct bytes segment = bytes_up_to(*path, bytes_find(*path, '/'));
    *path = bytes_from(*path, segment.size);
    return segment;
}

static struct bytes decode(struct bytes segment, unsigned char room[SEGMENT_SIZE]) {
    size_t size = 0;
    for (size_t i = 0; i < segment.size && size < SEGMENT_SIZE; i++) {
        room[size] = segment.data[i];
        if (segment.data[i] == '%' &&
            hex_parse(bytes_up_to(bytes_from(segment, i + 1), 2), &room[size], 1))
            i += 2;
        size++;
    }
    return (struct bytes){room, size};
}

static bool path_matches(struct bytes path, const char *template) {
    struct bytes pattern = bytes_of_text(template);
    while (path.size > 0 && pattern.size > 0) {
        unsigned char room[SEGMENT_SIZE];
        struct bytes wanted = next_segment(&pattern);
        struct bytes segment = next_segment(&path);
        bool is_parameter = wanted.size > 0 && wanted.data[0] == '{';
        if (is_parameter ? segment.size == 0 : !bytes_equal(decode(segment, room), wanted))
            return false;
    }
    return path.size == 0 && pattern.size == 0;
}

static json_t *find_path(json_t *document, const char *target) {
    json_t *paths = json_object_get(document, "paths");
    struct bytes path = path_of(target);
    if (path.size == 0 || path.data[0] != '/')
        return NULL;
    const char *template;
    json_t *path_item;
    json_object_foreach(paths, template, path_item) {
        if (path_matches(path, template))
            return path_item;
    }
    return NULL;
}

/* A method's name is in capitals on the wire and in small letters in the document. */
static json_t *find_operation(json_t *path_item, const char *method) {
    char name[32] = "";
    for (size_t i = 0; method[i] != '\0' && i + 1 < sizeof name; i++) {
        if (!isupper((unsigned char)method[i]))
            return NULL;
        name[i] = (char)tolower((unsigned char)method[i]);
    }
    return json_object_get(path_item, name);
}

static json_t *response_of(json_t *operation, const char *status) {
    return json_object_get(json_object_get(operation, "responses"), status);
}

/* The response that an unknown method of a known path gets: a refusal of some known one. */
static json_t *response_of_any(json_t *path_item, unsigned status, const char *status_text) {
    const char *method;
    json_t *operation;
    json_object_foreach(path_item, method, operation) {
        if (status >= 400 && response_of(operation, status_text) != NULL)
            return response_of(operation, status_text);
    }
    return NULL;
}

static json_t *response_of_nowhere(json_t *document, unsigned status) {
    return status == 404   ? json_at(document, "#/components/responses/NotFound")
           : status == 400 ? json_at(document, "#/components/responses/RequestUnreadable")
                           : NULL;
}

static json_t *find_response(json_t *document, const struct openapi_exchange *exchange) {
    unsigned status = exchange->reply->status;
    char text[STATUS_SIZE];
    snprintf(text, sizeof text, "%u", status);
    json_t *path_item = find_path(document, exchange->target);
    if (path_item == NULL)
        return response_of_nowhere(document, status);
    json_t *operation = find_operation(path_item, exchange->method);
    json_t *response =
        operation == NULL ? response_of_any(path_item, status, text) : response_of(operation, text);
    return openapi_resolve(document, response);
}

static bool check_response_keys(json_t *response, struct schema_problem *problem) {
    static const char *const known[] = {"description", "headers", "content"};
    const char *key;
    json_t *value;
    json_object_foreach(response, key, value) {
        size_t i = 0;
        while (i < 3 && strcmp(known[i], key) != 0)
            i++;
        if (i == 3)
            return schema_fail(problem, "the response declares \"%s\", which isn't known", key);
    }
    return true;
}

/* A header's value as the JSON value that its schema speaks of. */
static json_t *header_value(json_t *schema, const char *text) {
    const char *type = json_string_value(json_object_get(schema, "type"));
    if (type == NULL || strcmp(type, "integer") != 0)
        return json_string(text);
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    return value == NULL ? json_string(text) : value;
}

static bool check_header(json_t *document, const char *name, json_t *declared,
                         const struct client_reply *reply, struct schema_problem *problem) {
    const char *text = client_reply_header(reply, name);
    if (text == NULL)
        return !json_is_true(json_object_get(declared, "required")) ||
               schema_fail(problem, "the header %s is missing", name);
    json_t *schema = json_object_get(declared, "schema");
    json_t *value = header_value(schema, text);
    bool good = schema_check(document, schema, value, SCHEMA_STRICT, name, problem);
    json_decref(value);
    return good;
}

static bool check_declared_headers(json_t *document, json_t *declared,
                                   const struct client_reply *reply,
                                   struct schema_problem *problem) {
    const char *name;
    json_t *header;
    json_object_foreach(declared, name, header) {
        if (!check_header(document, name, openapi_resolve(document, header), reply, problem))
            return false;
    }
    return true;
}

static bool is_declared(json_t *declared, const char *name) {
    static const char *const of_the_transport[] = {"Date", "Connection", "Content-Length",
                                                   "Transfer-Encoding", "Content-Type"};
    for (size_t i = 0; i < sizeof of_the_transport / sizeof of_the_transport[0]; i++)
        if (strcasecmp(name, of_the_transport[i]) == 0)
            return true;
    const char *declared_name;
    json_t *header;
    json_object_foreach(declared, declared_name, header) {
        if (strcasecmp(name, declared_name) == 0)
            return true;
    }
    return false;
}

static bool check_sent_headers(json_t *declared, const struct client_reply *reply,
                               struct schema_problem *problem) {
    for (size_t i = 0; i < reply->header_count; i++) {
        const char *name = reply->headers[i].name;
        if (!is_declared(declared, name))
            return schema_fail(problem, "the header %s is not declared", name);
        for (size_t j = 0; j < i; j++)
            if (strcasecmp(name, reply->headers[j].name) == 0)
                return schema_fail(problem, "the header %s is there twice", name);
    }
    return true;
}

static bool check_headers(json_t *document, json_t *response, const struct client_reply *reply,
                          struct schema_problem *problem) {
    json_t *declared = json_object_get(response, "headers");
    return check_declared_headers(document, declared, reply, problem) &&
           check_sent_headers(declared, reply, problem);
}

/* The media type object of a content type, whose parameters don't count. */
static json_t *find_media_type(json_t *content, const char *content_type) {
    char type[128];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(content_type, "; "), content_type);
    return json_object_get(content, type);
}

static bool check_json(json_t *document, json_t *media_type, struct bytes body,
                       enum schema_reading reading, const char *where,
                       struct schema_problem *problem) {
    json_error_t error;
    json_t *value = json_loadb((const char *)body.data, body.size,
                               JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
    if (value == NULL)
        return schema_fail(problem, "the %s is not JSON: %s", where, error.text);
    bool good = schema_check(document, json_object_get(media_type, "schema"), value, reading, where,
                             problem);
    json_decref(value);
    return good;
}

static bool check_body(json_t *document, json_t *response, const struct openapi_exchange *exchange,
                       struct schema_problem *problem) {
    const struct client_reply *reply = exchange->reply;
    json_t *content = json_object_get(response, "content");
    if (content == NULL || strcmp(exchange->method, "HEAD") == 0)
        return reply->body.size == 0 || schema_fail(problem, "the reply has a body");
    const char *content_type = client_reply_header(reply, "Content-Type");
    if (content_type == NULL)
        return schema_fail(problem, "the reply has no Content-Type");
    json_t *media_type = find_media_type(content, content_type);
    if (media_type == NULL)
        return schema_fail(problem, "the Content-Type %s is not declared", content_type);
    return check_json(document, media_type, reply->body, SCHEMA_STRICT, "body", problem);
}

static bool check_request(json_t *document, const struct openapi_exchange *exchange,
                          struct schema_problem *problem) {
    json_t *operation = find_operation(find_path(document, exchange->target), exchange->method);
    json_t *body = openapi_resolve(document, json_object_get(operation, "requestBody"));
    if (exchange->request_body.data == NULL || exchange->reply->status >= 300 || body == NULL)
        return true;
    json_t *media_type = json_object_get(json_object_get(body, "content"), "application/json");
    return check_json(document, media_type, exchange->request_body, SCHEMA_LENIENT, "request",
                      problem);
}

bool openapi_check(json_t *document, const struct openapi_exchange *exchange,
                   struct schema_problem *problem) {
    json_t *response = find_response(document, exchange);
    if (response == NULL)
        return schema_fail(problem, "%s %s: the status %u is not declared", exchange->method,
                           exchange->target, exchange->reply->status);
    return check_response_keys(response, problem) &&
           check_headers(document, response, exchange->reply, problem) &&
           check_body(document, response, exchange, problem) &&
           check_request(document, exchange, problem);
}
