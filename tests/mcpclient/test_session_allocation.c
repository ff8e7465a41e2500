/* A session when memory runs out: the n-th allocation fails, for every n. Then it says that there
 * was no memory, never that the server did wrong; a result is whole or isn't there; and once an
 * answer was sent, nobody is told that the outcome is known. */
#include "harness.h"

#include "allocation_faults.h"

#include <stdio.h>
#include <string.h>

enum { ALLOCATIONS_MOST = 20000, REPLIES_MOST = 8 };

#define ELICITATION                                                                                \
    "{\"jsonrpc\":\"2.0\",\"id\":\"e\",\"method\":\"elicitation/create\",\"params\":{"             \
    "\"message\":\"Which time?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"        \
    "\"time\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"],\"default\":\"b\"}}}}}"
#define PING "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}"
#define SAYS(id) RESULT(id, "\"content\":[{\"type\":\"text\",\"text\":\"booked\"}]")
#define MIRRORED                                                                                   \
    RESULT("2", "\"tools\":[{\"inputSchema\":{}},{\"name\":\"book\",\"inputSchema\":{"             \
                "\"properties\":{\"x\":{\"type\":\"integer\",\"x-mcp-header\":\"Ex\"}}}}]")

/* What a server says to each request, and what has to come of it. */
struct play {
    bool is_http;
    bool is_stream;
    const char *protocol;
    const char *replies[REPLIES_MOST]; /* over lines each has them */
    const char *say;                   /* of the result; or NULL */
    const char *problem;               /* or NULL */
};

/* How far a session got. */
struct progress {
    enum status status;
    size_t replies;
    bool has_answered;
};

static enum status answer(struct session *session) {
    struct session_question question = session_question(session);
    const struct form_field *field = &question.form->fields[0];
    struct buffer content = buffer_new(SIZE_MAX);
    struct buffer json = buffer_new(SIZE_MAX);
    struct buffer problem = buffer_new(SIZE_MAX);
    enum status status = form_answer(field, BYTES("a"), false, &json, &problem);
    form_add_answer(&content, field, buffer_bytes(&json));
    if (status == STATUS_OK)
        status = content.status;
    if (status == STATUS_OK)
        status = session_answer(session, SESSION_ACCEPT, buffer_bytes(&content));
    buffer_done(&content);
    buffer_done(&json);
    buffer_done(&problem);
    return status;
}

static enum status send(struct session *session, struct progress *progress) {
    struct bytes body = session_outgoing(session).body;
    bool is_answer = memmem(body.data, body.size, "accept", 6) != NULL;
    enum status status = session_sent(session);
    progress->has_answered = progress->has_answered || is_answer;
    return status;
}

static enum status see_to_wants(struct session *session, struct progress *progress) {
    enum status status = STATUS_OK;
    while (status == STATUS_OK && session_awaits(session) &&
           (session_want(session) == SESSION_SEND || session_want(session) == SESSION_ASK))
        status = session_want(session) == SESSION_SEND ? send(session, progress) : answer(session);
    return status;
}

/* Gives all of a reply. */
static enum status give(struct session *session, const struct play *play, struct bytes reply,
                        struct progress *progress) {
    const struct session_head head = {.status = reply.size == 0 ? 202 : 200,
                                      .is_json = !play->is_stream,
                                      .is_stream = play->is_stream,
                                      .session_id = BYTES("s")};
    enum status status = play->is_http ? session_take_head(session, &head) : STATUS_OK;
    bool is_enough = false;
    while (status == STATUS_OK && reply.size > 0 && !is_enough) {
        struct bytes line = play->is_http ? reply : bytes_up_to(reply, bytes_find(reply, '\n'));
        size_t given = line.size;
        status = session_take(session, &line, &is_enough);
        reply = bytes_from(reply, play->is_http ? given - line.size : given + 1);
        if (status == STATUS_OK)
            status = see_to_wants(session, progress);
    }
    return status == STATUS_OK ? session_take_end(session, SESSION_END_WHOLE, true) : status;
}

static enum status drive(struct session *session, const struct play *play,
                         struct progress *progress) {
    enum status status = STATUS_OK;
    while (status == STATUS_OK) {
        switch (session_want(session)) {
        case SESSION_SEND:
            status = send(session, progress);
            break;
        case SESSION_ASK:
            status = answer(session);
            break;
        case SESSION_READ:
            status =
                give(session, play, bytes_of_text(play->replies[progress->replies++]), progress);
            break;
        case SESSION_DONE:
        case SESSION_FAILED:
            return STATUS_OK;
        }
    }
    return status;
}

