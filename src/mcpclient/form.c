#include "form.h"

#include "form_format.h"
#include "mcp_json.h"

#include <stdlib.h>

/* A form that is being read. */
struct reading {
    struct form *form;
    size_t choice_room; /* in form->choices */
    const char *problem;
};

static bool fail(struct reading *reading, const char *problem) {
    reading->problem = problem;
    return false;
}

/* A text that may be left out. */
static bool read_text(struct reading *reading, const json_t *schema, const char *name,
                      struct bytes *out) {
    const json_t *value = json_object_get(schema, name);
    if (value != NULL && !json_is_string(value))
        return fail(reading, "a title or a description is not a string");
    *out = value == NULL ? BYTES("") : json_text(value);
    return true;
}

static bool read_limit(struct reading *reading, const json_t *schema, const char *name,
                       int64_t *out) {
    const json_t *value = json_object_get(schema, name);
    if (value == NULL)
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return fail(reading, "a limit is not a whole number");
    *out = json_integer_value(value);
    return true;
}

static bool read_bound(struct reading *reading, const json_t *schema, const char *name, bool *has,
                       double *out) {
    const json_t *value = json_object_get(schema, name);
    *has = value != NULL;
    if (value == NULL)
        return true;
    *out = json_number_value(value);
    return json_is_number(value) || fail(reading, "a minimum or a maximum is not a number");
}

/* Room for one more choice of the field that is read last. */
static bool add_choice(struct reading *reading, struct form_field *field, const json_t *value,
                       const json_t *title) {
    if (!json_is_string(value) || (title != NULL && !json_is_string(title)))
        return fail(reading, "a choice is not a string");
    if (field->choice_count == FORM_CHOICES_MOST || reading->choice_room == 0)
        return fail(reading, "a field has more than 1000 choices");
    struct form_choice *choices = (struct form_choice *)(uintptr_t)field->choices;
    choices[field->choice_count++] =
        (struct form_choice){json_text(value), title == NULL ? json_text(value) : json_text(title)};
    reading->choice_room--;
    return true;
}

/* `enum`, perhaps with `enumNames` beside it. */
static bool read_plain_choices(struct reading *reading, struct form_field *field,
                               const json_t *values, const json_t *names) {
    for (size_t i = 0; i < json_array_size(values); i++)
        if (!add_choice(reading, field, json_array_get(values, i), json_array_get(names, i)))
            return false;
    return field->choice_count > 0 || fail(reading, "a field has no choices");
}

/* `oneOf` or `anyOf`, each with `const` and `title`. */
static bool read_titled_choices(struct reading *reading, struct form_field *field,
                                const json_t *options) {
    for (size_t i = 0; i < json_array_size(options); i++) {
        const json_t *option = json_array_get(options, i);
        if (!add_choice(reading, field, json_object_get(option, "const"),
                        json_object_get(option, "title")))
            return false;
    }
    return field->choice_count > 0 || fail(reading, "a field has no choices");
}

static bool read_string(struct reading *reading, const json_t *schema, struct form_field *field) {
    const json_t *values = json_object_get(schema, "enum");
    const json_t *options = json_object_get(schema, "oneOf");
    field->type = values != NULL || options != NULL ? FORM_CHOICE : FORM_STRING;
    if (values != NULL)
        return read_plain_choices(reading, field, values, json_object_get(schema, "enumNames"));
    if (options != NULL)
        return read_titled_choices(reading, field, options);
    field->format = form_format_of(mcp_json_member_text(schema, "format"));
    return read_limit(reading, schema, "minLength", &field->least) &&
           read_limit(reading, schema, "maxLength", &field->most);
}

static bool read_array(struct reading *reading, const json_t *schema, struct form_field *field) {
    const json_t *items = json_object_get(schema, "items");
    const json_t *values = json_object_get(items, "enum");
    const json_t *options = json_object_get(items, "anyOf");
    if (options == NULL)
        options = json_object_get(items, "oneOf");
    field->type = FORM_CHOICES;
    bool has_choices = values != NULL ? read_plain_choices(reading, field, values,
                                                           json_object_get(items, "enumNames"))
                                      : read_titled_choices(reading, field, options);
    return has_choices && read_limit(reading, schema, "minItems", &field->least) &&
           read_limit(reading, schema, "maxItems", &field->most);
}

static bool read_number(struct reading *reading, const json_t *schema, struct form_field *field) {
    return read_bound(reading, schema, "minimum", &field->has_minimum, &field->minimum) &&
           read_bound(reading, schema, "maximum", &field->has_maximum, &field->maximum);
}

static bool read_type(struct reading *reading, const json_t *schema, struct form_field *field) {
    const json_t *type = json_object_get(schema, "type");
    if (mcp_json_is(type, BYTES("string")))
        return read_string(reading, schema, field);
    if (mcp_json_is(type, BYTES("array")))
        return read_array(reading, schema, field);
    field->type = mcp_json_is(type, BYTES("integer"))  ? FORM_INTEGER
                  : mcp_json_is(type, BYTES("number")) ? FORM_NUMBER
                                                       : FORM_BOOLEAN;
    if (field->type != FORM_BOOLEAN)
        return read_number(reading, schema, field);
    return mcp_json_is(type, BYTES("boolean")) ||
           fail(reading, "a field is neither a string, a number, a boolean nor a list of choices");
}

