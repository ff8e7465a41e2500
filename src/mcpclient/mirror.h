/* Arguments of a tool that are mirrored into HTTP headers: a property of its input schema with
 * `x-mcp-header` names the header Mcp-Param-NAME. Pure. Private to mcpclient. */
#ifndef TANDEM_MIRROR_H
#define TANDEM_MIRROR_H

#include "mcp_json.h"

/* The value of a header as it goes out: plain where it is visible ASCII with blanks inside, else
 * `=?base64?…?=`, and so too when it looks like that itself. */
void mirror_write_value(struct buffer *out, struct bytes value);

/* What is wrong with the annotations of an input schema (static storage), or NULL when nothing is:
 * a name that is no header's or is there twice, a parameter that is neither a string, an integer
 * nor a boolean, one that is not reached by `properties` alone. */
const char *mirror_problem(const json_t *schema);

/* Takes one header: name (without Mcp-Param-) and value, both lent for the call. */
typedef void mirror_sink(void *context, struct bytes name, struct bytes value);

/* Gives the sink the headers of a call with these arguments. `schema` has no problem. Left out are
 * arguments that are absent or null, or of another type than a header can show. */
void mirror_each(const json_t *schema, const json_t *arguments, mirror_sink *sink, void *context);

#endif
