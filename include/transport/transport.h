/* Requests over HTTP/1.1, on libcurl: one attempt each, on a connection of its own, never sent
 * again behind the caller's back. Redirects are not followed, nothing waits for 100-continue, and a
 * server on this machine (127.0.0.0/8, also as IPv6 writes it, ::1, localhost and the names under
 * it) is never reached through a proxy. Certificates and host names are checked. It must not know
 * what the bytes mean: no bookings, no JSON. */
#ifndef TANDEM_TRANSPORT_H
#define TANDEM_TRANSPORT_H

#include "bytes.h"
#include "status.h"

/* The most bytes that are kept of a reply header's value, and the most names in a configuration. */
enum { TRANSPORT_HEADER_SIZE_MAX = 2048, TRANSPORT_KEPT_MOST = 8 };

struct transport_config {
    const char *url;       /* http or https, a host, perhaps a port, no user */
    bool takes_target;     /* the URL may go on with a path and a query; else one slash at most */
    const char *ca_file;   /* PEM certificates to trust instead of the system's; or NULL */
    long timeout;          /* milliseconds for a whole request, from resolving to the last byte */
    int interrupt_file;    /* a descriptor that becomes readable when a request has to end at once,
                              and that transport never reads; or -1 */
    size_t reply_size_max; /* bytes of a reply's body */
    /* Names of reply headers to keep, TRANSPORT_KEPT_MOST at the most, ended by NULL; or NULL.
     * Content-Type and Location are kept in any case. Borrowed as long as the transport lives. */
    const char *const *kept;
};

struct transport;

enum transport_method { TRANSPORT_GET, TRANSPORT_POST };

struct transport_header {
    struct bytes name;  /* a token */
    struct bytes value; /* without control characters but for tabs */
};

/* What a sink says to a piece. */
enum transport_verdict {
    TRANSPORT_MORE,
    TRANSPORT_STOP,   /* it has what it wants: the request ends, and well */
    TRANSPORT_REFUSE, /* it can't use this: the request ends */
};

/* Takes a body as it comes, without its framing: never a byte past the ceiling, nothing of a coding
 * that is broken. While it runs, transport_status and transport_reply_header tell of the reply. */
struct transport_sink {
    enum transport_verdict (*take)(void *context, struct bytes piece);
    void *context;
};

/* A request to be made, all of it borrowed until the result is there. */
struct transport_request {
    /* A path, perhaps a query; percent-encoded: ASCII, begins with a slash. Empty: the URL's own */
    struct bytes target;
    const struct transport_header *headers; /* all that it carries besides Host, User-Agent and
                                               Content-Length; Accept and Content-Type too */
    size_t header_count;
    struct bytes body;          /* of a POST */
    struct transport_sink sink; /* with `take` NULL the result has the whole body */
    enum transport_method method;
    bool reads_refusals; /* bodies of replies other than 2xx too, which are left else */
};

enum transport_kind {
    TRANSPORT_NONE,     /* no reply, or one that ended inside its headers */
    TRANSPORT_CUT,      /* a status and all headers, but not the whole body */
    TRANSPORT_TOO_LONG, /* the body goes over the ceiling */
    TRANSPORT_STOPPED,  /* the sink had what it wants */
    TRANSPORT_REFUSED,  /* the sink could not use it */
    TRANSPORT_WHOLE,    /* as far as its framing tells; or of a refusal, whose body is left */
};

/* What became of a request. */
struct transport_result {
    enum transport_kind kind;
    bool request_sent;   /* a byte of the request may have reached the server */
    bool is_interrupted; /* then the kind is TRANSPORT_NONE */
    unsigned status;     /* 0 with TRANSPORT_NONE */
    struct bytes body;   /* without a sink; lives until the transport's next request. What came of
                            it when it isn't whole */
    const char *detail; /* why there is no whole reply, or NULL; lives as the body. It may hold text
                           that the server chose, such as a name in a certificate */
};

/* A header of a reply. */
struct transport_field {
    unsigned count;     /* how often it was given */
    struct bytes value; /* the last one, without white space around it; not even UTF-8 is certain.
                           Lives until the transport's next request */
    bool is_cut;        /* only the first TRANSPORT_HEADER_SIZE_MAX bytes are there */
};

/* Sets libcurl up, and takes it down: once in a process, before other threads start. STATUS_OK, or
 * STATUS_NO_MEMORY. */
enum status transport_library_init(void);
void transport_library_done(void);

/* STATUS_OK and a transport, released with transport_free; STATUS_INVALID and what is wrong with
 * the URL (static storage, quotes nothing of it); STATUS_LIMIT: too many names to keep;
 * STATUS_NO_MEMORY. Connects to nothing yet. The configuration's other texts are copied. The
 * process must ignore SIGPIPE. */
enum status transport_new(const struct transport_config *config, struct transport **out,
                          const char **problem);
void transport_free(struct transport *transport);

/* Makes one attempt. Whatever the network did is a result, with STATUS_OK. Before anything is sent:
 * STATUS_INVALID (a header that would break the request), STATUS_LIMIT (a target over 256 KiB),
 * STATUS_NO_MEMORY. One thread at a time. */
enum status transport_send(struct transport *transport, const struct transport_request *request,
                           struct transport_result *result);

/* For a sink that asked a person meanwhile: the request under way may take so many milliseconds
 * longer. */
void transport_allow(struct transport *transport, long milliseconds);

/* Of the reply that came last, or comes: its status (0: none yet), and a header that is kept, by
 * its name in either case (count 0: not given). */
unsigned transport_status(const struct transport *transport);
struct transport_field transport_reply_header(const struct transport *transport, const char *name);

/* True when the reply is labelled with this media type, whatever its parameters. Two readers could
 * take two labels differently, so more than one is none. */
bool transport_reply_is(const struct transport *transport, struct bytes media_type);

#endif
