#include "book_tool.h"

#include "json_read.h"
#include "json_text.h"
#include "wire_json.h"

#include <stdlib.h>

const char BOOK_INSTRUCTIONS[] =
    "Tandem books visits to a salon. Call the tool book with what the customer said and the slots "
    "that are open in the salon's calendar. The customer is asked which of the first two suits, "
    "and "
    "the answer is booked. Enter a booked slot in the calendar: Tandem keeps none.";

static const char description[] =
    "Books a visit to a salon for a customer. Send the customer's own words and the slots that are "
    "open now, as the salon's calendar has them; never make slots up. The customer is asked which "
    "of "
    "the first two different slots suits, and that answer is the booking. The result's status says "
    "booked, with the slot, or not_booked; tell the customer what say says.\n"
    "If the result is an error that lists times, the customer can't be asked through this client: "
    "ask the customer yourself which of them suits, then call again with the same arguments and "
    "time. Never choose for the customer. Each call with time is a new booking, so don't repeat "
    "one "
    "that booked.";

static const char input_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"salon\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":256,"
    "\"description\":\"The salon's name in its address, such as elm-street.\"},"
    "\"message\":{\"type\":\"string\",\"maxLength\":8192,"
    "\"description\":\"What the customer wants, in the customer's words.\"},"
    "\"openSlots\":{\"type\":\"array\",\"maxItems\":500,"
    "\"items\":{\"type\":\"string\",\"maxLength\":256},"
    "\"description\":\"The slots that are open, in the order of preference, as the calendar names "
    "them. The first two different ones are offered. Empty when nothing is open.\"},"
    "\"time\":{\"type\":\"string\",\"maxLength\":256,"
    "\"description\":\"The offered time that the customer chose, letter for letter. Only after "
    "this "
    "tool said that it can't ask the customer here; otherwise it is ignored.\"}},"
    "\"required\":[\"salon\",\"message\",\"openSlots\"]}";

static const char output_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"type\":\"string\",\"enum\":[\"booked\",\"not_booked\"]},"
    "\"slot\":{\"type\":\"string\",\"description\":\"The slot that is booked; only with booked.\"},"
    "\"reason\":{\"type\":\"string\",\"enum\":[\"taken\"],"
    "\"description\":\"With not_booked, when the slot was taken meanwhile.\"},"
    "\"say\":{\"type\":\"string\",\"description\":\"What to tell the customer.\"}},"
    "\"required\":[\"status\",\"say\"]}";

static const char annotations[] =
    "{\"title\":\"Book a salon visit\",\"readOnlyHint\":false,\"destructiveHint\":false,"
    "\"idempotentHint\":false,\"openWorldHint\":false}";

static const char invalid_state[] = "Invalid or expired requestState";

/* A call of the tool, until its reply is handed over. */
struct booking_call {
    struct mcp_call *call;
    struct bytes time;
    unsigned status; /* of the reply that was written last */
};

static void write_complete(const struct booking_call *booking, const struct service_result *result,
                           struct bytes text, struct buffer *out) {
    struct buffer content = buffer_new(out->ceiling);
    switch (result->outcome) {
    case OUTCOME_BOOKED:
        wire_booked_content_write(&content, result->slot);
        break;
    case OUTCOME_TAKEN:
        wire_taken_content_write(&content, result->slot);
        break;
    case OUTCOME_NOTHING_OPEN:
        wire_not_booked_content_write(&content, SAY_NOTHING_OPEN);
        break;
    case OUTCOME_ASK:
    case OUTCOME_NOT_CHOSEN:
    case OUTCOME_REPLAYED:
    case OUTCOME_COUNT:
        wire_not_booked_content_write(&content, SAY_NOT_CHOSEN);
        break;
    }
    mcp_complete_write(booking->call, out, text, buffer_bytes(&content));
    if (content.status != STATUS_OK)
        out->status = content.status;
    buffer_done(&content);
}

/* What is said of a slot, in one piece. */
static void write_about_slot(const struct booking_call *booking,
                             const struct service_result *result, const char *suffix,
                             struct buffer *out) {
    struct buffer say = buffer_new(out->ceiling);
    buffer_append(&say, result->slot);
    buffer_append_text(&say, suffix);
    write_complete(booking, result, buffer_bytes(&say), out);
    if (say.status != STATUS_OK)
        out->status = say.status;
    buffer_done(&say);
}

