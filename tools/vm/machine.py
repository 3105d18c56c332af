# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""A virtual machine: QEMU, from its command line to its certain end."""

import ctypes
import os
import select
import signal
import socket
import subprocess
import sys
import termios
import time

PR_SET_PDEATHSIG = 1


class TimedOut(Exception):
    """The guest did not finish in its time."""


def die_with_parent():
    """Runs in QEMU's process before exec: not even a killed runner leaves it behind."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def share(identity, tag, path, readonly):
    """QEMU options that offer a directory of the host to the guest over 9p."""
    access = "readonly=on," if readonly else ""
    escaped = path.replace(",", ",,")
    return [
        "-fsdev",
        f"local,id={identity},path={escaped},security_model=none,{access}multidevs=remap",
        "-device",
        f"virtio-9p-pci,fsdev={identity},mount_tag={tag}",
    ]


def accelerator(name):
    """QEMU options for `kvm` or `tcg`, which is software emulation."""
    return ["-accel", "tcg,thread=multi" if name == "tcg" else name, "-cpu", "max"]


class Machine:
    """A running QEMU with one output port; use it in a `with` statement."""

    def __init__(self, options, terminal):
        self.terminal_state = termios.tcgetattr(sys.stdin) if terminal else None
        self.output, guest_end = socket.socketpair()
        with guest_end:
            port = guest_end.fileno()
            self.process = subprocess.Popen(
                # q35's interrupt routing is a table; that of the default machine is a program,
                # over which an emulated kernel with KASAN spends more than 30 s a device.
                ["qemu-system-x86_64", "-machine", "q35"]
                + ["-nodefaults", "-display", "none", "-no-reboot"]
                + ["-device", "virtio-serial-pci", "-device", "virtio-rng-pci"]
                + ["-chardev", f"socket,id=output,fd={port}"]
                + ["-device", "virtserialport,chardev=output,name=output"]
                + self.terminal_options(terminal)
                + options,
                stdin=None if terminal else subprocess.DEVNULL,
                pass_fds=[port],
                preexec_fn=die_with_parent,
                start_new_session=not terminal,
            )

    @staticmethod
    def terminal_options(terminal):
        if not terminal:
            return []
        return ["-chardev", "stdio,id=terminal,signal=off", "-device", "virtconsole,chardev=terminal"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Ends QEMU, surely; that leaves it no chance to restore the terminal, so do that."""
        self.process.kill()
        self.process.wait()
        self.output.close()
        if self.terminal_state:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self.terminal_state)

    def chunks(self, deadline):
        """Yields the guest's output as it comes, until QEMU ends."""
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.output], [], [], left)[0]:
                raise TimedOut
            try:
                chunk = self.output.recv(1 << 16)
            except ConnectionResetError:
                return
            if not chunk:
                return
            yield chunk


def write_all(descriptor, data):
    """Writes all of `data`, whatever kind of file the descriptor is."""
    while data:
        data = data[os.write(descriptor, data) :]


def copy_output(chunks, end, descriptor):
    """Copies output up to the end mark and returns what is on the line after it, or None."""
    pending = b""
    for chunk in chunks:
        pending += chunk
        output, mark, rest = pending.partition(end)
        if mark and rest.endswith(b"\n"):
            write_all(descriptor, output)
            return rest.strip().decode()
        if not mark:
            # What could be the beginning of the end mark has to wait.
            keep = next(n for n in range(len(end), -1, -1) if output.endswith(end[:n]))
            write_all(descriptor, output[: len(output) - keep])
            pending = output[len(output) - keep :]
    write_all(descriptor, pending)
    return None
