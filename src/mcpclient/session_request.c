#include "session_state.h"

#include "json_text.h"
#include "mirror.h"

#define META "io.modelcontextprotocol/"

static void write_client_info(const struct session *session, struct buffer *out) {
    buffer_append(out, BYTES("{\"name\":\"tandem\",\"version\":"));
    json_write_string(out, bytes_of_text(session->config.client_version));
    buffer_append_byte(out, '}');
}

/* 2025-06-18 knows forms only, and no way to say so. */
static void write_capabilities(const struct session *session, struct buffer *out) {
    bool is_old = !bytes_equal(session->protocol, BYTES(MODERN_VERSION)) &&
                  !bytes_equal(session->protocol, BYTES("2025-11-25"));
    if (!session->config.can_ask)
        buffer_append(out, BYTES("{}"));
    else if (is_old)
        buffer_append(out, BYTES("{\"elicitation\":{}}"));
    else
        buffer_append(out, BYTES("{\"elicitation\":{\"form\":{}}}"));
}

static void write_meta(const struct session *session, struct buffer *out) {
    buffer_append(out, BYTES("\"_meta\":{\"" META "protocolVersion\":"));
    json_write_string(out, session->protocol);
    buffer_append(out, BYTES(",\"" META "clientInfo\":"));
    write_client_info(session, out);
    buffer_append(out, BYTES(",\"" META "clientCapabilities\":"));
    write_capabilities(session, out);
    buffer_append_byte(out, '}');
}

static void add_header(struct session *session, struct bytes prefix, struct bytes name,
                       struct bytes value) {
    struct buffer *text = &session->header_text;
    if (session->header_count == SESSION_HEADERS_MOST)
        return;
    size_t start = text->size;
    buffer_append(text, prefix);
    buffer_append(text, name);
    size_t middle = text->size;
    mirror_write_value(text, value);
    session->header_places[session->header_count].name = start;
    session->header_places[session->header_count].value = middle;
    session->header_places[session->header_count++].end = text->size;
}

static void add_mirrored(void *context, struct bytes name, struct bytes value) {
    add_header(context, BYTES("Mcp-Param-"), name, value);
}

static void settle_headers(struct session *session) {
    struct bytes text = buffer_bytes(&session->header_text);
    for (size_t i = 0; i < session->header_count; i++) {
        size_t name = session->header_places[i].name;
        size_t value = session->header_places[i].value;
        size_t end = session->header_places[i].end;
        session->headers[i] =
            (struct session_header){bytes_up_to(bytes_from(text, name), value - name),
                                    bytes_up_to(bytes_from(text, value), end - value)};
    }
}

/* The headers of the era; of the handshake's first message none. */
static void add_standard_headers(struct session *session, struct bytes method) {
    if (!session->config.is_http || session->stage == STAGE_INITIALIZE)
        return;
    add_header(session, BYTES(""), BYTES("MCP-Protocol-Version"), session->protocol);
    if (session->is_modern)
        add_header(session, BYTES(""), BYTES("Mcp-Method"), method);
    else if (session->session_id.size > 0)
        add_header(session, BYTES(""), BYTES("Mcp-Session-Id"), buffer_bytes(&session->session_id));
}

/* Begins the outgoing message, up to the members of its params. */
static struct buffer *begin(struct session *session, struct bytes method, bool is_request) {
    struct buffer *out = &session->body;
    buffer_clear(out);
    buffer_clear(&session->header_text);
    session->header_count = 0;
    session->is_request = is_request;
    add_standard_headers(session, method);
    buffer_append(out, BYTES("{\"jsonrpc\":\"2.0\","));
    if (is_request) {
        buffer_append(out, BYTES("\"id\":"));
        buffer_append_integer(out, ++session->id);
        buffer_append_byte(out, ',');
    }
    buffer_append(out, BYTES("\"method\":"));
    json_write_string(out, method);
    return out;
}

