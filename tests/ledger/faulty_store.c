#include "faulty_store.h"

#include <pthread.h>
#include <stdlib.h>

struct faulty {
    struct store store; /* first: the interface's pointer is ours */
    struct store *inner;
    pthread_mutex_t lock;
    pthread_cond_t let_go;
    bool is_held;
    struct fault faults[CALL_COUNT];
    unsigned calls[CALL_COUNT];
};

/* Whether this call fails, and then as `fault` has it. */
static bool fails(struct faulty *faulty, enum call call, struct fault *fault) {
    pthread_mutex_lock(&faulty->lock);
    faulty->calls[call]++;
    struct fault *set = &faulty->faults[call];
    *fault = *set;
    bool now = set->skip == 0 && set->times > 0;
    if (set->skip > 0)
        set->skip--;
    else if (set->times > 0)
        set->times--;
    pthread_mutex_unlock(&faulty->lock);
    return now;
}

#define PASS_ON(call, made)                                                                        \
    struct faulty *faulty = (struct faulty *)store;                                                \
    struct fault fault;                                                                            \
    bool has_failed = fails(faulty, (call), &fault);                                               \
    if (has_failed && !fault.does_it)                                                              \
        return fault.status;                                                                       \
    enum status status = (made);                                                                   \
    return has_failed ? fault.status : status

static enum status begin(struct store *store) {
    struct faulty *held = (struct faulty *)store;
    pthread_mutex_lock(&held->lock);
    while (held->is_held)
        pthread_cond_wait(&held->let_go, &held->lock);
    pthread_mutex_unlock(&held->lock);
    PASS_ON(CALL_BEGIN, faulty->inner->operations->begin(faulty->inner));
}

static enum status settle(struct store *store, const struct settlement *settlement,
                          enum ledger_fact *fact, struct buffer *reply) {
    PASS_ON(CALL_SETTLE, faulty->inner->operations->settle(faulty->inner, settlement, fact, reply));
}

static enum status prune(struct store *store, int64_t now, size_t most, size_t *pruned) {
    PASS_ON(CALL_PRUNE, faulty->inner->operations->prune(faulty->inner, now, most, pruned));
}

static enum status touch(struct store *store) {
    struct faulty *faulty = (struct faulty *)store;
    return faulty->inner->operations->touch(faulty->inner);
}

static enum status commit(struct store *store) {
    PASS_ON(CALL_COMMIT, faulty->inner->operations->commit(faulty->inner));
}

static void rollback(struct store *store) {
    struct faulty *faulty = (struct faulty *)store;
    faulty->inner->operations->rollback(faulty->inner);
}

static enum status find(struct store *store, const struct settlement *settlement, bool *found) {
    PASS_ON(CALL_FIND, faulty->inner->operations->find(faulty->inner, settlement, found));
}

static enum status find_taken(struct store *store, struct bytes salon, const struct bytes *slots,
                              size_t count, bool *taken) {
    PASS_ON(CALL_FIND_TAKEN,
            faulty->inner->operations->find_taken(faulty->inner, salon, slots, count, taken));
}

static void release(struct store *store) {
    struct faulty *faulty = (struct faulty *)store;
    faulty->inner->operations->free(faulty->inner);
    pthread_cond_destroy(&faulty->let_go);
    pthread_mutex_destroy(&faulty->lock);
    free(faulty);
}

struct store *faulty_store_new(struct store *inner, struct faulty **out) {
    static const struct store_operations operations = {
        .begin = begin,
        .settle = settle,
        .prune = prune,
        .touch = touch,
        .commit = commit,
        .rollback = rollback,
        .find = find,
        .find_taken = find_taken,
        .free = release,
    };
    struct faulty *faulty = calloc(1, sizeof *faulty);
    if (faulty == NULL)
        abort();
    faulty->store = *inner;
    faulty->store.operations = &operations;
    faulty->inner = inner;
    pthread_mutex_init(&faulty->lock, NULL);
    pthread_cond_init(&faulty->let_go, NULL);
    *out = faulty;
    return &faulty->store;
}

void faulty_set(struct faulty *faulty, enum call call, struct fault fault) {
    pthread_mutex_lock(&faulty->lock);
    faulty->faults[call] = fault;
    pthread_mutex_unlock(&faulty->lock);
}

unsigned faulty_calls(struct faulty *faulty, enum call call) {
    pthread_mutex_lock(&faulty->lock);
    unsigned calls = faulty->calls[call];
    pthread_mutex_unlock(&faulty->lock);
    return calls;
}

void faulty_hold(struct faulty *faulty) {
    pthread_mutex_lock(&faulty->lock);
    faulty->is_held = true;
    pthread_mutex_unlock(&faulty->lock);
}

void faulty_let_go(struct faulty *faulty) {
    pthread_mutex_lock(&faulty->lock);
    faulty->is_held = false;
    pthread_cond_broadcast(&faulty->let_go);
    pthread_mutex_unlock(&faulty->lock);
}
