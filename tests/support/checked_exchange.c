#include "checked_exchange.h"

#include "deadline.h"
#include "openapi_validator.h"

#include <string.h>

void connect_to(struct scene *scene, struct client *client) {
    if (!client_connect(&scene->server.address, client))
        fail_msg("nobody listens at %s:%u", scene->server.address.host, scene->server.address.port);
}

void send_text(struct client *client, struct bytes text) {
    if (!client_send(client, text))
        fail_msg("the server doesn't take all of the request");
}

void check_reply(struct scene *scene, const struct client_request *request,
                 const struct client_reply *reply) {
    const struct openapi_exchange made = {
        .method = client_request_method(request),
        .target = client_request_target(request),
        .reply = reply,
        .request_body = request->body,
    };
    struct schema_problem problem;
    if (!openapi_check(scene->document, &made, &problem))
        fail_msg("%s\n  in %u %s", problem.text, reply->status,
                 reply->body.size == 0 ? "" : (const char *)reply->body.data);
}

const struct client_reply *receive_or_end(struct scene *scene, struct client *client,
                                          const struct client_request *request) {
    struct client_reply *reply = arena_take(&scene->arena, sizeof *reply);
    bool to_head = strcmp(client_request_method(request), "HEAD") == 0;
    const char *problem = client_receive(client, to_head, &scene->arena, reply);
    if (problem == client_no_reply)
        return NULL;
    if (problem != NULL)
        fail_msg("%s %s: %s", client_request_method(request), client_request_target(request),
                 problem);
    check_reply(scene, request, reply);
    return reply;
}

const struct client_reply *receive(struct scene *scene, struct client *client,
                                   const struct client_request *request) {
    const struct client_reply *reply = receive_or_end(scene, client, request);
    if (reply == NULL)
        fail_msg("%s %s: %s", client_request_method(request), client_request_target(request),
                 client_no_reply);
    return reply;
}

void receive_continue(struct scene *scene, struct client *client) {
    struct client_reply reply;
    const char *problem = client_receive(client, false, &scene->arena, &reply);
    if (problem != NULL)
        fail_msg("100-continue: %s", problem);
    assert_int_equal(reply.status, 100);
}

void receive_library_page(struct scene *scene, struct client *client, unsigned status) {
    /* Not client_receive: the library sends the head of some of these pages twice. */
    const char *page = (const char *)client_receive_all(client, &scene->arena).data;
    const char *start = arena_format(&scene->arena, "HTTP/1.1 %u ", status);
    if (strncmp(page, start, strlen(start)) != 0 || strstr(page, "<html>") == NULL)
        fail_msg("not a page of the library's with status %u: %s", status, page);
}

const char *get_operator_page(struct scene *scene, const struct server_address *address,
                              const char *path, unsigned status) {
    const struct client_request request = {.method = "GET", .target = path};
    struct client_reply reply;
    struct client client;
    bool sent = client_connect(address, &client) &&
                client_send(&client, client_request_bytes(&request, &scene->arena));
    const char *problem =
        sent ? client_receive(&client, false, &scene->arena, &reply) : "nobody listens";
    client_close(&client);
    if (problem != NULL)
        fail_msg("the operator's %s: %s", path, problem);
    assert_int_equal(reply.status, status);
    const char *type = client_reply_header(&reply, "Content-Type");
    assert_true(type != NULL && strncmp(type, "text/plain;", 11) == 0);
    return (const char *)reply.body.data;
}

const char *get_metrics(struct scene *scene, const struct server_address *address,
                        const char *const *lines, size_t count) {
    struct deadline deadline = deadline_in(PATIENCE);
    for (;;) {
        const char *page = get_operator_page(scene, address, "/metrics", 200);
        size_t i = 0;
        while (i < count && strstr(page, lines[i]) != NULL)
            i++;
        if (i == count)
            return page;
        if (deadline_left(deadline) == 0)
            fail_msg("not in the metrics: %s", lines[i]);
    }
}

const struct client_reply *exchange(struct scene *scene, const struct client_request *request) {
    struct client client;
    connect_to(scene, &client);
    send_text(&client, client_request_bytes(request, &scene->arena));
    const struct client_reply *reply = receive(scene, &client, request);
    client_close(&client);
    return reply;
}

const struct client_reply *book_at(struct scene *scene, const char *salon, struct bytes body) {
    return exchange(scene, &(struct client_request){
                               .target = arena_format(&scene->arena, "/salons/%s/book", salon),
                               .body = body,
                           });
}

const struct client_reply *book(struct scene *scene, struct bytes body) {
    return book_at(scene, "elm-street", body);
}

void assert_reply(const struct client_reply *reply, unsigned status, const char *body) {
    if (reply->status != status || !bytes_equal(reply->body, bytes_of_text(body)))
        fail_msg("the reply is %u %s\n  and not %u %s", reply->status,
                 (const char *)reply->body.data, status, body);
}

void assert_refused(struct scene *scene, const struct client_reply *reply, unsigned status,
                    const char *reason) {
    assert_reply(reply, status, json_quoted(&scene->arena, reason));
}

const char *ask_for(struct scene *scene, const char *salon, const char *arguments) {
    const struct client_reply *reply = book_at(scene, salon, round_one(&scene->arena, arguments));
    const char *state = state_of(&scene->arena, reply);
    if (reply->status != 200 || state == NULL)
        fail_msg("round one got %u %s", reply->status, (const char *)reply->body.data);
    return state;
}

const char *ask(struct scene *scene) {
    return ask_for(scene, "elm-street", A_BOOKING);
}

const struct client_reply *answer(struct scene *scene, const char *answer_text, const char *state) {
    return book(scene, round_two(&scene->arena, A_BOOKING, answer_text, state));
}