static void write_question(const struct booking_call *booking, const struct service_result *result,
                           struct buffer *out) {
    struct buffer requests = buffer_new(out->ceiling);
    wire_input_requests_write(&requests, result->offered);
    mcp_question_write(booking->call, out, buffer_bytes(&requests), result->state);
    if (requests.status != STATUS_OK)
        out->status = requests.status;
    buffer_done(&requests);
}

/* For a client that can't ask: the times, each quoted, since a time may hold any character. */
static void write_times(const struct booking_call *booking, const struct service_result *result,
                        struct buffer *out) {
    struct buffer times = buffer_new(out->ceiling);
    for (size_t i = 0; i < result->offered.count; i++) {
        if (i > 0)
            buffer_append(&times, BYTES(" or "));
        json_write_string(&times, result->offered.times[i]);
    }
    const struct bytes texts[] = {
        BYTES("Nothing is booked yet: this client can't ask the customer. Ask the customer which "
              "time suits: "),
        buffer_bytes(&times),
        BYTES(". Then call book again with the same arguments and the chosen one as time."),
    };
    mcp_failure_write(booking->call, out, texts, sizeof texts / sizeof texts[0]);
    if (times.status != STATUS_OK)
        out->status = times.status;
    buffer_done(&times);
}

static void write_result(const struct booking_call *booking, const struct service_result *result,
                         struct buffer *out) {
    switch (result->outcome) {
    case OUTCOME_ASK:
        return result->state.size > 0 ? write_question(booking, result, out)
                                      : write_times(booking, result, out);
    case OUTCOME_BOOKED:
        return write_about_slot(booking, result, SAY_BOOKED_SUFFIX, out);
    case OUTCOME_TAKEN:
        return write_about_slot(booking, result, SAY_TAKEN_SUFFIX, out);
    case OUTCOME_NOTHING_OPEN:
        return write_complete(booking, result, bytes_of_text(SAY_NOTHING_OPEN), out);
    case OUTCOME_NOT_CHOSEN:
    case OUTCOME_REPLAYED:
    case OUTCOME_COUNT:
        break;
    }
    write_complete(booking, result, bytes_of_text(SAY_NOT_CHOSEN), out);
}

/* How a refusal looks to an agent: of a state always the same, of what the agent itself can mend
 * with its reason. */
static void write_refusal(struct booking_call *booking, enum refusal refusal,
                          const struct bytes *reasons, size_t count, struct buffer *out) {
    switch (refusal) {
    case REFUSAL_NOT_VERIFIED:
    case REFUSAL_ANOTHER_REQUEST:
    case REFUSAL_EXPIRED:
    case REFUSAL_USED:
        return mcp_call_error_write(booking->call, out, MCP_INVALID_PARAMS, invalid_state,
                                    BYTES(""));
    case REFUSAL_NO_ANSWER:
    case REFUSAL_NOT_AN_ANSWER:
    case REFUSAL_NEVER_OFFERED:
    case REFUSAL_UNREADABLE:
        return mcp_failure_write(booking->call, out, reasons, count);
    case REFUSAL_ALONE:
    case REFUSAL_KEY_REUSED:
    case REFUSAL_UNAVAILABLE:
    case REFUSAL_FORBIDDEN:
    case REFUSAL_NOT_FOUND:
    case REFUSAL_METHOD:
    case REFUSAL_TOO_LARGE:
    case REFUSAL_MEDIA_TYPE:
    case REFUSAL_COUNT:
        break;
    }
    booking->status = refusal_row(REFUSAL_UNAVAILABLE)->status;
    mcp_call_error_write(booking->call, out, MCP_INTERNAL_ERROR,
                         refusal_row(REFUSAL_UNAVAILABLE)->reason, BYTES(""));
}

static void write_reply(void *context, const struct service_result *result, struct buffer *out) {
    struct booking_call *booking = context;
    booking->status = 200;
    if (result->kind == REPLY_REFUSAL)
        write_refusal(booking, result->refusal, result->reasons, result->reason_count, out);
    else
        write_result(booking, result, out);
}

static void hand_over(struct booking_call *booking, const struct service_reply *settled) {
    bool is_refused = settled->kind == REPLY_REFUSAL;
    struct mcp_reply reply = {.status = booking->status,
                              .body = settled->body,
                              .note = is_refused ? NULL : outcome_label(settled->outcome),
                              .refusal = is_refused ? settled->refusal : REFUSAL_NONE};
    mcp_call_done(booking->call, &reply);
    free(booking);
}

