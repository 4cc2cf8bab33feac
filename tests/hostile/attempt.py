"""One hostile file, put to one reader: a clear refusal or a correct read, in bounded time and memory, and no trace."""

import contextlib
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from tests.hostile.readers import Reader

SECONDS = 20.0  # a read takes milliseconds
ROOM = 4 * 2**30  # bytes of address space beyond what the process has
LONGEST_MESSAGE = 4000  # characters


class TookTooLong(BaseException):
    """Not an Exception, so that no reader can catch it."""


def attempt(reader: Reader, content: bytes, folder: Path, scratch: Path) -> bool:
    """Whether the content, alone in `folder`, was read; False where it was refused as it should be."""
    file = folder / reader.file
    file.write_bytes(content)
    read = False
    try:
        with limited():
            found = reader.read(file)
            read = True
    except Exception as refusal:
        if type(refusal) not in reader.refusals:  # not isinstance: a UnicodeDecodeError is a ValueError too
            raise
        assert reader.named in str(refusal), f"the message does not say which file: {refusal}"
        assert len(str(refusal)) <= LONGEST_MESSAGE, f"nobody reads {len(str(refusal))} characters"
    if read:
        with limited():
            reader.check(found, scratch)
    assert [path.name for path in folder.iterdir()] == [reader.file]
    assert file.read_bytes() == content
    return read


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Within: TookTooLong after some seconds, MemoryError instead of a full machine."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TookTooLong

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    old = signal.signal(signal.SIGALRM, stop)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ROOM, hard))
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
