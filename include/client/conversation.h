/* A conversation with the booking server as a state machine (protocol.md, section 5): events in,
 * the next phase and the request to send out. No I/O, no clock: whoever drives it carries the
 * requests and the replies. It must not know of sockets or of terminals.
 *
 *   idle --start--> (round one under way) --reply--> asking | done | failed
 *   asking --answer, decline, cancel--> (round two under way) --reply--> done | failed
 *   failed --repeat--> (round two under way once more) --reply--> done | failed
 *
 * While a round is under way the phase is still the one that it began in. Round two carries the
 * bytes of round one's booking again, the answer, and the state exactly as it came.
 *
 * One thread at a time. Functions that return a status change nothing unless they return
 * STATUS_OK, but for the one case that they name. */
#ifndef TANDEM_CONVERSATION_H
#define TANDEM_CONVERSATION_H

#include "decoder.h"
#include "exchange.h"

enum conversation_phase {
    CONVERSATION_IDLE,
    CONVERSATION_ASKING,
    CONVERSATION_DONE,
    CONVERSATION_FAILED,
};

/* Why a conversation failed. */
struct problem {
    struct bytes text;     /* section 5's, with its prefix. The reply's body is not in it */
    struct bytes location; /* where a redirect pointed, as it came; or empty */
    enum round round;      /* ROUND_NONE: an answer when nothing was asked */
    bool may_be_booked;    /* round two was sent, and nobody can say what became of it; or of the
                              first one, whatever the reply to its repetition */
};

struct conversation;

/* STATUS_OK and an idle conversation, released with conversation_free; or STATUS_NO_MEMORY. */
enum status conversation_new(struct conversation **out);
void conversation_free(struct conversation *conversation);

/* True for a salon that a path can name: UTF-8 of at least one byte, without NUL, not "." or ".."
 * (clients and proxies rewrite such paths). */
bool conversation_salon_is_valid(struct bytes salon);

/* Begins round one. The texts are copied. STATUS_INVALID: the conversation began before, the salon
 * is not valid, or a text is not UTF-8 or has a NUL; STATUS_LIMIT: a path over 64 KiB (a salon
 * takes up to three bytes for each of its own) or a body over 16 MiB; STATUS_NO_MEMORY. */
enum status conversation_start(struct conversation *conversation, struct bytes salon,
                               struct bytes message, const struct bytes *slots, size_t slot_count,
                               struct round_request *request);

/* The key (printable ASCII in double quotes, copied) that round two carries, so that it may be sent
 * a second time: a server that has it answers as it did the first time. To be called before round
 * two. STATUS_INVALID: it is too late; STATUS_LIMIT: over 257 bytes; STATUS_NO_MEMORY. */
enum status conversation_use_key(struct conversation *conversation, struct bytes key);

/* Takes what came of the round under way, all that is kept of it copied. STATUS_INVALID: none is
 * under way; STATUS_LIMIT: a location over 64 KiB; STATUS_NO_MEMORY. */
enum status conversation_reply(struct conversation *conversation, const struct round_reply *reply);

/* Answers the question, with the time of that index (STATUS_LIMIT: it has none such) or none; a
 * cancel says that the customer went away without choosing. STATUS_BUSY: round two is under way;
 * STATUS_LIMIT: a body over 16 MiB; STATUS_NO_MEMORY. STATUS_INVALID: nothing was asked, and the
 * conversation has failed by that. */
enum status conversation_answer(struct conversation *conversation, size_t choice,
                                struct round_request *request);
enum status conversation_decline(struct conversation *conversation, struct round_request *request);
enum status conversation_cancel(struct conversation *conversation, struct round_request *request);

/* True when round two failed so that sending it again, with its key, may tell what became of it: no
 * reply came, or one that can't be read, or a 5xx. That is so once. */
bool conversation_may_repeat(const struct conversation *conversation);

/* Round two once more, byte for byte. STATUS_INVALID: it may not be repeated. */
enum status conversation_repeat(struct conversation *conversation, struct round_request *request);

enum conversation_phase conversation_phase(const struct conversation *conversation);

/* The round whose reply is awaited. */
enum round conversation_under_way(const struct conversation *conversation);

/* What there is to know in a phase: the question when asking, the completion when done, the problem
 * when failed; NULL in every other phase. Borrowed until the next event. */
const struct question *conversation_question(const struct conversation *conversation);
const struct completion *conversation_completion(const struct conversation *conversation);
const struct problem *conversation_problem(const struct conversation *conversation);

#endif
