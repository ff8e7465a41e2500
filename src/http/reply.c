#include "reply.h"

#include "json_text.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

const char CONTENT_TYPE_JSON[] = "application/json;charset=utf-8";

enum { HEADERS_MAX = 8, REPLY_NOW_MAX = 4096 };

struct header {
    const char *name;
    const char *value;
};

/* The headers of a reply, in one place for both ways out. Returns how many. */
static size_t reply_headers(const struct http_reply *reply, const struct reply_head *head,
                            struct header headers[HEADERS_MAX]) {
    size_t count = 0;
    headers[count++] = (struct header){"Content-Type", reply->content_type};
    headers[count++] = (struct header){"Cache-Control", "no-store"};
    headers[count++] = (struct header){"X-Content-Type-Options", "nosniff"};
    headers[count++] = (struct header){"X-Request-Id", head->request_id};
    if (head->allow != NULL)
        headers[count++] = (struct header){"Allow", head->allow};
    if (reply->status == 503)
        headers[count++] = (struct header){"Retry-After", RETRY_AFTER_TEXT};
    if (head->closes)
        headers[count++] = (struct header){"Connection", "close"};
    return count;
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
    struct header headers[HEADERS_MAX];
    size_t count = reply_headers(reply, head, headers);
    enum MHD_Result result = MHD_YES;
    for (size_t i = 0; i < count && result == MHD_YES; i++)
        result = MHD_add_response_header(response, headers[i].name, headers[i].value);
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
    struct header headers[HEADERS_MAX];
    size_t count = reply_headers(reply, head, headers);
    buffer_append(&text, BYTES("HTTP/1.1 "));
    buffer_append_integer(&text, reply->status);
    buffer_append_byte(&text, ' ');
    buffer_append_text(&text, MHD_get_reason_phrase_for(reply->status));
    append_date(&text);
    for (size_t i = 0; i < count; i++) {
        buffer_append(&text, BYTES("\r\n"));
        buffer_append_text(&text, headers[i].name);
        buffer_append(&text, BYTES(": "));
        buffer_append_text(&text, headers[i].value);
    }
    buffer_append(&text, BYTES("\r\nContent-Length: "));
    buffer_append_integer(&text, (int64_t)reply->body.size);
    buffer_append(&text, BYTES("\r\n\r\n"));
    if (!without_body)
        buffer_append(&text, buffer_bytes(&reply->body));
    if (text.status == STATUS_OK)
        send(socket, text.data, text.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    buffer_done(&text);
    shutdown(socket, SHUT_WR);
}

void http_reply_refuse(struct http_reply *reply, enum refusal refusal, const char *text) {
    const struct refusal_row *row = refusal_row(refusal);
    reply->status = row->status;
    reply->content_type = CONTENT_TYPE_JSON;
    json_write_string(&reply->body, bytes_of_text(text == NULL ? row->reason : text));
}
