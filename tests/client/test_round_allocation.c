/* Both rounds of a booking when memory runs out: of the client's allocations (libcurl's and
 * jansson's among them) the n-th fails, for every n. Nobody is told of a booking that wasn't, and
 * once round two was sent, nobody is told that nothing was booked. */
#include "fixtures.h"

#include "allocation_faults.h"
#include "conversation.h"
#include "round.h"
#include "scripted_server.h"

#include <signal.h>
#include <stdio.h>

#define JSON_HEAD                                                                                  \
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
#define QUESTION                                                                                   \
    JSON_HEAD                                                                                      \
    "db\r\n{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{"           \
    "\"message\":\"?\",\"requestedSchema\":{\"properties\":{\"time\":{\"enum\":[\"sat-10:30\"]}"   \
    "}}}}},\"requestState\":\"a state, of some length\",\"resultType\":\"input_required\"}\r\n"    \
    "0\r\n\r\n"
#define BOOKED                                                                                     \
    JSON_HEAD "70\r\n{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"sat-10:30 is "  \
              "yours.\",\"slot\":\"sat-10:30\",\"status\":\"booked\"}}\r\n0\r\n\r\n"
#define UNKNOWN_TYPE JSON_HEAD "12\r\n{\"resultType\":[1]}\r\n0\r\n\r\n"

enum { TIMEOUT = 60000, ALLOCATIONS_MOST = 5000 };

static int set_up_library(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return transport_library_init() == STATUS_OK ? 0 : -1;
}

static int tear_down_library(void **state) {
    (void)state;
    transport_library_done();
    return 0;
}

/* How a booking ended, with the status that ended it. */
struct outcome {
    enum status status;
    bool round_two_sent;
    bool is_booked;
    bool is_failed;
    bool may_be_booked;
};

static enum status carry(struct transport *transport, struct conversation *conversation,
                         const struct round_request *request, struct outcome *outcome) {
    bool is_second = conversation_under_way(conversation) == ROUND_TWO;
    struct round_result result;
    enum status status = round_carry(transport, request, &result);
    if (status != STATUS_OK)
        return status;
    outcome->round_two_sent = is_second && result.reply.request_sent;
    return conversation_reply(conversation, &result.reply);
}

static enum status converse(struct transport *transport, struct conversation *conversation,
                            struct outcome *outcome) {
    static const struct bytes slot = ROW_BYTES("sat-10:30");
    struct round_request request;
    enum status status =
        conversation_start(conversation, BYTES("elm"), BYTES("a trim"), &slot, 1, &request);
    if (status == STATUS_OK)
        status = carry(transport, conversation, &request, outcome);
    if (status != STATUS_OK || conversation_phase(conversation) != CONVERSATION_ASKING)
        return status;
    status = conversation_answer(conversation, 0, &request);
    return status == STATUS_OK ? carry(transport, conversation, &request, outcome) : status;
}

static void look(const struct conversation *conversation, struct outcome *outcome) {
    const struct completion *completion = conversation_completion(conversation);
    const struct problem *problem = conversation_problem(conversation);
    outcome->is_booked = completion != NULL && completion->is_booked &&
                         bytes_equal(completion->slot, BYTES("sat-10:30"));
    outcome->is_failed = problem != NULL && problem->text.size > 0;
    outcome->may_be_booked = problem != NULL && problem->may_be_booked;
}

static struct outcome book(const char *url) {
    const struct transport_config config = {.url = url,
                                            .timeout = TIMEOUT,
                                            .interrupt_file = -1,
                                            .reply_size_max = ROUND_REPLY_SIZE_MAX};
    struct outcome outcome = {.status = STATUS_OK};
    struct transport *transport = NULL;
    struct conversation *conversation = NULL;
    const char *problem = "";
    outcome.status = transport_new(&config, &transport, &problem);
    if (outcome.status == STATUS_OK)
        outcome.status = conversation_new(&conversation);
    if (outcome.status == STATUS_OK) {
        outcome.status = converse(transport, conversation, &outcome);
        look(conversation, &outcome);
    }
    conversation_free(conversation);
    transport_free(transport);
    return outcome;
}

/* Books while the n-th allocation fails; false when there are fewer. */
static bool play(const struct script_step steps[2], long n, bool is_good) {
    struct scripted_server *server = scripted_server_start(steps, 2);
    assert_non_null(server);
    allocation_fault_arm(n);
    struct outcome outcome = book(scripted_server_url(server));
    bool failed = allocation_fault_disarm();
    scripted_server_stop(server);
    bool server_has_answer = scripted_server_request(server, 1).size > 0;
    scripted_server_free(server);
    if (server_has_answer && !outcome.round_two_sent)
        fail_msg("allocation %ld: the answer was sent, and nobody knows", n);
    if (outcome.is_booked && !(is_good && server_has_answer))
        fail_msg("allocation %ld: booked out of nothing", n);
    if (!failed && (outcome.status != STATUS_OK || outcome.is_booked != is_good))
        fail_msg("no allocation failed, and it is not as it should be");
    if (outcome.status != STATUS_OK && outcome.status != STATUS_NO_MEMORY)
        fail_msg("allocation %ld: status %d", n, (int)outcome.status);
    /* A status after round two was sent is for the caller to call unknown. */
    if (is_good && outcome.status == STATUS_OK && server_has_answer && !outcome.is_booked &&
        !outcome.may_be_booked)
        fail_msg("allocation %ld: it was booked, and nobody says that it may be", n);
    if (outcome.status == STATUS_OK && !outcome.is_booked && !outcome.is_failed)
        fail_msg("allocation %ld: neither booked nor failed", n);
    return failed;
}

static long play_all(const struct script_step steps[2], bool is_good) {
    long n = 1;
    while (play(steps, n, is_good)) {
        n++;
        assert_true(n < ALLOCATIONS_MOST);
    }
    return n - 1;
}

static void
given_a_booking_when_any_allocation_fails_then_it_is_never_wrongly_booked(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(BOOKED)}};
    if (!ALLOCATION_FAULTS_WORK)
        skip();
    thread_is_marked = marked_threads_count = true;
    long failed = play_all(steps, true);
    printf("%ld allocations failed, one at a time\n", failed);
    assert_true(failed > 50);
}

static void given_a_bad_reply_when_any_allocation_fails_then_it_is_still_a_problem(void **state) {
    (void)state;
    static const struct script_step steps[] = {{.reply = ROW_BYTES(QUESTION)},
                                               {.reply = ROW_BYTES(UNKNOWN_TYPE)}};
    if (!ALLOCATION_FAULTS_WORK)
        skip();
    thread_is_marked = marked_threads_count = true;
    assert_true(play_all(steps, false) > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_booking_when_any_allocation_fails_then_it_is_never_wrongly_booked),
        cmocka_unit_test(given_a_bad_reply_when_any_allocation_fails_then_it_is_still_a_problem),
    };
    return cmocka_run_group_tests(tests, set_up_library, tear_down_library);
}
