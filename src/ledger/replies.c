#include "replies.h"

#include <stdlib.h>
#include <string.h>

enum { FORGOTTEN_PER_CALL = 2 };

struct kept_reply {
    struct kept_reply *next_in_bucket;
    struct kept_reply *next; /* kept after this one */
    unsigned char mac[MAC_SIZE];
    unsigned char key[DIGEST_SIZE];
    unsigned char answer[DIGEST_SIZE];
    int64_t good_until;
    size_t size;
    unsigned char reply[];
};

struct replies {
    size_t capacity;
    size_t count;
    size_t bucket_mask;
    struct kept_reply
        *first; /* the oldest. States expire in about the order in which they are used */
    struct kept_reply *last;
    struct kept_reply *buckets[];
};

enum status replies_new(size_t capacity, struct replies **out) {
    size_t bucket_count = 1;
    while (bucket_count < capacity)
        bucket_count *= 2;
    struct replies *replies =
        calloc(1, sizeof *replies + bucket_count * sizeof(struct kept_reply *));
    if (replies == NULL)
        return STATUS_NO_MEMORY;
    replies->capacity = capacity;
    replies->bucket_mask = bucket_count - 1;
    *out = replies;
    return STATUS_OK;
}

void replies_free(struct replies *replies) {
    if (replies == NULL)
        return;
    for (struct kept_reply *kept = replies->first; kept != NULL;) {
        struct kept_reply *next = kept->next;
        free(kept);
        kept = next;
    }
    free(replies);
}

/* A MAC's bytes are as good as random. */
static size_t bucket_of(const struct replies *replies, const unsigned char *mac) {
    size_t hash;
    memcpy(&hash, mac, sizeof hash);
    return hash & replies->bucket_mask;
}

static void forget_first(struct replies *replies) {
    struct kept_reply *kept = replies->first;
    struct kept_reply **link = &replies->buckets[bucket_of(replies, kept->mac)];
    while (*link != kept)
        link = &(*link)->next_in_bucket;
    *link = kept->next_in_bucket;
    replies->first = kept->next;
    if (replies->first == NULL)
        replies->last = NULL;
    replies->count--;
    free(kept);
}

void replies_forget(struct replies *replies, int64_t now) {
    for (int i = 0; i < FORGOTTEN_PER_CALL; i++) {
        if (replies->first == NULL || now <= replies->first->good_until)
            return;
        forget_first(replies);
    }
}

bool replies_are_full(const struct replies *replies) {
    return replies->count == replies->capacity;
}

static const struct kept_reply *find(const struct replies *replies, const unsigned char *mac) {
    const struct kept_reply *kept = replies->buckets[bucket_of(replies, mac)];
    while (kept != NULL && memcmp(kept->mac, mac, MAC_SIZE) != 0)
        kept = kept->next_in_bucket;
    return kept;
}

struct settled replies_find(const struct replies *replies, const struct settlement *settlement) {
    const struct idempotency *asked = settlement->idempotency;
    const struct kept_reply *kept = find(replies, settlement->mac);
    if (kept == NULL || settlement->now > kept->good_until ||
        memcmp(kept->key, asked->key, sizeof kept->key) != 0)
        return (struct settled){.fact = LEDGER_NOT_STORED};
    if (memcmp(kept->answer, asked->answer, sizeof kept->answer) != 0)
        return (struct settled){.fact = LEDGER_KEY_REUSED};
    return (struct settled){LEDGER_REPLAYED, {kept->reply, kept->size}};
}

struct kept_reply *kept_reply_new(const struct settlement *settlement) {
    const struct idempotency *asked = settlement->idempotency;
    struct kept_reply *kept = calloc(1, sizeof *kept + asked->reply.size);
    if (kept == NULL)
        return NULL;
    memcpy(kept->mac, settlement->mac, MAC_SIZE);
    memcpy(kept->key, asked->key, sizeof kept->key);
    memcpy(kept->answer, asked->answer, sizeof kept->answer);
    kept->good_until = settlement->good_until;
    kept->size = asked->reply.size;
    if (kept->size > 0)
        memcpy(kept->reply, asked->reply.data, kept->size);
    return kept;
}

void replies_keep(struct replies *replies, struct kept_reply *kept) {
    struct kept_reply **bucket = &replies->buckets[bucket_of(replies, kept->mac)];
    kept->next_in_bucket = *bucket;
    *bucket = kept;
    if (replies->last == NULL)
        replies->first = kept;
    else
        replies->last->next = kept;
    replies->last = kept;
    replies->count++;
}
