/* Gets a document from a URL. Private to cli; left out of builds without a client. */
#ifndef TANDEM_FETCH_H
#define TANDEM_FETCH_H

#include "buffer.h"
#include "network_config.h"

/* Makes one GET, and appends the body of a reply of 2xx that came whole to `out`, up to the
 * buffer's ceiling. False when there is none; then `why` says so, to be read after the URL, safe
 * for a terminal. Sets libcurl up and takes it down: no other thread may run. */
bool fetch(const char *url, const struct network_config *config, struct buffer *out,
           struct buffer *why);

#endif
