/* One request and its reply, through the library's callbacks. Private to http. */
#ifndef TANDEM_EXCHANGE_H
#define TANDEM_EXCHANGE_H

#include "acceptor.h"
#include "connections.h"
#include "http_server.h"

#include <microhttpd.h>
#include <stdatomic.h>

struct http_server {
    struct http_config config;
    struct MHD_Daemon *daemon;
    struct connections *connections;
    struct acceptor *acceptor;
    atomic_bool draining;
    atomic_size_t suspended; /* exchanges whose handler answers later, until it has */
    atomic_uint_fast64_t next_id;
    uint64_t id_seed;
};

/* The connection's place in the table, kept as its socket context. */
struct connection *connection_of(struct MHD_Connection *connection);

/* The library's callbacks; `context` is the server. A request begins when its target is known, is
 * handled in pieces, and ends in every case. */
void *exchange_begin(void *context, const char *uri, struct MHD_Connection *connection);
enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *upload_data,
                                size_t *upload_data_size, void **state);
/* Releases a request that the library forgot: it calls no exchange_end when a target's query takes
 * more than the connection's memory. For a connection that closes. */
void exchange_abandon(struct connection *place);

void exchange_end(void *context, struct MHD_Connection *connection, void **state,
                  enum MHD_RequestTerminationCode why);

#endif