static enum status end(struct session *session) {
    settle_headers(session);
    session->has_outgoing = true;
    bool is_whole = session->body.status == STATUS_OK && session->header_text.status == STATUS_OK;
    return is_whole ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Ends the params, which have members already when `has_members`. */
static enum status end_params(struct session *session, bool has_members) {
    struct buffer *out = &session->body;
    if (session->is_modern) {
        if (has_members)
            buffer_append_byte(out, ',');
        write_meta(session, out);
    }
    buffer_append(out, BYTES("}}"));
    return end(session);
}

enum status request_discover(struct session *session) {
    struct buffer *out = begin(session, BYTES("server/discover"), true);
    buffer_append(out, BYTES(",\"params\":{"));
    return end_params(session, false);
}

enum status request_initialize(struct session *session) {
    struct buffer *out = begin(session, BYTES("initialize"), true);
    buffer_append(out, BYTES(",\"params\":{\"protocolVersion\":"));
    json_write_string(out, session->protocol);
    buffer_append(out, BYTES(",\"capabilities\":"));
    write_capabilities(session, out);
    buffer_append(out, BYTES(",\"clientInfo\":"));
    write_client_info(session, out);
    return end_params(session, true);
}

enum status request_initialized(struct session *session) {
    struct buffer *out = begin(session, BYTES("notifications/initialized"), false);
    buffer_append_byte(out, '}');
    return end(session);
}

enum status request_list(struct session *session) {
    struct buffer *out = begin(session, BYTES("tools/list"), true);
    buffer_append(out, BYTES(",\"params\":{"));
    bool has_cursor = session->tools.cursor.size > 0;
    if (has_cursor) {
        buffer_append(out, BYTES("\"cursor\":"));
        json_write_string(out, session->tools.cursor);
    }
    return end_params(session, has_cursor);
}

static enum status mirror(struct session *session) {
    struct json_tree arguments = {0};
    const char *problem = NULL;
    enum status status = mcp_json_read(buffer_bytes(&session->arguments), &arguments, &problem);
    if (status != STATUS_OK)
        return STATUS_NO_MEMORY; /* they were read before */
    mirror_each(session->tools.schemas[session->tool], arguments.root, add_mirrored, session);
    json_tree_done(&arguments);
    return STATUS_OK;
}

/* The answers to the last round's questions, and its state, when there are any. */
static void write_retry(struct session *session, struct buffer *out) {
    if (session->question_count > 0)
        buffer_append(out, BYTES(",\"inputResponses\":{"));
    for (size_t i = 0; i < session->question_count; i++) {
        if (i > 0)
            buffer_append_byte(out, ',');
        json_write_string(out, session->questions[i].key);
        buffer_append_byte(out, ':');
        buffer_append(out, buffer_bytes(&session->questions[i].answer));
    }
    if (session->question_count > 0)
        buffer_append_byte(out, '}');
    const json_t *state = json_object_get(session->asking.result, "requestState");
    if (state != NULL) {
        buffer_append(out, BYTES(",\"requestState\":"));
        json_write_string(out, json_text(state));
    }
}

enum status request_call(struct session *session) {
    struct buffer *out = begin(session, BYTES("tools/call"), true);
    if (session->config.is_http && session->is_modern) {
        add_header(session, BYTES(""), BYTES("Mcp-Name"), session->config.tool);
        enum status status = mirror(session);
        if (status != STATUS_OK)
            return status;
    }
    buffer_append(out, BYTES(",\"params\":{\"name\":"));
    json_write_string(out, session->config.tool);
    buffer_append(out, BYTES(",\"arguments\":"));
    buffer_append(out, buffer_bytes(&session->arguments));
    write_retry(session, out);
    session->sends_answer = session->question_count > 0;
    return end_params(session, true);
}

static struct buffer *begin_aside(struct session *session, const json_t *id) {
    struct buffer *out = &session->aside;
    buffer_clear(out);
    buffer_append(out, BYTES("{\"jsonrpc\":\"2.0\",\"id\":"));
    json_value_write(out, id);
    return out;
}

static enum status end_aside(struct session *session) {
    buffer_append_byte(&session->aside, '}');
    session->has_aside = true;
    return session->aside.status == STATUS_OK ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status aside_result(struct session *session, const json_t *id, struct bytes result) {
    struct buffer *out = begin_aside(session, id);
    buffer_append(out, BYTES(",\"result\":"));
    buffer_append(out, result);
    return end_aside(session);
}

enum status aside_error(struct session *session, const json_t *id, int code, struct bytes message) {
    struct buffer *out = begin_aside(session, id);
    buffer_append(out, BYTES(",\"error\":{\"code\":"));
    buffer_append_integer(out, code);
    buffer_append(out, BYTES(",\"message\":"));
    json_write_string(out, message);
    buffer_append_byte(out, '}');
    return end_aside(session);
}
