/* Connections that read beside the writer: as many as read at once, a few kept for the next.
 * Private to ledger. */
#ifndef TANDEM_SQLITE_READERS_H
#define TANDEM_SQLITE_READERS_H

#include "ledger.h"

struct sqlite_readers;

/* `path` is copied. */
enum status sqlite_readers_new(const char *path, struct sqlite_readers **out);

/* No call may be under way. */
void sqlite_readers_free(struct sqlite_readers *readers);

/* Opens anew what reads from now on: the files beside the ledger aren't those that they were. */
void sqlite_readers_renew(struct sqlite_readers *readers);

/* As ledger_find_taken. Any thread. */
enum status sqlite_readers_find_taken(struct sqlite_readers *readers, struct bytes salon,
                                      const struct bytes *slots, size_t count, bool *taken);

#endif
