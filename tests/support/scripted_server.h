/* A server on a raw socket that answers each request as its script says, however wrong that is,
 * and keeps every byte that came. */
#ifndef TANDEM_TEST_SCRIPTED_SERVER_H
#define TANDEM_TEST_SCRIPTED_SERVER_H

#include "bytes.h"

enum script_end {
    SCRIPT_CLOSE, /* closes once everything was sent */
    SCRIPT_RESET, /* the same with a reset */
    SCRIPT_KEEP,  /* keeps it open for one more request, which the next step answers */
    SCRIPT_NEST,  /* plays the next step on a connection of its own, says the rest, and closes */
    SCRIPT_HOLD,  /* keeps the connection open and says no more, until it is stopped */
};

/* What it does with one request: it reads it whole first, unless told not to. */
struct script_step {
    struct bytes reply; /* borrowed until it is stopped */
    struct bytes rest;  /* with SCRIPT_NEST; borrowed as well */
    enum script_end end;
    bool reads_nothing;
    bool is_last;      /* nobody can connect any more once the request was read */
    bool is_in_pieces; /* one byte a packet */
    bool is_held_back; /* replies only once scripted_server_release was called for it */
};

struct scripted_server;

/* Starts it on a free port of 127.0.0.1 (or of ::1). Connections after the last step are closed at
 * once, and counted. The steps are borrowed. NULL when it can't be had. */
struct scripted_server *scripted_server_start(const struct script_step *steps, size_t count);
struct scripted_server *scripted_server_start_v6(const struct script_step *steps, size_t count);

/* "http://127.0.0.1:PORT" */
const char *scripted_server_url(const struct scripted_server *server);
unsigned scripted_server_port(const struct scripted_server *server);

/* Waits until that many requests were read whole; false when they don't come. */
bool scripted_server_wait(struct scripted_server *server, size_t count);

/* Lets one reply go that is held back, now or later. */
void scripted_server_release(struct scripted_server *server);

/* Ends it; what came is complete after this. */
void scripted_server_stop(struct scripted_server *server);

/* After the stop: how many connections there were, how many requests began on them, and what came
 * with one (NUL behind). */
size_t scripted_server_connections(const struct scripted_server *server);
size_t scripted_server_requests(const struct scripted_server *server);
struct bytes scripted_server_request(const struct scripted_server *server, size_t index);

/* The same without its headers. */
struct bytes scripted_server_body(const struct scripted_server *server, size_t index);

void scripted_server_free(struct scripted_server *server);

#endif
