#include "session_state.h"

#include "json_text.h"

enum { ANSWER_SIZE_MAX = 16777216 };

void input_forget(struct session *session) {
    for (size_t i = 0; i < session->question_count; i++) {
        form_done(&session->questions[i].form);
        buffer_done(&session->questions[i].answer);
        rpc_message_done(&session->questions[i].request);
    }
    session->question_count = 0;
    session->answered = 0;
}

static enum status fail_named(struct session *session, const char *words, struct bytes name) {
    struct buffer text = session_text(words);
    buffer_append(&text, name);
    return session_fail_with(session, &text, false);
}

/* A form may leave its mode out. */
static bool is_form(struct bytes method, const json_t *params) {
    const json_t *mode = json_object_get(params, "mode");
    return bytes_equal(method, BYTES("elicitation/create")) &&
           (mode == NULL || mcp_json_is(mode, BYTES("form")));
}

/* Adds a question; fails the session when it is none that can be asked. Where it says is_added, the
 * question is there. */
static enum status add_question(struct session *session, struct bytes key, const json_t *params,
                                bool *is_added) {
    const json_t *message = json_object_get(params, "message");
    const char *problem = "it has no message";
    if (session->question_count == QUESTIONS_MOST)
        return session_fail_text(session, "the server asks for too much at once");
    struct question *question = &session->questions[session->question_count];
    *question = (struct question){.key = key, .answer = buffer_new(ANSWER_SIZE_MAX)};
    enum status status = STATUS_INVALID;
    if (json_is_string(message))
        status = form_read(json_object_get(params, "requestedSchema"), &question->form, &problem);
    if (status == STATUS_INVALID)
        return fail_named(session, "the server's form can't be asked: ", bytes_of_text(problem));
    if (status != STATUS_OK)
        return status;
    question->message = json_text(message);
    session->question_count++;
    *is_added = true;
    return STATUS_OK;
}

static enum status add_input_request(struct session *session, const char *key,
                                     const json_t *request) {
    struct bytes method = mcp_json_member_text(request, "method");
    const json_t *params = json_object_get(request, "params");
    bool is_added = false;
    if (!session->config.can_ask || !is_form(method, params))
        return fail_named(session, "the server asks for what this client did not offer: ",
                          method.size == 0 ? BYTES("nothing that has a name") : method);
    return add_question(session, bytes_of_text(key), params, &is_added);
}

static enum status add_input_requests(struct session *session, const json_t *requests) {
    const char *key = NULL;
    json_t *request = NULL;
    json_t *all = (json_t *)(uintptr_t)requests; /* jansson's iterators take no const */
    json_object_foreach(all, key, request) {
        enum status status = add_input_request(session, key, request);
        if (status != STATUS_OK || session->is_failed)
            return status;
    }
    return session->question_count == 0 ? request_call(session) : STATUS_OK;
}

static const char *fault_of(const struct session *session) {
    const json_t *requests = json_object_get(session->asking.result, "inputRequests");
    const json_t *state = json_object_get(session->asking.result, "requestState");
    if (requests != NULL && !json_is_object(requests))
        return "the server's inputRequests are not an object";
    if (state != NULL && !json_is_string(state))
        return "the server's requestState is not a string";
    if (json_object_size(requests) == 0 && state == NULL)
        return "the server asks for input, but says neither what nor a state";
    return session->rounds > SESSION_ROUNDS_MOST ? "the server asked more than 10 times" : NULL;
}

enum status input_take_result(struct session *session) {
    input_forget(session);
    rpc_message_done(&session->asking);
    session->asking = session->reply;
    session->reply = (struct rpc_message){.kind = RPC_BROKEN};
    session->has_reply = false;
    session->rounds++;
    enum status status = result_take_server(session, session->asking.result);
    if (status != STATUS_OK)
        return status;
    const char *fault = fault_of(session);
    if (fault != NULL)
        return session_fail_text(session, fault);
    return add_input_requests(session, json_object_get(session->asking.result, "inputRequests"));
}

/* Elicitation of the handshake era: a request of the server's while ours is under way. */
static enum status take_elicitation(struct session *session, struct rpc_message *request) {
    bool is_added = false;
    input_forget(session);
    if (++session->rounds > SESSION_ROUNDS_MOST)
        return session_fail_text(session, "the server asked more than 10 times");
    enum status status = add_question(session, BYTES(""), request->params, &is_added);
    if (!is_added)
        return status;
    session->questions[session->question_count - 1].request = *request;
    *request = (struct rpc_message){.kind = RPC_BROKEN};
    return STATUS_OK;
}

enum status input_take_request(struct session *session, struct rpc_message *request) {
    if (bytes_equal(request->method, BYTES("ping")))
        return aside_result(session, request->id, BYTES("{}"));
    bool can_ask = session->config.can_ask && session->stage == STAGE_CALL &&
                   is_form(request->method, request->params);
    if (can_ask)
        return take_elicitation(session, request);
    return aside_error(session, request->id, CODE_METHOD_NOT_FOUND,
                       BYTES("this client did not offer that"));
}

struct session_question session_question(const struct session *session) {
    const struct question *question = &session->questions[session->answered];
    return (struct session_question){
        .server = session->result.server_name,
        .message = question->message,
        .form = &question->form,
        .number = (unsigned)session->answered + 1,
        .count = (unsigned)session->question_count,
    };
}

static void write_answer(struct buffer *out, enum session_action action, struct bytes content) {
    buffer_append(out, BYTES("{\"action\":\""));
    switch (action) {
    case SESSION_ACCEPT:
        buffer_append(out, BYTES("accept\",\"content\":{"));
        buffer_append(out, content);
        buffer_append(out, BYTES("}}"));
        break;
    case SESSION_DECLINE:
        buffer_append(out, BYTES("decline\"}"));
        break;
    case SESSION_CANCEL:
        buffer_append(out, BYTES("cancel\"}"));
        break;
    }
}

enum status session_answer(struct session *session, enum session_action action,
                           struct bytes content) {
    struct question *question = &session->questions[session->answered];
    write_answer(&question->answer, action, content);
    if (question->answer.status != STATUS_OK)
        return STATUS_NO_MEMORY;
    session->was_declined = session->was_declined || action != SESSION_ACCEPT;
    session->answered++;
    if (!session->is_modern) {
        session->sends_answer = true;
        return aside_result(session, question->request.id, buffer_bytes(&question->answer));
    }
    return session->answered == session->question_count ? request_call(session) : STATUS_OK;
}
