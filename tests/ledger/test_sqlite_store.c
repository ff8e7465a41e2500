/* The ledger in a file: what outlives the process, who may open it, and what damage does. */
#include "bookings.h"
#include "sqlite_bookings.h"
#include "sqlite_desk.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static const char A_SLOT[] = "2026-10-03T10:30";

static void reopen(struct desk *desk) {
    desk_close(desk);
    desk_open(desk);
}

static void open_exclusive(struct desk *desk) {
    desk->config.exclusive_slots = true;
    desk_open(desk);
}

static void given_a_used_state_when_the_ledger_is_opened_again_then_it_is_used(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    const struct asked used = {.state = 1, .slot = A_SLOT, .key = "key"};
    assert_fact("before", fact_of(desk->ledger, &used), LEDGER_RECORDED);
    reopen(desk);
    assert_int_equal(ledger_used_states(desk->ledger), 1);
    struct told told = ask_ledger(desk->ledger, &used);
    assert_fact("after", told.fact, LEDGER_REPLAYED);
    assert_string_equal(told.reply, "reply to 1 yes");
    const struct asked keyless = {.state = 1, .slot = A_SLOT};
    assert_fact("without its key", fact_of(desk->ledger, &keyless), LEDGER_USED);
    const struct asked fresh = {.state = 2, .slot = A_SLOT};
    assert_fact("another", fact_of(desk->ledger, &fresh), LEDGER_RECORDED);
}

/* One booking that was listed. */
struct listed {
    size_t count;
    int64_t id;
    enum booking_status status;
    int64_t completed_at;
    bool has_words;
    char text[256];
};

static bool take_record(void *context, const struct booking_record *record) {
    struct listed *listed = context;
    listed->count++;
    listed->id = record->id;
    listed->status = record->status;
    listed->completed_at = record->completed_at;
    listed->has_words = record->has_words;
    snprintf(listed->text, sizeof listed->text, "%.*s|%.*s|%.*s", (int)record->salon.size,
             (const char *)record->salon.data, (int)record->slot.size,
             (const char *)record->slot.data, (int)record->words.size,
             record->words.size == 0 ? "" : (const char *)record->words.data);
    return true;
}

static struct bookings *open_bookings(struct desk *desk) {
    struct ledger_problem problem;
    struct bookings *bookings = NULL;
    if (bookings_open(arena_format(&desk->arena, "sqlite:%s", desk->file), &bookings, &problem) !=
        STATUS_OK)
        fail_msg("%s", problem.text);
    return bookings;
}

/* The last booking that fits, and how many there are. */
static struct listed list(struct desk *desk, const struct booking_filter *filter) {
    struct ledger_problem problem;
    struct listed listed = {0};
    struct bookings *bookings = open_bookings(desk);
    if (bookings_list(bookings, filter, take_record, &listed, &problem) != STATUS_OK)
        fail_msg("%s", problem.text);
    bookings_free(bookings);
    return listed;
}

static const struct booking_filter EVERY_ONE = {.from = INT64_MIN, .until = INT64_MAX};

static enum cancellation cancel(struct desk *desk, int64_t id) {
    struct ledger_problem problem;
    enum cancellation done;
    struct bookings *bookings = open_bookings(desk);
    if (bookings_cancel(bookings, id, NOW + 60, &done, &problem) != STATUS_OK)
        fail_msg("%s", problem.text);
    bookings_free(bookings);
    return done;
}

static void given_a_booking_when_it_is_listed_then_all_of_it_is_there(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    const struct asked asked = {.state = 1, .salon = "s\xC3\xA9", .words = "", .slot = ""};
    assert_fact("booked", fact_of(desk->ledger, &asked), LEDGER_RECORDED);
    const struct asked declined = {.state = 2};
    assert_fact("declined", fact_of(desk->ledger, &declined), LEDGER_RECORDED);
    struct listed listed = list(desk, &EVERY_ONE);
    assert_int_equal(listed.count, 1);
    assert_int_equal(listed.status, BOOKING_BOOKED);
    assert_int_equal(listed.completed_at, NOW);
    assert_true(listed.has_words);
    assert_string_equal(listed.text, "s\xC3\xA9||");
}

