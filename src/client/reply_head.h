/* A reply's status and the headers that matter, gathered from the lines that libcurl passes on.
 * libcurl calls a reply a success that ends inside its headers: here it is complete only with the
 * blank line. Private to client. */
#ifndef TANDEM_REPLY_HEAD_H
#define TANDEM_REPLY_HEAD_H

#include "buffer.h"

struct reply_head {
    bool is_complete; /* the blank line after the headers of the final reply came */
    unsigned status;  /* 0 until there is one */
    unsigned types;   /* how many Content-Type headers there are */
    bool is_json;     /* the last of them is application/json */
    unsigned codings; /* how many Transfer-Encoding headers there are */
    bool is_chunked;  /* the last of them is chunked and nothing else */
    struct buffer location;
};

struct reply_head reply_head_new(size_t location_size_max);
void reply_head_done(struct reply_head *head);

/* Forgets all that was read. */
void reply_head_clear(struct reply_head *head);

/* Takes the next line, with its line end. Trailers, and all else that follows the blank line of the
 * final reply, are ignored; interim replies (1xx) are forgotten. */
void reply_head_line(struct reply_head *head, struct bytes line);

/* Two readers could take two labels differently, so more than one is none. */
bool reply_head_is_json(const struct reply_head *head);

#endif
