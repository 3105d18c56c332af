# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Part of tools/vm/kernel: a kernel built in the cache from Debian's source package.

# built PACKAGE FRAGMENT...: set $dir to that source's kernel with tinyconfig and the fragments, of which a
# later one has precedence.
built() {
	choose_source "$@"
	[ ! -r "$dir/env" ] || return 0
	unpack_source
	shift
	configure "$@"
	compile bzImage modules
	cp "$dir/build/arch/x86/boot/bzImage" "$dir/bzImage"
	finish_source "$dir/bzImage"
}

# prepared PACKAGE FRAGMENT: likewise, but it only suffices to build modules for it.
prepared() {
	choose_source "$1" "$2"
	[ ! -r "$dir/env" ] || return 0
	unpack_source
	configure "$2"
	compile modules_prepare
	finish_source ''
}

# choose_source PACKAGE FRAGMENT...: set $tarball, and $dir, which is complete if the kernel was built before.
choose_source() {
	tarball=$(source_tarball "$1")
	shift
	key=$({ echo "${tarball##*/}"; cat "$@"; } | sha256sum | cut -c 1-12)
	dir=$cache/$name/$key
}

# finish_source IMAGE
finish_source() {
	prune
	describe_built "$1" >"$dir/env.new"
	mv "$dir/env.new" "$dir/env"
}

# Print the path of the newest source in the cache, or after fetching it.
source_tarball() {
	cached=$(ls -t "$cache/sources/$1"_*.tar.xz 2>/dev/null | head -n 1)
	if [ -z "$cached" ] || [ -n "$update" ]; then
		[ -z "$suite" ] || use_suite "$suite"
		version=$(find_candidate "$1")
		cached=$cache/sources/$1_$version.tar.xz
		[ -r "$cached" ] || fetch_source "$1" "$version" "$cached"
	fi
	echo "$cached"
}

# fetch_source PACKAGE VERSION TARBALL
fetch_source() {
	mkdir -p "$cache/sources"
	work=$(mktemp -d "$cache/sources/fetch.XXXXXX")
	(cd "$work" && fetch "$1=$2" && dpkg-deb -x ./*.deb .)
	mv "$work/usr/src/$1.tar.xz" "$3"
	rm -r "$work"
}

unpack_source() {
	rm -rf "${cache:?}/$name"
	mkdir -p "$dir/build"
	log=$dir/build.log
	say "building the $name kernel; this takes some minutes ($log)"
	tar -C "$dir/build" --strip-components 1 -xJf "$tarball"
}

kbuild() {
	make -C "$dir/build" -j"$(nproc)" KBUILD_BUILD_USER=ucmad KBUILD_BUILD_HOST=ucmad ${compiler:+CC="$compiler"} "$@"
}

# configure FRAGMENT...: and see to it that nothing asked for was dropped on the way.
configure() {
	kbuild tinyconfig >>"$log" 2>&1
	(cd "$dir/build" && scripts/kconfig/merge_config.sh -m .config "$@") >>"$log" 2>&1
	kbuild olddefconfig >>"$log" 2>&1
	# What does not exist at all is as good as "not set".
	missing=$(asked_for "$@" | grep -v '=n$' | grep -vxF -f "$dir/build/.config" || true)
	for option in $(asked_for "$@" | sed -n 's/=n$//p'); do
		! grep -q "^$option=" "$dir/build/.config" || missing="$missing no-$option"
	done
	[ -z "$missing" ] || die "these options do not take effect:
$missing"
}

# asked_for FRAGMENT...: a line OPTION=VALUE for each option, its last; "n" for one that is not to be set.
asked_for() {
	sed -n 's/^# \(CONFIG_.*\) is not set$/\1=n/p; /^CONFIG_/p' "$@" |
		awk -F = '{ value[$1] = $0 } END { for (option in value) print value[option] }'
}

# compile TARGET...: with a sign of life every 20 s.
compile() {
	kbuild "$@" >>"$log" 2>&1 &
	job=$!
	started=$(date +%s)
	next=20
	while sleep 1 && kill -0 "$job" 2>/dev/null; do
		elapsed=$(($(date +%s) - started))
		[ "$elapsed" -ge "$next" ] || continue
		next=$((elapsed + 20))
		say "$elapsed s, $(grep -c '^  [A-Z]' "$log") steps, at $(tail -n 1 "$log")"
	done
	wait "$job" || { tail -n 30 "$log" >&2; die "the build failed"; }
}

# Keep what it takes to build modules for the kernel.
prune() {
	cd "$dir/build"
	find . -name '*.o' ! -path './scripts/*' ! -path './tools/*' -delete
	find . \( -name '*.a' -o -name '*.cmd' \) ! -path './scripts/*' ! -path './tools/*' -delete
	rm -rf vmlinux* arch/x86/boot Documentation drivers fs sound net mm security crypto samples
	cd - >/dev/null
}

# describe_built IMAGE
describe_built() {
	cat <<-END
	KERNEL_RELEASE='$(cat "$dir/build/include/config/kernel.release")'
	KERNEL_IMAGE='$1'
	KERNEL_DIR='$dir/build'
	KERNEL_CC='$compiler'
	KERNEL_MODULES=''
	END
}
