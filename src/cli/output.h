/* What the commands that talk to a server print, safe for a terminal, and exit codes that they
 * share. Private to cli. */
#ifndef TANDEM_OUTPUT_H
#define TANDEM_OUTPUT_H

#include "buffer.h"

#include <stdio.h>

enum { OUTPUT_SIZE_MAX = 67108864, EXIT_UNKNOWN = 5, EXIT_INTERRUPTED = 130 };

/* Prints a text that is safe already, and releases it. False when it can't be printed, which it
 * says on standard error. */
bool output_text(FILE *file, struct buffer *text);

/* Prints a text and a newline, all that isn't plain text in it escaped. Returns as above. */
bool output_line(FILE *file, struct bytes text);

/* Prints the problem, and `more` (or NULL) as a second line, on standard error; and as JSON on
 * standard output when asked to. Returns the code. */
int output_failure(bool is_json, int code, struct bytes text, const char *more);

#endif
