#include "reply_head.h"

struct reply_head reply_head_new(size_t location_size_max) {
    return (struct reply_head){.location = buffer_new(location_size_max)};
}

void reply_head_done(struct reply_head *head) {
    buffer_done(&head->location);
}

void reply_head_clear(struct reply_head *head) {
    head->is_complete = false;
    head->status = 0;
    head->types = 0;
    head->is_json = false;
    head->codings = 0;
    head->is_chunked = false;
    buffer_clear(&head->location);
}

static bool is_blank(unsigned char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static struct bytes trim(struct bytes text) {
    while (text.size > 0 && is_blank(text.data[0]))
        text = bytes_from(text, 1);
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
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

static void read_field(struct reply_head *head, struct bytes line) {
    size_t colon = bytes_find(line, ':');
    struct bytes name = bytes_up_to(line, colon);
    struct bytes value = trim(bytes_from(line, colon + 1));
    if (bytes_equal_ignoring_case(name, BYTES("content-type"))) {
        struct bytes type = trim(bytes_up_to(value, bytes_find(value, ';')));
        head->types++;
        head->is_json = bytes_equal_ignoring_case(type, BYTES("application/json"));
    } else if (bytes_equal_ignoring_case(name, BYTES("transfer-encoding"))) {
        head->codings++;
        head->is_chunked = bytes_equal_ignoring_case(value, BYTES("chunked"));
    } else if (bytes_equal_ignoring_case(name, BYTES("location"))) {
        buffer_clear(&head->location);
        buffer_append(&head->location, bytes_up_to(value, head->location.ceiling));
    }
}

void reply_head_line(struct reply_head *head, struct bytes line) {
    if (head->is_complete)
        return;
    if (bytes_equal(bytes_up_to(line, 5), BYTES("HTTP/"))) {
        reply_head_clear(head);
        head->status = read_status(line);
    } else if (trim(line).size == 0) {
        end_headers(head);
    } else {
        read_field(head, line);
    }
}

bool reply_head_is_json(const struct reply_head *head) {
    return head->types == 1 && head->is_json;
}