static void given_many_bookings_when_listed_then_the_filter_holds(void **state) {
    struct desk *desk = *state;
    desk->waiting_max = 2048;
    desk_open(desk);
    enum { COUNT = 1203 }; /* more than two portions */
    struct asked asked[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        asked[i] = (struct asked){.state = i,
                                  .now = NOW + (i >= 1200 ? 50 : 0),
                                  .salon = i % 2 == 0 ? "even" : "odd",
                                  .slot = A_SLOT};
    assert_int_equal(record_all(desk->ledger, asked, COUNT), COUNT);
    assert_int_equal(list(desk, &EVERY_ONE).count, COUNT);
    struct bytes salon = BYTES("odd");
    struct booking_filter filter = {.salon = &salon, .from = NOW, .until = NOW + 50};
    assert_int_equal(list(desk, &filter).count, 600);
    filter.until = NOW + 51;
    assert_int_equal(list(desk, &filter).count, 601);
    filter.from = NOW + 50;
    assert_int_equal(list(desk, &filter).count, 1);
    assert_int_equal(cancel(desk, list(desk, &filter).id), CANCELLATION_DONE);
    filter.status = BOOKING_BOOKED;
    assert_int_equal(list(desk, &filter).count, 0);
    filter.status = BOOKING_CANCELLED;
    assert_int_equal(list(desk, &filter).count, 1);
}

/* One who lets others work before each row, as a pager does that nobody reads on in. */
struct slow_taker {
    struct desk *desk;
    unsigned next;
};

static bool take_slowly(void *context, const struct booking_record *record) {
    struct slow_taker *taker = context;
    const char *slot = arena_format(&taker->desk->arena, "slot %u", taker->next++);
    assert_true(bytes_equal(record->salon, BYTES("elm-street")));
    assert_true(bytes_equal(record->slot, bytes_of_text(slot)));
    assert_true(bytes_equal(record->words, BYTES("a trim please")));
    /* Busy, if anybody reads: the log would grow for as long. */
    assert_int_equal(desk_number(taker->desk, "PRAGMA wal_checkpoint(TRUNCATE)"), 0);
    return taker->next < 3;
}

static void
given_a_list_that_is_taken_slowly_when_others_work_then_it_holds_nobody_up(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    for (unsigned i = 0; i < 4; i++)
        assert_fact(
            "booked",
            fact_of(desk->ledger,
                    &(struct asked){.state = i, .slot = arena_format(&desk->arena, "slot %u", i)}),
            LEDGER_RECORDED);
    struct ledger_problem problem;
    struct slow_taker taker = {desk, 0};
    struct bookings *bookings = open_bookings(desk);
    assert_int_equal(bookings_list(bookings, &EVERY_ONE, take_slowly, &taker, &problem), STATUS_OK);
    bookings_free(bookings);
    assert_int_equal(taker.next, 3);
}

/* Case G1. */
static void given_exclusive_slots_when_two_want_one_then_the_second_finds_it_taken(void **state) {
    struct desk *desk = *state;
    open_exclusive(desk);
    const struct asked first = {.state = 1, .slot = A_SLOT};
    const struct asked second = {.state = 2, .slot = A_SLOT, .key = "key"};
    assert_fact("first", fact_of(desk->ledger, &first), LEDGER_RECORDED);
    assert_fact("second", fact_of(desk->ledger, &second), LEDGER_TAKEN);
    struct told again = ask_ledger(desk->ledger, &second);
    assert_fact("second again", again.fact, LEDGER_REPLAYED);
    assert_string_equal(again.reply, "taken 2");
    const struct asked keyless = {.state = 2, .slot = "another"};
    assert_fact("its state is spent", fact_of(desk->ledger, &keyless), LEDGER_USED);
    const struct asked elsewhere = {.state = 3, .salon = "oak-street", .slot = A_SLOT};
    assert_fact("another salon", fact_of(desk->ledger, &elsewhere), LEDGER_RECORDED);
    const struct asked capitals = {.state = 4, .slot = "2026-10-03t10:30"};
    assert_fact("other bytes", fact_of(desk->ledger, &capitals), LEDGER_RECORDED);
    const struct asked declined = {.state = 5};
    assert_fact("no slot", fact_of(desk->ledger, &declined), LEDGER_RECORDED);
    assert_int_equal(list(desk, &EVERY_ONE).count, 3);
}

static void given_exclusive_slots_when_taken_ones_are_asked_then_they_are_told(void **state) {
    struct desk *desk = *state;
    open_exclusive(desk);
    const struct asked booked = {.state = 1, .slot = "b"};
    assert_fact("booked", fact_of(desk->ledger, &booked), LEDGER_RECORDED);
    const struct bytes slots[] = {ROW_BYTES("a"), ROW_BYTES("b"), ROW_BYTES(""), ROW_BYTES("b")};
    bool taken[] = {true, false, true, false};
    assert_true(ledger_has_exclusive_slots(desk->ledger));
    assert_int_equal(ledger_find_taken(desk->ledger, BYTES("elm-street"), slots, 4, taken),
                     STATUS_OK);
    assert_false(taken[0] || !taken[1] || taken[2] || !taken[3]);
    faulty_set(desk->faulty, CALL_FIND_TAKEN, (struct fault){0, 1, STATUS_IO, false});
    assert_int_equal(ledger_find_taken(desk->ledger, BYTES("elm-street"), slots, 4, taken),
                     STATUS_IO);
    assert_true(taken[1]);
    struct ledger_stats stats;
    ledger_read_stats(desk->ledger, &stats);
    assert_int_equal(stats.read_errors, 1);
}

/* Cases G2 and G4. */
static void given_a_booking_when_cancelled_then_its_slot_is_free_and_its_state_used(void **state) {
    struct desk *desk = *state;
    open_exclusive(desk);
    const struct asked booked = {.state = 1, .slot = A_SLOT};
    assert_fact("booked", fact_of(desk->ledger, &booked), LEDGER_RECORDED);
    int64_t id = list(desk, &EVERY_ONE).id;
    assert_int_equal(cancel(desk, id), CANCELLATION_DONE);
    assert_int_equal(cancel(desk, id), CANCELLATION_DONE_BEFORE);
    assert_int_equal(cancel(desk, id + 1), CANCELLATION_OF_NONE);
    assert_fact("its state", fact_of(desk->ledger, &booked), LEDGER_USED);
    assert_int_equal(list(desk, &EVERY_ONE).status, BOOKING_CANCELLED);
    const struct asked again = {.state = 2, .slot = A_SLOT};
    assert_fact("the slot", fact_of(desk->ledger, &again), LEDGER_RECORDED);
    const struct asked third = {.state = 3, .slot = A_SLOT};
    assert_fact("the slot again", fact_of(desk->ledger, &third), LEDGER_TAKEN);
    reopen(desk); /* which checks every seal */
}

static void given_words_when_they_are_forgotten_then_no_byte_of_them_is_left(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    const struct asked old = {
        .state = 1, .words = "unforgettable-words", .slot = A_SLOT, .key = "k"};
    const struct asked young = {
        .state = 2, .now = NOW + 10, .words = "younger words", .slot = A_SLOT, .key = "k"};
    assert_fact("old", fact_of(desk->ledger, &old), LEDGER_RECORDED);
    assert_fact("young", fact_of(desk->ledger, &young), LEDGER_RECORDED);
    struct ledger_problem problem;
    int64_t forgotten = 0;
    struct bookings *bookings = open_bookings(desk);
    assert_int_equal(bookings_forget(bookings, NOW + 10, &forgotten, &problem), STATUS_OK);
    assert_int_equal(forgotten, 1);
    assert_int_equal(bookings_forget(bookings, NOW + 10, &forgotten, &problem), STATUS_OK);
    assert_int_equal(forgotten, 0);
    bookings_free(bookings);
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM bookings WHERE words IS NULL"), 1);
    assert_fact("its state", fact_of(desk->ledger, &old), LEDGER_USED);
    assert_fact("the younger's reply", fact_of(desk->ledger, &young), LEDGER_REPLAYED);
    reopen(desk);
    desk_close(desk);
    char *command = arena_format(&desk->arena, "grep -c unforgettable %s* > /dev/null", desk->file);
    assert_int_not_equal(system(command), 0); /* NOLINT: a fixed command */
}

static void progress(void *context, int done, int total) {
    *(bool *)context = done <= total;
}

static void given_a_ledger_when_it_is_backed_up_then_the_copy_is_one_too(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    const struct asked booked = {.state = 1, .slot = A_SLOT};
    assert_fact("booked", fact_of(desk->ledger, &booked), LEDGER_RECORDED);
    const char *copy = arena_format(&desk->arena, "%s/copy.db", desk->directory);
    struct ledger_problem problem;
    struct bookings *bookings = open_bookings(desk);
    bool told = false;
    assert_int_equal(bookings_backup(bookings, copy, progress, &told, &problem), STATUS_OK);
    assert_true(told);
    assert_int_equal(bookings_backup(bookings, copy, progress, &told, &problem), STATUS_INVALID);
    assert_non_null(strstr(problem.text, "is there already"));
    assert_int_equal(bookings_backup(bookings, desk->file, progress, &told, &problem),
                     STATUS_INVALID);
    static const char *const beside[] = {"-journal", "-wal", "-shm"};
    for (size_t i = 0; i < LENGTH_OF(beside); i++) {
        const char *name = arena_format(&desk->arena, "%s%s", desk->file, beside[i]);
        assert_int_equal(bookings_backup(bookings, name, progress, &told, &problem),
                         STATUS_INVALID);
        assert_non_null(strstr(problem.text, "the ledger's own"));
    }
    const char *nowhere = arena_format(&desk->arena, "%s/no/copy.db", desk->directory);
    assert_int_equal(bookings_backup(bookings, nowhere, progress, &told, &problem), STATUS_IO);
    bookings_free(bookings);
    desk_close(desk);
    desk->config.file = copy;
    desk_open(desk);
    assert_fact("at the copy", fact_of(desk->ledger, &booked), LEDGER_USED);
}

static void given_old_states_when_an_hour_is_over_then_they_are_forgotten_for_good(void **state) {
    struct desk *desk = *state;
    desk->config.replay_window = 7200;
    desk_open(desk);
    const struct asked plain = {.state = 1, .slot = A_SLOT};
    struct asked keyed = {.state = 2, .good_until = GOOD_UNTIL - 1, .slot = A_SLOT, .key = "key"};
    assert_fact("plain", fact_of(desk->ledger, &plain), LEDGER_RECORDED);
    assert_fact("keyed", fact_of(desk->ledger, &keyed), LEDGER_RECORDED);
    desk_pass(desk, 120 + FORGET_AFTER + 1);
    desk_wait_for_states(desk, 0);
    assert_int_equal(desk_number(desk, "SELECT pruned_until FROM ledger"), GOOD_UNTIL);
    assert_fact("forgotten, with the clock set back", fact_of(desk->ledger, &plain),
                LEDGER_EXPIRED);
    const struct asked below = {.state = 3, .good_until = GOOD_UNTIL};
    assert_fact("never used, at the floor", fact_of(desk->ledger, &below), LEDGER_EXPIRED);
    const struct asked above = {.state = 4, .good_until = GOOD_UNTIL + 1};
    assert_fact("never used, above the floor", fact_of(desk->ledger, &above), LEDGER_RECORDED);
    assert_fact("a reply below the floor", fact_of(desk->ledger, &keyed), LEDGER_REPLAYED);
    reopen(desk);
    keyed.now = NOW + 7200;
    assert_fact("at the window's end", fact_of(desk->ledger, &keyed), LEDGER_REPLAYED);
    keyed.now++;
    assert_fact("past the window", fact_of(desk->ledger, &keyed), LEDGER_EXPIRED);
    desk_pass(desk, 7200);
    struct deadline deadline = deadline_in(PATIENCE);
    while (desk_number(desk, "SELECT count(*) FROM replies") > 0)
        assert_true(deadline_left(deadline) > 0);
    assert_int_equal(list(desk, &EVERY_ONE).count, 2);
}

static void given_many_old_states_when_they_are_forgotten_then_none_is_left(void **state) {
    struct desk *desk = *state;
    desk_open(desk);
    enum { COUNT = 1000 };
    struct asked asked[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        asked[i] = (struct asked){.state = i, .good_until = GOOD_UNTIL + i % 7};
    assert_int_equal(record_all(desk->ledger, asked, COUNT), COUNT);
    desk_pass(desk, 4000);
    desk_wait_for_states(desk, 0);
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM used"), 0);
    assert_int_equal(desk_number(desk, "SELECT pruned_until FROM ledger"), GOOD_UNTIL + 6);
}

static void given_an_open_ledger_when_opened_again_then_it_is_in_use(void **state) {
    struct desk *desk = *state;
    struct ledger_problem problem;
    desk_open(desk);
    assert_int_equal(desk_try(desk, &problem), STATUS_BUSY);
    assert_non_null(strstr(problem.text, "in use by another server"));
    const char *link_name = arena_format(&desk->arena, "%s/other-name.db", desk->directory);
    assert_int_equal(link(desk->file, link_name), 0);
    desk->config.file = link_name;
    assert_int_equal(desk_try(desk, &problem), STATUS_BUSY);
    desk->config.file = desk->file;
    const struct asked asked = {.state = 1};
    assert_fact("it goes on", fact_of(desk->ledger, &asked), LEDGER_RECORDED);
    desk_close(desk);
    assert_int_equal(unlink(link_name), 0);
    assert_int_equal(desk_try(desk, &problem), STATUS_OK);
}

/* Each name would have a log of its own. */
static void given_a_file_with_two_names_when_opened_then_it_is_refused(void **state) {
    struct desk *desk = *state;
    struct ledger_problem problem;
    struct bookings *bookings = NULL;
    const char *link_name = arena_format(&desk->arena, "%s/other-name.db", desk->directory);
    assert_int_equal(desk_try(desk, &problem), STATUS_OK);
    assert_int_equal(link(desk->file, link_name), 0);
    assert_int_equal(desk_try(desk, &problem), STATUS_INVALID);
    assert_non_null(strstr(problem.text, "a hard link"));
    assert_int_equal(sqlite_bookings_open(link_name, &bookings, &problem), STATUS_INVALID);
    assert_non_null(strstr(problem.text, "a hard link"));
    assert_int_equal(unlink(link_name), 0);
    assert_int_equal(desk_try(desk, &problem), STATUS_OK);
}

static void given_a_file_of_another_kind_when_opened_then_it_says_so(void **state) {
    struct desk *desk = *state;
    struct ledger_problem problem;
    static const struct {
        const char *name;
        const char *sql; /* run on a good ledger */
        const char *says;
    } rows[] = {
        {"newer", "PRAGMA user_version = 2", "newer tandem"},
        {"negative", "PRAGMA user_version = -1", "newer tandem"},
        {"another program's", "PRAGMA application_id = 7", "no ledger"},
        {"no floor",
         "PRAGMA application_id = 1415671396; PRAGMA user_version = 1;"
         "DELETE FROM ledger",
         "checksums"},
    };
    assert_int_equal(desk_try(desk, &problem), STATUS_OK);
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        desk_run(desk, rows[i].sql);
        assert_row_number(rows[i].name, desk_try(desk, &problem), STATUS_INVALID);
        if (strstr(problem.text, rows[i].says) == NULL)
            fail_msg("%s: %s", rows[i].name, problem.text);
        assert_row(rows[i].name, strstr(problem.text, desk->file) != NULL);
    }
    struct bookings *bookings = NULL;
    desk_run(desk, "PRAGMA user_version = 2");
    assert_int_equal(
        bookings_open(arena_format(&desk->arena, "sqlite:%s", desk->file), &bookings, &problem),
        STATUS_INVALID);
    assert_non_null(strstr(problem.text, "newer"));
}

static void given_an_older_ledger_when_opened_then_it_is_brought_up_to_date(void **state) {
    struct desk *desk = *state;
    struct ledger_problem problem;
    struct bookings *bookings = NULL;
    directory_write(desk->directory, "tandem.db", BYTES(""), 0600);
    desk_run(desk, "PRAGMA application_id = 1415671396; PRAGMA journal_mode = WAL");
    const char *url = arena_format(&desk->arena, "sqlite:%s", desk->file);
    assert_int_equal(bookings_open(url, &bookings, &problem), STATUS_INVALID);
    assert_non_null(strstr(problem.text, "older"));
    desk_open(desk);
    const struct asked asked = {.state = 1, .slot = A_SLOT};
    assert_fact("after", fact_of(desk->ledger, &asked), LEDGER_RECORDED);
    assert_int_equal(desk_number(desk, "PRAGMA user_version"), 1);
}

static void given_an_older_ledger_when_migration_fails_then_nothing_changes(void **state) {
    struct desk *desk = *state;
    struct ledger_problem problem;
    directory_write(desk->directory, "tandem.db", BYTES(""), 0600);
    desk_run(desk, "PRAGMA application_id = 1415671396; CREATE TABLE used (x)");
    assert_int_not_equal(desk_try(desk, &problem), STATUS_OK);
    assert_non_null(strstr(problem.text, "can't be brought up to date: table used already exists"));
    assert_int_equal(desk_number(desk, "PRAGMA user_version"), 0);
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM sqlite_schema"), 1);
}

static void given_no_good_place_when_opened_then_it_says_so_and_makes_nothing(void **state) {
    struct desk *desk = *state;
    struct ledger_problem problem;
    const struct {
        const char *file;
        enum status status;
        const char *says;
    } rows[] = {
        {arena_format(&desk->arena, "%s/no/tandem.db", desk->directory), STATUS_IO, "folder"},
        {arena_format(&desk->arena, "%s/", desk->directory), STATUS_INVALID, "no file"},
        {desk->directory, STATUS_IO, "can't be opened"},
        {"", STATUS_INVALID, "no file"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        desk->config.file = rows[i].file;
        assert_row_number(rows[i].file, desk_try(desk, &problem), rows[i].status);
        if (strstr(problem.text, rows[i].says) == NULL)
            fail_msg("%s: %s", rows[i].file, problem.text);
    }
    desk->config.file = desk->file;
    directory_write(desk->directory, "tandem.db-wal", BYTES("left over"), 0600);
    assert_int_equal(desk_try(desk, &problem), STATUS_INVALID);
    assert_non_null(strstr(problem.text, "is gone"));
    assert_int_not_equal(access(desk->file, F_OK), 0);
}

/* As a full disk does; SIGXFSZ is ignored, as the program does. */
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* What is told is the file that the owner named, and nothing is left of the one that was begun. */
static void given_no_room_when_a_ledger_or_a_backup_is_made_then_its_name_is_told(void **state) {
    struct desk *desk = *state;
    struct ledger_problem problem;
    signal(SIGXFSZ, SIG_IGN);
    limit_files(1000);
    enum status status = desk_try(desk, &problem);
    limit_files(RLIM_INFINITY);
    assert_int_not_equal(status, STATUS_OK);
    if (strstr(problem.text, "/tandem.db can't be made: disk I/O error") == NULL)
        fail_msg("%s", problem.text);
    assert_int_equal(desk_try(desk, &problem), STATUS_OK);
    const char *copy = arena_format(&desk->arena, "%s/copy.db", desk->directory);
    struct bookings *bookings = open_bookings(desk);
    bool told = false;
    limit_files(1000);
    status = bookings_backup(bookings, copy, progress, &told, &problem);
    limit_files(RLIM_INFINITY);
    bookings_free(bookings);
    assert_int_not_equal(status, STATUS_OK);
    if (strstr(problem.text, "/copy.db can't be written: disk I/O error") == NULL)
        fail_msg("%s", problem.text);
    glob_t left;
    char *pattern = arena_format(&desk->arena, "%s/*.db.*", desk->directory);
    assert_int_equal(glob(pattern, 0, NULL, &left), GLOB_NOMATCH);
    assert_int_not_equal(access(copy, F_OK), 0);
}

/* For the server and for the bookings alike. */
static void given_a_file_that_can_be_no_ledger_when_opened_then_it_says_why(void **state) {
    struct desk *desk = *state;
    static const unsigned char zeros[512];
    static const struct {
        size_t size;
        const char *says;
    } rows[] = {
        {0, " is empty: "},
        {1, " is no ledger: its size is 1,"},
        {511, " is no ledger: its size is 511,"},
        {512, " is damaged"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        struct ledger_problem problem;
        struct bookings *bookings = NULL;
        directory_write(desk->directory, "tandem.db", (struct bytes){zeros, rows[i].size}, 0600);
        assert_row_number(rows[i].says, desk_try(desk, &problem), STATUS_INVALID);
        if (strstr(problem.text, rows[i].says) == NULL)
            fail_msg("%zu bytes: %s", rows[i].size, problem.text);
        assert_row_number(rows[i].says, sqlite_bookings_open(desk->file, &bookings, &problem),
                          STATUS_INVALID);
        if (strstr(problem.text, rows[i].says) == NULL)
            fail_msg("bookings of %zu bytes: %s", rows[i].size, problem.text);
    }
    struct ledger_problem problem;
    struct bookings *bookings = NULL;
    assert_int_equal(sqlite_bookings_open(desk->directory, &bookings, &problem), STATUS_INVALID);
    assert_non_null(strstr(problem.text, "no plain file"));
}

/* Root may write what it likes, so another user tries. The server can't do with a file that it can
 * only read, and the owner's list can. */
static void given_a_file_that_is_only_readable_when_opened_then_only_a_list_is_had(void **state) {
    struct desk *desk = *state;
    uid_t user = geteuid();
    desk_open(desk);
    desk_close(desk);
    assert_int_equal(chmod(desk->file, 0444), 0);
    assert_int_equal(chmod(desk->directory, 0777), 0);
    if (user == 0)
        assert_int_equal(seteuid(NOBODY), 0);
    struct ledger_problem problem;
    struct bookings *bookings = NULL;
    enum status of_server = desk_try(desk, &problem);
    enum status of_list = sqlite_bookings_open(desk->file, &bookings, &(struct ledger_problem){0});
    if (user == 0)
        assert_int_equal(seteuid(user), 0);
    bookings_free(bookings);
    assert_int_equal(of_server, STATUS_IO);
    assert_non_null(strstr(problem.text, "tandem.db can't be opened: Permission denied"));
    assert_int_equal(of_list, STATUS_OK);
}

/* Books `count` times and closes, so that all is in the one file. */
static void fill(struct desk *desk, unsigned count) {
    struct asked *asked = arena_take(&desk->arena, count * sizeof *asked);
    for (unsigned i = 0; i < count; i++)
        asked[i] = (struct asked){.state = i,
                                  .words = "words of some length, to fill pages",
                                  .slot = A_SLOT,
                                  .key = i % 3 == 0 ? "key" : NULL};
    desk_open(desk);
    assert_int_equal(record_all(desk->ledger, asked, count), count);
    desk_close(desk);
}

static struct bytes read_named(struct desk *desk, const char *name) {
    int file = open(name, O_RDONLY);
    struct stat facts;
    assert_true(file >= 0 && fstat(file, &facts) == 0);
    unsigned char *data = arena_take(&desk->arena, (size_t)facts.st_size);
    assert_int_equal(read(file, data, (size_t)facts.st_size), facts.st_size);
    close(file);
    return (struct bytes){data, (size_t)facts.st_size};
}

static struct bytes read_file(struct desk *desk) {
    return read_named(desk, desk->file);
}

static void assert_damaged(const char *row, const struct desk *desk, enum status status,
                           const struct ledger_problem *problem) {
    if (status != STATUS_INVALID || strstr(problem->text, desk->file) == NULL ||
        strstr(problem->text, "backup") == NULL)
        fail_msg("%s: %s", row, status == STATUS_OK ? "it was opened" : problem->text);
}

/* Case G10. */
static void given_a_ledger_when_it_is_cut_then_it_does_not_start(void **state) {
    struct desk *desk = *state;
    fill(desk, 200);
    struct bytes whole = read_file(desk);
    const size_t sizes[] = {whole.size / 2, whole.size - 4096, whole.size - 1, 4096, 100, 1};
    for (size_t i = 0; i < LENGTH_OF(sizes); i++) {
        struct ledger_problem problem;
        directory_write(desk->directory, "tandem.db", bytes_up_to(whole, sizes[i]), 0600);
        enum status status = desk_try(desk, &problem);
        assert_damaged(arena_format(&desk->arena, "cut to %zu", sizes[i]), desk, status, &problem);
        struct bytes after = read_file(desk);
        assert_row_bytes("unchanged", after, bytes_up_to(whole, sizes[i]));
    }
}

/* Case G10: whatever byte is changed, either it is told or it is nowhere to be seen. */
static void given_a_ledger_when_a_byte_changes_then_it_is_told_or_means_nothing(void **state) {
    struct desk *desk = *state;
    fill(desk, 40);
    struct bytes whole = read_file(desk);
    size_t told = 0;
    size_t tries = 0;
    for (size_t at = 0; at < whole.size; at += 61, tries++) {
        struct ledger_problem problem;
        struct bytes changed = arena_copy(&desk->arena, whole);
        ((unsigned char *)(uintptr_t)changed.data)[at] ^= 0x5A;
        directory_write(desk->directory, "tandem.db", changed, 0600);
        if (desk_try(desk, &problem) != STATUS_OK) {
            told++;
            continue;
        }
        assert_int_equal(desk_number(desk, "SELECT count(*) FROM bookings NOT INDEXED WHERE words ="
                                           " CAST('words of some length, to fill pages' AS BLOB)"
                                           " AND slot = CAST('2026-10-03T10:30' AS BLOB)"),
                         40);
        assert_int_equal(desk_number(desk, "SELECT count(*) FROM used"), 40);
        assert_int_equal(desk_number(desk, "SELECT pruned_until FROM ledger"), -INT64_MAX);
    }
    printf("    %zu of %zu changed bytes told at the start, the others mean nothing\n", told,
           tries);
    assert_true(told > tries / 4);
}

static void given_damage_in_the_middle_when_opened_then_it_does_not_start(void **state) {
    struct desk *desk = *state;
    fill(desk, 200);
    struct bytes whole = read_file(desk);
    memset((unsigned char *)(uintptr_t)whole.data + whole.size / 2, 'x', 4096);
    directory_write(desk->directory, "tandem.db", whole, 0600);
    struct ledger_problem problem;
    enum status status = desk_try(desk, &problem);
    assert_damaged("a page", desk, status, &problem);
}

enum { LOGGED = 10 };

/* A ledger as a kill leaves it: its file, its log, and how large that was after each commit. */
struct killed {
    struct bytes file;
    struct bytes log;
    size_t sizes[LOGGED];
};

static struct killed kill_after_bookings(struct desk *desk) {
    struct killed killed;
    const char *log = arena_format(&desk->arena, "%s-wal", desk->file);
    desk_open(desk);
    for (unsigned i = 0; i < LOGGED; i++) {
        const struct asked asked = {.state = i, .words = "a trim", .slot = A_SLOT};
        assert_fact("logged", fact_of(desk->ledger, &asked), LEDGER_RECORDED);
        struct stat facts;
        assert_int_equal(stat(log, &facts), 0);
        killed.sizes[i] = (size_t)facts.st_size;
    }
    killed.file = read_file(desk);
    killed.log = read_named(desk, log);
    desk_close(desk);
    desk->config.file = arena_format(&desk->arena, "%s/killed.db", desk->directory);
    return killed;
}

/* Opens the ledger of that file and a log. */
static enum status try_killed(struct desk *desk, const struct killed *killed, struct bytes log,
                              struct ledger_problem *problem) {
    directory_write(desk->directory, "killed.db", killed->file, 0600);
    directory_write(desk->directory, "killed.db-wal", log, 0600);
    unlink(arena_format(&desk->arena, "%s-shm", desk->config.file));
    return desk_try(desk, problem);
}

/* What is behind a broken frame was acknowledged, all but the last commit. */
static void given_a_log_when_a_byte_changes_then_it_does_not_start(void **state) {
    struct desk *desk = *state;
    struct killed killed = kill_after_bookings(desk);
    unsigned char *log = (unsigned char *)(uintptr_t)killed.log.data;
    for (size_t at = 0; at < killed.sizes[LOGGED - 3]; at += at < 64 ? 1 : 331) {
        struct ledger_problem problem;
        struct bookings *bookings = NULL;
        const char *row = arena_format(&desk->arena, "byte %zu", at);
        log[at] ^= 0x10;
        assert_row_number(row, try_killed(desk, &killed, killed.log, &problem), STATUS_INVALID);
        assert_row(row, strstr(problem.text, "its write-ahead log is broken") != NULL);
        assert_row_number(row, sqlite_bookings_open(desk->config.file, &bookings, &problem),
                          STATUS_INVALID);
        const char *name = arena_format(&desk->arena, "%s-wal", desk->config.file);
        assert_row_bytes(row, read_named(desk, name), killed.log);
        log[at] ^= 0x10;
    }
}

/* Nobody was told of a commit that isn't whole, nor of one that isn't there. */
static void given_a_log_when_a_crash_cut_it_then_it_starts(void **state) {
    struct desk *desk = *state;
    struct killed killed = kill_after_bookings(desk);
    unsigned char *log = (unsigned char *)(uintptr_t)killed.log.data;
    struct ledger_problem problem;
    for (size_t size = 0; size <= killed.log.size; size += size < 64 ? 1 : 1777) {
        const char *row = arena_format(&desk->arena, "cut to %zu", size);
        enum status status = try_killed(desk, &killed, bytes_up_to(killed.log, size), &problem);
        assert_row_number(row, status, STATUS_OK);
    }
    for (size_t at = killed.sizes[LOGGED - 2]; at < killed.log.size; at += 331) {
        log[at] ^= 0x10;
        assert_row_number("torn", try_killed(desk, &killed, killed.log, &problem), STATUS_OK);
        log[at] ^= 0x10;
    }
    assert_int_equal(try_killed(desk, &killed, killed.log, &problem), STATUS_OK);
    desk_open(desk);
    assert_int_equal(ledger_used_states(desk->ledger), LOGGED);
}

static void given_a_page_limit_when_the_disk_is_full_then_nothing_is_lost(void **state) {
    struct desk *desk = *state;
    desk->config.page_limit = 40;
    desk_open(desk);
    static char words[4000];
    memset(words, 'w', sizeof words - 1);
    unsigned recorded = 0;
    enum ledger_fact fact = LEDGER_RECORDED;
    for (unsigned i = 0; i < 200 && fact == LEDGER_RECORDED; i++) {
        fact = fact_of(desk->ledger, &(struct asked){.state = i, .words = words, .slot = A_SLOT});
        recorded += fact == LEDGER_RECORDED;
    }
    assert_fact("full", fact, LEDGER_UNAVAILABLE);
    desk_wait_until_ready(desk, false);
    assert_true(recorded > 5);
    assert_int_equal(list(desk, &EVERY_ONE).count, recorded);
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM used"), recorded);
    const struct asked first = {.state = 0, .slot = A_SLOT};
    assert_fact("the first one", fact_of(desk->ledger, &first), LEDGER_USED);
    desk_run(desk, "DELETE FROM bookings"); /* somebody makes room */
    desk_wait_until_ready(desk, true);
    const struct asked next = {.state = recorded, .words = words, .slot = A_SLOT};
    assert_fact("room again", fact_of(desk->ledger, &next), LEDGER_RECORDED);
}

static void given_a_moved_file_when_asked_then_it_is_unavailable_until_it_is_back(void **state) {
    struct desk *desk = *state;
    desk->deadline = 50;
    desk_open(desk);
    const char *away = arena_format(&desk->arena, "%s/away.db", desk->directory);
    assert_int_equal(rename(desk->file, away), 0);
    const struct asked asked = {.state = 1, .slot = A_SLOT};
    assert_fact("away", fact_of(desk->ledger, &asked), LEDGER_UNAVAILABLE);
    assert_false(ledger_is_ready(desk->ledger, NOW));
    assert_int_not_equal(access(desk->file, F_OK), 0);
    assert_int_equal(rename(away, desk->file), 0);
    desk_wait_until_ready(desk, true);
    assert_fact("back", fact_of(desk->ledger, &asked), LEDGER_RECORDED);
}

/* Removes a file beside the ledger while it is open, and sees that what is recorded before and
 * after is there for whoever opens the file next, without the ledger being closed. */
static void lose_beside(struct desk *desk, const char *suffix) {
    desk->config.exclusive_slots = true;
    desk_open(desk);
    const char *beside = arena_format(&desk->arena, "%s%s", desk->file, suffix);
    const struct bytes slot = bytes_of_text("slot 1");
    bool taken = false;
    for (unsigned i = 1; i <= 6; i++) {
        const char *name = arena_format(&desk->arena, "slot %u", i);
        const struct asked asked = {.state = i, .slot = name};
        assert_fact(suffix, fact_of(desk->ledger, &asked), LEDGER_RECORDED);
        assert_int_equal(ledger_find_taken(desk->ledger, BYTES("elm-street"), &slot, 1, &taken),
                         STATUS_OK);
        assert_true(taken);
        if (i % 2 == 1)
            assert_int_equal(unlink(beside), 0);
    }
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM bookings"), 6);
    assert_int_equal(desk_number(desk, "SELECT count(*) FROM used"), 6);
    desk_close(desk);
}

static void given_the_log_is_removed_when_settled_then_nothing_is_lost(void **state) {
    lose_beside(*state, "-wal");
}

static void given_the_shared_memory_is_removed_when_settled_then_nothing_is_lost(void **state) {
    lose_beside(*state, "-shm");
}

static void given_a_busy_file_when_asked_then_it_waits_and_recovers(void **state) {
    struct desk *desk = *state;
    desk->deadline = 300;
    desk_open(desk);
    sqlite3 *other = NULL;
    assert_int_equal(sqlite3_open(desk->file, &other), SQLITE_OK);
    sqlite3_busy_timeout(other, PATIENCE); /* the ledger may be tending the file */
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    const struct asked asked = {.state = 1, .slot = A_SLOT};
    assert_fact("busy", fact_of(desk->ledger, &asked), LEDGER_UNAVAILABLE);
    assert_false(ledger_is_ready(desk->ledger, NOW));
    struct pending *waiting = ask_later(desk->ledger, &asked);
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    assert_fact("in time", pending_wait(waiting).fact, LEDGER_RECORDED);
    assert_true(ledger_is_ready(desk->ledger, NOW));
}

static void _when_bookings_are_asked_of_no_ledger_then_it_says_so(void **state) {
    struct desk *desk = *state;
    struct bookings *bookings = NULL;
    struct ledger_problem problem;
    const struct {
        const char *url;
        const char *says;
    } rows[] = {
        {"memory", "keeps no bookings"},
        {"tandem.db", "is not a ledger"},
        {arena_format(&desk->arena, "sqlite:%s", desk->file), "No such file"},
        {"sqlite:", "is not a ledger"},
    };
    for (size_t i = 0; i < LENGTH_OF(rows); i++) {
        assert_int_not_equal(bookings_open(rows[i].url, &bookings, &problem), STATUS_OK);
        if (strstr(problem.text, rows[i].says) == NULL)
            fail_msg("%s: %s", rows[i].url, problem.text);
    }
    bookings_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DESK_TEST(given_a_used_state_when_the_ledger_is_opened_again_then_it_is_used),
        DESK_TEST(given_a_booking_when_it_is_listed_then_all_of_it_is_there),
        DESK_TEST(given_many_bookings_when_listed_then_the_filter_holds),
        DESK_TEST(given_a_list_that_is_taken_slowly_when_others_work_then_it_holds_nobody_up),
        DESK_TEST(given_exclusive_slots_when_two_want_one_then_the_second_finds_it_taken),
        DESK_TEST(given_exclusive_slots_when_taken_ones_are_asked_then_they_are_told),
        DESK_TEST(given_a_booking_when_cancelled_then_its_slot_is_free_and_its_state_used),
        DESK_TEST(given_words_when_they_are_forgotten_then_no_byte_of_them_is_left),
        DESK_TEST(given_a_ledger_when_it_is_backed_up_then_the_copy_is_one_too),
        DESK_TEST(given_old_states_when_an_hour_is_over_then_they_are_forgotten_for_good),
        DESK_TEST(given_many_old_states_when_they_are_forgotten_then_none_is_left),
        DESK_TEST(given_an_open_ledger_when_opened_again_then_it_is_in_use),
        DESK_TEST(given_a_file_with_two_names_when_opened_then_it_is_refused),
        DESK_TEST(given_a_file_of_another_kind_when_opened_then_it_says_so),
        DESK_TEST(given_an_older_ledger_when_opened_then_it_is_brought_up_to_date),
        DESK_TEST(given_an_older_ledger_when_migration_fails_then_nothing_changes),
        DESK_TEST(given_no_good_place_when_opened_then_it_says_so_and_makes_nothing),
        DESK_TEST(given_no_room_when_a_ledger_or_a_backup_is_made_then_its_name_is_told),
        DESK_TEST(given_a_file_that_is_only_readable_when_opened_then_only_a_list_is_had),
        DESK_TEST(given_a_file_that_can_be_no_ledger_when_opened_then_it_says_why),
        DESK_TEST(given_a_ledger_when_it_is_cut_then_it_does_not_start),
        DESK_TEST(given_a_ledger_when_a_byte_changes_then_it_is_told_or_means_nothing),
        DESK_TEST(given_damage_in_the_middle_when_opened_then_it_does_not_start),
        DESK_TEST(given_a_log_when_a_byte_changes_then_it_does_not_start),
        DESK_TEST(given_a_log_when_a_crash_cut_it_then_it_starts),
        DESK_TEST(given_a_page_limit_when_the_disk_is_full_then_nothing_is_lost),
        DESK_TEST(given_a_moved_file_when_asked_then_it_is_unavailable_until_it_is_back),
        DESK_TEST(given_the_log_is_removed_when_settled_then_nothing_is_lost),
        DESK_TEST(given_the_shared_memory_is_removed_when_settled_then_nothing_is_lost),
        DESK_TEST(given_a_busy_file_when_asked_then_it_waits_and_recovers),
        DESK_TEST(_when_bookings_are_asked_of_no_ledger_then_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
