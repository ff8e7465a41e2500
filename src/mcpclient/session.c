#include "session_state.h"

#include <stdlib.h>

static bool is_handshake_version(struct bytes version) {
    return bytes_equal(version, BYTES("2025-11-25")) || bytes_equal(version, BYTES("2025-06-18")) ||
           bytes_equal(version, BYTES("2025-03-26"));
}

bool session_speaks(struct bytes version) {
    return bytes_equal(version, BYTES(MODERN_VERSION)) || is_handshake_version(version);
}

bool session_is_object(struct bytes json, const char **problem) {
    struct json_tree document = {0};
    if (mcp_json_read(json, &document, problem) != STATUS_OK)
        return false;
    bool is_object = json_is_object(document.root);
    *problem = is_object ? NULL : "it is not an object";
    json_tree_done(&document);
    return is_object;
}

/* The same JSON on one line: a line end in it is never part of a string. */
static enum status keep_arguments(struct session *session) {
    struct bytes json = session->config.arguments;
    for (size_t i = 0; i < json.size; i++) {
        bool is_line_end = json.data[i] == '\n' || json.data[i] == '\r';
        buffer_append_byte(&session->arguments, is_line_end ? ' ' : json.data[i]);
    }
    return session->arguments.status == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status begin(struct session *session) {
    const char *protocol = session->config.protocol;
    session->protocol = protocol == NULL ? BYTES(MODERN_VERSION) : bytes_of_text(protocol);
    session->is_modern = !is_handshake_version(session->protocol);
    bool is_known = protocol != NULL && session->is_modern;
    session->stage = !session->is_modern                                         ? STAGE_INITIALIZE
                     : is_known && session->config.operation != SESSION_DISCOVER ? STAGE_LIST
                                                                                 : STAGE_DISCOVER;
    if (session->stage == STAGE_INITIALIZE)
        return request_initialize(session);
    return session->stage == STAGE_LIST ? request_list(session) : request_discover(session);
}

enum status session_new(const struct session_config *config, struct session **out) {
    struct session *session = malloc(sizeof *session);
    if (session == NULL)
        return STATUS_NO_MEMORY;
    *session = (struct session){
        .config = *config,
        .arguments = buffer_new(OUTGOING_SIZE_MAX),
        .session_id = buffer_new(TEXT_SIZE_MAX),
        .body = buffer_new(OUTGOING_SIZE_MAX),
        .header_text = buffer_new(OUTGOING_SIZE_MAX),
        .location = buffer_new(TEXT_SIZE_MAX),
        .json = buffer_new(SESSION_REPLY_SIZE_MAX),
        .server_name = buffer_new(SESSION_REPLY_SIZE_MAX),
        .server_version = buffer_new(SESSION_REPLY_SIZE_MAX),
        .stream = event_stream_new(SESSION_REPLY_SIZE_MAX),
        .fault_text = buffer_new(TEXT_SIZE_MAX),
        .result_json = buffer_new(OUTGOING_SIZE_MAX),
        .say = buffer_new(OUTGOING_SIZE_MAX),
        .problem_text = buffer_new(2 * SESSION_REPLY_SIZE_MAX),
        .aside = buffer_new(OUTGOING_SIZE_MAX),
    };
    enum status status = keep_arguments(session);
    if (status == STATUS_OK)
        status = begin(session);
    if (status == STATUS_OK)
        *out = session;
    else
        session_free(session);
    return status;
}

void session_free(struct session *session) {
    if (session == NULL)
        return;
    input_forget(session);
    tool_list_done(&session->tools);
    rpc_message_done(&session->reply);
    rpc_message_done(&session->opened);
    rpc_message_done(&session->asking);
    rpc_message_done(&session->called);
    event_stream_done(&session->stream);
    struct buffer *const buffers[] = {
        &session->arguments,    &session->session_id,  &session->body,
        &session->header_text,  &session->location,    &session->json,
        &session->fault_text,   &session->result_json, &session->say,
        &session->problem_text, &session->server_name, &session->server_version,
        &session->aside};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        buffer_done(buffers[i]);
    free(session);
}

enum session_want session_want(const struct session *session) {
    if (session->is_failed)
        return SESSION_FAILED;
    if (session->is_done)
        return SESSION_DONE;
    if (session->has_aside)
        return SESSION_SEND;
    if (session->answered < session->question_count)
        return SESSION_ASK;
    return session->has_outgoing ? SESSION_SEND : SESSION_READ;
}

bool session_awaits(const struct session *session) {
    return session->is_reading && session->is_request;
}

bool session_outcome_is_unknown(const struct session *session) {
    return session->has_answered && session_awaits(session);
}

bool session_was_declined(const struct session *session) {
    return session->was_declined;
}

const struct session_result *session_result(const struct session *session) {
    return session->is_done ? &session->result : NULL;
}

const struct session_problem *session_problem(const struct session *session) {
    return session->is_failed ? &session->problem : NULL;
}

struct session_outgoing session_outgoing(const struct session *session) {
    bool is_aside = session->has_aside;
    return (struct session_outgoing){
        .body = buffer_bytes(is_aside ? &session->aside : &session->body),
        .headers = session->headers,
        .header_count = session->header_count,
        .is_request = session->is_request && !is_aside,
        .is_aside = is_aside,
        .is_probe = session->stage == STAGE_DISCOVER && session->config.protocol == NULL,
    };
}

static void hear(const struct session *session, bool is_ours, struct bytes message) {
    if (session->config.on_message != NULL)
        session->config.on_message(session->config.context, is_ours, message);
}

static struct bytes method_under_way(const struct session *session) {
    switch (session->stage) {
    case STAGE_DISCOVER:
        return BYTES("server/discover");
    case STAGE_INITIALIZE:
        return BYTES("initialize");
    case STAGE_INITIALIZED:
        return BYTES("notifications/initialized");
    case STAGE_LIST:
        return BYTES("tools/list");
    case STAGE_CALL:
        return BYTES("tools/call");
    }
    return BYTES("");
}

enum status session_fail(struct session *session, struct bytes text, bool outcome_is_unknown) {
    buffer_clear(&session->problem_text);
    buffer_append(&session->problem_text, text);
    session->problem.text = buffer_bytes(&session->problem_text);
    session->problem.location = buffer_bytes(&session->location);
    session->problem.method = method_under_way(session);
    session->problem.id = session->is_request ? session->id : 0;
    session->problem.outcome_is_unknown =
        session->has_answered && (outcome_is_unknown || session_awaits(session));
    session->is_failed = true;
    return session->problem_text.status == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

struct buffer session_text(const char *words) {
    struct buffer text = buffer_new(2 * SESSION_REPLY_SIZE_MAX);
    buffer_append_text(&text, words);
    return text;
}

enum status session_fail_with(struct session *session, struct buffer *text,
                              bool outcome_is_unknown) {
    enum status status = session_fail(session, buffer_bytes(text), outcome_is_unknown);
    if (text->status != STATUS_OK)
        status = STATUS_NO_MEMORY;
    buffer_done(text);
    return status;
}

enum status session_fail_text(struct session *session, const char *text) {
    return session_fail(session, bytes_of_text(text), false);
}

/* Forgets the last exchange, so that the next one can be read. */
static void clear_exchange(struct session *session) {
    rpc_message_done(&session->reply);
    session->has_reply = false;
    session->has_head = false;
    session->head = (struct session_head){0};
    session->read_size = 0;
    session->fault = FAULT_NONE;
    buffer_clear(&session->fault_text);
    buffer_clear(&session->location);
    buffer_clear(&session->json);
    event_stream_done(&session->stream);
    session->stream = event_stream_new(SESSION_REPLY_SIZE_MAX);
}

static void sent_aside(struct session *session) {
    hear(session, true, buffer_bytes(&session->aside));
    session->has_aside = false;
    session->has_answered = session->has_answered || session->sends_answer;
}

static enum status go_on_after_notification(struct session *session);

enum status session_sent(struct session *session) {
    if (session->has_aside) {
        sent_aside(session);
        return STATUS_OK;
    }
    hear(session, true, buffer_bytes(&session->body));
    session->has_outgoing = false;
    session->has_answered = session->has_answered || session->sends_answer;
    clear_exchange(session);
    if (!session->is_request && !session->config.is_http)
        return go_on_after_notification(session);
    session->is_reading = true;
    return STATUS_OK;
}

enum status session_aside_done(struct session *session, unsigned status) {
    if (status >= 200 && status < 300)
        return STATUS_OK;
    struct buffer text = session_text("the server took no answer to its request (");
    if (status == 0)
        buffer_append_text(&text, "no reply");
    else
        buffer_append_integer(&text, status);
    buffer_append_byte(&text, ')');
    return session_fail_with(session, &text, true);
}

enum status session_take_head(struct session *session, const struct session_head *head) {
    if (session->has_head)
        return STATUS_OK;
    session->head = *head;
    session->has_head = true;
    session->head.session_id = BYTES("");
    session->head.location = BYTES("");
    if (head->status >= 300 && head->status < 400)
        buffer_append(&session->location, bytes_up_to(head->location, TEXT_SIZE_MAX));
    if (session->stage == STAGE_INITIALIZE && head->status < 300) {
        buffer_clear(&session->session_id);
        buffer_append(&session->session_id, head->session_id);
    }
    return session->location.status == STATUS_OK && session->session_id.status == STATUS_OK
               ? STATUS_OK
               : STATUS_NO_MEMORY;
}

/* The first fault counts. */
static enum status set_fault(struct session *session, enum fault fault, const char *text,
                             const char *more) {
    if (session->fault != FAULT_NONE)
        return STATUS_OK;
    session->fault = fault;
    buffer_append_text(&session->fault_text, text);
    if (more != NULL)
        buffer_append_text(&session->fault_text, more);
    return session->fault_text.status;
}

void session_warn(const struct session *session, struct bytes text) {
    if (session->config.on_warning != NULL)
        session->config.on_warning(session->config.context, text);
}

static void warn_of_late_reply(const struct session *session, const json_t *id) {
    struct buffer text = session_text("a late reply is dropped: to request ");
    rpc_id_show(&text, id);
    buffer_append_text(&text, ", which was given up");
    session_warn(session, buffer_bytes(&text));
    buffer_done(&text);
}

static enum status take_mismatch(struct session *session, const json_t *id) {
    if (session->fault != FAULT_NONE)
        return STATUS_OK;
    session->fault = FAULT_FOREIGN;
    buffer_append_text(&session->fault_text, "id mismatch: got ");
    rpc_id_show(&session->fault_text, id);
    buffer_append_text(&session->fault_text, ", expected ");
    buffer_append_integer(&session->fault_text, session->id);
    return session->fault_text.status;
}

/* Takes the message over when it is the reply. */
static enum status take_reply(struct session *session, struct rpc_message *message) {
    bool is_given_up = session->given_up != 0 && rpc_id_is(message->id, session->given_up);
    if (is_given_up) {
        warn_of_late_reply(session, message->id);
        return STATUS_OK;
    }
    if (session->has_reply)
        return set_fault(session, FAULT_FOREIGN, "a second reply came", NULL);
    bool is_ours = message->id == NULL || rpc_id_is(message->id, session->id);
    if (!is_ours)
        return take_mismatch(session, message->id);
    session->reply = *message;
    session->has_reply = true;
    *message = (struct rpc_message){.kind = RPC_BROKEN};
    return STATUS_OK;
}

static enum status take_message(struct session *session, struct rpc_message *message) {
    switch (message->kind) {
    case RPC_RESULT:
    case RPC_ERROR:
        return take_reply(session, message);
    case RPC_NOTIFICATION:
        return STATUS_OK;
    case RPC_REQUEST:
        if (session->has_reply || session->fault != FAULT_NONE)
            return STATUS_OK;
        if (session->is_modern)
            return set_fault(session, FAULT_FOREIGN, "the server sent a request of its own", NULL);
        return input_take_request(session, message);
    case RPC_BROKEN:
        break;
    }
    return set_fault(session, FAULT_BROKEN, "the reply can't be read: ", message->problem);
}

static enum status take_text(struct session *session, struct bytes text) {
    hear(session, false, text);
    struct rpc_message message;
    enum status status = rpc_message_read(text, &message);
    if (status != STATUS_OK)
        return status;
    status = take_message(session, &message);
    rpc_message_done(&message);
    return status;
}

static enum status take_events(struct session *session, struct bytes *piece) {
    struct bytes data;
    while (event_stream_next(&session->stream, piece, &data)) {
        enum status status = take_text(session, data);
        if (status != STATUS_OK || session_want(session) != SESSION_READ)
            return status;
    }
    enum status status = event_stream_status(&session->stream);
    return status == STATUS_LIMIT
               ? set_fault(session, FAULT_BROKEN, "the reply is over the limit of 4 MiB", NULL)
               : status;
}

static enum status take_piece(struct session *session, struct bytes *piece) {
    if (session->config.is_http && session->head.is_stream)
        return take_events(session, piece);
    struct bytes all = *piece;
    *piece = BYTES("");
    if (!session->config.is_http)
        return bytes_trimmed(all).size == 0 ? STATUS_OK : take_text(session, all);
    buffer_append(&session->json, all);
    return session->json.status;
}

enum status session_take(struct session *session, struct bytes *piece, bool *is_enough) {
    *is_enough = true;
    if (!session_awaits(session))
        return STATUS_OK;
    size_t given = piece->size;
    enum status status =
        session->read_size + given > SESSION_REPLY_SIZE_MAX
            ? set_fault(session, FAULT_BROKEN, "the reply is over the limit of 4 MiB", NULL)
            : take_piece(session, piece);
    session->read_size += given - piece->size;
    *is_enough = session->has_reply || session->fault != FAULT_NONE || session->is_failed;
    return status;
}

static enum status go_on_after_notification(struct session *session) {
    if (session->config.operation == SESSION_DISCOVER)
        return result_take_opened(session);
    session->stage = STAGE_LIST;
    return request_list(session);
}

static enum status conclude_notification(struct session *session) {
    if (session->head.status >= 200 && session->head.status < 300)
        return go_on_after_notification(session);
    struct buffer text = session_text("the server did not take notifications/initialized (");
    if (session->has_head)
        buffer_append_integer(&text, session->head.status);
    else
        buffer_append_text(&text, "no reply");
    buffer_append_byte(&text, ')');
    return session_fail_with(session, &text, false);
}

/* The body that was gathered is the message. */
static enum status take_gathered(struct session *session, enum session_end end) {
    bool is_gathered = session->config.is_http && session->has_head && session->head.is_json &&
                       end == SESSION_END_WHOLE && session->json.size > 0 &&
                       session->fault == FAULT_NONE;
    return is_gathered ? take_text(session, buffer_bytes(&session->json)) : STATUS_OK;
}

enum status session_take_end(struct session *session, enum session_end end, bool may_be_sent) {
    if (session->is_failed || session->is_done || !session->is_reading)
        return STATUS_OK;
    enum status status = session_awaits(session) ? take_gathered(session, end) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    session->is_reading = false;
    if (session->is_failed)
        return STATUS_OK;
    status = session->is_request ? reply_conclude(session, end, may_be_sent)
                                 : conclude_notification(session);
    /* Without memory nobody knows what the reply meant. */
    session->is_reading = status != STATUS_OK;
    return status;
}
