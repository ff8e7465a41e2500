/* Text from outside made safe for a terminal. Private to cli. */
#ifndef TANDEM_VISIBLE_TEXT_H
#define TANDEM_VISIBLE_TEXT_H

#include "buffer.h"

#include <stdint.h>

/* Takes the first character off `text`, which is not empty: its code point. A byte that isn't UTF-8
 * stands for itself. */
uint32_t visible_take_character(struct bytes *text);

/* Appends `text` with all that a terminal could take as more than text escaped: control characters
 * (also DEL and U+0080 to U+009F), line and paragraph separators, marks that turn the reading
 * direction and others that are there unseen as \n, \r, \t or \u001b; bytes that aren't UTF-8 as
 * \xff. */
void visible_text_write(struct buffer *out, struct bytes text);

/* The same as a JSON string, quoted; every escape is JSON's. `text` is UTF-8. */
void visible_json_write(struct buffer *out, struct bytes text);

/* The same for JSON text: characters that are unsafe stand only in its strings, so there alone they
 * become escapes. */
void visible_json_text_write(struct buffer *out, struct bytes json);

/* Text of several lines: its line ends stay, and each line but the first begins with `indent`. */
void visible_lines_write(struct buffer *out, struct bytes text, const char *indent);

#endif
