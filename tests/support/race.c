#include "race.h"

#include <pthread.h>
#include <stdlib.h>

struct racer {
    struct race *race;
    pthread_t thread;
    struct client client;
    struct arena arena; /* the racer's while it runs, ours between runs */
    struct bytes bytes;
    const char *problem;
};

struct race {
    struct scene *scene;
    size_t count;
    bool over;
    pthread_barrier_t start;
    pthread_barrier_t finish;
    struct client_reply *replies;
    struct racer racers[];
};

static void run_once(struct racer *racer) {
    struct client_reply *reply = &racer->race->replies[racer - racer->race->racers];
    if (!client_send(&racer->client, racer->bytes))
        racer->problem = "the request is not taken";
    else
        racer->problem = client_receive(&racer->client, false, &racer->arena, reply);
}

static void *run(void *context) {
    struct racer *racer = context;
    for (;;) {
        pthread_barrier_wait(&racer->race->start);
        if (racer->race->over)
            return NULL;
        run_once(racer);
        pthread_barrier_wait(&racer->race->finish);
    }
}

struct race *race_new(struct scene *scene, size_t count) {
    struct race *race = calloc(1, sizeof *race + count * sizeof race->racers[0]);
    assert_non_null(race);
    race->scene = scene;
    race->count = count;
    race->replies = calloc(count, sizeof *race->replies);
    assert_non_null(race->replies);
    pthread_barrier_init(&race->start, NULL, (unsigned)count + 1);
    pthread_barrier_init(&race->finish, NULL, (unsigned)count + 1);
    for (size_t i = 0; i < count; i++) {
        race->racers[i].race = race;
        connect_to(scene, &race->racers[i].client);
        assert_int_equal(pthread_create(&race->racers[i].thread, NULL, run, &race->racers[i]), 0);
    }
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
    for (size_t i = 0; i < race->count; i++) {
        pthread_join(race->racers[i].thread, NULL);
        client_close(&race->racers[i].client);
        arena_done(&race->racers[i].arena);
    }
    pthread_barrier_destroy(&race->start);
    pthread_barrier_destroy(&race->finish);
    free(race->replies);
    free(race);
}
