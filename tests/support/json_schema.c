#include "json_schema.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256, POINTER_SIZE = 512, DEPTH_MOST = 64 };

/* One check under way. */
struct check {
    json_t *document;
    json_t *schema;
    json_t *value;
    enum schema_reading reading;
    const char *where;
    int depth; /* of schemas in schemas, so that a $ref loop ends */
    struct schema_problem *problem;
};

static bool check_schema(const struct check *check);

bool schema_fail(struct schema_problem *problem, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    return false;
}

static bool misunderstood(const struct check *check, const char *keyword) {
    return schema_fail(check->problem, "%s: the schema's %s is not understood", check->where,
                       keyword);
}

/* Turns ~1 into / and ~0 into ~, in place. */
static void unescape(char *token) {
    char *out = token;
    for (const char *in = token; *in != '\0'; in++) {
        if (in[0] == '~' && (in[1] == '0' || in[1] == '1'))
            *out++ = *++in == '0' ? '~' : '/';
        else
            *out++ = *in;
    }
    *out = '\0';
}

json_t *json_at(json_t *document, const char *pointer) {
    char copy[POINTER_SIZE];
    if (pointer[0] != '#' || strlen(pointer) >= sizeof copy)
        return NULL;
    strcpy(copy, pointer + 1);
    char *rest = copy[0] == '/' ? copy + 1 : NULL;
    for (char *token = strsep(&rest, "/"); token != NULL; token = strsep(&rest, "/")) {
        unescape(token);
        document = json_is_array(document)
                       ? json_array_get(document, (size_t)strtoul(token, NULL, 10))
                       : json_object_get(document, token);
    }
    return document;
}

/* Checks a part of the value, or the value again, against a part of the schema. */
static bool check_part(const struct check *check, json_t *schema, json_t *value,
                       const char *where) {
    struct check part = *check;
    part.schema = schema;
    part.value = value;
    part.where = where;
    part.depth++;
    return check_schema(&part);
}

static bool type_matches(const char *type, json_t *value) {
    static const struct {
        const char *name;
        json_type types[2];
    } rows[] = {
        {"object", {JSON_OBJECT, JSON_OBJECT}}, {"array", {JSON_ARRAY, JSON_ARRAY}},
        {"string", {JSON_STRING, JSON_STRING}}, {"integer", {JSON_INTEGER, JSON_INTEGER}},
        {"number", {JSON_INTEGER, JSON_REAL}},  {"boolean", {JSON_TRUE, JSON_FALSE}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, type) == 0)
            return json_typeof(value) == rows[i].types[0] || json_typeof(value) == rows[i].types[1];
    return false;
}

static bool check_type(const struct check *check, json_t *type) {
    if (!json_is_string(type))
        return misunderstood(check, "type");
    if (json_is_null(check->value) && json_is_true(json_object_get(check->schema, "nullable")))
        return true;
    if (type_matches(json_string_value(type), check->value))
        return true;
    return schema_fail(check->problem, "%s is not of type %s", check->where,
                       json_string_value(type));
}

static bool check_enum(const struct check *check, json_t *values) {
    if (!json_is_array(values))
        return misunderstood(check, "enum");
    for (size_t i = 0; i < json_array_size(values); i++)
        if (json_equal(json_array_get(values, i), check->value))
            return true;
    return schema_fail(check->problem, "%s is none of the values of its enum", check->where);
}

/* A pattern is ECMA-262's; what POSIX would read differently is not taken. */
static bool is_plain_pattern(const char *pattern) {
    return strchr(pattern, '\\') == NULL && strstr(pattern, "(?") == NULL &&
           strstr(pattern, "*?") == NULL && strstr(pattern, "+?") == NULL;
}

/* The compiled pattern, or NULL when it isn't understood. The last one is kept: compiling takes
 * much longer than matching, and in a race thousands of replies are held to one pattern. */
