/* The options of "tandem book". Private to cli. */
#ifndef TANDEM_BOOK_CONFIG_H
#define TANDEM_BOOK_CONFIG_H

#include "bytes.h"
#include "network_config.h"

enum { BOOK_OPTION_COUNT = 7, BOOK_OPERAND_COUNT = 3 };

extern const struct option book_options[BOOK_OPTION_COUNT];

/* Borrowed from the arguments. */
struct book_config {
    const char *url;
    struct bytes salon;
    struct bytes message;
    const char *answer; /* or NULL */
    bool declines;
    bool is_json;
    bool input_is_used; /* standard input has the slots */
    struct network_config network;
};

/* Reads and checks all that can be checked without opening anything but the file of certificates.
 * Returns 0, or complains and returns EXIT_USAGE. The URL is checked by transport. */
int book_config_read(const struct arguments *arguments, struct book_config *config);

#endif
