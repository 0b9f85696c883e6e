"""
Exchanges a folder for a link to the outside and back, atomically (renameat2, RENAME_EXCHANGE), and
sets the modification times of all folders concerned back after each exchange (utimensat), so that
only the time of change tells. Runs until its standard input ends, and then prints how often.

Arguments: the workspace, the folder in it, the folder outside, and the least and the most
milliseconds of rest between bursts.
"""

import ctypes
import os
import random
import sys
import threading
import time

AT_FDCWD = -100
RENAME_EXCHANGE = 2
RENAMEAT2 = {"x86_64": 316, "aarch64": 276}.get(os.uname().machine)

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def exchange(one: str, other: str) -> None:
    arguments = (AT_FDCWD, one.encode(), AT_FDCWD, other.encode(), RENAME_EXCHANGE)
    if libc.syscall(RENAMEAT2, *arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def restore(paths: list[str]) -> None:
    # The start of the present second is not later than the time of change, told in whole seconds.
    at = int(time.time()) * 1_000_000_000
    for path in paths:
        os.utime(path, ns=(at, at), follow_symlinks=False)


def main() -> None:
    workspace, name, outside, least, most = sys.argv[1:]
    folder = os.path.join(workspace, name)
    link = os.path.join(workspace, ".aside")
    os.symlink(outside, link)
    stop = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
    count = 0
    while not stop.is_set():
        for _ in range(random.choice((1, 1, 1, 20))):
            for _ in range(2):
                exchange(folder, link)
                restore([workspace, folder, link])
                count += 1
                time.sleep(random.choice((0, 0.0001, 0.0005, 0.002, 0.005)))
        if random.random() < 0.7:
            stop.wait(random.uniform(float(least), float(most)) / 1_000)
    print(count)


main()
