#include "network_config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { TIMEOUT_MOST = 3600, MILLISECONDS = 1000 };

static int check_certificates(const struct arguments *arguments, const char *file) {
    if (file == NULL || access(file, R_OK) == 0)
        return 0;
    complain(arguments, "%s can't be read: %s", file, strerror(errno));
    return EXIT_USAGE;
}

int network_config_read(const struct arguments *arguments, struct network_config *config) {
    int64_t seconds = 0;
    if (!arguments_number(arguments, "timeout", 1, TIMEOUT_MOST, &seconds))
        return EXIT_USAGE;
    *config =
        (struct network_config){(long)seconds * MILLISECONDS, arguments_value(arguments, "cacert")};
    return check_certificates(arguments, config->ca_file);
}
