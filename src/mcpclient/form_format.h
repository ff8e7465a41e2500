/* The formats that a string of a form may have. Pure. Private to mcpclient. */
#ifndef TANDEM_FORM_FORMAT_H
#define TANDEM_FORM_FORMAT_H

#include "form.h"

/* The format of that name; FORM_ANY for one that is none of the four. */
enum form_format form_format_of(struct bytes name);

/* True when the text has the format: an address with one @ and a host; an absolute URI (RFC 3986);
 * a full-date, or a date-time with its offset (RFC 3339). */
bool form_format_has(enum form_format format, struct bytes text);

/* What such a text looks like, such as "a date such as 2026-07-28". */
const char *form_format_example(enum form_format format);

#endif
