/* A request's raw target: split first, decoded once (the library decodes it before
 * a handler sees it). Pure. */
#ifndef TANDEM_TARGET_H
#define TANDEM_TARGET_H

#include "bytes.h"

enum target_match {
    TARGET_MATCHES,
    TARGET_OTHER,         /* another path, or one that clients and proxies rewrite */
    TARGET_BROKEN_ESCAPE, /* the parameter can't be read */
    TARGET_NUL,
    TARGET_NOT_UTF8,
};

/* False for a target with a space or a control character, which readers split differently. */
bool target_is_plain(struct bytes target);

/* The path of a raw target, still escaped: origin form or absolute form, without the query. False
 * for anything else, a fragment included. */
bool target_path(struct bytes target, struct bytes *path);

/* Matches a raw path against a route's template. The parameter is decoded into `room`, which has as
 * many bytes as the path, and `parameter` borrows from there. */
enum target_match target_match(struct bytes path, const char *template, unsigned char *room,
                               struct bytes *parameter);

#endif
