/* Case G11: the server is killed under load, again and again on one file. Every `booked` that a
 * client read is in the ledger, every booking there belongs to a round two that was sent, no state
 * works twice, and each start checks the whole file. */
#include "checked_exchange.h"

#include "bookings.h"
#include "fixtures.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CUSTOMERS = 30, ROUNDS = 20, ROUNDS_SLOW = 100, VISITS_MOST = 400 };

/* One customer's try to book once. The words, which name it, are all that the ledger shows of it.
 */
struct visit {
    char words[48];
    struct bytes round_two; /* once it was sent */
    bool is_booked;         /* a reply that said so was read */
    struct client_reply reply;
    struct client_request request;
};

struct customer {
    struct storm *storm;
    size_t number;
    struct arena arena;
    size_t visit_count;
    struct visit visits[VISITS_MOST];
};

struct storm {
    struct scene *scene;
    size_t round;
    sem_t booked; /* posted for each reply that said so */
    struct customer customers[CUSTOMERS];
};

/* Sends a body on a fresh connection; false when no whole reply came. */
static bool try_exchange(struct customer *customer, const struct client_request *request,
                         struct client_reply *reply) {
    struct client client;
    bool has_reply = client_connect(&customer->storm->scene->server.address, &client) &&
                     client_send(&client, client_request_bytes(request, &customer->arena)) &&
                     client_receive(&client, false, &customer->arena, reply) == NULL;
    client_close(&client);
    return has_reply;
}

/* Both rounds of a visit; false once the server is gone. */
static bool visit_once(struct customer *customer, struct visit *visit) {
    snprintf(visit->words, sizeof visit->words, "round %zu customer %zu visit %zu",
             customer->storm->round, customer->number, customer->visit_count);
    const char *arguments = arena_format(
        &customer->arena, "{\"message\":\"%s\",\"openSlots\":[\"sat-10:30\"]}", visit->words);
    const struct client_request ask = {.body = round_one(&customer->arena, arguments)};
    struct client_reply question;
    if (!try_exchange(customer, &ask, &question))
        return false;
    const char *state = state_of(&customer->arena, &question);
    if (state == NULL)
        return false;
    visit->round_two = round_two(&customer->arena, arguments, ACCEPT_TIME("sat-10:30"), state);
    visit->request = (struct client_request){.body = visit->round_two};
    if (!try_exchange(customer, &visit->request, &visit->reply))
        return false;
    visit->is_booked = visit->reply.status == 200;
    return visit->is_booked;
}

static void *be_customer(void *context) {
    struct customer *customer = context;
    while (customer->visit_count < VISITS_MOST) {
        struct visit *visit = &customer->visits[customer->visit_count++];
        if (!visit_once(customer, visit))
            return NULL;
        sem_post(&customer->storm->booked);
    }
    return NULL;
}

/* Lets all customers go, and kills the server once so many bookings were read. */
static void rage(struct storm *storm, size_t bookings) {
    pthread_t threads[CUSTOMERS];
    for (size_t i = 0; i < CUSTOMERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, be_customer, &storm->customers[i]), 0);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE / 1000;
    for (size_t i = 0; i < bookings; i++)
        if (sem_timedwait(&storm->booked, &until) != 0)
            fail_msg("only %zu bookings came", i);
    server_signal(&storm->scene->server, SIGKILL);
    for (size_t i = 0; i < CUSTOMERS; i++)
        pthread_join(threads[i], NULL);
}

static struct visit *find_visit(struct storm *storm, struct bytes words) {
    char text[64];
    size_t round, customer, number;
    snprintf(text, sizeof text, "%.*s", (int)words.size, (const char *)words.data);
    if (sscanf(text, "round %zu customer %zu visit %zu", &round, &customer, &number) != 3 ||
        round != storm->round || customer >= CUSTOMERS || number == 0 ||
        number > storm->customers[customer].visit_count)
        return NULL;
    return &storm->customers[customer].visits[number - 1];
}

/* What the ledger has of this round. */
struct found {
    struct storm *storm;
    size_t bookings;
    size_t unread; /* of which no client read the reply */
    size_t unsent; /* that nobody asked for */
    size_t missing;
};

static bool take_booking(void *context, const struct booking_record *record) {
    struct found *found = context;
    char prefix[32];
    int size = snprintf(prefix, sizeof prefix, "round %zu ", found->storm->round);
    if (!bytes_equal(bytes_up_to(record->words, (size_t)size), bytes_of_text(prefix)))
        return true;
    struct visit *visit = find_visit(found->storm, record->words);
    found->bookings++;
    if (visit == NULL || visit->round_two.size == 0)
        found->unsent++;
    else if (!visit->is_booked)
        found->unread++;
    else
        visit->is_booked = false; /* found; what stays true is missing */
    return true;
}