static void check(const struct session *session, const struct play *play, long n, bool failed,
                  const struct progress *progress) {
    const struct session_result *result = session_result(session);
    const struct session_problem *problem = session_problem(session);
    if (progress->status != STATUS_OK && progress->status != STATUS_NO_MEMORY)
        fail_msg("allocation %ld: status %d", n, (int)progress->status);
    if (!failed && progress->status != STATUS_OK)
        fail_msg("no allocation failed, and there was no memory");
    if (progress->status != STATUS_OK) {
        if (progress->has_answered && !session_outcome_is_unknown(session))
            fail_msg("allocation %ld: an answer was sent, and the outcome is known", n);
        return;
    }
    if ((play->say != NULL) != (result != NULL) || (play->problem != NULL) != (problem != NULL))
        fail_msg("allocation %ld: it ended otherwise: %.*s", n,
                 problem == NULL ? 0 : (int)problem->text.size,
                 problem == NULL ? NULL : (const char *)problem->text.data);
    if (result != NULL && !bytes_equal(result->say, bytes_of_text(play->say)))
        fail_msg("allocation %ld: the result says \"%.*s\"", n, (int)result->say.size,
                 result->say.data);
    if (problem != NULL && !bytes_equal(problem->text, bytes_of_text(play->problem)))
        fail_msg("allocation %ld: the problem is \"%.*s\"", n, (int)problem->text.size,
                 problem->text.data);
}

/* Plays while the n-th allocation fails; false when there are fewer. */
static bool play_once(const struct play *play, long n) {
    const struct session_config config = {.operation = SESSION_CALL,
                                          .is_http = play->is_http,
                                          .protocol = play->protocol,
                                          .client_version = "1.0.0",
                                          .can_ask = true,
                                          .tool = BYTES("book"),
                                          .arguments = BYTES("{\"x\":1}")};
    struct session *session = NULL;
    struct progress progress = {.status = STATUS_OK};
    allocation_fault_arm(n);
    progress.status = session_new(&config, &session);
    if (progress.status == STATUS_OK)
        progress.status = drive(session, play, &progress);
    bool failed = allocation_fault_disarm();
    if (session != NULL)
        check(session, play, n, failed, &progress);
    session_free(session);
    return failed;
}

static void
given_a_session_when_any_allocation_fails_then_it_is_never_taken_for_another_end(void **state) {
    (void)state;
    static const char discovered[] =
        RESULT("1", "\"supportedVersions\":[\"2026-07-28\"],\"_meta\":{"
                    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}");
    static const struct play plays[] = {
        {.is_http = true,
         .replies = {discovered, MIRRORED, ASKS("3", ",\"requestState\":\"s\""), SAYS("4")},
         .say = "booked"},
        {.is_http = true,
         .replies = {discovered, MIRRORED, ASKS("3", ",\"requestState\":\"s\""),
                     REPLY("4", "\"error\":{\"code\":-32602,\"message\":\"no\"}")},
         .problem = "the server answered with error -32602: no"},
        {.is_http = true,
         .replies = {discovered, MIRRORED, ASKS("3", ""), RESULT("4", "\"resultType\":\"x\"")},
         .problem = "the result is of an unknown type: \"x\""},
        {.is_http = true,
         .replies = {discovered, MIRRORED, ASKS("3", ""), SAYS("9")},
         .problem = "id mismatch: got 9, expected 4"},
        {.is_http = true,
         .replies = {discovered, MIRRORED,
                     RESULT("3", "\"resultType\":\"input_required\",\"inputRequests\":{\"r\":{"
                                 "\"method\":\"roots/list\"}}")},
         .problem = "the server asks for what this client did not offer: roots/list"},
        {.protocol = "2025-11-25",
         .replies = {INITIALIZED, "{\"jsonrpc\":\"2.0\",\"id\":2," TOOLS(""),
                     PING "\n" ELICITATION "\n" SAYS("3")},
         .say = "booked"},
        {.is_http = true,
         .is_stream = true,
         .protocol = "2025-06-18",
         .replies = {"data: " INITIALIZED "\n\n", "",
                     "data: {\"jsonrpc\":\"2.0\",\"id\":2," TOOLS("") "\n\n",
                     "data: " PING "\n\ndata: " ELICITATION "\n\ndata: " SAYS("3") "\n\n"},
         .say = "booked"},
    };
    if (!ALLOCATION_FAULTS_WORK)
        skip();
    thread_is_marked = marked_threads_count = true;
    for (size_t i = 0; i < LENGTH_OF(plays); i++) {
        long n = 1;
        while (play_once(&plays[i], n)) {
            n++;
            assert_true(n < ALLOCATIONS_MOST);
        }
        printf("play %zu: %ld allocations failed, one at a time\n", i, n - 1);
        assert_true(n > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            given_a_session_when_any_allocation_fails_then_it_is_never_taken_for_another_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
