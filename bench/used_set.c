/* The memory of used states by itself: fills it with LIVE states that can still be replayed, lets
 * FLOW more pass through while as many expire, and says what that takes: bytes of resident memory,
 * and the time of single calls, of the first LIVE states and of the LIVE after them.
 * A pause of the set's own comes at the same call every time, one that a busy machine makes
 * doesn't, so all is done REPEATS times, and of each call the shortest time counts.
 *
 * usage: used_set LIVE FLOW (LIVE a multiple of 100, FLOW at least LIVE) */
#include "used_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    REPEATS = 3,
    VALID_FOR = 99, /* seconds, both ends included: LIVE states are a hundred seconds' worth */
    SECONDS_LIVE = VALID_FOR + 1,
};

struct run {
    uint64_t live;
    uint64_t flow;
    uint32_t *times; /* nanoseconds, of the first 2 * LIVE calls */
    long at_rest;    /* bytes of resident memory */
    long filled;
    long flowed;
};

static uint64_t monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static long resident_bytes(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* A MAC for every number, as good as random (splitmix64). */
static void make_mac(uint64_t number, unsigned char mac[MAC_SIZE]) {
    for (size_t at = 0; at < MAC_SIZE; at += sizeof(uint64_t)) {
        uint64_t value = (number * 4 + at / sizeof value) * 0x9e3779b97f4a7c15U;
        value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
        value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
        value ^= value >> 31;
        memcpy(mac + at, &value, sizeof value);
    }
}

/* The second in which a state comes. */
static int64_t second_of(const struct run *run, uint64_t number) {
    return (int64_t)(number / (run->live / SECONDS_LIVE));
}

static void expect(enum spend got, enum spend wanted, uint64_t number) {
    if (got == wanted)
        return;
    fprintf(stderr, "state %llu: %d instead of %d\n", (unsigned long long)number, got, wanted);
    exit(1);
}

static void spend_timed(struct run *run, struct used_set *set, uint64_t from, uint64_t to) {
    for (uint64_t number = from; number < to; number++) {
        unsigned char mac[MAC_SIZE];
        make_mac(number, mac);
        int64_t now = second_of(run, number);
        uint64_t began = monotonic_nanoseconds();
        enum spend result = used_set_spend(set, mac, now + VALID_FOR, now);
        uint64_t taken = monotonic_nanoseconds() - began;
        expect(result, SPEND_RECORDED, number);
        if (taken < run->times[number])
            run->times[number] = (uint32_t)taken;
    }
}

static void spend_rest(const struct run *run, struct used_set *set) {
    for (uint64_t number = 2 * run->live; number < run->live + run->flow; number++) {
        unsigned char mac[MAC_SIZE];
        make_mac(number, mac);
        int64_t now = second_of(run, number);
        expect(used_set_spend(set, mac, now + VALID_FOR, now), SPEND_RECORDED, number);
    }
}

/* What can still be replayed is remembered, to the last one. */
static void check_remembered(const struct run *run, struct used_set *set) {
    int64_t now = second_of(run, run->live + run->flow - 1);
    for (uint64_t number = run->flow; number < run->live + run->flow; number++) {
        unsigned char mac[MAC_SIZE];
        make_mac(number, mac);
        int64_t good_until = second_of(run, number) + VALID_FOR;
        if (good_until >= now)
            expect(used_set_spend(set, mac, good_until, now), SPEND_USED, number);
    }
}

static void repeat(struct run *run, bool is_first) {
    struct used_set *set = NULL;
    if (is_first)
        run->at_rest = resident_bytes();
    if (used_set_new(run->live, &set) != STATUS_OK)
        exit(1);
    spend_timed(run, set, 0, run->live);
    if (is_first)
        run->filled = resident_bytes();
    spend_timed(run, set, run->live, 2 * run->live);
    if (is_first) {
        spend_rest(run, set);
        run->flowed = resident_bytes();
        check_remembered(run, set);
    }
    used_set_free(set);
}

static int compare_times(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void print_times(const char *name, uint32_t *times, uint64_t count) {
    qsort(times, count, sizeof times[0], compare_times);
    printf("%s_p50=%.2f %s_p99=%.2f %s_p9999=%.2f %s_slowest=%.2f ", name, times[count / 2] / 1e3,
           name, times[count - 1 - count / 100] / 1e3, name, times[count - 1 - count / 10000] / 1e3,
           name, times[count - 1] / 1e3);
}

int main(int count, char **words) {
    struct run run = {.live = count == 3 ? strtoull(words[1], NULL, 10) : 0,
                      .flow = count == 3 ? strtoull(words[2], NULL, 10) : 0};
    if (run.live == 0 || run.live % SECONDS_LIVE != 0 || run.flow < run.live) {
        fprintf(stderr, "usage: used_set LIVE FLOW (LIVE a multiple of %d, FLOW at least LIVE)\n",
                SECONDS_LIVE);
        return 2;
    }
    run.times = malloc(2 * run.live * sizeof run.times[0]);
    if (run.times == NULL)
        return 1;
    memset(run.times, 0xFF, 2 * run.live * sizeof run.times[0]);
    for (int i = 0; i < REPEATS; i++)
        repeat(&run, i == 0);
    printf("bytes=%.1f flatness=%.3f ", (double)(run.filled - run.at_rest) / (double)run.live,
           (double)(run.flowed - run.at_rest) / (double)(run.filled - run.at_rest));
    print_times("fill", run.times, run.live);
    print_times("flow", run.times + run.live, run.live);
    printf("\n");
    free(run.times);
    return 0;
}
