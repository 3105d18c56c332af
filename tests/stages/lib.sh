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
