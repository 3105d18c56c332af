#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Tests what tools/vm/klog.py takes for trouble in a kernel log."""

import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "vm"))
import klog

TROUBLE = """\
BUG: kernel NULL pointer dereference, address: 0000000000000010
BUG: KASAN: use-after-free in ucmad_open+0x10/0x20 [ucmad]
BUG: KASAN: use-after-free in rxe_resp_queue_pkt_again+0xa2/0xb0
BUG: KASAN: slab-out-of-bounds in rxe_resp_queue_pkt+0xa2/0xb0
BUG: sleeping function called from invalid context at kernel/locking/mutex.c:580
BUG: unable to handle page fault for address: ffffffffffffffd8
BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 40s!
BUG kmalloc-64 (Not tainted): Poison overwritten
kernel BUG at lib/list_debug.c:29!
watchdog: BUG: soft lockup - CPU#1 stuck for 52s! [test:100]
[ BUG: Invalid wait context ]
WARNING: CPU: 0 PID: 1 at drivers/ucmad/file.c:20 ucmad_open+0x10/0x20 [ucmad]
WARNING: possible circular locking dependency detected
WARNING: inconsistent lock state
WARNING: suspicious RCU usage
INFO: task test:100 blocked for more than 120 seconds.
INFO: trying to register non-static key.
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_preempt self-detected stall on CPU
UBSAN: shift-out-of-bounds in drivers/ucmad/file.c:20:3
ODEBUG: free active (active state 0) object type: timer_list hint: expire+0x0/0x10
refcount_t: underflow; use-after-free.
unregister_netdevice: waiting for dummy0 to become free. Usage count = 2
list_add corruption. next->prev should be prev (ffff888), but was 0000000.
general protection fault, probably for non-canonical address 0xdffffc0000000000: 0000 [#1]
Oops: 0002 [#1] PREEMPT SMP KASAN
Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000200
kmem_cache_destroy ucmad_event: Slab cache still has objects when called from exit+0x10/0x20
guest-init: ERROR: ucmad cannot be removed
""".splitlines()

HARMLESS = """\
kasan: KernelAddressSanitizer initialized
ucmad: loading out-of-tree module taints kernel.
ucmad: module verification failed: signature and/or required key missing - tainting kernel
kmemleak: Kernel memory leak detector initialized (mem pool available: 35525)
kmemleak: 2 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
AMD-Vi: AMD IOMMUv2 functionality not available on this system - This is not a bug.
traps: test[100] general protection fault ip:401000 sp:7ffd error:0 in test[401000+1000]
rcu: Preemptible hierarchical RCU implementation.
FAULT_INJECTION: forcing a failure.
BUG: KASAN: use-after-free in rxe_resp_queue_pkt+0xa2/0xb0
hung_task: INFO is not at the start
test[100]: segfault at 0 ip 0000000000401000 sp 00007ffd error 4 in test
""".splitlines()

LEAK = """\
leak: unreferenced object 0xffff888001234500 (size 128):
leak:   comm "insmod", pid 100, jiffies 4294900000 (age 10.000s)
leak:   backtrace:
leak:     [<000000001234>] kmalloc_trace+0x27/0xa0
leak:     [<000000005678>] some_function+0x15/0x30 [{module}]
"""


class Trouble(unittest.TestCase):
    def test_each_kind_is_found(self):
        for line in TROUBLE:
            for prefix in ("", "[    1.234567] ", "[   12.345678][  T123] "):
                with self.subTest(line=prefix + line):
                    self.assertEqual(klog.reports(f"before\n{prefix}{line}"), [line])

    def test_of_waiting_for_a_cm_id_only_what_lasts_is(self):
        said = "infiniband: cm_destroy_id_wait_timeout: cm_id=00000000{} timed out. state 9 -> 0, refcnt=2"
        log = (("1.000000", "f1b2c3d4"), ("1.004000", "f1b2c3d4"), ("6.100000", "a1b2c3d4"))
        text = "\n".join(f"[    {time}] {said.format(id)}" for time, id in log)
        self.assertEqual(klog.reports(text), [])
        last = said.format("f1b2c3d4")
        self.assertEqual(klog.reports(f"{text}\n[    6.200000][  T123] {last}"), [last])

    def test_harmless_lines_are_not(self):
        self.assertEqual(klog.reports("\n".join(f"[    1.234567] {line}" for line in HARMLESS)), [])

    def test_report_goes_on_after_its_first_line(self):
        self.assertEqual(klog.reports("one\nBUG: two\nthree\n"), ["BUG: two", "three", ""])


class Leak(unittest.TestCase):
    def test_ours_is_found(self):
        report = klog.reports("before\n" + LEAK.format(module="rdma_rxe") + LEAK.format(module="ucmad") + "after\n")
        self.assertEqual("\n".join(report) + "\n", LEAK.format(module="ucmad"))

    def test_last_in_the_log_is_found(self):
        self.assertTrue(klog.reports(LEAK.format(module="ucmad")))

    def test_others_are_not(self):
        self.assertEqual(klog.reports(LEAK.format(module="rdma_rxe")), [])


RACE = """\
==================================================================
BUG: KCSAN: data-race in take / post

write to 0xffff88800123 of 4 bytes by task 100 on cpu 0:
 take+0x10/0x20 [{writer}]
 ioctl+0x10/0x20 [ucmad]

{access}read to 0xffff88800123 of 4 bytes by interrupt on cpu 1:
 post+0x10/0x20{reader}
 softirq+0x10/0x20

Reported by Kernel Concurrency Sanitizer on:
==================================================================
"""


class Race(unittest.TestCase):
    def found(self, writer, reader, access=""):
        return bool(klog.reports("before\n" + RACE.format(writer=writer, reader=reader, access=access)))

    def test_ours_is_found_on_either_side(self):
        self.assertTrue(self.found("ucmad", ""))
        self.assertTrue(self.found("rdma_rxe", " [ucmad]"))
        self.assertTrue(self.found("rdma_rxe", " [ucmad]", "race at unknown origin, with "))

    def test_others_are_not(self):
        self.assertFalse(self.found("rdma_rxe", ""))

    def test_one_of_others_does_not_hide_ours(self):
        text = RACE.format(writer="rdma_rxe", reader="", access="") + RACE.format(writer="ucmad", reader="", access="")
        self.assertTrue(klog.reports(text))


if __name__ == "__main__":
    unittest.main()
