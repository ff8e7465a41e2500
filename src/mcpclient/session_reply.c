#include "session_state.h"

#include "json_text.h"

static bool is_http_failure(const struct session *session) {
    return session->config.is_http && session->has_head &&
           (session->head.status < 200 || session->head.status >= 300);
}

/* Nothing is at a path that answers 404 before there is a session: most likely it is another. */
static enum status fail_refused(struct session *session) {
    struct buffer text = session_text("the server refused it (");
    buffer_append_integer(&text, session->head.status);
    buffer_append_byte(&text, ')');
    if (session->head.status == 404 && session->session_id.size == 0)
        buffer_append_text(&text, ": is the path of its URL right, such as /mcp?");
    return session_fail_with(session, &text, session->head.status >= 500);
}

/* "the server answered with error -32602: …", and its status where that is no success. */
static enum status fail_error(struct session *session) {
    const struct rpc_message *reply = &session->reply;
    struct buffer text = session_text("the server answered with error ");
    buffer_append_integer(&text, reply->code);
    if (is_http_failure(session)) {
        buffer_append_text(&text, " (");
        buffer_append_integer(&text, session->head.status);
        buffer_append_byte(&text, ')');
    }
    buffer_append_text(&text, ": ");
    buffer_append(&text, reply->text);
    const json_t *supported = json_object_get(reply->data, "supported");
    if (reply->code == CODE_UNSUPPORTED_VERSION && supported != NULL) {
        buffer_append_text(&text, "; it supports ");
        json_value_write(&text, supported);
    }
    session->problem.code = reply->code;
    return session_fail_with(session, &text,
                             is_http_failure(session) && session->head.status >= 500);
}

/* What to say when there is neither a reply nor a refusal. */
static const char *text_of_nothing(const struct session *session, enum session_end end) {
    switch (end) {
    case SESSION_END_NONE:
        return session->config.is_http ? "the server gave no reply"
                                       : "the server ended without a reply";
    case SESSION_END_TIMEOUT:
        return "the server gave no reply in time";
    case SESSION_END_TOO_LONG:
        return "the reply is over the limit of 4 MiB";
    case SESSION_END_CUT:
        return "the reply was cut short";
    case SESSION_END_WHOLE:
        break;
    }
    if (session->head.is_stream)
        return "the stream ended without the reply";
    if (session->head.status == 202 || session->json.size == 0)
        return "the server took the request and gave no reply";
    return "the reply is neither JSON nor an event stream";
}

/* Fails with what there is: a fault, an error, a refusal or nothing. */
static enum status fail_exchange(struct session *session, enum session_end end, bool may_be_sent) {
    bool is_refusal = is_http_failure(session);
    if (session->fault == FAULT_FOREIGN || (session->fault != FAULT_NONE && !is_refusal))
        return session_fail(session, buffer_bytes(&session->fault_text), true);
    if (session->has_reply && session->reply.kind == RPC_ERROR)
        return fail_error(session);
    if (is_refusal)
        return fail_refused(session);
    return session_fail(session, bytes_of_text(text_of_nothing(session, end)), may_be_sent);
}

static enum status begin_handshake(struct session *session, struct bytes version) {
    session->is_modern = false;
    session->protocol = version;
    session->stage = STAGE_INITIALIZE;
    return request_initialize(session);
}

static enum status go_on_modern(struct session *session) {
    if (session->config.operation == SESSION_DISCOVER)
        return result_take_opened(session);
    session->stage = STAGE_LIST;
    return request_list(session);
}

/* Keeps what the session began with. */
static enum status keep_opened(struct session *session) {
    session->opened = session->reply;
    session->reply = (struct rpc_message){.kind = RPC_BROKEN};
    session->has_reply = false;
    return result_take_server(session, session->opened.result);
}

