/* Any JSON as a form's schema, and what follows its first NUL as an answer to each field: an answer
 * that is taken is JSON, and so is a default. */
#include "form.h"

#include "mcp_json.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
    if (!condition)
        abort();
}

static void require_json(struct bytes text) {
    struct json_tree document = {0};
    const char *problem = NULL;
    require(mcp_json_read(text, &document, &problem) == STATUS_OK);
    json_tree_done(&document);
}

static void answer(const struct form_field *field, struct bytes text, bool numbers_count) {
    struct buffer json = buffer_new(SIZE_MAX);
    struct buffer problem = buffer_new(SIZE_MAX);
    enum status status = form_answer(field, text, numbers_count, &json, &problem);
    require(status == STATUS_OK || status == STATUS_INVALID);
    require(status == STATUS_OK || problem.size > 0);
    if (status == STATUS_OK)
        require_json(buffer_bytes(&json));
    buffer_done(&json);
    buffer_done(&problem);
}

static void check(const struct form *form, struct bytes text) {
    for (size_t i = 0; i < form->field_count; i++) {
        const struct form_field *field = &form->fields[i];
        require(bytes_are_utf8(field->name) && bytes_are_utf8(field->title));
        require(field->choice_count > 0 ||
                (field->type != FORM_CHOICE && field->type != FORM_CHOICES));
        if (field->standard.size > 0)
            require_json(field->standard);
        answer(field, text, false);
        answer(field, text, true);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes input = {data, size};
    size_t end = bytes_find(input, '\0');
    struct json_tree schema = {0};
    struct form form;
    const char *problem = NULL;
    if (mcp_json_read(bytes_up_to(input, end), &schema, &problem) != STATUS_OK)
        return 0;
    if (form_read(schema.root, &form, &problem) == STATUS_OK) {
        check(&form, bytes_from(input, end + 1));
        form_done(&form);
    } else {
        require(problem != NULL);
    }
    json_tree_done(&schema);
    return 0;
}
