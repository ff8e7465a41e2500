/* Reads the chunked transfer coding. libcurl takes a reply for whole that lacks its last byte, so
 * the framing is looked at once more here. Private to transport. */
#ifndef TANDEM_CHUNKS_H
#define TANDEM_CHUNKS_H

#include "buffer.h"

enum chunks_state {
    CHUNKS_SIZE,      /* in the hex digits of a size */
    CHUNKS_EXTENSION, /* behind them, up to the line's end */
    CHUNKS_DATA,
    CHUNKS_DATA_END, /* the line end behind a chunk's data */
    CHUNKS_TRAILER,  /* in the lines behind the last chunk */
    CHUNKS_DONE,
    CHUNKS_BROKEN,
};

struct chunks {
    enum chunks_state state;
    size_t size;     /* of the chunk, and then what is left of it */
    unsigned digits; /* of the size, read so far; or characters in a trailer's line */
};

/* Takes the next bytes of the body as they came, and appends the data in them. The caller looks at
 * the state; what follows the end is ignored. Begins with a struct chunks that is all zero. */
void chunks_read(struct chunks *chunks, struct bytes piece, struct buffer *out);

#endif