/* The first of our versions that a list has; empty: none. In static storage. */
static struct bytes common_version(const json_t *list) {
    static const char *const ours[] = {MODERN_VERSION, "2025-11-25", "2025-06-18", "2025-03-26"};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        for (size_t j = 0; j < json_array_size(list); j++)
            if (mcp_json_is(json_array_get(list, j), bytes_of_text(ours[i])))
                return bytes_of_text(ours[i]);
    return BYTES("");
}

static bool is_list_of_texts(const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return json_array_size(list) > 0;
}

static bool is_complete(const json_t *result) {
    const json_t *type = json_object_get(result, "resultType");
    return type == NULL || mcp_json_is(type, BYTES("complete"));
}

static bool is_discovery(const struct session *session) {
    return session->reply.kind == RPC_RESULT && is_complete(session->reply.result) &&
           is_list_of_texts(json_object_get(session->reply.result, "supportedVersions"));
}

/* Goes on with the version that both speak, once; an asked-for version stays. */
static enum status take_versions(struct session *session, const json_t *list, bool is_refusal) {
    struct bytes version = common_version(list);
    bool is_modern = bytes_equal(version, BYTES(MODERN_VERSION));
    if (!is_refusal && is_modern) {
        enum status status = keep_opened(session);
        return status == STATUS_OK ? go_on_modern(session) : status;
    }
    bool may_change = session->config.protocol == NULL && !session->took_other_version;
    if (version.size > 0 && may_change) {
        session->took_other_version = true;
        return is_modern ? request_discover(session) : begin_handshake(session, version);
    }
    if (is_refusal)
        return fail_error(session);
    struct buffer text = session_text("the server speaks none of our versions, but ");
    json_value_write(&text, list);
    return session_fail_with(session, &text, false);
}

/* True when the answer to the probe, or its absence, means the handshake era. */
static bool means_handshake(const struct session *session, enum session_end end) {
    unsigned status = session->head.status;
    if (session->config.protocol != NULL)
        return false;
    if (!session->config.is_http)
        return end == SESSION_END_TIMEOUT ||
               (end == SESSION_END_WHOLE && session->fault != FAULT_FOREIGN);
    if (!session->has_head || (end != SESSION_END_WHOLE && status < 400))
        return false;
    if (status >= 400 && status < 500)
        return status != 401 && status != 403;
    return status >= 200 && status < 300 && session->fault != FAULT_FOREIGN;
}

static enum status conclude_discover(struct session *session, enum session_end end,
                                     bool may_be_sent) {
    const struct rpc_message *reply = &session->reply;
    bool is_clean = session->fault == FAULT_NONE && session->has_reply;
    bool is_judgement =
        session->head.status < 500 && session->head.status != 401 && session->head.status != 403;
    if (is_clean && !is_http_failure(session) && is_discovery(session))
        return take_versions(session, json_object_get(reply->result, "supportedVersions"), false);
    if (is_clean && is_judgement && reply->kind == RPC_ERROR) {
        if (reply->code == CODE_UNSUPPORTED_VERSION)
            return take_versions(session, json_object_get(reply->data, "supported"), true);
        if (reply->code == CODE_HEADER_MISMATCH || reply->code == CODE_MISSING_CAPABILITY)
            return fail_error(session);
    }
    if (means_handshake(session, end)) {
        if (!session->has_reply)
            session->given_up = session->id;
        return begin_handshake(session, BYTES("2025-11-25"));
    }
    if (is_clean && reply->kind == RPC_RESULT)
        return session_fail_text(session, "the reply to server/discover lists no versions");
    return fail_exchange(session, end, may_be_sent);
}

/* Visible ASCII, or none. */
static bool is_session_id(const struct session *session) {
    for (size_t i = 0; i < session->session_id.size; i++)
        if (session->session_id.data[i] <= ' ' || session->session_id.data[i] > '~')
            return false;
    return !session->head.has_odd_session_id;
}

