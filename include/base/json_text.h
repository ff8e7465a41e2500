/* JSON text in the protocol's one form (protocol.md, section 2): raw UTF-8, only `"`, `\` and bytes
 * below 0x20 escaped. Every byte that is signed, digested or sent is written by these. */
#ifndef TANDEM_JSON_TEXT_H
#define TANDEM_JSON_TEXT_H

#include "buffer.h"

/* A string, quoted. `text` is UTF-8. */
void json_write_string(struct buffer *out, struct bytes text);

/* The same without the quotes, for a string that is written in parts. */
void json_write_characters(struct buffer *out, struct bytes text);

/* An array of strings. */
void json_write_strings(struct buffer *out, const struct bytes *texts, size_t count);

/* The most bytes that a client's JSON writer needs for `text` as a string, quotes included: one
 * that writes all but ASCII as \u escapes. `text` is UTF-8. */
size_t json_string_size_most(struct bytes text);

/* The deepest nesting of arrays and objects in a JSON text (a lone one is 1), counted without
 * recursion and before anything is built, so that no text can exhaust a stack. Brackets inside
 * strings don't count. */
size_t json_nesting_depth(struct bytes text);

#endif
