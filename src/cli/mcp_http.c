#include "mcp_drive.h"
#include "transport.h"

enum { OWN_HEADERS = 2, HEADERS_MOST = OWN_HEADERS + SESSION_HEADERS_MOST + VALUES_MOST };

static const char SESSION_ID[] = "Mcp-Session-Id";

/* One exchange, while it is under way. */
struct exchange {
    struct mcp *mcp;
    struct transport *transport;
    struct transport *aside; /* for what the server wants to know meanwhile */
    bool has_head;
    enum status status;
    int exit_code;
};

static size_t gather_headers(const struct mcp *mcp, const struct session_outgoing *outgoing,
                             struct transport_header headers[HEADERS_MOST]) {
    size_t count = 0;
    headers[count++] = (struct transport_header){BYTES("Content-Type"), BYTES("application/json")};
    headers[count++] =
        (struct transport_header){BYTES("Accept"), BYTES("application/json, text/event-stream")};
    for (size_t i = 0; i < outgoing->header_count; i++)
        headers[count++] =
            (struct transport_header){outgoing->headers[i].name, outgoing->headers[i].value};
    for (size_t i = 0; i < mcp->config.header_count; i++)
        headers[count++] = mcp->config.headers[i];
    return count;
}

static enum status take_head(struct exchange *exchange) {
    const struct transport *transport = exchange->transport;
    if (exchange->has_head)
        return STATUS_OK;
    exchange->has_head = true;
    struct transport_field session_id = transport_reply_header(transport, SESSION_ID);
    const struct session_head head = {
        .status = transport_status(transport),
        .is_json = transport_reply_is(transport, BYTES("application/json")),
        .is_stream = transport_reply_is(transport, BYTES("text/event-stream")),
        .session_id = session_id.value,
        .has_odd_session_id = session_id.count > 1 || session_id.is_cut,
        .location = transport_reply_header(transport, "Location").value,
    };
    return session_take_head(exchange->mcp->session, &head);
}

/* Sends what the server is to be told while its reply is under way. */
static void send_aside(struct exchange *exchange) {
    struct session *session = exchange->mcp->session;
    struct session_outgoing outgoing = session_outgoing(session);
    struct transport_header headers[HEADERS_MOST];
    const struct transport_request request = {
        .method = TRANSPORT_POST,
        .headers = headers,
        .header_count = gather_headers(exchange->mcp, &outgoing, headers),
        .body = outgoing.body,
    };
    struct transport_result result = {.status = 0};
    exchange->status = transport_send(exchange->aside, &request, &result);
    if (exchange->status == STATUS_OK)
        exchange->status = session_sent(session);
    if (exchange->status == STATUS_OK && result.is_interrupted)
        exchange->exit_code = drive_interrupted(exchange->mcp);
    else if (exchange->status == STATUS_OK)
        exchange->status = session_aside_done(session, result.status);
}

/* Sees to what the server wants before it replies. */
static void see_to_wants(struct exchange *exchange) {
    const struct session *session = exchange->mcp->session;
    while (exchange->status == STATUS_OK && exchange->exit_code == 0) {
        switch (session_want(session)) {
        case SESSION_SEND:
            send_aside(exchange);
            break;
        case SESSION_ASK:
            exchange->exit_code = drive_answer(exchange->mcp);
            break;
        case SESSION_READ:
        case SESSION_DONE:
        case SESSION_FAILED:
            return;
        }
    }
}

/* Takes what can be taken at a time. False when nothing more is to be read. */
static bool take_some(struct exchange *exchange, struct bytes *piece) {
    struct session *session = exchange->mcp->session;
    bool is_enough = false;
    exchange->status = session_take(session, piece, &is_enough);
    if (is_enough)
        return false;
    int64_t began = drive_now();
    see_to_wants(exchange);
    transport_allow(exchange->transport, (long)(drive_now() - began));
    return exchange->status == STATUS_OK && exchange->exit_code == 0 &&
           session_want(session) != SESSION_FAILED;
}

