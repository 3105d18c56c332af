# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""Judges the kernel log of a guest: finds what a kernel says when something is wrong."""

import itertools
import re

# What precedes a message: "[   12.345678] ", and with some configurations "[  T123] ".
PREFIX = re.compile(r"^(<\d+>)?(\[ *\d+\.\d+\]\s?)?(\[ *[TC]\d+\]\s)?")

# Each matches at the start of a message. "WARNING: " covers WARN_ON and most of lockdep,
# "BUG" KASAN, SLUB, lockups and sleeping in atomic context.
TROUBLE = re.compile(
    r"(watchdog: |kernel )?BUG\b"
    r"|\[ BUG: "
    r"|WARNING: "
    r"|------------\[ cut here"
    r"|Kernel panic"
    r"|Oops\b"
    r"|general protection fault"
    r"|stack segment|divide error|invalid opcode|double fault|int3:"
    r"|INFO: task .* blocked for more than"
    r"|INFO: trying to register non-static key"
    r"|(rcu: )?INFO: .* (self-)?detected (stall|expedited stall)"
    r"|(rcu: )?INFO: .* detected stalls"
    r"|UBSAN: |ODEBUG: "
    r"|list_(add|del)\w* corruption"
    r"|refcount_t: "
    r"|unregister_netdevice: waiting"
    r"|kmem_cache_destroy "
    r"|guest-init: ERROR"
)

# ib_cm waits for the last reference to a CM ID. How long it waits before it says so depends on the kernel:
# ten seconds (6.12), or all time-outs of the ID, which are 0 if it makes no retries (7.2). So that it has
# said so means nothing, only that it still does.
WAITS = re.compile(r"(\S+: )?cm_destroy_id_wait_timeout: (cm_id=\S+) timed out")
WAITS_IN_VAIN = 5
SECONDS = re.compile(r"(?:<\d+>)?\[ *(\d+\.\d+)\]")

# guest-init copies what kmemleak found into the log with this prefix. rxe and the rest of
# the kernel leak a little by themselves, and kmemleak guesses; only what was allocated on
# behalf of our module counts, that is, has it in its back trace.
LEAK = "leak: "
LEAK_START = "leak: unreferenced object"
OURS = "[ucmad"

# A data race. The kernel has many of its own, some of them meant; what counts are those of which our
# module makes one of the two accesses, that is, is the first in one of the two back traces.
RACE_START = "BUG: KCSAN: "
RACE_END = re.compile(r"={20,}$")
ACCESS = re.compile(r"(race at unknown origin, with )?(read|write|read-write|assert no \w+) (\(.*\) )?to 0x")

# A fault of rxe's own in Linux 6.1: it reads from a packet of what kind it is after it has queued it, when the
# other processor may have used and freed it. Nothing that has rxe send can prevent it.
KNOWN = re.compile(r"BUG: KASAN: (slab-)?use-after-free in rxe_resp_queue_pkt\+")

CONTEXT = 45


def messages(text):
    """The lines of a log without time stamps."""
    return [PREFIX.sub("", line.rstrip("\r")) for line in text.split("\n")]


def leaks(lines):
    """Yields (first line, one past the last line) of each leak in `lines`."""
    start = None
    for number, line in enumerate(lines):
        if start is not None and (not line.startswith(LEAK) or line.startswith(LEAK_START)):
            yield start, number
            start = None
        if line.startswith(LEAK_START):
            start = number
    if start is not None:
        yield start, len(lines)


def race_is_ours(lines, first):
    """Whether the race that is reported from `first` on has an access of our module."""
    for number in range(first + 1, len(lines)):
        if RACE_END.match(lines[number]):
            return False
        if ACCESS.match(lines[number - 1]) and OURS in lines[number]:
            return True
    return False


def waits(text):
    """Yields (line, one past it) of each message that a CM ID is still waited for."""
    began = {}
    for number, line in enumerate(text.split("\n")):
        stamp, message = SECONDS.match(line), WAITS.match(PREFIX.sub("", line))
        if stamp and message:
            seconds = float(stamp[1])
            if seconds >= began.setdefault(message[2], seconds) + WAITS_IN_VAIN:
                yield number, number + 1


def troubled(lines):
    """Yields (first line, one past the last line) of each report in `lines`."""
    for number, line in enumerate(lines):
        if KNOWN.match(line) or line.startswith(RACE_START) and not race_is_ours(lines, number):
            continue
        if TROUBLE.match(line):
            yield number, min(number + CONTEXT, len(lines))
    for first, end in leaks(lines):
        if any(OURS in line for line in lines[first:end]):
            yield first, end


def reports(text):
    """What is wrong according to a log: a list of its lines, empty if all is well."""
    lines = messages(text)
    shown = set()
    for first, end in itertools.chain(troubled(lines), waits(text)):
        shown.update(range(first, end))
    return [lines[number] for number in sorted(shown)]
