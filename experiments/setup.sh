# shellcheck shell=bash
# What experiments/run and tests/run share: install what is missing, configure, build.
# Sourced, not run. Needs bash, coreutils and, to install anything, Debian's apt.

ouro_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ouro_jobs=${OURO_JOBS:-$(nproc)}

say() { printf '== %s\n' "$*" >&2; }
warn() { printf 'warning: %s\n' "$*" >&2; }
fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
# misuse MESSAGE: for arguments that mean nothing, before anything has been done.
misuse() {
    printf 'error: %s\n' "$*" >&2
    exit 2
}

# packages_in GROUP...: the packages of these groups, one a line.
packages_in() {
    local wanted=" $* " group="" line name
    while IFS= read -r line || [[ -n $line ]]; do
        line=${line%%#*}
        read -r name _ <<<"$line" || true
        case $name in
        "") ;;
        \[*\]) group=${name:1:-1} ;;
        *) if [[ $wanted == *" $group "* ]]; then printf '%s\n' "$name"; fi ;;
        esac
    done <"$ouro_root/experiments/packages.txt"
}

# missing_of PACKAGE...: those that are not installed, one a line; one question to dpkg.
missing_of() {
    local -A installed=()
    local status name
    (($#)) || return 0
    while read -r status name; do
        if [[ $status == installed ]]; then installed[$name]=1; fi
    done < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' -- "$@" 2>/dev/null)
    for name in "$@"; do
        if [[ -z ${installed[$name]:-} ]]; then printf '%s\n' "$name"; fi
    done
}

# apt_get ARGUMENT...: apt-get as root and without questions. What it says goes to
# build/packages.log; the end of that to the terminal if it fails.
apt_get() {
    local log=$ouro_root/build/packages.log root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || fail "installing needs root: run as root, or install sudo"
        root=(sudo)
    fi
    mkdir -p "$ouro_root/build"
    if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        return 1
    fi
}

# install_groups [GROUP...]: installs what these groups lack ([run] and [test] if none is named).
# A package of [peers], [programs] or [browser] that cannot be had is a warning; of any other group, the end.
install_groups() {
    local groups=("$@") group missing=() needed=() extra=() name
    local -A optional=() # package: what it is
    ((${#groups[@]})) || groups=(run test)
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        if [[ -n ${OURO_NO_INSTALL:-} ]]; then return; fi
        {
            echo "error: this system has no apt, so nothing can be installed for you."
            echo "These are the names of what is needed on Debian 12:"
            packages_in "${groups[@]}" | sed 's/^/    /'
            echo "Install their like, then set OURO_NO_INSTALL=1 and run this again."
        } >&2
        exit 1
    fi
    for group in "${groups[@]}"; do
        mapfile -t missing < <(packages_in "$group")
        ((${#missing[@]})) || fail "experiments/packages.txt has no packages in a group [$group]"
        for name in "${missing[@]}"; do
            case $group in
            peers | programs | browser)
                extra+=("$name")
                optional[$name]=${group%s}
                ;;
            *) needed+=("$name") ;;
            esac
        done
    done
    # One question for all; the answer keeps the order, the needed ones first.
    mapfile -t missing < <(missing_of "${needed[@]}" "${extra[@]}")
    if ((${#missing[@]} == 0)); then return; fi
    if [[ -n ${OURO_NO_INSTALL:-} ]]; then
        warn "not installed, and OURO_NO_INSTALL is set: ${missing[*]}"
        return
    fi

    say "installing ${#missing[@]} packages from Debian: ${missing[*]}"
    apt_get update || warn "apt-get update failed; trying with the package lists that are there"
    local required=()
    for name in "${missing[@]}"; do
        if [[ " ${needed[*]} " == *" $name "* ]]; then required+=("$name"); fi
    done
    if ((${#required[@]})); then
        apt_get install --no-install-recommends "${required[@]}" ||
            fail "apt-get could not install: ${required[*]}"
    fi
    for name in "${missing[@]}"; do
        if [[ " ${needed[*]} " != *" $name "* ]]; then
            apt_get install --no-install-recommends "$name" ||
                warn "${optional[$name]} $name cannot be installed; it is left out"
        fi
    done
}

# configure BUILD_DIR [CMAKE ARGUMENT...]: quiet unless it fails; a second call takes a second.
configure() {
    local directory=$1 log generator=()
    shift
    mkdir -p "$directory"
    log=$directory/configure.log
    [[ -f $directory/CMakeCache.txt ]] || generator=(-G Ninja)
    if ! cmake -S "$ouro_root" -B "$directory" "${generator[@]}" "$@" >"$log" 2>&1; then
        cat "$log" >&2
        fail "configuring $directory failed (to start afresh, remove it)"
    fi
}

# build BUILD_DIR [TARGET...]
build() {
    local directory=$1 targets=()
    shift
    if (($#)); then targets=(--target "$@"); fi
    say "building ${directory#"$ouro_root"/}"
    cmake --build "$directory" -j "$ouro_jobs" "${targets[@]}" || fail "building $directory failed"
}
