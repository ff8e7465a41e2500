/* POSTs over HTTP/1.1, on libcurl: one attempt each, on a connection of its own, never sent again
 * behind the caller's back. Redirects are not followed, nothing waits for 100-continue, and a
 * server on this machine (127.0.0.0/8, ::1, localhost) is never reached through a proxy.
 * Certificates and host names are checked. It must not know what the bytes mean. */
#ifndef TANDEM_TRANSPORT_H
#define TANDEM_TRANSPORT_H

#include "exchange.h"
#include "status.h"

/* Ceilings in bytes: of a reply's body (a question of the server is 64 KiB at the most), and of
 * what is kept of a Location. */
enum { TRANSPORT_REPLY_SIZE_MAX = 262144, TRANSPORT_LOCATION_SIZE_MAX = 2048 };

struct transport_config {
    const char *url;     /* http or https, a host, perhaps a port; nothing else but one slash */
    const char *ca_file; /* PEM certificates to trust instead of the system's; or NULL */
    long timeout;        /* milliseconds for a whole POST, from resolving to the last byte */
    int interrupt_file;  /* a descriptor that becomes readable when a POST has to end at once, and
                            that transport never reads; or -1 */
};

struct transport;

struct transport_result {
    struct round_reply reply; /* its texts live until the transport's next POST */
    bool is_interrupted;      /* then the reply is REPLY_NONE */
    const char *detail; /* why there is no reply, or NULL; lives as the reply. It may hold text
                           that the server chose, such as a name in a certificate */
};

/* Sets libcurl up, and takes it down: once in a process, before other threads start. STATUS_OK, or
 * STATUS_NO_MEMORY. */
enum status transport_library_init(void);
void transport_library_done(void);

/* STATUS_OK and a transport, released with transport_free; STATUS_INVALID and what is wrong with
 * the URL (static storage); STATUS_NO_MEMORY. Connects to nothing yet. The configuration's texts
 * are copied. The process must ignore SIGPIPE. */
enum status transport_new(const struct transport_config *config, struct transport **out,
                          const char **problem);
void transport_free(struct transport *transport);

/* Makes one attempt. Whatever the network did is a result, with STATUS_OK; STATUS_NO_MEMORY comes
 * only before anything is sent. One thread at a time. */
enum status transport_post(struct transport *transport, const struct round_request *request,
                           struct transport_result *result);

#endif
