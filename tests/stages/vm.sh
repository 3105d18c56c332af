# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#
# Test programs in a guest with one kernel; for the stages vm-* and faults.
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