static const regex_t *compile(const char *pattern) {
    static _Thread_local struct {
        char pattern[128]; /* empty: nothing is compiled */
        regex_t regex;
    } last;
    if (strcmp(last.pattern, pattern) == 0)
        return &last.regex;
    if (last.pattern[0] != '\0')
        regfree(&last.regex);
    last.pattern[0] = '\0';
    if (!is_plain_pattern(pattern) || strlen(pattern) >= sizeof last.pattern ||
        regcomp(&last.regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return NULL;
    strcpy(last.pattern, pattern);
    return &last.regex;
}

static bool check_pattern(const struct check *check, json_t *pattern) {
    const char *text = json_string_value(pattern);
    const regex_t *compiled = text == NULL || text[0] == '\0' ? NULL : compile(text);
    if (compiled == NULL)
        return misunderstood(check, "pattern");
    if (!json_is_string(check->value) ||
        regexec(compiled, json_string_value(check->value), 0, NULL, 0) == 0)
        return true;
    return schema_fail(check->problem, "%s does not match %s", check->where, text);
}

static size_t count_code_points(json_t *string) {
    const char *text = json_string_value(string);
    size_t count = 0;
    for (size_t i = 0; i < json_string_length(string); i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

/* Compares a size with a limit of the schema. */
static bool check_size(const struct check *check, const char *keyword, json_t *limit, bool applies,
                       size_t size, bool is_most) {
    if (!json_is_integer(limit) || json_integer_value(limit) < 0)
        return misunderstood(check, keyword);
    size_t bound = (size_t)json_integer_value(limit);
    if (!applies || (is_most ? size <= bound : size >= bound))
        return true;
    return schema_fail(check->problem, "%s has the size %zu against a %s of %zu", check->where,
                       size, keyword, bound);
}

static bool check_min_length(const struct check *check, json_t *limit) {
    bool applies = json_is_string(check->value);
    return check_size(check, "minLength", limit, applies,
                      applies ? count_code_points(check->value) : 0, false);
}

static bool check_max_length(const struct check *check, json_t *limit) {
    bool applies = json_is_string(check->value);
    return check_size(check, "maxLength", limit, applies,
                      applies ? count_code_points(check->value) : 0, true);
}

static bool check_min_items(const struct check *check, json_t *limit) {
    return check_size(check, "minItems", limit, json_is_array(check->value),
                      json_array_size(check->value), false);
}

static bool check_max_items(const struct check *check, json_t *limit) {
    return check_size(check, "maxItems", limit, json_is_array(check->value),
                      json_array_size(check->value), true);
}

static bool check_unique_items(const struct check *check, json_t *wanted) {
    if (!json_is_boolean(wanted))
        return misunderstood(check, "uniqueItems");
    if (json_is_false(wanted))
        return true;
    for (size_t i = 0; i < json_array_size(check->value); i++)
        for (size_t j = 0; j < i; j++)
            if (json_equal(json_array_get(check->value, i), json_array_get(check->value, j)))
                return schema_fail(check->problem, "%s has its item %zu twice", check->where, i);
    return true;
}

static bool check_minimum(const struct check *check, json_t *limit) {
    if (!json_is_number(limit))
        return misunderstood(check, "minimum");
    return !json_is_number(check->value) ||
           json_number_value(check->value) >= json_number_value(limit) ||
           schema_fail(check->problem, "%s is below its minimum", check->where);
}

static bool check_maximum(const struct check *check, json_t *limit) {
    if (!json_is_number(limit))
        return misunderstood(check, "maximum");
    return !json_is_number(check->value) ||
           json_number_value(check->value) <= json_number_value(limit) ||
           schema_fail(check->problem, "%s is above its maximum", check->where);
}

static bool check_items(const struct check *check, json_t *schema) {
    for (size_t i = 0; i < json_array_size(check->value); i++) {
        char where[PATH_SIZE];
        snprintf(where, sizeof where, "%s[%zu]", check->where, i);
        if (!check_part(check, schema, json_array_get(check->value, i), where))
            return false;
    }
    return true;
}

static bool check_required(const struct check *check, json_t *names) {
    if (!json_is_array(names))
        return misunderstood(check, "required");
    if (!json_is_object(check->value))
        return true;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name == NULL)
            return misunderstood(check, "required");
        if (json_object_get(check->value, name) == NULL)
            return schema_fail(check->problem, "%s.%s is missing", check->where, name);
    }
    return true;
}

static bool check_field(const struct check *check, const char *name, json_t *schema) {
    char where[PATH_SIZE];
    snprintf(where, sizeof where, "%s.%s", check->where, name);
    return check_part(check, schema, json_object_get(check->value, name), where);
}

static bool check_properties(const struct check *check, json_t *properties) {
    if (!json_is_object(properties))
        return misunderstood(check, "properties");
    const char *name;
    json_t *schema;
    json_object_foreach(properties, name, schema) {
        if (json_object_get(check->value, name) != NULL && !check_field(check, name, schema))
            return false;
    }
    return true;
}

/* Checks the fields that the schema's properties don't name; with NULL there may be none. */
static bool check_other_fields(const struct check *check, json_t *schema) {
    json_t *declared = json_object_get(check->schema, "properties");
    const char *name;
    json_t *field;
    json_object_foreach(check->value, name, field) {
        if (json_object_get(declared, name) != NULL)
            continue;
        if (schema == NULL)
            return schema_fail(check->problem, "%s.%s is not declared", check->where, name);
        if (!check_field(check, name, schema))
            return false;
    }
    return true;
}

static bool check_additional_properties(const struct check *check, json_t *schema) {
    if (json_is_true(schema))
        return true;
    if (!json_is_false(schema) && !json_is_object(schema))
        return misunderstood(check, "additionalProperties");
    return check_other_fields(check, json_is_false(schema) ? NULL : schema);
}

/* How many branches the value fits; `problem` is that of the last one that it doesn't. */
static size_t count_matches(const struct check *check, json_t *branches,
                            struct schema_problem *problem) {
    struct check trial = *check;
    trial.problem = problem;
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(branches); i++)
        count += check_part(&trial, json_array_get(branches, i), check->value, check->where);
    return count;
}

static bool check_one_of(const struct check *check, json_t *branches) {
    struct schema_problem last = {""};
    if (!json_is_array(branches))
        return misunderstood(check, "oneOf");
    size_t count = count_matches(check, branches, &last);
    return count == 1 ||
           schema_fail(check->problem, "%s fits %zu branches of its oneOf, and not one (%.400s)",
                       check->where, count, last.text);
}

static bool check_any_of(const struct check *check, json_t *branches) {
    struct schema_problem last = {""};
    if (!json_is_array(branches))
        return misunderstood(check, "anyOf");
    return count_matches(check, branches, &last) > 0 ||
           schema_fail(check->problem, "%s fits no branch of its anyOf (%.400s)", check->where,
                       last.text);
}

static bool check_all_of(const struct check *check, json_t *branches) {
    struct check lenient = *check;
    lenient.reading = SCHEMA_LENIENT;
    if (!json_is_array(branches))
        return misunderstood(check, "allOf");
    for (size_t i = 0; i < json_array_size(branches); i++)
        if (!check_part(&lenient, json_array_get(branches, i), check->value, check->where))
            return false;
    return true;
}

static bool check_nothing(const struct check *check, json_t *annotation) {
    (void)check;
    (void)annotation;
    return true;
}

static const struct {
    const char *name;
    bool (*check)(const struct check *check, json_t *argument);
} keywords[] = {
    {"type", check_type},
    {"nullable", check_nothing}, /* read with type */
    {"enum", check_enum},
    {"pattern", check_pattern},
    {"minLength", check_min_length},
    {"maxLength", check_max_length},
    {"minItems", check_min_items},
    {"maxItems", check_max_items},
    {"uniqueItems", check_unique_items},
    {"items", check_items},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"required", check_required},
    {"properties", check_properties},
    {"additionalProperties", check_additional_properties},
    {"oneOf", check_one_of},
    {"anyOf", check_any_of},
    {"allOf", check_all_of},
    {"title", check_nothing},
    {"description", check_nothing},
    {"example", check_nothing},
};

