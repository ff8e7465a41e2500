/* The server's own routes, service and HTTP adapter in the test's process, with what the binary
 * takes from the system in the test's hands: the clock, the nonces, the ledger. */
#ifndef TANDEM_TEST_LOCAL_SERVER_H
#define TANDEM_TEST_LOCAL_SERVER_H

#include "http_client.h"
#include "service.h"

struct local_server;

struct local_options {
    struct bytes key;  /* empty: no key */
    bool has_nonces;   /* 1, 2, 3 … after a mark; else states are issued without a nonce */
    bool checks_mark;  /* the ledger takes only states with that mark */
    int64_t time;      /* the clock's first reading, in microseconds since 1970 */
    size_t capacity;   /* of the memory of used states */
    int64_t valid_for; /* seconds */
};

/* Starts one; NULL when that can't be done. */
struct local_server *local_server_start(const struct local_options *options);
void local_server_stop(struct local_server *server);

const struct server_address *local_server_address(const struct local_server *server);

/* Sets the system's time, in microseconds; its monotonic time stands still. No request may be on
 * its way. */
void local_server_set_time(struct local_server *server, int64_t time);

#endif
