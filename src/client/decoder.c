#include "decoder.h"

#include "json_text.h"
#include "json_tree.h"
#include "json_value.h"

#include <stdlib.h>

enum { PROBLEM_SIZE_MAX = SHOWN_VALUE_SIZE_MAX + 256 };

static enum status fail(struct decoded *out, enum decoded_kind kind, const char *text) {
    out->kind = kind;
    buffer_append_text(&out->problem, text);
    return out->problem.status;
}

/* Appends no more than SHOWN_VALUE_SIZE_MAX bytes of UTF-8, and an ellipsis for the rest. */
static void append_shown(struct buffer *out, struct bytes text) {
    size_t size = text.size;
    if (size > SHOWN_VALUE_SIZE_MAX)
        for (size = SHOWN_VALUE_SIZE_MAX; size > 0 && (text.data[size] & 0xC0) == 0x80;)
            size--;
    buffer_append(out, bytes_up_to(text, size));
    if (size < text.size)
        buffer_append(out, BYTES("\xE2\x80\xA6"));
}

/* The compact JSON of a value; JavaScript's word for one that is absent. */
static enum status show(struct buffer *out, const json_t *value) {
    struct buffer json = buffer_new(SIZE_MAX);
    if (value == NULL)
        buffer_append(&json, BYTES("undefined"));
    else
        json_value_write(&json, value);
    append_shown(out, buffer_bytes(&json));
    enum status status = json.status != STATUS_OK ? json.status : out->status;
    buffer_done(&json);
    return status;
}

static enum status fail_unknown(struct decoded *out, const char *what, const json_t *value) {
    out->kind = DECODED_MALFORMED;
    buffer_append_text(&out->problem, what);
    return show(&out->problem, value);
}

static bool is_text(const json_t *value, struct bytes text) {
    return json_is_string(value) && bytes_equal(json_text(value), text);
}

/* The value at a path of names, or NULL. */
static const json_t *find(const json_t *value, const char *const *names) {
    for (; *names != NULL; names++)
        value = json_object_get(value, *names);
    return value;
}

/* An elicitation's mode may be left out, which means a form. */
static bool is_form(const json_t *question) {
    const json_t *mode = find(question, (const char *const[]){"params", "mode", NULL});
    return is_text(json_object_get(question, "method"), BYTES("elicitation/create")) &&
           (mode == NULL || is_text(mode, BYTES("form")));
}

static bool are_times(const json_t *times) {
    for (size_t i = 0; i < json_array_size(times); i++)
        if (!json_is_string(json_array_get(times, i)))
            return false;
    return json_array_size(times) > 0;
}

static enum status keep_times(const json_t *times, struct decoded *out) {
    size_t count = json_array_size(times);
    out->times = calloc(count, sizeof *out->times);
    if (out->times == NULL)
        return STATUS_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        out->times[i] = json_text(json_array_get(times, i));
    out->question.times = out->times;
    out->question.time_count = count;
    return STATUS_OK;
}

static enum status read_question(const json_t *root, struct decoded *out) {
    const json_t *question = find(root, (const char *const[]){"inputRequests", "time", NULL});
    const json_t *message = find(question, (const char *const[]){"params", "message", NULL});
    const json_t *times = find(question, (const char *const[]){"params", "requestedSchema",
                                                               "properties", "time", "enum", NULL});
    const json_t *state = json_object_get(root, "requestState");
    if (!is_form(question) || !json_is_string(message))
        return fail(out, DECODED_MALFORMED, "the question is not an elicitation form");
    if (!are_times(times))
        return fail(out, DECODED_MALFORMED, "the question offers no times");
    if (!json_is_string(state))
        return fail(out, DECODED_MALFORMED, "a question needs its requestState");
    out->kind = DECODED_QUESTION;
    out->question.message = json_text(message);
    out->question.state = json_text(state);
    return keep_times(times, out);
}

static enum status read_completion(const json_t *root, struct decoded *out) {
    const json_t *content = json_object_get(root, "structuredContent");
    const json_t *say = json_object_get(content, "say");
    const json_t *status = json_object_get(content, "status");
    const json_t *slot = json_object_get(content, "slot");
    bool is_booked = is_text(status, BYTES("booked"));
    if (!json_is_string(say))
        return fail(out, DECODED_MALFORMED, "structuredContent is not a booking");
    if (!is_booked && !is_text(status, BYTES("not_booked")))
        return fail_unknown(out, "structuredContent has unknown status ", status);
    if (is_booked && !json_is_string(slot))
        return fail(out, DECODED_MALFORMED, "a booking needs its slot");
    out->kind = DECODED_COMPLETION;
    out->completion =
        (struct completion){is_booked, is_booked ? json_text(slot) : BYTES(""), json_text(say)};
    return STATUS_OK;
}

static enum status read_reply(enum round round, struct decoded *out) {
    const json_t *type = json_object_get(out->root, "resultType");
    if (is_text(type, BYTES("complete")))
        return read_completion(out->root, out);
    if (!is_text(type, BYTES("input_required")))
        return fail_unknown(out, "unknown resultType ", type);
    if (round == ROUND_TWO)
        return fail(out, DECODED_ASKED_AGAIN, "the server asked again");
    return read_question(out->root, out);
}

/* Reads the JSON; a problem when it can't be read. */
static enum status parse(struct bytes body, struct decoded *out) {
    static const char problem[] = "the reply can't be read";
    if (body.size == 0 || json_nesting_depth(body) > REPLY_DEPTH_MAX)
        return fail(out, DECODED_UNREADABLE, problem);
    json_error_t error = {.text = ""};
    struct json_tree tree = {0};
    enum status status = json_tree_read(body, &tree, &error);
    if (status == STATUS_INVALID)
        return fail(out, DECODED_UNREADABLE, problem);
    out->root = tree.root;
    out->chunks = tree.chunks;
    return status;
}

enum status decoder_read(enum round round, bool is_json, struct bytes body, struct decoded *out) {
    struct decoded read = {.problem = buffer_new(PROBLEM_SIZE_MAX)};
    enum status status = is_json ? parse(body, &read) : STATUS_OK;
    if (status == STATUS_OK && read.problem.size == 0)
        status = read_reply(round, &read);
    if (status == STATUS_OK)
        *out = read;
    else
        decoded_done(&read);
    return status;
}

void decoded_done(struct decoded *decoded) {
    struct json_tree tree = {.chunks = decoded->chunks};
    json_tree_done(&tree);
    free(decoded->times);
    buffer_done(&decoded->problem);
    *decoded = (struct decoded){.problem = buffer_new(PROBLEM_SIZE_MAX)};
}
