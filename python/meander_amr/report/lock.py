# SPDX-FileCopyrightText: 2026 the Meander authors
# SPDX-License-Identifier: BSD-3-Clause
"""Whether a run goes on in a directory, from its lock file (src/io/directory_lock.cpp)."""
import os
import socket

from meander_amr.errors import FileError, read_text

NAME = "meander.lock"
ENDED = ("Z", "X")  # states of a process that has ended, but that its parent has not waited for


def is_running(directory):
    """Returns whether a run holds the directory. A killed run leaves its lock, but its process, if it was of this machine, is gone.
    Locks of other machines and those that cannot be read count as running."""
    path = os.path.join(directory, NAME)
    if not os.path.exists(path):
        return False
    try:
        record = dict(line.partition(" ")[::2] for line in read_text(path).splitlines())
        host, boot, process, start = record["host"], record["boot"], int(record["process"]), int(record["start"])
        own_boot = read_text("/proc/sys/kernel/random/boot_id").strip()
    except FileError:
        return os.path.exists(path)  # false: the run has ended meanwhile
    except (KeyError, ValueError):
        return True
    if host != socket.gethostname() or process <= 0:
        return True
    return boot == own_boot and process_lives(process, start)


def process_lives(process, start):
    """Returns whether a process of this machine goes on. start: its start in clock ticks since boot, 0: not known."""
    try:
        with open(f"/proc/{process}/stat", "rb") as stream:
            # The name, in parentheses, may contain anything. The state is the first field after it, the start the 20th.
            fields = stream.read().decode(errors="replace").rpartition(")")[2].split()
        state, found = fields[0], int(fields[19])
    except (FileNotFoundError, ProcessLookupError):
        return False
    except (OSError, ValueError, IndexError):
        return True
    return state not in ENDED and start in (0, found)
