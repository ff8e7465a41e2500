/* The built server as a process of its own, on a free port, in a private directory: two test
 * programs can run at once. Functions that say "fails the test" are for cmocka's thread. */
#ifndef TANDEM_TEST_SERVER_PROCESS_H
#define TANDEM_TEST_SERVER_PROCESS_H

#include "http_client.h"
#include "program.h"

enum { DIRECTORY_SIZE = 64 };

struct server_process {
    struct running program;
    char directory[DIRECTORY_SIZE]; /* where it runs; borrowed files may be put there */
    struct server_address address;
};

/* How to start one. */
struct server_options {
    const char *const *arguments;   /* after `serve --listen 127.0.0.1:0`, ended by NULL; or NULL */
    const char *const *environment; /* as in struct program; or NULL */
    const char *listen;             /* instead of 127.0.0.1:0; or NULL */
    const char *directory;          /* an existing one; NULL: a new one, removed at the end */
};

/* A fresh private directory, made; fails the test when it can't be had. */
void directory_make(char directory[DIRECTORY_SIZE]);

/* Removes a directory and the files in it. */
void directory_remove(const char *directory);

/* Writes a file there with exactly this mode; fails the test when it can't. */
void directory_write(const char *directory, const char *name, struct bytes text, unsigned mode);

/* Starts a server and waits until it says where it listens; fails the test when it doesn't. */
void server_start(struct server_process *server, const struct server_options *options,
                  struct arena *arena);

/* Sends a signal. */
void server_signal(const struct server_process *server, int number);

/* Waits until nobody can connect any more; fails the test when that takes too long. */
void server_wait_until_closed(const struct server_process *server);

/* Waits for its end. */
struct ended server_wait(struct server_process *server, struct arena *arena);

/* Ends it the hard way if it still runs, and cleans up. */
void server_done(struct server_process *server);

/* Reads an address out of "listening on http://…"; false for any other line. */
bool server_address_parse(const char *line, struct server_address *address);

#endif
