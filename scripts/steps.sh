#!/usr/bin/env bash
# The steps of scripts/test, which runs each one as a process of its own, with a time limit and a
# log. usage: steps.sh STEP. Exit status: 0 good, 77 skipped (the last line says why), else failed.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

c_files() {
    find "$@" -name node_modules -prune -o -name '*.[ch]' -print0
}

# The thread sanitizer of clang 14 can't find its way in the address space as newer kernels lay it
# out at random. Where the layout can't be fixed, in some containers, it must do without.
fixed_layout=()
fix_layout() {
    if setarch "$(uname -m)" --addr-no-randomize true 2>/dev/null; then
        fixed_layout=(setarch "$(uname -m)" --addr-no-randomize)
    fi
}

preset() {
    cmake --preset "$1" -D TANDEM_TESTS=ON
    cmake --build --preset "$1" --parallel "$(nproc)"
    echo "== the tests of $1"
    "${fixed_layout[@]}" ctest --preset "$1" --verbose --parallel 2 --no-tests=error
}

# Configures a folder for the linters, with the commands of src/ alone.
lint_folder() {
    cmake --preset clang -B build/lint -D TANDEM_TESTS=OFF >/dev/null
    mkdir -p build/lint/src
    jq --arg src "$root/src/" '[.[] | select(.file | startswith($src))]' \
        build/lint/compile_commands.json >build/lint/src/compile_commands.json
}

case ${1-} in
format)
    folders=()
    for folder in src include tests bench; do
        [ ! -d $folder ] || folders+=("$folder")
    done
    if ! c_files "${folders[@]}" | xargs -0 clang-format --dry-run -Werror 2>build/logs/format.warnings; then
        echo "not as clang-format has it; clang-format -i puts these right:"
        sed -n 's/:[0-9]*:[0-9]*: error: .*//p' build/logs/format.warnings | sort -u
        exit 1
    fi
    ;;
dev | release | clang | asan)
    preset "$1"
    ;;
tsan)
    fix_layout
    preset tsan
    ;;
scripts)
    shopt -s nullglob
    shellcheck scripts/start scripts/test scripts/*.sh .ci/run bench/run tests/*/check tests/*/run tests/mcp-client/client
    tests/scripts/check
    ;;
cppcheck)
    lint_folder
    # cppcheck 2.10 loses its way at compound literals in conditional expressions (internalAstError),
    # and takes a struct's pointer for an array in it (returnDanglingLifetime).
    cppcheck --project=build/lint/src/compile_commands.json --quiet --error-exitcode=1 -j "$(nproc)" \
        --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem \
        --suppress=internalAstError --suppress=returnDanglingLifetime:src/protocol/answer.c
    ;;
clang-tidy)
    lint_folder
    c_files src | xargs -0 --max-procs="$(nproc)" --max-args=4 \
        clang-tidy --quiet --warnings-as-errors='*' -p build/lint/src 2>&1 |
        sed -E '/^[0-9]+ warnings? generated\.$/d'
    ;;
valgrind)
    preset=dev
    cmake --preset $preset -D TANDEM_TESTS=ON >/dev/null
    cmake --build --preset $preset --parallel "$(nproc)" >/dev/null
    for source in tests/*/test_*.c; do
        [ "$(dirname "$source")" != tests/integration ] || continue
        program=$(basename "$source" .c)
        # It knows no pidfd_open, and its vfork hides that a program couldn't be started.
        [ "$program" != test_childprocess ] || continue
        # Those that make allocations fail keep their own malloc.
        options=(--quiet)
        ! grep -q allocation_faults.h "$source" || options+=(--soname-synonyms=somalloc=nouserintercepts)
        echo "== $program"
        valgrind "${options[@]}" --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,possible \
            "build/$preset/tests/$program"
    done
    ;;
without)
    # What can be left out of a build: the rest is whole, and so are its tests.
    for option in TANDEM_CLIENT TANDEM_SQLITE; do
        echo "== without $option"
        cmake --preset dev -B "build/without-$option" -D TANDEM_TESTS=ON -D TANDEM_MUTANTS=OFF "-D$option=OFF" >/dev/null
        cmake --build "build/without-$option" --parallel "$(nproc)"
        ctest --test-dir "build/without-$option" --output-on-failure --parallel 2 --no-tests=error
    done
    ;;
slow)
    cmake --preset dev -D TANDEM_TESTS=ON >/dev/null
    cmake --build --preset dev --parallel "$(nproc)" >/dev/null
    for program in test_sqlite_crash test_sqlite_model; do
        TANDEM_SLOW=1 "build/dev/tests/$program"
    done
    ;;
fuzz)
    cmake --preset fuzz -D TANDEM_TESTS=ON
    cmake --build --preset fuzz --parallel "$(nproc)"
    for source in tests/fuzz/fuzz_*.c; do
        subject=$(basename "$source" .c)
        subject=${subject#fuzz_}
        # What it finds new goes to the first folder, which later runs begin with too.
        mkdir -p "build/fuzz/found/$subject"
        echo "== $subject"
        "build/fuzz/tests/fuzz/fuzz_$subject" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 \
            -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="build/logs/fuzz-$subject-" \
            "build/fuzz/found/$subject" "tests/fuzz/corpus/$subject"
    done
    ;;
openapi-clients)
    tests/openapi-clients/check
    ;;
mcp-client)
    cmake --preset release >/dev/null
    cmake --build --preset release --parallel "$(nproc)" --target tandem >/dev/null
    tests/mcp-client/check build/release/tandem
    ;;
mcp)
    cmake --preset release -D TANDEM_TESTS=ON >/dev/null
    cmake --build --preset release --target tandem tandem-mcp-fixtures --parallel "$(nproc)" >/dev/null
    tests/mcp/check build/release
    ;;
packaging)
    tests/packaging/check
    ;;
*)
    die "there is no step ${1-}"
    ;;
esac
