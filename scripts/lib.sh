# shellcheck shell=bash
# What scripts/start and scripts/test share. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    printf 'scripts/%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

is_installed() {
    [ "$(dpkg-query --show --showformat='${Status}' "$1" 2>/dev/null)" = 'install ok installed' ]
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# Another apt-get may be at work, in another checkout say: the second try finds it done.
apt() {
    local try
    for try in 1 2 3; do
        as_root env DEBIAN_FRONTEND=noninteractive \
            apt-get --quiet --option DPkg::Lock::Timeout=300 --option Acquire::http::Timeout=30 \
            "$@" </dev/null && return
        [ "$try" = 3 ] || sleep 5
    done
    return 1
}

# Installs what is missing of the named Debian packages, and says so; asks nothing of the network
# when all are there. The first argument is the log's name.
install_missing() {
    local log=$root/build/logs/$1 package missing=()
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "there is no apt-get here, so what is missing is not installed. Needed (Debian's names): $*"
        return
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
        die "these packages are missing, and there is no sudo to install them with. As root:
    apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
    echo "installing with apt-get: ${missing[*]}"
    mkdir -p "${log%/*}"
    if ! { apt update && apt install --yes --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log"
        die "the packages could not be installed; the whole story is in $log"
    fi
}

# What it takes to build the server, and to paste the lines that scripts/start prints.
start_packages=(gcc libc6-dev make cmake pkg-config libmicrohttpd-dev libjansson-dev libssl-dev
    libcurl4-openssl-dev libsqlite3-dev ca-certificates curl jq)
# What the tests and checks need besides.
test_packages=(libcmocka-dev clang libclang-rt-dev clang-format clang-tidy cppcheck shellcheck)
full_packages=(valgrind libc6-dbg)
export start_packages test_packages full_packages
