# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Part of tools/vm/kernel: a kernel from Debian's binary packages, unpacked into the cache.

# packaged SERIES: set $dir to the newest kernel of that series, such as 6.1.
packaged() {
	dir=$(newest_unpacked)
	[ -n "$dir" ] && [ -z "$update" ] && return

	abi=$(newest_abi "$1") || { refresh_lists; abi=$(newest_abi "$1"); } ||
		die "no linux-image of series $1 has its headers beside it"
	version=$(candidate "linux-image-$abi")
	dir=$cache/$name/$version
	[ -r "$dir/env" ] || unpack "$1" "$abi" "$version"
}

newest_unpacked() {
	ls -dt "$cache/$name"/*/env 2>/dev/null | head -n 1 | xargs -r dirname
}

# Print the newest ABI (6.1.0-N-amd64) whose image and headers are to be had in one version:
# an archive in the middle of an update may offer one without the other.
newest_abi() {
	for image in $(apt-cache pkgnames "linux-image-$1." | grep -E -- '-[0-9]+-amd64$' | sort -rV); do
		abi=${image#linux-image-}
		if version=$(candidate "$image") &&
			[ "$(candidate "linux-headers-$abi")" = "$version" ]; then
			echo "$abi"
			return
		fi
	done
	return 1
}

# unpack SERIES ABI VERSION: into $dir.
unpack() {
	rm -rf "$dir"
	mkdir -p "$dir/debs"
	(cd "$dir/debs" && fetch "linux-image-$2=$3" "linux-headers-$2=$3" \
		"linux-headers-${2%-amd64}-common=$3" "linux-kbuild-$1=$3")
	say "unpacking $2 ($3)"
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb -x "$deb" "$dir/root"
	done
	rm -r "$dir/debs"
	relocate "$dir/root" "$2"
	depmod -b "$dir/root" "$2"
	describe_packaged "$dir/root" "$2" >"$dir/env.new"
	mv "$dir/env.new" "$dir/env"
}

# relocate ROOT ABI: the headers expect to be found in /usr/src; tell them where they are.
relocate() {
	headers=$1/usr/src/linux-headers-$2
	sed -i "s|/usr/src/|$1/usr/src/|" "$headers/Makefile"
	for link in build source; do
		ln -sfn "$headers" "$1/lib/modules/$2/$link"
	done
}

describe_packaged() {
	cat <<-END
	KERNEL_RELEASE='$2'
	KERNEL_IMAGE='$1/boot/vmlinuz-$2'
	KERNEL_DIR='$1/usr/src/linux-headers-$2'
	KERNEL_CC=''
	KERNEL_MODULES='$1'
	END
}
