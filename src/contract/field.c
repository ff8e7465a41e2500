#include "consumer.h"

bool steps_equal(const struct step *left, const struct step *right) {
    return (left->name.data == NULL) == (right->name.data == NULL) &&
           bytes_equal(left->name, right->name);
}

bool fields_share(const struct field *left, const struct field *right, size_t count) {
    if (left->count < count || right->count < count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!steps_equal(&left->steps[i], &right->steps[i]))
            return false;
    return true;
}

static bool add_step(struct field *field, struct bytes name) {
    if (field->count == STEPS_MOST)
        return false;
    field->steps[field->count++].name = name;
    return true;
}

static bool ends_in_items(struct bytes part) {
    return part.size >= 2 && part.data[part.size - 2] == '[' && part.data[part.size - 1] == ']';
}

/* One part between dots: a name, then any number of []. Only the first part may be without a name:
 * then the body itself is the array. */
static bool add_part(struct field *field, struct bytes part) {
    size_t items = 0;
    for (; ends_in_items(part); part.size -= 2)
        items++;
    if (part.size > 0) {
        if (!add_step(field, part))
            return false;
    } else if (items == 0 || field->count > 0) {
        return false;
    }
    for (size_t i = 0; i < items; i++)
        if (!add_step(field, (struct bytes){NULL, 0}))
            return false;
    return true;
}

bool field_parse(struct bytes text, struct field *out) {
    struct field field = {.text = text};
    struct bytes rest = text;
    for (;;) {
        size_t end = bytes_find(rest, '.');
        if (!add_part(&field, bytes_up_to(rest, end)))
            return false;
        if (end == rest.size)
            break;
        rest = bytes_from(rest, end + 1);
    }
    *out = field;
    return true;
}
