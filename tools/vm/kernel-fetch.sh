# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Part of tools/vm/kernel: Debian packages, downloaded but not installed.

# Download packages (NAME or NAME=VERSION) into the current directory. The machine's package
# lists may be missing or older than the mirror, so a failure earns one update.
fetch() {
	say "downloading $*"
	apt-get -qq download "$@" 2>/dev/null && return
	refresh_lists
	apt-get -qq download "$@" >&2 || unavailable "cannot download $*"
}

refresh_lists() {
	[ -n "$suite" ] || [ "$(id -u)" = 0 ] ||
		die "the package lists are missing or old: run apt-get update as root"
	say "updating the package lists"
	apt-get -qq update >&2 || unavailable "apt-get update failed"
}

# use_suite SUITE: packages are those of another suite of Debian from here on. The source is that of the
# machine's own release with the suite's name in its place; the machine's configuration and lists stay as
# they are.
use_suite() {
	lists=$cache/suites/$1
	mkdir -p "$lists/lists/partial" "$lists/archives/partial"
	site=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
		sed -n "s/^$(release_name) main //p" | head -n 1)
	[ -n "$site" ] || unavailable "this machine has no package source of its own release"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site $1 main" >"$lists/sources.list"
	cat >"$lists/apt.conf" <<-END
		Dir::State::Lists "$lists/lists";
		Dir::Cache::Archives "$lists/archives";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		Dir::Etc::SourceList "$lists/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		APT::Sandbox::User "$(id -un)";
	END
	export APT_CONFIG="$lists/apt.conf"
}

release_name() {
	sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}

# Print the version of package $1 that apt would take; fail if there is none.
candidate() {
	apt-cache policy "$1" | sed -n 's/^  Candidate: //p' | grep -v '^(none)$'
}

# As candidate, but look again with fresh lists before giving up.
find_candidate() {
	candidate "$1" && return
	refresh_lists
	candidate "$1" || unavailable "there is no package $1"
}
