#include "used_set.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = 0, FORGOTTEN_PER_CALL = 2 };

/* Entries are numbered from 1; NONE ends a chain. */
struct entry {
    unsigned char mac[MAC_SIZE];
    int64_t good_until;
    uint32_t next; /* in the same bucket, or in the list of free entries */
};

struct used_set {
    pthread_mutex_t lock; /* guards all below */
    struct entry *entries;
    uint32_t *buckets;
    uint32_t bucket_mask;
    uint32_t *heap; /* entries, the one that expires first on top */
    uint32_t count;
    uint32_t capacity;
    uint32_t untouched; /* entries from here on were never used */
    uint32_t free;      /* the first free entry among those that were */
    int64_t floor;      /* pruned_until */
};

static uint32_t bucket_count_for(size_t capacity) {
    uint32_t count = 1;
    while (count < capacity)
        count *= 2;
    return count;
}

static bool allocate_tables(struct used_set *set, size_t capacity) {
    uint32_t bucket_count = bucket_count_for(capacity);
    /* calloc, so that the pages of what isn't used yet aren't there yet. */
    set->entries = calloc(capacity + 1, sizeof *set->entries);
    set->buckets = calloc(bucket_count, sizeof *set->buckets);
    set->heap = calloc(capacity, sizeof *set->heap);
    set->bucket_mask = bucket_count - 1;
    return set->entries != NULL && set->buckets != NULL && set->heap != NULL;
}

static void free_tables(struct used_set *set) {
    free(set->entries);
    free(set->buckets);
    free(set->heap);
    free(set);
}

enum status used_set_new(size_t capacity, struct used_set **out) {
    if (capacity < 1 || capacity > USED_SET_CAPACITY_MOST)
        return STATUS_INVALID;
    struct used_set *set = calloc(1, sizeof *set);
    if (set == NULL)
        return STATUS_NO_MEMORY;
    if (!allocate_tables(set, capacity) || pthread_mutex_init(&set->lock, NULL) != 0) {
        free_tables(set);
        return STATUS_NO_MEMORY;
    }
    set->capacity = (uint32_t)capacity;
    set->untouched = 1;
    set->floor = INT64_MIN;
    *out = set;
    return STATUS_OK;
}

void used_set_free(struct used_set *set) {
    if (set == NULL)
        return;
    pthread_mutex_destroy(&set->lock);
    free_tables(set);
}

/* A MAC is as good as random to whoever holds no key, so its first bytes are the hash. */
static uint32_t *bucket_of(struct used_set *set, const unsigned char *mac) {
    uint32_t hash;
    memcpy(&hash, mac, sizeof hash);
    return &set->buckets[hash & set->bucket_mask];
}

static bool contains(struct used_set *set, const unsigned char *mac) {
    for (uint32_t at = *bucket_of(set, mac); at != NONE; at = set->entries[at].next)
        if (memcmp(set->entries[at].mac, mac, MAC_SIZE) == 0)
            return true;
    return false;
}

static bool expires_before(const struct used_set *set, uint32_t left, uint32_t right) {
    return set->entries[left].good_until < set->entries[right].good_until;
}

static void heap_push(struct used_set *set, uint32_t entry) {
    uint32_t hole = set->count++;
    while (hole > 0 && expires_before(set, entry, set->heap[(hole - 1) / 2])) {
        set->heap[hole] = set->heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    set->heap[hole] = entry;
}

static uint32_t heap_pop(struct used_set *set) {
    uint32_t top = set->heap[0];
    uint32_t moved = set->heap[--set->count];
    uint32_t hole = 0;
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= set->count)
            break;
        if (child + 1 < set->count && expires_before(set, set->heap[child + 1], set->heap[child]))
            child++;
        if (!expires_before(set, set->heap[child], moved))
            break;
        set->heap[hole] = set->heap[child];
        hole = child;
    }
    set->heap[hole] = moved;
    return top;
}

static void unlink_entry(struct used_set *set, uint32_t entry) {
    uint32_t *link = bucket_of(set, set->entries[entry].mac);
    while (*link != entry)
        link = &set->entries[*link].next;
    *link = set->entries[entry].next;
}

static void forget_expired(struct used_set *set, int64_t now) {
    for (int i = 0; i < FORGOTTEN_PER_CALL && set->count > 0; i++) {
        int64_t good_until = set->entries[set->heap[0]].good_until;
        if (now <= good_until)
            return;
        if (good_until > set->floor)
            set->floor = good_until;
        uint32_t entry = heap_pop(set);
        unlink_entry(set, entry);
        set->entries[entry].next = set->free;
        set->free = entry;
    }
}

static uint32_t take_entry(struct used_set *set) {
    if (set->free == NONE)
        return set->untouched++;
    uint32_t entry = set->free;
    set->free = set->entries[entry].next;
    return entry;
}

static void record(struct used_set *set, const unsigned char *mac, int64_t good_until) {
    uint32_t entry = take_entry(set);
    uint32_t *bucket = bucket_of(set, mac);
    memcpy(set->entries[entry].mac, mac, MAC_SIZE);
    set->entries[entry].good_until = good_until;
    set->entries[entry].next = *bucket;
    *bucket = entry;
    heap_push(set, entry);
}

static enum spend spend(struct used_set *set, const unsigned char *mac, int64_t good_until,
                        int64_t now) {
    forget_expired(set, now);
    if (good_until < now || good_until <= set->floor)
        return SPEND_EXPIRED;
    if (contains(set, mac))
        return SPEND_USED;
    if (set->count == set->capacity)
        return SPEND_FULL;
    record(set, mac, good_until);
    return SPEND_RECORDED;
}

enum spend used_set_spend(struct used_set *set, const unsigned char mac[MAC_SIZE],
                          int64_t good_until, int64_t now) {
    pthread_mutex_lock(&set->lock);
    enum spend result = spend(set, mac, good_until, now);
    pthread_mutex_unlock(&set->lock);
    return result;
}

size_t used_set_count(struct used_set *set) {
    pthread_mutex_lock(&set->lock);
    size_t count = set->count;
    pthread_mutex_unlock(&set->lock);
    return count;
}

bool used_set_is_full(struct used_set *set, int64_t now) {
    pthread_mutex_lock(&set->lock);
    bool full = set->count == set->capacity && now <= set->entries[set->heap[0]].good_until;
    pthread_mutex_unlock(&set->lock);
    return full;
}
