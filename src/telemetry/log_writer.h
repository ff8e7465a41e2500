/* Writes log lines to a file, in a thread of its own: no request waits for the log, and many lines
 * share one write. Lines that can't be kept, because the file doesn't take them, are dropped and
 * counted. Private to telemetry. */
#ifndef TANDEM_LOG_WRITER_H
#define TANDEM_LOG_WRITER_H

#include "buffer.h"

struct log_writer;

enum status log_writer_new(int file, struct log_writer **out);

/* Writes what is left, and ends the thread. */
void log_writer_free(struct log_writer *writer);

/* Hands a line over. Any thread. */
void log_writer_append(struct log_writer *writer, struct bytes line);

#endif