/* The text that would be typed for a default; false when it isn't of the field's type. */
static bool write_spoken(const struct form_field *field, const json_t *value, struct buffer *out) {
    bool is_string = field->type == FORM_STRING || field->type == FORM_CHOICE;
    bool is_number = field->type == FORM_INTEGER || field->type == FORM_NUMBER;
    if (is_string && json_is_string(value))
        buffer_append(out, json_text(value));
    else if ((is_number && json_is_number(value)) ||
             (field->type == FORM_BOOLEAN && json_is_boolean(value)))
        json_value_write(out, value);
    else
        return false;
    return true;
}

static bool has_choice(const struct form_field *field, const json_t *value) {
    for (size_t i = 0; i < field->choice_count && json_is_string(value); i++)
        if (bytes_equal(field->choices[i].value, json_text(value)))
            return true;
    return false;
}

static bool is_standard_list(const struct form_field *field, const json_t *value) {
    int64_t count = (int64_t)json_array_size(value);
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!has_choice(field, json_array_get(value, i)))
            return false;
    return json_is_array(value) && count >= field->least && count <= field->most;
}

/* Appends the default's JSON when it is one that the field allows. */
static enum status write_standard(const struct form_field *field, const json_t *value,
                                  struct buffer *out) {
    if (field->type == FORM_CHOICES) {
        if (is_standard_list(field, value))
            json_value_write(out, value);
        return out->status;
    }
    struct buffer spoken = buffer_new(FORM_ANSWER_SIZE_MAX);
    struct buffer problem = buffer_new(FORM_ANSWER_SIZE_MAX);
    enum status status = STATUS_INVALID;
    bool is_allowed = field->type != FORM_CHOICE || has_choice(field, value);
    if (is_allowed && write_spoken(field, value, &spoken))
        status = spoken.status == STATUS_OK
                     ? form_answer(field, buffer_bytes(&spoken), false, out, &problem)
                     : spoken.status;
    buffer_done(&spoken);
    buffer_done(&problem);
    return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

static bool is_required(const json_t *schema, struct bytes name) {
    const json_t *required = json_object_get(schema, "required");
    for (size_t i = 0; i < json_array_size(required); i++)
        if (mcp_json_is(json_array_get(required, i), name))
            return true;
    return false;
}

static bool read_field(struct reading *reading, const json_t *schema, struct form_field *field) {
    return (json_is_object(schema) || fail(reading, "a field's schema is not an object")) &&
           read_text(reading, schema, "title", &field->title) &&
           read_text(reading, schema, "description", &field->description) &&
           read_type(reading, schema, field);
}

static size_t count_choices(const json_t *properties) {
    size_t count = 0;
    const char *key = NULL;
    json_t *schema = NULL;
    json_t *all = (json_t *)(uintptr_t)properties; /* jansson's iterators take no const */
    json_object_foreach(all, key, schema) {
        const json_t *items = json_object_get(schema, "items");
        count += json_array_size(json_object_get(schema, "enum")) +
                 json_array_size(json_object_get(schema, "oneOf")) +
                 json_array_size(json_object_get(items, "enum")) +
                 json_array_size(json_object_get(items, "anyOf")) +
                 json_array_size(json_object_get(items, "oneOf"));
    }
    return count;
}

static bool read_fields(struct reading *reading, const json_t *schema, const json_t *properties) {
    struct form *form = reading->form;
    size_t used = 0;
    const char *key = NULL;
    json_t *property = NULL;
    json_t *all = (json_t *)(uintptr_t)properties;
    json_object_foreach(all, key, property) {
        if (form->field_count == FORM_FIELDS_MOST)
            return fail(reading, "it has more than 64 fields");
        struct form_field *field = &form->fields[form->field_count++];
        *field = (struct form_field){.name = bytes_of_text(key),
                                     .is_required = is_required(schema, bytes_of_text(key)),
                                     .most = INT64_MAX,
                                     .choices = &form->choices[used]};
        if (!read_field(reading, property, field))
            return false;
        used += field->choice_count;
    }
    return true;
}

/* The defaults, once all choices are where they stay. */
static enum status read_standards(struct form *form, const json_t *properties) {
    size_t starts[FORM_FIELDS_MOST + 1] = {0};
    for (size_t i = 0; i < form->field_count; i++) {
        const json_t *schema = mcp_json_member(properties, form->fields[i].name);
        const json_t *value = json_object_get(schema, "default");
        enum status status =
            value == NULL ? STATUS_OK : write_standard(&form->fields[i], value, &form->standards);
        if (status != STATUS_OK || form->standards.status != STATUS_OK)
            return STATUS_NO_MEMORY;
        starts[i + 1] = form->standards.size;
    }
    for (size_t i = 0; i < form->field_count; i++)
        form->fields[i].standard = bytes_up_to(
            bytes_from(buffer_bytes(&form->standards), starts[i]), starts[i + 1] - starts[i]);
    return STATUS_OK;
}

enum status form_read(const struct json_t *schema, struct form *out, const char **problem) {
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *type = json_object_get(schema, "type");
    *problem = "its schema is not an object with properties";
    if (!json_is_object(properties) || (type != NULL && !mcp_json_is(type, BYTES("object"))))
        return STATUS_INVALID;
    struct form form = {.standards = buffer_new(SIZE_MAX)};
    struct reading reading = {&form, count_choices(properties), NULL};
    form.choices = calloc(reading.choice_room + 1, sizeof *form.choices);
    if (form.choices == NULL)
        return STATUS_NO_MEMORY;
    enum status status = STATUS_INVALID;
    if (read_fields(&reading, schema, properties))
        status = read_standards(&form, properties);
    *problem = reading.problem;
    if (status == STATUS_OK)
        *out = form;
    else
        form_done(&form);
    return status;
}

void form_done(struct form *form) {
    free(form->choices);
    buffer_done(&form->standards);
    form->choices = NULL;
    form->field_count = 0;
}
