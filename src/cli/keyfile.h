/* Signing keys from files. Private to cli. */
#ifndef TANDEM_KEYFILE_H
#define TANDEM_KEYFILE_H

#include "keyring.h"
#include "options.h"

enum { KEY_FILE_SIZE_MAX = 4096 };

/* Reads the named files into a ring, in their order; none, or empty names only, gives a ring
 * without keys. Reports a warning for a file that others can read (its group counts as others);
 * reports every error (a file that is unreadable, that others can write, or that holds fewer than
 * SIGNING_KEY_SIZE_MIN bytes) and returns STATUS_INVALID. */
enum status keyfiles_read(const struct reporter *reporter, const struct values *files,
                          struct keyring **out);

#endif
