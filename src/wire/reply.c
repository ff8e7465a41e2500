#include "json_text.h"
#include "wire.h"

void wire_input_requests_write(struct buffer *out, struct offer offered) {
    buffer_append(out, BYTES("{\"time\":{\"method\":\"elicitation/create\","
                             "\"params\":{\"message\":"));
    json_write_string(out, bytes_of_text(QUESTION_TEXT));
    buffer_append(out, BYTES(",\"mode\":\"form\",\"requestedSchema\":{\"properties\":{\"time\":"
                             "{\"enum\":"));
    json_write_strings(out, offered.times, offered.count);
    buffer_append(out, BYTES(",\"type\":\"string\"}},\"required\":[\"time\"],\"type\":\"object\""
                             "}}}}"));
}

void wire_question_write(struct buffer *out, struct offer offered, struct bytes state) {
    buffer_append(out, BYTES("{\"inputRequests\":"));
    wire_input_requests_write(out, offered);
    buffer_append(out, BYTES(",\"requestState\":"));
    json_write_string(out, state);
    buffer_append(out, BYTES(",\"resultType\":\"input_required\"}"));
}

void wire_booked_content_write(struct buffer *out, struct bytes time) {
    buffer_append(out, BYTES("{\"say\":\""));
    json_write_characters(out, time);
    json_write_characters(out, bytes_of_text(SAY_BOOKED_SUFFIX));
    buffer_append(out, BYTES("\",\"slot\":"));
    json_write_string(out, time);
    buffer_append(out, BYTES(",\"status\":\"booked\"}"));
}

void wire_not_booked_content_write(struct buffer *out, const char *say) {
    buffer_append(out, BYTES("{\"say\":"));
    json_write_string(out, bytes_of_text(say));
    buffer_append(out, BYTES(",\"status\":\"not_booked\"}"));
}

void wire_taken_content_write(struct buffer *out, struct bytes time) {
    buffer_append(out, BYTES("{\"reason\":\"taken\",\"say\":\""));
    json_write_characters(out, time);
    json_write_characters(out, bytes_of_text(SAY_TAKEN_SUFFIX));
    buffer_append(out, BYTES("\",\"status\":\"not_booked\"}"));
}

static void begin_complete(struct buffer *out) {
    buffer_append(out, BYTES("{\"resultType\":\"complete\",\"structuredContent\":"));
}

void wire_booked_write(struct buffer *out, struct bytes time) {
    begin_complete(out);
    wire_booked_content_write(out, time);
    buffer_append_byte(out, '}');
}

void wire_not_booked_write(struct buffer *out, const char *say) {
    begin_complete(out);
    wire_not_booked_content_write(out, say);
    buffer_append_byte(out, '}');
}

void wire_taken_write(struct buffer *out, struct bytes time) {
    begin_complete(out);
    wire_taken_content_write(out, time);
    buffer_append_byte(out, '}');
}

void wire_digest_input_write(struct buffer *out, const struct booking *booking) {
    buffer_append_byte(out, '[');
    json_write_string(out, booking->salon);
    buffer_append_byte(out, ',');
    json_write_string(out, booking->message);
    buffer_append_byte(out, ',');
    json_write_strings(out, booking->slots, booking->slot_count);
    buffer_append_byte(out, ']');
}

bool wire_round_two_fits(size_t body_size, struct offer offered, struct bytes state, size_t limit) {
    enum { ADDED_MEMBERS = 160 }; /* the names and brackets around them, generously spaced */
    /* No byte takes more than 6, so nearly every request is done here. */
    size_t size = body_size + ADDED_MEMBERS + 4;
    if (size + 6 * (state.size + SLOT_SIZE_MAX) <= limit)
        return true;
    size_t longest = 0;
    for (size_t i = 0; i < offered.count; i++) {
        size_t time_size = json_string_size_most(offered.times[i]);
        if (time_size > longest)
            longest = time_size;
    }
    return size + longest + json_string_size_most(state) <= limit;
}
