/* What a session is made of, for the files that it is written in. Private to mcpclient. */
#ifndef TANDEM_SESSION_STATE_H
#define TANDEM_SESSION_STATE_H

#include "event_stream.h"
#include "mcp_session.h"
#include "rpc_message.h"
#include "tool_list.h"

enum { QUESTIONS_MOST = 16, TEXT_SIZE_MAX = 8192, OUTGOING_SIZE_MAX = 33554432 };

/* The codes of 2026-07-28 that tell of its era. */
enum {
    CODE_HEADER_MISMATCH = -32020,
    CODE_MISSING_CAPABILITY = -32021,
    CODE_UNSUPPORTED_VERSION = -32022,
    CODE_METHOD_NOT_FOUND = -32601,
};

#define MODERN_VERSION "2026-07-28"

enum stage {
    STAGE_DISCOVER, /* and nothing is known of the era yet, unless a protocol was asked for */
    STAGE_INITIALIZE,
    STAGE_INITIALIZED, /* the notification */
    STAGE_LIST,
    STAGE_CALL,
};

/* Why there is no reply in what was read. */
enum fault {
    FAULT_NONE,
    FAULT_BROKEN,  /* no reply at all */
    FAULT_FOREIGN, /* a message that must not be there: another's reply, a second one, a request */
};

/* A form to be answered. */
struct question {
    struct rpc_message request; /* of the handshake era: the server's, owned; else empty */
    struct bytes key;           /* of 2026-07-28: its name among the input requests */
    struct bytes message;
    struct form form;
    struct buffer answer; /* JSON, once there is one */
};

struct session {
    struct session_config config;
    struct buffer arguments; /* of the call, on one line */
    enum stage stage;
    bool is_done;
    bool is_failed;
    bool has_outgoing; /* a message of ours waits to be sent */
    bool is_reading;   /* one was sent, and its exchange isn't over */
    bool is_request;   /* a reply to it is due */

    int64_t id;       /* the last one given */
    int64_t given_up; /* the id of a request that nobody waits for any more, or 0 */
    struct bytes protocol;
    bool is_modern;
    bool took_other_version; /* after -32022 */
    struct buffer session_id;

    struct buffer body;
    struct session_header headers[SESSION_HEADERS_MOST];
    size_t header_count;
    struct buffer header_text;
    /* The header texts move while they grow, so first they are places in header_text. */
    struct {
        size_t name, value, end;
    } header_places[SESSION_HEADERS_MOST];

    struct buffer aside;
    bool has_aside;

    struct session_head head; /* its texts are not kept */
    bool has_head;
    struct buffer location;
    struct buffer json; /* a body that is gathered */
    struct event_stream stream;
    size_t read_size;
    struct rpc_message reply;
    bool has_reply;
    enum fault fault;
    struct buffer fault_text;

    struct buffer server_name;
    struct buffer server_version;
    struct rpc_message opened; /* the result of discover or initialize; owned */
    struct tool_list tools;
    size_t tool; /* the index of the one that is called */

    struct rpc_message asking; /* the last input_required result; owned */
    struct question questions[QUESTIONS_MOST];
    size_t question_count;
    size_t answered; /* how many of them are */
    unsigned rounds;
    bool sends_answer; /* the outgoing message, or an aside, has one */
    bool has_answered;
    bool was_declined;

    struct session_result result;
    struct buffer result_json;
    struct buffer say;
    struct rpc_message called; /* the result of the call; owned */
    struct session_problem problem;
    struct buffer problem_text;
};

/* Requests (session_request.c). Each prepares the outgoing message; STATUS_NO_MEMORY. */
enum status request_discover(struct session *session);
enum status request_initialize(struct session *session);
enum status request_initialized(struct session *session);
enum status request_list(struct session *session);
enum status request_call(struct session *session);

/* The aside, when there is none: a result, an error, or the answer to a question. */
enum status aside_result(struct session *session, const json_t *id, struct bytes result);
enum status aside_error(struct session *session, const json_t *id, int code, struct bytes message);

/* Failing (session.c): the text is copied. Returns STATUS_OK or STATUS_NO_MEMORY. */
enum status session_fail(struct session *session, struct bytes text, bool outcome_is_unknown);
enum status session_fail_text(struct session *session, const char *text);

/* The same with a text that is made of parts, which session_text begins; it is released. */
struct buffer session_text(const char *words);
enum status session_fail_with(struct session *session, struct buffer *text,
                              bool outcome_is_unknown);

void session_warn(const struct session *session, struct bytes text);

/* What a reply means (session_reply.c), once its exchange is over. */
enum status reply_conclude(struct session *session, enum session_end end, bool may_be_sent);

/* Questions (session_input.c): those of an input_required result, and that of a request. */
enum status input_take_result(struct session *session);
enum status input_take_request(struct session *session, struct rpc_message *request);
void input_forget(struct session *session);

/* Keeps what a call gave (session_result.c); a problem in `problem` (static storage), or NULL. */
enum status result_take_call(struct session *session, const char **problem);
enum status result_take_server(struct session *session, const json_t *result);
enum status result_take_tools(struct session *session);
enum status result_take_opened(struct session *session);

#endif