enum { KEYWORD_COUNT = sizeof keywords / sizeof keywords[0] };

static bool check_keyword(const struct check *check, const char *name, json_t *argument) {
    for (size_t i = 0; i < KEYWORD_COUNT; i++)
        if (strcmp(keywords[i].name, name) == 0)
            return keywords[i].check(check, argument);
    return schema_fail(check->problem, "%s: the schema has a keyword \"%s\" that isn't known",
                       check->where, name);
}

static bool follow(const struct check *check, json_t *reference) {
    const char *pointer = json_string_value(reference);
    json_t *schema = pointer == NULL ? NULL : json_at(check->document, pointer);
    if (schema == NULL || json_object_size(check->schema) != 1)
        return misunderstood(check, "$ref");
    return check_part(check, schema, check->value, check->where);
}

/* In a strict reading an object's schema that is silent about other fields takes none. */
static bool check_strictly(const struct check *check) {
    bool is_silent = json_object_get(check->schema, "additionalProperties") == NULL;
    const char *type = json_string_value(json_object_get(check->schema, "type"));
    bool is_object = json_object_get(check->schema, "properties") != NULL ||
                     (type != NULL && strcmp(type, "object") == 0);
    return check->reading != SCHEMA_STRICT || !is_silent || !is_object ||
           check_other_fields(check, NULL);
}

static bool check_schema(const struct check *check) {
    if (!json_is_object(check->schema) || check->depth > DEPTH_MOST)
        return misunderstood(check, "nesting");
    json_t *reference = json_object_get(check->schema, "$ref");
    if (reference != NULL)
        return follow(check, reference);
    const char *keyword;
    json_t *argument;
    json_object_foreach(check->schema, keyword, argument) {
        if (!check_keyword(check, keyword, argument))
            return false;
    }
    return check_strictly(check);
}

bool schema_check(json_t *document, json_t *schema, json_t *value, enum schema_reading reading,
                  const char *where, struct schema_problem *problem) {
    return check_schema(&(struct check){
        .document = document,
        .schema = schema,
        .value = value,
        .reading = reading,
        .where = where,
        .problem = problem,
    });
}
