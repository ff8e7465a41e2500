#include "race.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS_MOST = 16 };

/* A client. */
struct racer {
    struct client client;
    struct arena arena; /* its thread's during a run, ours between runs */
    struct bytes bytes;
    struct client_reply *reply;
    const char *problem;
};

/* A thread, and every how-many-th of the racers are its. */
struct runner {
    struct race *race;
    pthread_t thread;
    size_t first;
};

struct race {
    struct scene *scene;
    bool over;
    pthread_barrier_t start;
    pthread_barrier_t finish;
    size_t runner_count;
    struct runner runners[THREADS_MOST];
    struct client_reply *replies;
    size_t count;
    struct racer racers[];
};

static void send_one(struct racer *racer) {
    if (!client_send(&racer->client, racer->bytes))
        racer->problem = "the request is not taken";
}

static void receive_one(struct racer *racer) {
    if (racer->problem == NULL)
        racer->problem = client_receive(&racer->client, false, &racer->arena, racer->reply);
}

static void for_each_racer(const struct runner *runner, void (*work)(struct racer *racer)) {
    struct race *race = runner->race;
    for (size_t i = runner->first; i < race->count; i += race->runner_count)
        work(&race->racers[i]);
}

static void *run(void *context) {
    const struct runner *runner = context;
    for (;;) {
        pthread_barrier_wait(&runner->race->start);
        if (runner->race->over)
            return NULL;
        for_each_racer(runner, send_one);
        for_each_racer(runner, receive_one);
        pthread_barrier_wait(&runner->race->finish);
    }
}

static void start_runners(struct race *race) {
    race->runner_count = race->count < THREADS_MOST ? race->count : THREADS_MOST;
    pthread_barrier_init(&race->start, NULL, (unsigned)race->runner_count + 1);
    pthread_barrier_init(&race->finish, NULL, (unsigned)race->runner_count + 1);
    for (size_t i = 0; i < race->runner_count; i++) {
        race->runners[i] = (struct runner){.race = race, .first = i};
        assert_int_equal(pthread_create(&race->runners[i].thread, NULL, run, &race->runners[i]), 0);
    }
}

struct race *race_new(struct scene *scene, size_t count) {
    struct race *race = calloc(1, sizeof *race + count * sizeof race->racers[0]);
    assert_non_null(race);
    race->scene = scene;
    race->count = count;
    race->replies = calloc(count, sizeof *race->replies);
    assert_non_null(race->replies);
    for (size_t i = 0; i < count; i++) {
        race->racers[i].reply = &race->replies[i];
        connect_to(scene, &race->racers[i].client);
    }
    start_runners(race);
    return race;
}

static void check_all(struct race *race, const struct client_request *requests) {
    for (size_t i = 0; i < race->count; i++) {
        if (race->racers[i].problem != NULL)
            fail_msg("racer %zu: %s", i, race->racers[i].problem);
        check_reply(race->scene, &requests[i], &race->replies[i]);
    }
}

const struct client_reply *race_run(struct race *race, const struct client_request *requests) {
    for (size_t i = 0; i < race->count; i++) {
        struct client_request request = requests[i];
        request.keeps_alive = true;
        arena_done(&race->racers[i].arena);
        race->racers[i].bytes = client_request_bytes(&request, &race->racers[i].arena);
    }
    pthread_barrier_wait(&race->start);
    pthread_barrier_wait(&race->finish);
    check_all(race, requests);
    return race->replies;
}

void race_free(struct race *race) {
    race->over = true;
    pthread_barrier_wait(&race->start);
    for (size_t i = 0; i < race->runner_count; i++)
        pthread_join(race->runners[i].thread, NULL);
    for (size_t i = 0; i < race->count; i++) {
        client_close(&race->racers[i].client);
        arena_done(&race->racers[i].arena);
    }
    pthread_barrier_destroy(&race->start);
    pthread_barrier_destroy(&race->finish);
    free(race->replies);
    free(race);
}