static int64_t number_of(struct scene *scene, const char *sql) {
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    const char *file = arena_format(&scene->arena, "%s/tandem.db", scene->directory);
    assert_int_equal(sqlite3_open_v2(file, &database, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
}

static struct found compare(struct storm *storm) {
    struct scene *scene = storm->scene;
    struct found found = {.storm = storm};
    struct ledger_problem problem;
    const struct booking_filter filter = {.from = INT64_MIN, .until = INT64_MAX};
    const char *url = arena_format(&scene->arena, "sqlite:%s/tandem.db", scene->directory);
    struct bookings *bookings = NULL;
    if (bookings_open(url, &bookings, &problem) != STATUS_OK ||
        bookings_list(bookings, &filter, take_booking, &found, &problem) != STATUS_OK)
        fail_msg("%s", problem.text);
    bookings_free(bookings);
    for (size_t i = 0; i < CUSTOMERS; i++)
        for (size_t j = 0; j < storm->customers[i].visit_count; j++)
            found.missing += storm->customers[i].visits[j].is_booked;
    assert_int_equal(number_of(scene, "SELECT count(*) FROM bookings WHERE id NOT IN"
                                      " (SELECT booking FROM used)"),
                     0);
    assert_int_equal(number_of(scene, "SELECT count(*) FROM used LEFT JOIN bookings"
                                      " ON bookings.id = used.booking"
                                      " WHERE bookings.mac IS NOT used.mac"),
                     0);
    return found;
}

/* Sends every round two of this round again: a state that is in the ledger is used, another one may
 * complete now, and once. */
static size_t replay(struct storm *storm) {
    size_t completed = 0;
    for (size_t i = 0; i < CUSTOMERS; i++)
        for (size_t j = 0; j < storm->customers[i].visit_count; j++) {
            struct visit *visit = &storm->customers[i].visits[j];
            if (visit->round_two.size == 0)
                continue;
            const struct client_reply *reply = book(storm->scene, visit->round_two);
            completed += reply->status == 200;
            if (reply->status == 200)
                reply = book(storm->scene, visit->round_two);
            assert_refused(storm->scene, reply, 400, "requestState was already used");
        }
    return completed;
}

/* Every reply that was read is as the document has it. */
static void check_replies(struct storm *storm) {
    for (size_t i = 0; i < CUSTOMERS; i++)
        for (size_t j = 0; j < storm->customers[i].visit_count; j++) {
            struct visit *visit = &storm->customers[i].visits[j];
            if (!visit->is_booked)
                continue;
            check_reply(storm->scene, &visit->request, &visit->reply);
            assert_reply(&visit->reply, 200, booked_body(&storm->scene->arena, "sat-10:30"));
        }
}

static size_t count_sent(const struct storm *storm) {
    size_t sent = 0;
    for (size_t i = 0; i < CUSTOMERS; i++)
        for (size_t j = 0; j < storm->customers[i].visit_count; j++)
            sent += storm->customers[i].visits[j].round_two.size > 0;
    return sent;
}

/* One round: storm, kill, start again, compare. */
static void run_round(struct storm *storm, size_t bookings, size_t sums[3]) {
    rage(storm, bookings);
    check_replies(storm);
    scene_start(storm->scene, NULL);
    struct found found = compare(storm);
    if (found.missing > 0 || found.unsent > 0)
        fail_msg("round %zu: %zu bookings were read and are lost, %zu were never asked for",
                 storm->round, found.missing, found.unsent);
    size_t sent = count_sent(storm);
    size_t late = replay(storm);
    assert_int_equal(found.bookings + late, sent);
    sums[0] += sent;
    sums[1] += found.bookings;
    sums[2] += found.unread;
}

static void given_a_load_when_the_server_is_killed_then_nothing_read_is_lost(void **state) {
    struct scene *scene = *state;
    struct storm *storm = calloc(1, sizeof *storm);
    assert_non_null(storm);
    struct dice dice = {20261003};
    size_t rounds = getenv("TANDEM_SLOW") == NULL ? ROUNDS : ROUNDS_SLOW;
    size_t sums[3] = {0};
    for (size_t round = 0; round < rounds; round++) {
        memset(storm, 0, sizeof *storm);
        storm->scene = scene;
        storm->round = round;
        sem_init(&storm->booked, 0, 0);
        for (size_t i = 0; i < CUSTOMERS; i++) {
            storm->customers[i].storm = storm;
            storm->customers[i].number = i;
        }
        run_round(storm, 5 + dice_roll(&dice, 90), sums);
        for (size_t i = 0; i < CUSTOMERS; i++)
            arena_done(&storm->customers[i].arena);
        sem_destroy(&storm->booked);
        arena_done(&scene->arena);
    }
    printf("  %zu times killed: %zu answers sent, %zu booked, %zu of them with a lost reply\n",
           rounds, sums[0], sums[1], sums[2]);
    free(storm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENARIO(given_a_load_when_the_server_is_killed_then_nothing_read_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
