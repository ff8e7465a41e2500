/* What one integration scenario stands on: a private directory, a server that runs there, the
 * OpenAPI document, and memory that is released at the end. */
#ifndef TANDEM_TEST_SCENE_H
#define TANDEM_TEST_SCENE_H

#include "server_process.h"
#include "support.h"

#include <jansson.h>

struct scene {
    struct arena arena;
    json_t *document;
    char directory[DIRECTORY_SIZE]; /* holds KEY_FILE */
    struct server_process server;
};

/* The signing key's file in the scene's directory. */
#define KEY_FILE "tandem.key"

/* A scenario with a server that has a key; TANDEM_TEST_SERVER=ADDRESS:PORT in the environment names
 * another server to run it against. */
#define SCENARIO(function) cmocka_unit_test_setup_teardown(function, scene_serve, scene_tear_down)

/* A scenario that starts servers of its own. */
#define SCENARIO_WITHOUT_SERVER(function)                                                          \
    cmocka_unit_test_setup_teardown(function, scene_set_up, scene_tear_down)

/* cmocka's set-up and tear-down; `state` becomes a struct scene. */
int scene_set_up(void **state);
int scene_serve(void **state);
int scene_tear_down(void **state);

/* Starts a server in the scene's directory with the scene's key and these arguments (ended by NULL;
 * may be NULL), instead of the one that ran. */
void scene_start(struct scene *scene, const char *const *arguments);

/* The same without a key. */
void scene_start_without_key(struct scene *scene, const char *const *arguments);

/* Where the operator's listener is of the server that started last, with --admin 127.0.0.1:0. It is
 * read off its output, so it is asked once. */
struct server_address scene_read_admin(struct scene *scene);

/* Runs tandem in the scene's directory with these arguments and additions to the environment (each
 * ended by NULL; the latter may be NULL) to its end. */
struct ended scene_run(struct scene *scene, const char *const *arguments,
                       const char *const *environment);

#endif
