# SPDX-License-Identifier: Apache-2.0
"""The program's services as processes, for tests that run them as their users do."""

import contextlib
import signal
import socket
import subprocess


def free_ports(n, kind=socket.SOCK_DGRAM):
    """Ports of the loopback interface that nothing has at the moment."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket(socket.AF_INET, kind)) for _ in range(n)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextlib.contextmanager
def running(program, *arguments, prefix=(), **options):
    """A command of the program, ended by SIGTERM."""
    process = subprocess.Popen([*prefix, program, *map(str, arguments)], **options)
    try:
        yield process
    finally:
        end(process)


def end(process, number=signal.SIGTERM):
    """Ends a process by a signal and returns its exit code; one that has ended stays as it is."""
    if process.poll() is None:
        process.send_signal(number)
    process.communicate(timeout=60)
    return process.returncode
