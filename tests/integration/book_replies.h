/* Replies for servers that play a script to "tandem book"; each ends where the connection does. */
#ifndef TANDEM_TEST_BOOK_REPLIES_H
#define TANDEM_TEST_BOOK_REPLIES_H

#include "fixtures.h"

#include "scene.h"
#include "scripted_server.h"
#include "session.h"

#define WITH_STATUS(status, type, body)                                                            \
    "HTTP/1.1 " status "\r\nContent-Type: " type "\r\nConnection: close\r\n\r\n" body
#define JSON_REPLY(body) WITH_STATUS("200 OK", "application/json;charset=utf-8", body)

#define QUESTION_OF(message, times)                                                                \
    JSON_REPLY("{\"inputRequests\":{\"time\":{\"method\":\"elicitation/create\",\"params\":{"      \
               "\"message\":\"" message                                                            \
               "\",\"mode\":\"form\",\"requestedSchema\":{\"properties\":{"                        \
               "\"time\":{\"enum\":[" times "],\"type\":\"string\"}},\"required\":[\"time\"],"     \
               "\"type\":\"object\"}}}},\"requestState\":\"{\\\"goodUntil\\\":1}.ab\","            \
               "\"resultType\":\"input_required\"}")
#define QUESTION QUESTION_OF("Which time suits you?", "\"sat-10:30\",\"sat-11:30\"")
#define BOOKED_AS(slot, say)                                                                       \
    JSON_REPLY("{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"" say                \
               "\",\"slot\":\"" slot "\",\"status\":\"booked\"}}")
#define BOOKED BOOKED_AS("sat-10:30", "sat-10:30 is yours.")
#define NOT_BOOKED                                                                                 \
    JSON_REPLY(                                                                                    \
        "{\"resultType\":\"complete\",\"structuredContent\":{\"say\":\"No time was chosen, "       \
        "so nothing is booked.\",\"status\":\"not_booked\"}}")

#define MAY_BE_BOOKED "the visit may be booked; ask the salon before trying again\n"
#define TAKEN "sat-10:30 was taken meanwhile. Pick another time?\n"

/* The arguments of "tandem book" with two slots, and more; needs `url`. */
#define BOOK(...)                                                                                  \
    ((const char *const[]){"book", url, "elm-street", "a trim", "--slot", "sat-10:30", "--slot",   \
                           "sat-11:30", __VA_ARGS__, NULL})

/* The same with the slots of a file. */
#define BOOK_FROM(file, ...)                                                                       \
    ((const char *const[]){"book", url, "elm-street", "a trim", "--slots-from", file, __VA_ARGS__, \
                           NULL})

/* Where the scene's server is. */
static inline const char *url_of(struct scene *scene) {
    const struct server_address *address = &scene->server.address;
    return arena_format(&scene->arena, "http://%s:%u", address->host, address->port);
}

#endif
