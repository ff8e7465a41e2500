/* The way in which integration tests talk to the server: every reply is held to
 * openapi/booking.json before a test sees it, and one that isn't as declared there fails the test.
 */
#ifndef TANDEM_TEST_CHECKED_EXCHANGE_H
#define TANDEM_TEST_CHECKED_EXCHANGE_H

#include "booking_requests.h"
#include "http_client.h"
#include "scene.h"

/* Sends a request on a connection of its own and receives the reply. */
const struct client_reply *exchange(struct scene *scene, const struct client_request *request);

/* The same with a POST of this body to the usual salon. */
const struct client_reply *book(struct scene *scene, struct bytes body);

/* The same to another salon, which is written as it stands in the path. */
const struct client_reply *book_at(struct scene *scene, const char *salon, struct bytes body);

/* Opens a connection, which the caller closes; fails the test when that can't be done. */
void connect_to(struct scene *scene, struct client *client);

/* Sends bytes; fails the test when they aren't taken. */
void send_text(struct client *client, struct bytes text);

/* Receives the reply to `request`, which the test itself sent somehow. Only its method, target and
 * body are looked at. */
const struct client_reply *receive(struct scene *scene, struct client *client,
                                   const struct client_request *request);

/* The same, or NULL when the connection ends before any reply. */
const struct client_reply *receive_or_end(struct scene *scene, struct client *client,
                                          const struct client_request *request);

/* Receives the interim reply that asks for the body. */
void receive_continue(struct scene *scene, struct client *client);

/* Receives a page that libmicrohttpd makes itself, before any handler, and that the document leaves
 * to prose: fails the test unless it has this status, is HTML, and the connection closes. */
void receive_library_page(struct scene *scene, struct client *client, unsigned status);

/* Gets a page of the operator's listener, which the document doesn't have: fails the test unless it
 * comes with this status and is plain text. */
const char *get_operator_page(struct scene *scene, const struct server_address *address,
                              const char *path, unsigned status);

/* Scrapes the metrics until they have all these lines, since a request is counted only when its
 * reply has gone; fails the test, naming what is missing, when that takes longer than PATIENCE. */
const char *get_metrics(struct scene *scene, const struct server_address *address,
                        const char *const *lines, size_t count);

/* Fails the test unless the reply has this status and body, or is a refusal with this reason. */
void assert_reply(const struct client_reply *reply, unsigned status, const char *body);
void assert_refused(struct scene *scene, const struct client_reply *reply, unsigned status,
                    const char *reason);

/* Round one of the usual booking: the state of its reply. */
const char *ask(struct scene *scene);

/* The same of a booking (JSON text) at a salon. */
const char *ask_for(struct scene *scene, const char *salon, const char *arguments);

/* Round two of the usual booking with an answer (JSON text) to the question. */
const struct client_reply *answer(struct scene *scene, const char *answer_text, const char *state);

/* Holds a reply that was received elsewhere to the document. */
void check_reply(struct scene *scene, const struct client_request *request,
                 const struct client_reply *reply);

#endif