static enum transport_verdict take(void *context, struct bytes piece) {
    struct exchange *exchange = context;
    exchange->status = take_head(exchange);
    bool goes_on = exchange->status == STATUS_OK;
    while (goes_on && piece.size > 0)
        goes_on = take_some(exchange, &piece);
    return goes_on ? TRANSPORT_MORE : TRANSPORT_STOP;
}

static enum session_end end_of(enum transport_kind kind) {
    switch (kind) {
    case TRANSPORT_NONE:
        return SESSION_END_NONE;
    case TRANSPORT_CUT:
        return SESSION_END_CUT;
    case TRANSPORT_TOO_LONG:
        return SESSION_END_TOO_LONG;
    case TRANSPORT_STOPPED:
    case TRANSPORT_REFUSED:
    case TRANSPORT_WHOLE:
        break;
    }
    return SESSION_END_WHOLE;
}

/* What came of a request. Returns 0 or the exit code. */
static int conclude(struct exchange *exchange, const struct transport_result *result) {
    struct mcp *mcp = exchange->mcp;
    if (exchange->exit_code != 0)
        return exchange->exit_code;
    if (result->is_interrupted)
        return drive_interrupted(mcp);
    enum status status = exchange->status;
    if (status == STATUS_OK && result->status != 0)
        status = take_head(exchange);
    buffer_clear(&mcp->detail);
    if (result->detail != NULL)
        buffer_append_text(&mcp->detail, result->detail);
    if (status == STATUS_OK)
        status = session_take_end(mcp->session, end_of(result->kind), result->request_sent);
    return status == STATUS_OK ? 0 : drive_status(mcp, status);
}

static int exchange_message(struct exchange *exchange) {
    struct mcp *mcp = exchange->mcp;
    struct session_outgoing outgoing = session_outgoing(mcp->session);
    struct transport_header headers[HEADERS_MOST];
    const struct transport_request request = {
        .method = TRANSPORT_POST,
        .headers = headers,
        .header_count = gather_headers(mcp, &outgoing, headers),
        .body = outgoing.body,
        .sink = {take, exchange},
        .reads_refusals = true,
    };
    exchange->has_head = false;
    exchange->exit_code = 0;
    exchange->status = session_sent(mcp->session);
    struct transport_result result = {.status = 0};
    enum status status = exchange->status;
    if (status == STATUS_OK)
        status = transport_send(exchange->transport, &request, &result);
    return status == STATUS_OK ? conclude(exchange, &result) : drive_status(mcp, status);
}

static int drive(struct exchange *exchange) {
    int result = 0;
    while (result == 0) {
        switch (session_want(exchange->mcp->session)) {
        case SESSION_SEND:
            result = exchange_message(exchange);
            break;
        case SESSION_ASK:
            result = drive_answer(exchange->mcp);
            break;
        case SESSION_READ:
        case SESSION_DONE:
        case SESSION_FAILED:
            return 0;
        }
    }
    return result;
}

static int make(const struct mcp *mcp, struct transport **out) {
    static const char *const kept[] = {SESSION_ID, NULL};
    const struct transport_config config = {
        .url = mcp->config.url,
        .takes_target = true,
        .ca_file = mcp->config.network.ca_file,
        .timeout = mcp->config.network.timeout,
        .interrupt_file = mcp->interrupt_file,
        .reply_size_max = SESSION_REPLY_SIZE_MAX,
        .kept = kept,
    };
    const char *problem = "";
    enum status status = transport_new(&config, out, &problem);
    if (status == STATUS_OK)
        return 0;
    if (status != STATUS_INVALID)
        return drive_status(mcp, status);
    complain(mcp->arguments, "URL is the server's, such as https://mcp.example/mcp: %s", problem);
    return EXIT_USAGE;
}

int drive_http(struct mcp *mcp) {
    struct exchange exchange = {.mcp = mcp};
    if (transport_library_init() != STATUS_OK)
        return drive_status(mcp, STATUS_NO_MEMORY);
    int result = make(mcp, &exchange.transport);
    if (result == 0)
        result = make(mcp, &exchange.aside);
    if (result == 0)
        result = drive(&exchange);
    transport_free(exchange.transport);
    transport_free(exchange.aside);
    transport_library_done();
    return result;
}