/* A server that doesn't speak the version offered answers with one that it does (lifecycle). */
static void warn_of_other_version(const struct session *session, struct bytes version) {
    const char *asked = session->config.protocol;
    if (asked == NULL || bytes_equal(bytes_of_text(asked), version))
        return;
    struct buffer text = session_text("the server chose version ");
    buffer_append(&text, version);
    buffer_append_text(&text, " instead of ");
    buffer_append_text(&text, asked);
    session_warn(session, buffer_bytes(&text));
    buffer_done(&text);
}

static enum status conclude_initialize(struct session *session) {
    struct bytes version = mcp_json_member_text(session->reply.result, "protocolVersion");
    bool is_spoken = session_speaks(version) && !bytes_equal(version, BYTES(MODERN_VERSION));
    if (!is_spoken) {
        struct buffer text = session_text("the server speaks version ");
        json_value_write(&text, json_object_get(session->reply.result, "protocolVersion") == NULL
                                    ? json_null()
                                    : json_object_get(session->reply.result, "protocolVersion"));
        buffer_append_text(&text, ", which this client doesn't");
        return session_fail_with(session, &text, false);
    }
    if (!is_session_id(session))
        return session_fail_text(session, "the server's session id can't be sent back");
    warn_of_other_version(session, version);
    enum status status = keep_opened(session);
    session->protocol = version;
    session->stage = STAGE_INITIALIZED;
    return status == STATUS_OK ? request_initialized(session) : status;
}

static enum status fail_without_tool(struct session *session) {
    struct buffer text = session_text("the server lists no tool ");
    json_write_string(&text, session->config.tool);
    return session_fail_with(session, &text, false);
}

static enum status conclude_list(struct session *session) {
    const char *problem = NULL;
    const json_t *result = session->reply.result;
    session->has_reply = false;
    enum status status =
        tool_list_add(&session->tools, &session->reply.document, result, session->is_modern,
                      session->config.on_warning, session->config.context, &problem);
    if (status == STATUS_INVALID || status == STATUS_LIMIT)
        return session_fail_text(session, problem);
    if (status != STATUS_OK)
        return status;
    if (session->tools.cursor.size > 0)
        return request_list(session);
    if (session->config.operation == SESSION_TOOLS)
        return result_take_tools(session);
    session->tool = tool_list_find(&session->tools, session->config.tool);
    if (session->tool == session->tools.count)
        return fail_without_tool(session);
    session->stage = STAGE_CALL;
    return request_call(session);
}

static enum status conclude_call(struct session *session) {
    const char *problem = NULL;
    enum status status = result_take_call(session, &problem);
    return status == STATUS_OK && problem != NULL
               ? session_fail(session, bytes_of_text(problem), true)
               : status;
}

static enum status conclude_result(struct session *session) {
    const json_t *type = json_object_get(session->reply.result, "resultType");
    bool asks = mcp_json_is(type, BYTES("input_required"));
    if (!is_complete(session->reply.result) && !asks) {
        struct buffer text = session_text("the result is of an unknown type: ");
        json_value_write(&text, type);
        return session_fail_with(session, &text, true);
    }
    if (asks && (session->stage != STAGE_CALL || !session->is_modern))
        return session_fail(session, BYTES("the server asks for input where it must not"), true);
    switch (session->stage) {
    case STAGE_INITIALIZE:
        return conclude_initialize(session);
    case STAGE_LIST:
        return conclude_list(session);
    case STAGE_CALL:
        return asks ? input_take_result(session) : conclude_call(session);
    case STAGE_DISCOVER:
    case STAGE_INITIALIZED:
        break;
    }
    return STATUS_OK;
}

enum status reply_conclude(struct session *session, enum session_end end, bool may_be_sent) {
    if (session->stage == STAGE_DISCOVER)
        return conclude_discover(session, end, may_be_sent);
    bool is_result = session->fault == FAULT_NONE && session->has_reply &&
                     session->reply.kind == RPC_RESULT && !is_http_failure(session);
    return is_result ? conclude_result(session) : fail_exchange(session, end, may_be_sent);
}
