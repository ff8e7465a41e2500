#include "mirror.h"

#include <stdint.h>
#include <string.h>

enum { NAMES_MOST = 64, NUMBER_SIZE_MAX = 32 };

static const char ANNOTATION[] = "x-mcp-header";

/* The largest integer that every reader of JSON holds exactly. */
static const int64_t SAFE_INTEGER_MOST = 9007199254740991;

static bool is_plain(struct bytes value) {
    for (size_t i = 0; i < value.size; i++)
        if (value.data[i] < 0x20 || value.data[i] > 0x7E)
            return false;
    bool has_blank_end =
        value.size > 0 && (value.data[0] == ' ' || value.data[value.size - 1] == ' ');
    bool looks_encoded = bytes_equal(bytes_up_to(value, 9), BYTES("=?base64?"));
    return !has_blank_end && !looks_encoded;
}

static void write_base64(struct buffer *out, struct bytes bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; bytes.size > 0; bytes = bytes_from(bytes, 3)) {
        uint32_t group = (uint32_t)bytes.data[0] << 16;
        if (bytes.size > 1)
            group |= (uint32_t)bytes.data[1] << 8;
        if (bytes.size > 2)
            group |= bytes.data[2];
        for (unsigned i = 0; i < 4; i++)
            buffer_append_byte(out, i <= bytes.size
                                        ? (unsigned char)digits[group >> (18 - 6 * i) & 63]
                                        : (unsigned char)'=');
    }
}

void mirror_write_value(struct buffer *out, struct bytes value) {
    if (is_plain(value)) {
        buffer_append(out, value);
        return;
    }
    buffer_append(out, BYTES("=?base64?"));
    write_base64(out, value);
    buffer_append(out, BYTES("?="));
}

/* A token of RFC 9110. */
static bool is_header_name(struct bytes name) {
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = name.data[i];
        bool is_alphanumeric = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                               (byte >= 'A' && byte <= 'Z');
        if (!is_alphanumeric && (byte == '\0' || strchr("!#$%&'*+-.^_`|~", byte) == NULL))
            return false;
    }
    return name.size > 0;
}

/* The names seen so far, and what is wrong, or NULL. */
struct check {
    struct bytes names[NAMES_MOST];
    size_t count;
    const char *problem;
};

static void check_annotation(struct check *check, const json_t *property, const json_t *name) {
    const json_t *type = json_object_get(property, "type");
    bool is_mirrorable = mcp_json_is(type, BYTES("string")) ||
                         mcp_json_is(type, BYTES("integer")) || mcp_json_is(type, BYTES("boolean"));
    if (!json_is_string(name) || !is_header_name(json_text(name)))
        check->problem = "an x-mcp-header is no header name";
    else if (!is_mirrorable)
        check->problem = "an x-mcp-header is on neither a string, an integer nor a boolean";
    else if (check->count == NAMES_MOST)
        check->problem = "it has more than 64 x-mcp-headers";
    for (size_t i = 0; i < check->count && check->problem == NULL; i++)
        if (bytes_equal_ignoring_case(check->names[i], json_text(name)))
            check->problem = "two x-mcp-headers have one name";
    if (check->problem == NULL)
        check->names[check->count++] = json_text(name);
}

static bool is_one_of(const char *key, const char *const *keys) {
    while (*keys != NULL && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* Where a schema stands: only properties of properties can be mirrored. */
enum place { PLACE_ROOT, PLACE_PROPERTY, PLACE_ELSEWHERE };

static void check_schema(struct check *check, const json_t *schema, enum place place);

/* The values of a map of schemas: their names are data, and no keywords. */
/* NOLINTNEXTLINE(misc-no-recursion) */
static void check_map(struct check *check, const json_t *map, enum place place) {
    const char *key = NULL;
    json_t *value = NULL;
    json_t *all = (json_t *)(uintptr_t)map; /* jansson's iterators take no const */
    json_object_foreach(all, key, value) {
        check_schema(check, value, place);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void check_keyword(struct check *check, const char *key, const json_t *value,
                          enum place place) {
    static const char *const data[] = {"const", "enum", "default", "examples", ANNOTATION, NULL};
    static const char *const maps[] = {"properties", "patternProperties", "dependentSchemas",
                                       "$defs",      "definitions",       NULL};
    if (is_one_of(key, data))
        return;
    bool is_properties = strcmp(key, "properties") == 0;
    if (json_is_object(value) && is_one_of(key, maps))
        check_map(check, value,
                  is_properties && place != PLACE_ELSEWHERE ? PLACE_PROPERTY : PLACE_ELSEWHERE);
    else if (json_is_object(value))
        check_schema(check, value, PLACE_ELSEWHERE);
    for (size_t i = 0; i < json_array_size(value); i++)
        check_schema(check, json_array_get(value, i), PLACE_ELSEWHERE);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void check_schema(struct check *check, const json_t *schema, enum place place) {
    const json_t *name = json_object_get(schema, ANNOTATION);
    if (name != NULL && place != PLACE_PROPERTY)
        check->problem = "an x-mcp-header is not reached by properties alone";
    else if (name != NULL)
        check_annotation(check, schema, name);
    const char *key = NULL;
    json_t *value = NULL;
    json_t *all = (json_t *)(uintptr_t)schema;
    json_object_foreach(all, key, value) {
        if (check->problem != NULL)
            return;
        check_keyword(check, key, value, place);
    }
}

const char *mirror_problem(const json_t *schema) {
    struct check check = {.count = 0};
    check_schema(&check, schema, PLACE_ROOT);
    return check.problem;
}

static void give_number(int64_t number, struct bytes name, mirror_sink *sink, void *context) {
    struct buffer digits = buffer_new(NUMBER_SIZE_MAX);
    buffer_append_integer(&digits, number);
    sink(context, name, buffer_bytes(&digits));
    buffer_done(&digits);
}

static void give(const json_t *value, struct bytes name, mirror_sink *sink, void *context) {
    double real = json_is_real(value) ? json_real_value(value) : 0.5;
    bool is_whole = real >= (double)-SAFE_INTEGER_MOST && real <= (double)SAFE_INTEGER_MOST &&
                    (double)(int64_t)real == real;
    if (json_is_string(value))
        sink(context, name, json_text(value));
    else if (json_is_boolean(value))
        sink(context, name, json_is_true(value) ? BYTES("true") : BYTES("false"));
    else if (json_is_integer(value))
        give_number(json_integer_value(value), name, sink, context);
    else if (is_whole)
        give_number((int64_t)real, name, sink, context);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
void mirror_each(const json_t *schema, const json_t *arguments, mirror_sink *sink, void *context) {
    const char *key = NULL;
    json_t *property = NULL;
    json_t *properties = json_object_get(schema, "properties");
    json_object_foreach(properties, key, property) {
        const json_t *value = json_object_get(arguments, key);
        const json_t *name = json_object_get(property, ANNOTATION);
        if (value != NULL && name != NULL)
            give(value, json_text(name), sink, context);
        else if (value != NULL)
            mirror_each(property, value, sink, context);
    }
}
