/* A disk without room: nothing is told that isn't recorded, what is recorded stays, and once there
 * is room all goes on without a restart. On a small file system where one may be mounted (in a
 * namespace of the test's own), and everywhere under a limit of the size of files. */
#include "checked_exchange.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS_SIZE = 4000, BOOKINGS_MOST = 1000, LITTLE_ROOM = 600000, MUCH_ROOM = 20000000 };

#define LEDGER "sqlite:disk/tandem.db"

struct stage {
    struct scene *scene;
    struct server_address admin;
    const char *disk; /* the folder of the ledger */
    char arguments[WORDS_SIZE + 100];
    size_t booked;
    struct bytes refused; /* the round two that found no room */
};

static const char key[] = "Idempotency-Key: no-room\r\n";

/* How much room there is; false when that can't be done here. */
typedef bool give_room(const struct stage *stage, size_t bytes);

static bool limit_files(const struct stage *stage, size_t bytes) {
    struct rlimit limit;
    pid_t server = stage->scene->server.program.pid;
    assert_int_equal(prlimit(server, RLIMIT_FSIZE, NULL, &limit), 0);
    limit.rlim_cur = bytes;
    return prlimit(server, RLIMIT_FSIZE, &limit, NULL) == 0;
}

static void write_proc(const char *name, const char *text) {
    int file = open(name, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t written = write(file, text, strlen(text));
    (void)written; /* mounting fails then */
    close(file);
}

/* Goes where mounts are this process's own; its children come along. */
static void leave_namespace(void) {
    char map[64];
    uid_t user = geteuid();
    gid_t group = getegid();
    if (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return;
    write_proc("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", (unsigned)user, (unsigned)user);
    write_proc("/proc/self/uid_map", map);
    snprintf(map, sizeof map, "%u %u 1", (unsigned)group, (unsigned)group);
    write_proc("/proc/self/gid_map", map);
}

static bool mount_disk(const struct stage *stage, size_t bytes) {
    char options[64];
    snprintf(options, sizeof options, "mode=0700,size=%zu", bytes);
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("tandem-test", stage->disk, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static bool enlarge_disk(const struct stage *stage, size_t bytes) {
    char options[64];
    snprintf(options, sizeof options, "mode=0700,size=%zu", bytes);
    return mount("tandem-test", stage->disk, "tmpfs", MS_REMOUNT | MS_NOSUID | MS_NODEV, options) ==
           0;
}

static void prepare(struct stage *stage) {
    struct arena *arena = &stage->scene->arena;
    char words[WORDS_SIZE + 1];
    memset(words, 'w', WORDS_SIZE);
    words[WORDS_SIZE] = '\0';
    snprintf(stage->arguments, sizeof stage->arguments,
             "{\"message\":\"%s\",\"openSlots\":[\"sat-10:30\"]}", words);
    stage->disk = arena_format(arena, "%s/disk", stage->scene->directory);
    assert_int_equal(mkdir(stage->disk, 0700), 0);
}

static void start(struct stage *stage) {
    static const char *const arguments[] = {"--ledger",    LEDGER,    "--admin", "127.0.0.1:0",
                                            "--log-level", "warning", NULL};
    scene_start(stage->scene, arguments);
    stage->admin = scene_read_admin(stage->scene);
}

static struct bytes ask_once(struct stage *stage) {
    const char *state = ask_for(stage->scene, "elm-street", stage->arguments);
    return round_two(&stage->scene->arena, stage->arguments, ACCEPT_TIME("sat-10:30"), state);
}

static const struct client_reply *send_answer(struct stage *stage, struct bytes body) {
    return exchange(stage->scene, &(struct client_request){.headers = key, .body = body});
}

/* Books until there is no room. */
static void fill(struct stage *stage) {
    const char *booked = booked_body(&stage->scene->arena, "sat-10:30");
    while (stage->booked < BOOKINGS_MOST) {
        struct bytes body = ask_once(stage);
        const struct client_reply *reply = send_answer(stage, body);
        if (reply->status != 200) {
            assert_refused(stage->scene, reply, 503, "the booking service is unavailable");
            assert_non_null(client_reply_header(reply, "Retry-After"));
            stage->refused = body;
            return;
        }
        assert_reply(reply, 200, booked);
        stage->booked++;
    }
    fail_msg("there was room for %zu bookings", stage->booked);
}

static unsigned readiness(struct stage *stage) {
    return exchange(stage->scene, &(struct client_request){.method = "GET", .target = "/readyz"})
        ->status;
}

static void wait_until_ready(struct stage *stage) {
    struct deadline deadline = deadline_in(PATIENCE);
    while (readiness(stage) != 200)
        if (deadline_left(deadline) == 0)
            fail_msg("it isn't ready again although there is room");
}

static size_t count_listed(struct stage *stage) {
    static const char *const list[] = {"bookings", "list", "--ledger", LEDGER,
                                       "--format", "csv",  NULL};
    struct ended ended = scene_run(stage->scene, list, NULL);
    assert_int_equal(ended.exit_code, 0);
    size_t lines = 0;
    for (size_t i = 0; i < ended.out.size; i++)
        lines += ended.out.data[i] == '\n';
    return lines - 1;
}

static void run_out_of_room(struct stage *stage, give_room *give, const char *how) {
    static const char none[] = "\ntandem_ledger_errors_total 0\n";
    assert_non_null(strstr(get_operator_page(stage->scene, &stage->admin, "/metrics", 200), none));
    fill(stage);
    assert_int_equal(readiness(stage), 503);
    assert_null(strstr(get_operator_page(stage->scene, &stage->admin, "/metrics", 200), none));
    assert_int_equal(count_listed(stage), stage->booked);
    assert_true(give(stage, MUCH_ROOM));
    wait_until_ready(stage);
    const struct client_reply *reply = send_answer(stage, stage->refused);
    assert_reply(reply, 200, booked_body(&stage->scene->arena, "sat-10:30"));
    assert_null(client_reply_header(reply, "Idempotent-Replayed"));
    assert_int_equal(count_listed(stage), stage->booked + 1);
    start(stage); /* which kills the one that ran */
    reply = send_answer(stage, stage->refused);
    assert_reply(reply, 200, booked_body(&stage->scene->arena, "sat-10:30"));
    assert_non_null(client_reply_header(reply, "Idempotent-Replayed"));
    assert_int_equal(count_listed(stage), stage->booked + 1);
    printf("  full after %zu bookings, %s\n", stage->booked, how);
}

static void given_a_limit_of_files_when_it_is_raised_then_nothing_is_lost(void **state) {
    struct stage stage = {.scene = *state};
    prepare(&stage);
    start(&stage);
    assert_true(limit_files(&stage, LITTLE_ROOM));
    run_out_of_room(&stage, limit_files, "by a limit of the size of files");
    server_done(&stage.scene->server);
    directory_remove(stage.disk);
}

static void given_a_full_disk_when_there_is_room_again_then_nothing_is_lost(void **state) {
    struct stage stage = {.scene = *state};
    prepare(&stage);
    leave_namespace();
    bool is_mounted = mount_disk(&stage, LITTLE_ROOM);
    start(&stage);
    if (is_mounted)
        run_out_of_room(&stage, enlarge_disk, "on a small disk");
    else if (limit_files(&stage, LITTLE_ROOM))
        run_out_of_room(&stage, limit_files,
                        "by a limit of the size of files: nothing may be mounted here");
    server_done(&stage.scene->server);
    if (is_mounted)
        assert_int_equal(umount2(stage.disk, MNT_DETACH), 0);
    directory_remove(stage.disk);
    assert_true(stage.booked > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO_WITHOUT_SERVER(given_a_limit_of_files_when_it_is_raised_then_nothing_is_lost),
        SCENARIO_WITHOUT_SERVER(given_a_full_disk_when_there_is_room_again_then_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
