#include "fetch.h"

#include "transport.h"
#include "visible_text.h"

#include <signal.h>

/* Bytes behind a colon. */
static void add_detail(struct buffer *why, const char *detail) {
    if (detail == NULL)
        return;
    buffer_append_text(why, ": ");
    visible_text_write(why, bytes_of_text(detail));
}

static void describe_refusal(const struct transport *transport, unsigned status,
                             struct buffer *why) {
    buffer_append_text(why, "the server refused it (");
    buffer_append_integer(why, status);
    buffer_append_text(why, ")");
    struct bytes location = transport_reply_header(transport, "location").value;
    if (status < 300 || status > 399 || location.size == 0)
        return;
    buffer_append_text(why, "; it pointed to ");
    visible_text_write(why, location);
    buffer_append_text(why, ", and redirects are not followed");
}

/* Takes what came. False when it is no document, with `why`. */
static bool take(const struct transport *transport, const struct transport_result *result,
                 struct buffer *out, struct buffer *why) {
    bool is_success = result->status >= 200 && result->status <= 299;
    switch (result->kind) {
    case TRANSPORT_NONE:
        buffer_append_text(why, "the server gave no reply");
        add_detail(why, result->detail);
        return false;
    case TRANSPORT_CUT:
    case TRANSPORT_STOPPED:
    case TRANSPORT_REFUSED:
        buffer_append_text(why, "the reply was cut");
        add_detail(why, result->detail);
        return false;
    case TRANSPORT_TOO_LONG:
        buffer_append_text(why, "longer than ");
        buffer_append_integer(why, (int64_t)out->ceiling);
        buffer_append_text(why, " bytes");
        return false;
    case TRANSPORT_WHOLE:
        break;
    }
    if (is_success)
        buffer_append(out, result->body);
    else
        describe_refusal(transport, result->status, why);
    return is_success;
}

static bool send_and_take(struct transport *transport, struct buffer *out, struct buffer *why) {
    static const struct transport_header accept = {
        {(const unsigned char *)"Accept", sizeof "Accept" - 1},
        {(const unsigned char *)"application/json, */*;q=0.5",
         sizeof "application/json, */*;q=0.5" - 1},
    };
    const struct transport_request get = {
        .method = TRANSPORT_GET, .headers = &accept, .header_count = 1};
    struct transport_result result;
    enum status status = transport_send(transport, &get, &result);
    if (status == STATUS_OK && take(transport, &result, out, why))
        status = out->status;
    if (status != STATUS_OK)
        buffer_append_text(why, status_text(status));
    return status == STATUS_OK && why->size == 0 && why->status == STATUS_OK;
}

static bool fetch_with_library(const struct transport_config *config, struct buffer *out,
                               struct buffer *why) {
    struct transport *transport = NULL;
    const char *problem = "";
    enum status status = transport_new(config, &transport, &problem);
    if (status != STATUS_OK) {
        buffer_append_text(why, status == STATUS_INVALID ? problem : status_text(status));
        return false;
    }
    bool is_there = send_and_take(transport, out, why);
    transport_free(transport);
    return is_there;
}

bool fetch(const char *url, const struct network_config *config, struct buffer *out,
           struct buffer *why) {
    const struct transport_config transport_config = {
        .url = url,
        .takes_target = true,
        .ca_file = config->ca_file,
        .timeout = config->timeout,
        .interrupt_file = -1,
        .reply_size_max = out->ceiling,
    };
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    bool is_there = false;
    if (transport_library_init() == STATUS_OK) {
        is_there = fetch_with_library(&transport_config, out, why);
        transport_library_done();
    } else {
        buffer_append_text(why, status_text(STATUS_NO_MEMORY));
    }
    signal(SIGPIPE, before);
    return is_there;
}
