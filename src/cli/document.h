/* The text of a document by its name: a URL of any scheme, or else a file's path. Private to cli.
 */
#ifndef TANDEM_DOCUMENT_H
#define TANDEM_DOCUMENT_H

#include "buffer.h"
#include "network_config.h"

/* Appends the name to `out` as messages show it: safe for a terminal; of a URL neither user nor
 * password nor query, which may be secrets. */
void document_show_name(struct buffer *out, const char *name);

/* Appends the document to `out`, up to the buffer's ceiling. False when there is none, and
 * complains, naming it as `shown`. A URL is fetched as `network` says, which builds without a
 * client don't look at. */
bool document_read(const struct arguments *arguments, const struct network_config *network,
                   const char *name, const char *shown, struct buffer *out);

#endif
