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
	fi
}

# build MAKE-ARGUMENT...: its output is shown only if it fails.
build() {
	make --no-print-directory "$@" >"$STAGE_DIR/build.log" 2>&1 || {
		tail -n 100 "$STAGE_DIR/build.log"
		return 1
	}
}

# module_is_silent KERNEL MAKE-ARGUMENT...: builds the module, with all that the compiler can say. It and
# what else is run complain about the kernel's own headers too; only what names our files counts.
module_is_silent() {
	local log=$STAGE_DIR/module-$1.full
	tools/vm/modules "$1" W=1 "${@:2}" 2>&1 | tee "$log" | tail -n 20
	[ "${PIPESTATUS[0]}" = 0 ] && ! grep -E 'build/modules/.*: (warning|error):' "$log"
}
