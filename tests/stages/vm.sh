# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Tests in a guest with one kernel; for the stages vm-* and others.
. tests/stages/lib.sh

# vm_suite KERNEL TIMEOUT [OPTION-OF-tools/vm/run...]: the integration tests, or $PROGRAM.
vm_suite() {
	local kernel=$1 timeout=$2 status
	local module=build/modules/$kernel/drivers/ucmad/ucmad.ko
	shift 2
	build all-cmake modules KERNEL="$kernel" || return
	tools/vm/run --kernel "$kernel" --timeout "$timeout" --log "$STAGE_DIR/kernel.log" \
		--module "$module" --env UCMAD_MODULE="$PWD/$module" --out "$STAGE_DIR" "$@" -- \
		"${PROGRAM:-build/cmake/tests/vm/ucmad-vm-tests}" --gtest_output="xml:$STAGE_DIR/tests.xml" |
		tee "$STAGE_DIR/tests.log" | grep --line-buffered -v -e '^\[ RUN' -e '^\[       OK'
	status=${PIPESTATUS[0]}
	tests/stages/count-xml "$STAGE_DIR/tests.xml" >>"$RESULTS" || return
	# 1 is for failed tests, which are counted; more is for what is wrong with the guest.
	case $status in
	0 | 1)	passed "$kernel kernel: no report" ;;
	*)	failed "$kernel kernel: no report (status $status of tools/vm/run)" ;;
	esac
}

# kunit_suites KERNEL: the module's, which the kernel runs when the module is loaded.
kunit_suites() {
	local kernel=$1 log=$STAGE_DIR/kunit.kernel.log
	build modules KERNEL="$kernel" || return
	check "KUnit on $kernel: no report" tools/vm/run --kernel "$kernel" --timeout 600 --log "$log" \
		--out "$STAGE_DIR" --no-rxe --module "build/modules/$kernel/drivers/ucmad/ucmad.ko" -- true
	tests/stages/count-ktap "$log" >"$STAGE_DIR/ktap"
	# What was expected and what was there instead.
	grep -A 4 -E 'EXPECTATION FAILED|ASSERTION FAILED' "$log"
	cat "$STAGE_DIR/ktap" >>"$RESULTS"
	[ -s "$STAGE_DIR/ktap" ] || failed "KUnit on $kernel: no result"
}

# storms KERNEL: from known seeds.
storms() {
	local kernel=$1 log=$STAGE_DIR/storms.log status
	build all-cmake modules KERNEL="$kernel" || return
	tests/storm/run --kernel "$kernel" --timeout 400 --log "$STAGE_DIR/storms.kernel.log" --seconds 8 --calls \
		--seed 1,2,3,4,5,6 >"$log" 2>&1
	status=$?
	sed -nE 's/^(seed [0-9]+):.* (passed|FAILED)$/\L\2\E storm, \1/p' "$log" >>"$RESULTS"
	[ "$status" = 0 ] || { tail -n 200 "$log"; failed "storms on $kernel: status $status"; }
}
