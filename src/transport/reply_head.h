/* A reply's status and the headers that matter, gathered from the lines that libcurl passes on.
 * libcurl calls a reply a success that ends inside its headers: here it is complete only with the
 * blank line. Private to transport. */
#ifndef TANDEM_REPLY_HEAD_H
#define TANDEM_REPLY_HEAD_H

#include "buffer.h"
#include "transport.h"

/* Content-Type and Location, and the caller's. */
enum { REPLY_FIELDS_MOST = TRANSPORT_KEPT_MOST + 2 };

struct reply_field {
    const char *name; /* borrowed */
    unsigned count;
    struct buffer value; /* of the last one */
    bool is_cut;
};

struct reply_head {
    bool is_complete; /* the blank line after the headers of the final reply came */
    unsigned status;  /* 0 until there is one */
    unsigned codings; /* how many Transfer-Encoding headers there are */
    bool is_chunked;  /* the last of them is chunked and nothing else */
    struct reply_field fields[REPLY_FIELDS_MOST];
    size_t field_count;
};

/* `kept` as in transport_config. Owns nothing until a line comes. */
struct reply_head reply_head_new(const char *const *kept);
void reply_head_done(struct reply_head *head);

/* Forgets all that was read. */
void reply_head_clear(struct reply_head *head);

/* Takes the next line, with its line end. Trailers, and all else that follows the blank line of the
 * final reply, are ignored; interim replies (1xx) are forgotten. STATUS_NO_MEMORY. */
enum status reply_head_line(struct reply_head *head, struct bytes line);

/* The field of that name in either case, or NULL when it isn't kept. */
const struct reply_field *reply_head_field(const struct reply_head *head, struct bytes name);

/* True when there is one Content-Type, and it is this one. */
bool reply_head_is_type(const struct reply_head *head, struct bytes media_type);

#endif
