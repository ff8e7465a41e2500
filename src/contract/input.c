#include "input.h"

#include "json_text.h"

#include <stdio.h>
#include <string.h>

/* Problems go to terminals and logs: no control characters, and no half of a character where the
 * text was cut. */
static void tidy(struct contract_problem *problem) {
    size_t size = strnlen(problem->text, sizeof problem->text - 1);
    while (size > 0 && !bytes_are_utf8((struct bytes){(unsigned char *)problem->text, size}))
        size--;
    problem->text[size] = '\0';
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)problem->text[i] < 0x20 || problem->text[i] == 0x7F)
            problem->text[i] = '?';
}

/* No deeper than the document. NOLINTNEXTLINE(misc-no-recursion) */
static void append_place(char *text, size_t most, const struct place *place) {
    if (place->above != NULL)
        append_place(text, most, place->above);
    size_t size = strnlen(text, most);
    if (place->name.data == NULL)
        snprintf(text + size, most - size, "[%zu]", place->index);
    else
        snprintf(text + size, most - size, "%s%.*s", size > 0 ? "." : "", (int)place->name.size,
                 (const char *)place->name.data);
}

enum status problem_at(struct contract_problem *problem, const struct place *place,
                       const char *text) {
    char where[sizeof problem->text - 128] = "";
    if (place == NULL)
        snprintf(where, sizeof where, "the document");
    else
        append_place(where, sizeof where, place);
    snprintf(problem->text, sizeof problem->text, "%s %s", where, text);
    tidy(problem);
    return STATUS_INVALID;
}

enum status problem_of(struct contract_problem *problem, enum status status, const char *before,
                       struct bytes quoted, const char *after) {
    struct bytes shown = bytes_up_to(quoted, sizeof problem->text / 2);
    snprintf(problem->text, sizeof problem->text, "%s\"%.*s\"%s", before, (int)shown.size,
             shown.size == 0 ? "" : (const char *)shown.data, after);
    tidy(problem);
    return status;
}

/* jansson's own texts quote the input, so its codes have texts of ours. */
static const char *text_of_code(enum json_error_code code) {
    static const struct {
        enum json_error_code code;
        const char *text;
    } rows[] = {
        {json_error_duplicate_key, "a name is given twice"},
        {json_error_null_character, "a NUL in a string"},
        {json_error_null_byte_in_key, "a NUL in a name"},
        {json_error_numeric_overflow, "a number is out of range"},
        {json_error_invalid_utf8, "not UTF-8"},
        {json_error_end_of_input_expected, "something follows the JSON value"},
        {json_error_premature_end_of_input, "the JSON is cut short"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].code == code)
            return rows[i].text;
    return "not JSON";
}

enum status input_read(struct bytes text, size_t size_most, struct json_tree *out,
                       struct contract_problem *problem) {
    if (text.size > size_most) {
        snprintf(problem->text, sizeof problem->text, "longer than %zu bytes", size_most);
        return STATUS_LIMIT;
    }
    if (json_nesting_depth(text) > CONTRACT_DEPTH_MAX) {
        snprintf(problem->text, sizeof problem->text, "nested deeper than %d", CONTRACT_DEPTH_MAX);
        return STATUS_LIMIT;
    }
    json_error_t error = {.line = 1, .text = ""};
    enum status status = json_tree_read(text, out, &error);
    if (status == STATUS_INVALID)
        snprintf(problem->text, sizeof problem->text, "line %d, column %d: %s", error.line,
                 error.column, text_of_code(json_error_code(&error)));
    return status;
}

json_t *node_member(const json_t *object, const char *name) {
    return json_object_get(object, name);
}

json_t *node_member_named(const json_t *object, struct bytes name) {
    return json_object_getn(object, (const char *)name.data, name.size);
}

bool node_member_is_true(const json_t *object, const char *name) {
    return json_is_true(node_member(object, name));
}

struct bytes iterator_name(void *iterator) {
    return (struct bytes){(const unsigned char *)json_object_iter_key(iterator),
                          json_object_iter_key_len(iterator)};
}
