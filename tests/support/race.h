/* Many clients that send at the same moment, each on a connection that stays open. A few threads,
 * let go together by a barrier, write all the requests before any of them reads a reply: a thread
 * for each client would spend the time on waking up. */
#ifndef TANDEM_TEST_RACE_H
#define TANDEM_TEST_RACE_H

#include "checked_exchange.h"

struct race;

/* Opens `count` connections to the scene's server; fails the test when they can't be had. */
struct race *race_new(struct scene *scene, size_t count);
void race_free(struct race *race);

/* Every racer sends its request; returns the replies, in the requests' order, once all are there
 * and were held to the document. They live until the next run. */
const struct client_reply *race_run(struct race *race, const struct client_request *requests);

#endif
