/* The options of commands that go over the network: --timeout and --cacert. Private to cli. */
#ifndef TANDEM_NETWORK_CONFIG_H
#define TANDEM_NETWORK_CONFIG_H

#include "options.h"

/* Borrowed from the arguments. */
struct network_config {
    long timeout;        /* milliseconds for one request */
    const char *ca_file; /* or NULL */
};

/* Rows for a command's table of options. */
#define NETWORK_OPTION_TIMEOUT(help)                                                               \
    { "timeout", "SECONDS", "10", help, '\0' }
#define NETWORK_OPTION_CACERT                                                                      \
    { "cacert", "FILE", NULL, "certificates to trust instead of the system's, as PEM", '\0' }

/* Returns 0, or complains (also of a file of certificates that can't be read) and returns
 * EXIT_USAGE. */
int network_config_read(const struct arguments *arguments, struct network_config *config);

#endif
