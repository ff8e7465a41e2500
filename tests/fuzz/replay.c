/* Runs a fuzz target once over every file of a corpus folder, as a cmocka test.
 * usage: replay_SUBJECT FOLDER */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_SIZE_MAX = 1048576, PATH_SIZE = 1024 };

static const char *folder;

static void run_file(const char *name) {
    char path[PATH_SIZE];
    assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_SIZE);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *data = malloc(INPUT_SIZE_MAX);
    assert_non_null(data);
    size_t size = fread(data, 1, INPUT_SIZE_MAX, file);
    fclose(file);
    /* A copy of just this size, so that a sanitizer sees a read past its end. */
    unsigned char *input = malloc(size > 0 ? size : 1);
    assert_non_null(input);
    memcpy(input, data, size);
    free(data);
    assert_int_equal(LLVMFuzzerTestOneInput(input, size), 0);
    free(input);
}

static void given_a_corpus_when_each_input_is_run_then_nothing_breaks(void **state) {
    (void)state;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    size_t count = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (entry->d_name[0] == '.')
            continue;
        run_file(entry->d_name);
        count++;
    }
    closedir(entries);
    printf("%zu inputs\n", count);
    assert_true(count > 0);
}

int main(int count, char **words) {
    if (count != 2)
        return 2;
    folder = words[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_corpus_when_each_input_is_run_then_nothing_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
