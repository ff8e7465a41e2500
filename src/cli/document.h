/* The text of a document by its name: a file's path or a URL. Private to cli. */
#ifndef TANDEM_DOCUMENT_H
#define TANDEM_DOCUMENT_H

#include "buffer.h"
#include "options.h"

/* True for a name that is a URL of any scheme; all others are paths. */
bool document_is_url(const char *name);

/* Appends the name to `out` as messages show it: safe for a terminal; of a URL neither user nor
 * password nor query, which may be secrets. */
void document_show_name(struct buffer *out, const char *name);

/* Appends the document to `out`, up to the buffer's ceiling. False when there is none, and
 * complains, naming it as `shown`. A URL is fetched under the options of network_config.h. */
bool document_read(const struct arguments *arguments, const char *name, const char *shown,
                   struct buffer *out);

#endif
