/* Writes log lines to a file, in a thread of its own: no request waits for the log, and many lines
 * share one write. Lines that the file doesn't take, or not in time, are dropped and counted, and
 * the log says so once it is written again. Private to telemetry. */
#ifndef TANDEM_LOG_WRITER_H
#define TANDEM_LOG_WRITER_H

#include "buffer.h"

struct log_writer;

/* Writes a line (of 256 bytes at the most) that says how many lines were lost. */
typedef void log_note(struct buffer *out, uint64_t lost);

enum status log_writer_new(int file, log_note *write_note, struct log_writer **out);

/* Writes what is left, and ends the thread. */
void log_writer_free(struct log_writer *writer);

/* Hands a line over. Any thread. */
void log_writer_append(struct log_writer *writer, struct bytes line);

#endif
