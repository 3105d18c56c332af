# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# What the stages of tests/run have in common. $RESULTS and $STAGE_DIR come from there.

passed() {
	echo "passed $*" >>"$RESULTS"
}

failed() {
	echo "failed $*" >>"$RESULTS"
	echo "FAILED: $*"
}

skipped() {
	echo "skipped $*" >>"$RESULTS"
	echo "skipped: $*"
}

# check NAME COMMAND...: a test that passes if the command succeeds. Its output is shown
# only if it fails.
check() {
	local name=$1 log
	shift
	log=$STAGE_DIR/${name//[^A-Za-z0-9._-]/_}.log
	if "$@" >"$log" 2>&1; then
		passed "$name"
	else
		tail -n 100 "$log"
		failed "$name"
		return 1
	fi
}

# build MAKE-ARGUMENT...: shows how far it is, and the rest of what it says only if it fails. One at a time,
# as stages share what is built.
build() {
	flock build/tests/.lock make --no-print-directory "$@" 2>&1 | tee "$STAGE_DIR/build.log" | percents
	[ "${PIPESTATUS[0]}" = 0 ] || {
		tail -n 100 "$STAGE_DIR/build.log"
		return 1
	}
}

# Of CMake's lines "[ 42%] ...", one of ten.
percents() {
	awk '/^\[ *[0-9]+%\]/ && int(substr($0, 2) / 10) > tens { tens = int(substr($0, 2) / 10); print; fflush() }'
}

# has_kernel NAME TEST: whether there is that kernel; if not, that is what the test comes to.
has_kernel() {
	tools/vm/kernel "$1" >/dev/null
	case $? in
	0)	return ;;
	3)	skipped "$2: the kernel's source cannot be had" ;;
	*)	failed "$2: no kernel" ;;
	esac
	return 1
}

# module_is_silent KERNEL MAKE-ARGUMENT...: builds the module, with all that the compiler can say. It and
# what else is run complain about the kernel's own headers too; only what names our files counts.
# Not where other stages have their module, since it is compiled again for other options.
module_is_silent() {
	local mirror=$STAGE_DIR/module-$1
	tools/vm/modules --in "$mirror" "$1" W=1 "${@:2}" 2>&1 | tee "$mirror.full" | tail -n 20
	[ "${PIPESTATUS[0]}" = 0 ] && ! grep -E "^$mirror/.*: (warning|error):" "$mirror.full"
}

# check_compiles KERNEL NAME: a test that the module can be built for a kernel of which there is no more than it
# takes to compile: without a list of what it exports, symbols are left unresolved.
check_compiles() {
	has_kernel "$1" "$2" || return 0
	check "$2" module_is_silent "$1" KBUILD_MODPOST_WARN=1
}

# build_mistakes KERNEL: the module that makes them, as $STAGE_DIR/fault/ucmad_fault.ko.
build_mistakes() {
	cp -r tests/runner/fault "$STAGE_DIR/"
	eval "$(tools/vm/kernel "$1")"
	check "module with mistakes" make -C "$KERNEL_DIR" M="$STAGE_DIR/fault"
}

# in_guest TIMEOUT COMMAND...: on Debian's kernel, with the module loaded.
in_guest() {
	tools/vm/run --quiet --timeout "$1" --log "$STAGE_DIR/kernel.log" \
		--module build/modules/debian/drivers/ucmad/ucmad.ko -- "${@:2}"
}
