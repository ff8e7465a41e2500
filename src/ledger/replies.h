/* Replies kept in memory under the MAC of their state, until the state expires. One thread at a
 * time. Private to ledger. */
#ifndef TANDEM_REPLIES_H
#define TANDEM_REPLIES_H

#include "ledger.h"

struct replies;

/* Room for `capacity` replies. */
enum status replies_new(size_t capacity, struct replies **out);
void replies_free(struct replies *replies);

/* Forgets what expired before `now`, a bounded number of replies at a time. */
void replies_forget(struct replies *replies, int64_t now);

bool replies_are_full(const struct replies *replies);

/* What is kept for a state: LEDGER_REPLAYED and the reply, which lives until the next call;
 * LEDGER_KEY_REUSED; LEDGER_NOT_STORED also for one that expired or came with another key. */
struct settled replies_find(const struct replies *replies, const struct settlement *settlement);

/* A settlement's reply, made ready so that keeping it can't fail; NULL when there is no memory.
 * Either it is kept, for which there must be room, or it is released with free(). */
struct kept_reply *kept_reply_new(const struct settlement *settlement);
void replies_keep(struct replies *replies, struct kept_reply *kept);

#endif
