"""Processes that never outlive who started them, and what kind of processor they run on."""

import ctypes
import os
import platform
import signal
import sys
import threading
import time
from pathlib import Path

import psutil

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of linux/prctl.h
_POLL_SECONDS = 0.5
_SHELLS = {"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox"}
_LEVELS = ("avx512f", "avx2", "avx", "sse4_2")  # best first; numerical libraries choose their kernels by these


def die_with_parent(parent: int) -> None:
    """Kill this process, at once, when its parent ends; Linux only, elsewhere use `watch_ancestors`.

    Args: parent: the expected process id; if that parent has already gone, this process ends here.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def watch_ancestors() -> None:
    """End this process and its children soon after the program that started it ends."""
    started_by = _nearest_program()
    if started_by is None:
        return
    die_with_parent(os.getppid())
    threading.Thread(target=_watch, args=(started_by,), daemon=True, name="watch ancestors").start()


def _nearest_program() -> psutil.Process | None:
    """The nearest ancestor that is not just a shell running one command."""
    for ancestor in psutil.Process().parents():
        if ancestor.name() not in _SHELLS or "-c" not in ancestor.cmdline():
            return ancestor
    return None


def _watch(ancestor: psutil.Process) -> None:
    while ancestor.is_running() and ancestor.status() != psutil.STATUS_ZOMBIE:
        time.sleep(_POLL_SECONDS)
    for child in psutil.Process().children(recursive=True):
        child.kill()
    os.kill(os.getpid(), signal.SIGKILL)


def processor() -> str:
    """The kind of processor, as far as it can change the bytes of a result: architecture, maker and instruction set."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return f"{platform.machine()} {platform.processor()}".strip()
    facts: dict[str, str] = {}
    for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
        name, _, value = line.partition(":")
        facts.setdefault(name.strip(), value.strip())
    flags = facts.get("flags", "").split()
    level = next((level for level in _LEVELS if level in flags), "")
    maker = facts.get("vendor_id") or facts.get("CPU implementer", "")
    return " ".join(word for word in (platform.machine(), maker, level) if word)
