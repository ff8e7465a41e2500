#include "scene.h"

#include "openapi_validator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MOST = 24 };

static const char key_text[] = "0123456789abcdef0123456789abcdef\n";

int scene_set_up(void **state) {
    struct scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL)
        return -1;
    scene->server.program = (struct running){.out = -1, .error = -1};
    *state = scene;
    directory_make(scene->directory);
    directory_write(scene->directory, KEY_FILE, bytes_of_text(key_text), 0600);
    scene->document = openapi_load();
    if (scene->document == NULL)
        fail_msg("openapi/booking.json can't be read");
    return 0;
}

/* Takes the server that the environment names, if it names one. */
static bool use_other_server(struct scene *scene) {
    const char *text = getenv("TANDEM_TEST_SERVER");
    if (text == NULL)
        return false;
    struct server_address *address = &scene->server.address;
    if (sscanf(text, "%47[0-9.]:%u", address->host, &address->port) != 2)
        fail_msg("TANDEM_TEST_SERVER is not ADDRESS:PORT");
    return true;
}

int scene_serve(void **state) {
    if (scene_set_up(state) != 0)
        return -1;
    struct scene *scene = *state;
    if (!use_other_server(scene))
        scene_start(scene, NULL);
    return 0;
}

int scene_tear_down(void **state) {
    struct scene *scene = *state;
    if (scene == NULL)
        return 0;
    server_done(&scene->server);
    directory_remove(scene->directory);
    json_decref(scene->document);
    arena_done(&scene->arena);
    free(scene);
    return 0;
}

static void start(struct scene *scene, const char *const *arguments) {
    server_done(&scene->server);
    const struct server_options options = {.arguments = arguments, .directory = scene->directory};
    server_start(&scene->server, &options, &scene->arena);
}

void scene_start(struct scene *scene, const char *const *arguments) {
    const char *all[ARGUMENTS_MOST] = {"--signing-key-file", KEY_FILE};
    for (size_t i = 0; arguments != NULL && arguments[i] != NULL; i++) {
        assert_true(i + 3 < ARGUMENTS_MOST);
        all[i + 2] = arguments[i];
    }
    start(scene, all);
}

void scene_start_without_key(struct scene *scene, const char *const *arguments) {
    start(scene, arguments);
}

struct server_address scene_read_admin(struct scene *scene) {
    struct server_address admin = {0};
    const char *line =
        running_read_line(&scene->server.program, &scene->arena, deadline_in(PATIENCE));
    if (line == NULL || sscanf(line, "admin on http://%47[0-9.]:%u", admin.host, &admin.port) != 2)
        fail_msg("no operator's listener: %s", line == NULL ? "the server ended" : line);
    return admin;
}

struct ended scene_run(struct scene *scene, const char *const *arguments,
                       const char *const *environment) {
    const struct program program = {
        .arguments = arguments, .environment = environment, .directory = scene->directory};
    return program_run(&program, &scene->arena);
}
