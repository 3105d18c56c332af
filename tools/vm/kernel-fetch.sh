# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Part of tools/vm/kernel: Debian packages, downloaded but not installed.

# Download packages (NAME or NAME=VERSION) into the current directory. The machine's package
# lists may be missing or older than the mirror, so a failure earns one update.
fetch() {
	say "downloading $*"
	apt-get -qq download "$@" 2>/dev/null && return
	refresh_lists
	apt-get -qq download "$@" >&2 || die "cannot download $*"
}

refresh_lists() {
	[ "$(id -u)" = 0 ] || die "the package lists are missing or old: run apt-get update as root"
	say "updating the package lists"
	apt-get -qq update >&2 || die "apt-get update failed"
}

# Print the version of package $1 that apt would take; fail if there is none.
candidate() {
	apt-cache policy "$1" | sed -n 's/^  Candidate: //p' | grep -v '^(none)$'
}

# As candidate, but look again with fresh lists before giving up.
find_candidate() {
	candidate "$1" && return
	refresh_lists
	candidate "$1" || die "there is no package $1"
}
