/* A client's session with an MCP server as a state machine: bytes and events in, messages to send
 * and results out. Both eras of the protocol (2026-07-28 with its requests that stand alone, and
 * the handshake before it), over HTTP and over lines. No I/O, no clock: whoever drives it carries
 * the messages. It must not know of sockets, processes or terminals.
 *
 *   SESSION_SEND --sent--> SESSION_READ --bytes, end--> SEND | ASK | DONE | FAILED
 *   SESSION_ASK  --answer--> SEND
 *
 * While a request is under way the server may have something to be sent or asked of its own
 * (SESSION_SEND, SESSION_ASK); then session_awaits is true, and SESSION_READ comes again.
 *
 * Ids count from 1 and never repeat. A result is there only after the checks: one JSON object that
 * is a reply with the request's own id, and no second one in what was read with it.
 *
 * One thread at a time. */
#ifndef TANDEM_MCP_SESSION_H
#define TANDEM_MCP_SESSION_H

#include "buffer.h"
#include "form.h"

#include <stdint.h>

/* Ceilings: bytes of a reply (all of its stream), forms answered for one call, pages of a list and
 * bytes of it, and headers of a request. */
enum {
    SESSION_REPLY_SIZE_MAX = 4194304,
    SESSION_ROUNDS_MOST = 10,
    SESSION_PAGES_MOST = 100,
    SESSION_LIST_SIZE_MAX = 16777216,
    SESSION_HEADERS_MOST = 80,
};

enum session_operation { SESSION_DISCOVER, SESSION_TOOLS, SESSION_CALL };

/* Borrowed as long as the session lives. */
struct session_config {
    enum session_operation operation;
    bool is_http;
    const char *protocol;       /* a version that session_speaks; NULL: find out */
    const char *client_version; /* of this program */
    bool can_ask;               /* forms can be answered */
    struct bytes tool;          /* of a call */
    struct bytes arguments;     /* of a call: JSON, an object (session_is_object) */
    /* Hears of each message as JSON, and of what is worth a warning. Any may be NULL. */
    void (*on_message)(void *context, bool is_ours, struct bytes message);
    void (*on_warning)(void *context, struct bytes text);
    void *context;
};

enum session_want {
    SESSION_SEND, /* session_outgoing */
    SESSION_READ, /* bytes, lines or the end */
    SESSION_ASK,  /* session_question */
    SESSION_DONE,
    SESSION_FAILED,
};

struct session_header {
    struct bytes name;
    struct bytes value;
};

/* Borrowed until the next event. */
struct session_outgoing {
    struct bytes body; /* JSON, without a newline */
    const struct session_header *headers;
    size_t header_count;
    bool is_request; /* a reply is due; of any other, only whether it was taken */
    bool is_aside;   /* to be sent while a request is under way */
    bool is_probe;   /* whether anybody answers says something: don't wait long */
};

/* The head of an HTTP reply. */
struct session_head {
    unsigned status;
    bool is_json;
    bool is_stream;
    struct bytes session_id; /* of Mcp-Session-Id; empty: none */
    bool has_odd_session_id; /* it came twice, or not whole */
    struct bytes location;   /* where a redirect points; empty: nowhere */
};

/* How the reply to what was sent ended, without its last word having been said. */
enum session_end {
    SESSION_END_WHOLE,    /* HTTP: as far as its framing tells */
    SESSION_END_CUT,      /* inside its body */
    SESSION_END_NONE,     /* before it began; or the server is gone */
    SESSION_END_TIMEOUT,  /* before it was complete */
    SESSION_END_TOO_LONG, /* over the limit */
};

/* Who asks, and what. Borrowed until the next event. */
struct session_question {
    struct bytes server;  /* its name; may be empty */
    struct bytes message; /* the server's words */
    const struct form *form;
    unsigned number; /* of `count` questions of this round */
    unsigned count;
};

