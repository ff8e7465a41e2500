#include "reply_head.h"

static void add_field(struct reply_head *head, const char *name) {
    head->fields[head->field_count++] =
        (struct reply_field){.name = name, .value = buffer_new(TRANSPORT_HEADER_SIZE_MAX)};
}

struct reply_head reply_head_new(const char *const *kept) {
    struct reply_head head = {.field_count = 0};
    add_field(&head, "content-type");
    add_field(&head, "location");
    for (; kept != NULL && *kept != NULL && head.field_count < REPLY_FIELDS_MOST; kept++)
        add_field(&head, *kept);
    return head;
}

void reply_head_done(struct reply_head *head) {
    for (size_t i = 0; i < head->field_count; i++)
        buffer_done(&head->fields[i].value);
}

void reply_head_clear(struct reply_head *head) {
    head->is_complete = false;
    head->status = 0;
    head->codings = 0;
    head->is_chunked = false;
    for (size_t i = 0; i < head->field_count; i++) {
        head->fields[i].count = 0;
        head->fields[i].is_cut = false;
        buffer_clear(&head->fields[i].value);
    }
}

/* The three digits after the first space, or 0. */
static unsigned read_status(struct bytes line) {
    struct bytes rest = bytes_from(line, bytes_find(line, ' ') + 1);
    unsigned status = 0;
    if (rest.size < 3)
        return 0;
    for (size_t i = 0; i < 3; i++) {
        if (rest.data[i] < '0' || rest.data[i] > '9')
            return 0;
        status = status * 10 + (unsigned)(rest.data[i] - '0');
    }
    return status;
}

static void end_headers(struct reply_head *head) {
    bool is_interim = head->status >= 100 && head->status < 200 && head->status != 101;
    if (is_interim)
        reply_head_clear(head);
    else
        head->is_complete = head->status != 0;
}

/* The index of a field, or the number of fields when it isn't kept. */
static size_t find_field(const struct reply_head *head, struct bytes name) {
    size_t i = 0;
    while (i < head->field_count &&
           !bytes_equal_ignoring_case(name, bytes_of_text(head->fields[i].name)))
        i++;
    return i;
}

static enum status keep_field(struct reply_field *field, struct bytes value) {
    field->count++;
    field->is_cut = value.size > TRANSPORT_HEADER_SIZE_MAX;
    buffer_clear(&field->value);
    buffer_append(&field->value, bytes_up_to(value, TRANSPORT_HEADER_SIZE_MAX));
    return field->value.status;
}

static enum status read_field(struct reply_head *head, struct bytes line) {
    size_t colon = bytes_find(line, ':');
    struct bytes name = bytes_up_to(line, colon);
    struct bytes value = bytes_trimmed(bytes_from(line, colon + 1));
    if (bytes_equal_ignoring_case(name, BYTES("transfer-encoding"))) {
        head->codings++;
        head->is_chunked = bytes_equal_ignoring_case(value, BYTES("chunked"));
    }
    size_t index = find_field(head, name);
    return index < head->field_count ? keep_field(&head->fields[index], value) : STATUS_OK;
}

enum status reply_head_line(struct reply_head *head, struct bytes line) {
    if (head->is_complete)
        return STATUS_OK;
    if (bytes_equal(bytes_up_to(line, 5), BYTES("HTTP/"))) {
        reply_head_clear(head);
        head->status = read_status(line);
        return STATUS_OK;
    }
    if (bytes_trimmed(line).size > 0)
        return read_field(head, line);
    end_headers(head);
    return STATUS_OK;
}

const struct reply_field *reply_head_field(const struct reply_head *head, struct bytes name) {
    size_t index = find_field(head, name);
    return index < head->field_count ? &head->fields[index] : NULL;
}

bool reply_head_is_type(const struct reply_head *head, struct bytes media_type) {
    const struct reply_field *field = reply_head_field(head, BYTES("content-type"));
    struct bytes value = buffer_bytes(&field->value);
    struct bytes type = bytes_trimmed(bytes_up_to(value, bytes_find(value, ';')));
    return field->count == 1 && bytes_equal_ignoring_case(type, media_type);
}