static void take_reply(void *context, struct service_reply *reply) {
    hand_over(context, reply);
}

/* Ends a call that the service doesn't get to see. */
static void end_with_refusal(struct booking_call *booking, enum refusal refusal,
                             struct bytes reason) {
    struct service_reply reply = {
        .kind = REPLY_REFUSAL, .refusal = refusal, .body = buffer_new(REPLY_SIZE_MAX)};
    const struct service_result result = {
        .kind = REPLY_REFUSAL, .refusal = refusal, .reasons = &reason, .reason_count = 1};
    write_reply(booking, &result, &reply.body);
    hand_over(booking, &reply);
}

static bool is_dot_segment(struct bytes salon) {
    return bytes_equal(salon, BYTES(".")) || bytes_equal(salon, BYTES(".."));
}

/* Reads the arguments. STATUS_INVALID and a problem when they aren't right. */
static enum status read_arguments(struct booking_call *booking, enum service_asking asking,
                                  struct service_call *out, struct wire_problem *problem) {
    const struct mcp_call *call = booking->call;
    const json_t *arguments = mcp_call_arguments(call);
    const json_t *time = json_object_get(arguments, "time");
    bool is_retry = mcp_call_state(call) != NULL || mcp_call_responses(call) != NULL;
    struct bytes salon;
    if (!wire_string_read(json_object_get(arguments, "salon"), "arguments.salon", SALON_SIZE_MAX,
                          &salon, problem))
        return STATUS_INVALID;
    if (is_dot_segment(salon)) {
        *problem = (struct wire_problem){"arguments.salon is . or .., which no salon has"};
        return STATUS_INVALID;
    }
    if (asking == ASK_NOBODY && !is_retry && time != NULL && !json_is_null(time)) {
        if (!wire_string_read(time, "arguments.time", SIZE_MAX, &booking->time, problem))
            return STATUS_INVALID;
        out->time = &booking->time;
    }
    return wire_request_of_json(salon, arguments, mcp_call_responses(call), mcp_call_state(call),
                                &out->request, problem);
}

/* A state is of a booking whose arguments were right, so with wrong ones none can verify. */
static void refuse_arguments(struct service *service, struct booking_call *booking,
                             const struct wire_problem *problem) {
    enum refusal refusal = REFUSAL_UNREADABLE;
    if ((service_not_ready(service) & NOT_READY_NO_KEY) != 0)
        refusal = REFUSAL_UNAVAILABLE;
    else if (mcp_call_state(booking->call) != NULL)
        refusal = REFUSAL_NOT_VERIFIED;
    end_with_refusal(booking, refusal, bytes_of_text(problem->text));
}

static void end_without_memory(struct mcp_call *call) {
    struct mcp_reply reply = {
        .status = 503, .refusal = REFUSAL_UNAVAILABLE, .body = buffer_new(REPLY_SIZE_MAX)};
    mcp_call_error_write(call, &reply.body, MCP_INTERNAL_ERROR,
                         refusal_row(REFUSAL_UNAVAILABLE)->reason, BYTES(""));
    mcp_call_done(call, &reply);
}

static void book(void *context, struct mcp_call *call) {
    struct wire_problem problem = {""};
    struct booking_call *booking = calloc(1, sizeof *booking);
    if (booking == NULL)
        return end_without_memory(call);
    booking->call = call;
    struct service_call request = {.body_size = mcp_call_size(call),
                                   .asking = mcp_call_can_ask(call) ? ASK_AGAIN : ASK_NOBODY,
                                   .write = write_reply,
                                   .write_context = booking,
                                   .done = take_reply,
                                   .context = booking};
    enum status status = read_arguments(booking, request.asking, &request, &problem);
    if (status == STATUS_OK)
        service_call_later(context, &request);
    else if (status == STATUS_INVALID)
        refuse_arguments(context, booking, &problem);
    else
        end_with_refusal(booking, REFUSAL_UNAVAILABLE, BYTES(""));
}

struct mcp_tool book_tool(struct service *service) {
    return (struct mcp_tool){.name = "book",
                             .title = "Book a salon visit",
                             .description = description,
                             .input_schema = input_schema,
                             .output_schema = output_schema,
                             .annotations = annotations,
                             .handle = book,
                             .context = service};
}