enum session_action { SESSION_ACCEPT, SESSION_DECLINE, SESSION_CANCEL };

struct session_tool {
    struct bytes name;
    struct bytes title; /* empty: none */
    struct bytes description;
    struct bytes json; /* all of it, compact */
};

/* What the operation gave. The texts are the server's. */
struct session_result {
    struct bytes json; /* the result, compact; of SESSION_TOOLS {"tools":[…]} with those listed */
    struct bytes protocol; /* the version spoken */
    bool is_modern;
    struct bytes server_name; /* empty: not said */
    struct bytes server_version;
    struct bytes instructions;
    const struct session_tool *tools; /* of SESSION_TOOLS */
    size_t tool_count;
    bool is_error;    /* of a call: the tool says that it failed */
    struct bytes say; /* of a call: its content as text; else its structured content as JSON */
};

struct session_problem {
    struct bytes text;
    struct bytes location; /* where a redirect pointed; empty: nowhere */
    struct bytes method;   /* the request under way; empty: none */
    int64_t id;
    int64_t code;            /* of the server's error; 0: none */
    bool outcome_is_unknown; /* an answer was sent, and nobody can say what became of it */
};

struct session;

/* True for a version that can be asked for. */
bool session_speaks(struct bytes version);

/* True for JSON text that is one object; else what is wrong (static storage) in `problem`. */
bool session_is_object(struct bytes json, const char **problem);

/* STATUS_OK and a session that wants to send, released with session_free; STATUS_NO_MEMORY. */
enum status session_new(const struct session_config *config, struct session **out);
void session_free(struct session *session);

enum session_want session_want(const struct session *session);

/* True while the reply to a request is due. */
bool session_awaits(const struct session *session);

/* True while nobody can say what became of an answer that was sent: the reply is due, or couldn't
 * be taken for want of memory. */
bool session_outcome_is_unknown(const struct session *session);

/* With SESSION_SEND. */
struct session_outgoing session_outgoing(const struct session *session);

/* It is being sent: what comes from now on comes after it. STATUS_NO_MEMORY. */
enum status session_sent(struct session *session);

/* Over HTTP: the head of the reply, before its bytes. STATUS_NO_MEMORY. */
enum status session_take_head(struct session *session, const struct session_head *head);

/* With SESSION_READ. Over HTTP: takes bytes of the body off the front of `piece`, which is of any
 * size: all of them, or those up to where something is to be sent or asked before it is read on.
 * Over lines: one line without its end. True in `is_enough`: there is no need to read on, nor to
 * give what is left of the piece. STATUS_NO_MEMORY. */
enum status session_take(struct session *session, struct bytes *piece, bool *is_enough);

/* The exchange is over. Over HTTP after every message that isn't sent aside; over lines after every
 * request, once the lines that were read already are taken. `may_be_sent`: a byte of it may have
 * reached the server. STATUS_NO_MEMORY. */
enum status session_take_end(struct session *session, enum session_end end, bool may_be_sent);

/* Over HTTP: what was sent aside got this status (0: no reply). STATUS_NO_MEMORY. */
enum status session_aside_done(struct session *session, unsigned status);

/* With SESSION_ASK: the next form without an answer. */
struct session_question session_question(const struct session *session);

/* Its answer: with SESSION_ACCEPT the members of the content, as form_add_answer wrote them.
 * STATUS_NO_MEMORY. */
enum status session_answer(struct session *session, enum session_action action,
                           struct bytes content);

/* Appends a message as JSON for people: request states and the like are shortened to their
 * beginning and their size. What is no JSON is left as it is. */
void session_shorten_states(struct buffer *out, struct bytes message);

/* True when a form was declined or cancelled. */
bool session_was_declined(const struct session *session);

/* With SESSION_DONE and SESSION_FAILED. */
const struct session_result *session_result(const struct session *session);
const struct session_problem *session_problem(const struct session *session);

#endif
