#include "routes.h"

#include "json_text.h"

static void take_reply(void *context, struct service_reply *booked) {
    struct http_reply *reply = context;
    reply->body = booked->body;
    if (booked->kind == REPLY_REFUSAL) {
        reply->status = refusal_row(booked->refusal)->status;
        reply->refusal = booked->refusal;
    } else {
        reply->note = outcome_label(booked->outcome);
    }
    if (booked->kind == REPLY_RESULT && booked->outcome == OUTCOME_REPLAYED) {
        reply->header_name = "Idempotent-Replayed";
        reply->header_value = "true";
    }
    http_reply_done(reply);
}

static enum http_when book(void *context, const struct http_request *request,
                           struct http_reply *reply) {
    struct bytes key = BYTES("");
    size_t key_count = http_request_header(request, "Idempotency-Key", &key);
    if (key_count > 1)
        key = BYTES(""); /* two of them are no key: unreadable, as an empty one is */
    service_book_later(context, request->parameter, request->body, key_count == 0 ? NULL : &key,
                       take_reply, reply);
    return HTTP_LATER;
}

static enum http_when get_openapi(void *context, const struct http_request *request,
                                  struct http_reply *reply) {
    (void)context;
    (void)request;
    buffer_append(&reply->body, (struct bytes){openapi_document, openapi_document_size});
    return HTTP_NOW;
}

static enum http_when get_livez(void *context, const struct http_request *request,
                                struct http_reply *reply) {
    (void)context;
    (void)request;
    json_write_string(&reply->body, BYTES("alive"));
    return HTTP_NOW;
}

static enum http_when get_readyz(void *context, const struct http_request *request,
                                 struct http_reply *reply) {
    (void)request;
    bool ready = service_not_ready(context) == 0;
    reply->status = ready ? 200 : 503;
    json_write_string(&reply->body, ready ? BYTES("ready") : BYTES("not ready"));
    return HTTP_NOW;
}

void routes_init(struct http_route routes[ROUTE_COUNT], struct service *service) {
    routes[0] = (struct http_route){
        .method = "POST", .path = "/salons/{salon}/book", .handle = book, .context = service};
    routes[1] =
        (struct http_route){.method = "GET", .path = "/openapi.json", .handle = get_openapi};
    routes[2] = (struct http_route){
        .method = "GET", .path = "/livez", .handle = get_livez, .while_draining = true};
    routes[3] = (struct http_route){.method = "GET",
                                    .path = "/readyz",
                                    .handle = get_readyz,
                                    .context = service,
                                    .while_draining = true};
}

void readiness_write(unsigned not_ready, struct buffer *out) {
    static const char *const reasons[] = {"no key", "the ledger is full or out of reach",
                                          "draining"};
    const char *separator = "";
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if ((not_ready >> i & 1) == 0)
            continue;
        buffer_append_text(out, separator);
        buffer_append_text(out, reasons[i]);
        separator = ", ";
    }
}
