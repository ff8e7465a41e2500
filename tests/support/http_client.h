/* An HTTP/1.1 client that hides nothing: a socket to this machine, bytes out, one reply in. Tests
 * receive through checked_exchange.h and race.h, which hold each reply to the OpenAPI document;
 * only those two call client_receive, and test_sqlite_crash.c, whose replies may be cut. Nothing
 * here fails a test, so any thread may use it. */
#ifndef TANDEM_TEST_HTTP_CLIENT_H
#define TANDEM_TEST_HTTP_CLIENT_H

#include "arena.h"
#include "buffer.h"
#include "deadline.h"

/* Where a server is reached: a numeric address of this machine. */
struct server_address {
    char host[48];
    unsigned port;
};

/* A connection; it may be used for several requests. */
struct client {
    int socket;           /* -1 when it couldn't be had */
    struct buffer unread; /* received, and no part of an earlier reply */
};

struct client_header {
    const char *name;
    const char *value; /* without the white space around it */
};

enum { CLIENT_HEADERS_MOST = 32 };

/* A reply, or an interim one (status 1xx). Its texts live as long as the arena. */
struct client_reply {
    unsigned status;
    size_t header_count;
    struct client_header headers[CLIENT_HEADERS_MOST];
    struct bytes body; /* with a NUL behind */
};

/* A request to be. What is NULL or empty has the value that most tests want. */
struct client_request {
    const char *method;       /* NULL: POST */
    const char *target;       /* NULL: /salons/elm-street/book */
    const char *content_type; /* NULL: application/json with POST; "": none */
    const char *headers;      /* more lines, each with its CRLF; may be NULL */
    bool keeps_alive;         /* else it says Connection: close */
    struct bytes body;        /* sent with its Content-Length */
};

const char *client_request_method(const struct client_request *request);
const char *client_request_target(const struct client_request *request);

/* The request's bytes. */
struct bytes client_request_bytes(const struct client_request *request, struct arena *arena);

/* False when nobody listens there. Always followed by client_close. */
bool client_connect(const struct server_address *address, struct client *client);
void client_close(struct client *client);

/* False when the server closed the connection meanwhile, or doesn't read. */
bool client_send(struct client *client, struct bytes bytes);

/* The same with every byte in a packet of its own. */
bool client_send_byte_by_byte(struct client *client, struct bytes bytes);

/* Reads one reply, `to_head` to a HEAD request. NULL and the reply, or what is wrong with it:
 * client_no_reply when the connection ended before its first byte. */
extern const char client_no_reply[];
const char *client_receive(struct client *client, bool to_head, struct arena *arena,
                           struct client_reply *reply);

/* Reads until the server closes the connection; whatever came, with a NUL behind. */
struct bytes client_receive_all(struct client *client, struct arena *arena);

/* True when the server closes the connection and sends nothing more before it does. */
bool client_sees_end(struct client *client);

/* The value of a header, or NULL; of several with one name, the first. */
const char *client_reply_header(const struct client_reply *reply, const char *name);

#endif
