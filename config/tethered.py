"""Run a program that ends when the process that asked for it does, however that one ends.

A script of its own, run as `python -IS tethered.py PARENT PROGRAM ARGUMENT…`: it becomes the
program. A program that is killed cannot end what it started, so the system is asked to (Linux;
elsewhere the program outlives a kill).
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask for the signal, look whether the parent is still there, and become the program."""
    parent, program = int(sys.argv[1]), sys.argv[2]
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    # It may have died before the system was asked.
    if os.getppid() != parent:
        sys.exit(1)
    os.execv(program, sys.argv[2:])  # noqa: S606 - its words are built in pgclients


if __name__ == "__main__":
    main()
