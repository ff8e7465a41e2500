#include "reply.h"

#include "json_text.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

const char CONTENT_TYPE_JSON[] = "application/json;charset=utf-8";

enum { HEADERS_MAX = 13, REPLY_NOW_MAX = 4096, NO_CONTENT = 204, UNAVAILABLE = 503 };

struct headers {
    size_t count;
    struct {
        const char *name;
        const char *value;
    } items[HEADERS_MAX];
};

static void add(struct headers *headers, const char *name, const char *value) {
    headers->items[headers->count].name = name;
    headers->items[headers->count].value = value;
    headers->count++;
}

/* Cross-origin rules for browsers (fetch.spec.whatwg.org, CORS protocol). */
static void add_cors(struct headers *headers, const struct reply_head *head) {
    if (head->has_origins)
        add(headers, "Vary", "Origin");
    if (head->origin == NULL)
        return;
    add(headers, "Access-Control-Allow-Origin", head->origin);
    if (!head->is_preflight)
        return add(headers, "Access-Control-Expose-Headers",
                   "X-Request-Id, Idempotent-Replayed, Retry-After");
    add(headers, "Access-Control-Allow-Methods", head->allow);
    add(headers, "Access-Control-Allow-Headers",
        "Content-Type, Idempotency-Key, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name");
    add(headers, "Access-Control-Max-Age", "600");
}

/* The headers of a reply, in one place for both ways out. */
static struct headers reply_headers(const struct http_reply *reply, const struct reply_head *head) {
    struct headers headers = {0};
    if (reply->status != NO_CONTENT && reply->content_type != NULL)
        add(&headers, "Content-Type", reply->content_type);
    add(&headers, "Cache-Control", "no-store");
    add(&headers, "X-Content-Type-Options", "nosniff");
    add(&headers, "X-Request-Id", head->request_id);
    if (head->allow != NULL && !head->is_preflight)
        add(&headers, "Allow", head->allow);
    if (reply->status == UNAVAILABLE)
        add(&headers, "Retry-After", RETRY_AFTER_TEXT);
    if (reply->header_name != NULL)
        add(&headers, reply->header_name, reply->header_value);
    add_cors(&headers, head);
    if (head->closes)
        add(&headers, "Connection", "close");
    return headers;
}

static struct MHD_Response *response_of(struct http_reply *reply) {
    size_t size = reply->body.size;
    unsigned char *data = buffer_take(&reply->body);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(size, data, MHD_RESPMEM_MUST_FREE);
    if (response == NULL)
        free(data);
    return response;
}

enum MHD_Result reply_queue(struct MHD_Connection *connection, struct http_reply *reply,
                            const struct reply_head *head) {
    if (reply->body.status != STATUS_OK) {
        buffer_done(&reply->body);
        return MHD_NO;
    }
    struct MHD_Response *response = response_of(reply);
    if (response == NULL)
        return MHD_NO;
    struct headers headers = reply_headers(reply, head);
    enum MHD_Result result = MHD_YES;
    for (size_t i = 0; i < headers.count && result == MHD_YES; i++)
        result = MHD_add_response_header(response, headers.items[i].name, headers.items[i].value);
    if (result == MHD_YES)
        result = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* The library adds a date to its own replies only. */
static void append_date(struct buffer *out) {
    char text[64];
    struct tm parts;
    time_t now = time(NULL);
    if (gmtime_r(&now, &parts) != NULL &&
        strftime(text, sizeof text, "\r\nDate: %a, %d %b %Y %H:%M:%S GMT", &parts) > 0)
        buffer_append_text(out, text);
}

void reply_write_now(int socket, const struct http_reply *reply, const struct reply_head *head,
                     bool without_body) {
    struct buffer text = buffer_new(REPLY_NOW_MAX);
    struct headers headers = reply_headers(reply, head);
    buffer_append(&text, BYTES("HTTP/1.1 "));
    buffer_append_integer(&text, reply->status);
    buffer_append_byte(&text, ' ');
    buffer_append_text(&text, MHD_get_reason_phrase_for(reply->status));
    append_date(&text);
    for (size_t i = 0; i < headers.count; i++) {
        buffer_append(&text, BYTES("\r\n"));
        buffer_append_text(&text, headers.items[i].name);
        buffer_append(&text, BYTES(": "));
        buffer_append_text(&text, headers.items[i].value);
    }
    if (reply->status != NO_CONTENT) { /* RFC 9110, section 8.6: none with a 204 */
        buffer_append(&text, BYTES("\r\nContent-Length: "));
        buffer_append_integer(&text, (int64_t)reply->body.size);
    }
    buffer_append(&text, BYTES("\r\n\r\n"));
    if (!without_body)
        buffer_append(&text, buffer_bytes(&reply->body));
    if (text.status == STATUS_OK && reply->body.status == STATUS_OK)
        send(socket, text.data, text.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    buffer_done(&text);
    shutdown(socket, SHUT_WR);
}

void http_reply_refuse(struct http_reply *reply, enum refusal refusal, const char *text) {
    const struct refusal_row *row = refusal_row(refusal);
    reply->status = row->status;
    reply->refusal = refusal;
    reply->content_type = CONTENT_TYPE_JSON;
    json_write_string(&reply->body, bytes_of_text(text == NULL ? row->reason : text));
}
