"""Every file from outside may be hostile: it is refused clearly or read correctly, whatever its bytes are.

About 1,000 inputs over all readers; with --long, 10,000. Half of them are changed bytes, half a changed structure.
"""

import math
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.hostile.attempt import attempt
from tests.hostile.edits import changed_bytes
from tests.hostile.readers import READERS, Reader

INPUTS = {False: 1000, True: 10_000}  # of all readers together, by whether the long tests run


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest) -> Reader:
    return READERS[request.param]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> "Good":
    return Good(tmp_path_factory.mktemp("good"))


@pytest.fixture
def count(long: bool) -> int:
    return math.ceil(INPUTS[long] / len(READERS) / 2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the hostile file lies alone."""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "alone").mkdir()
    return tmp_path / "alone"


class Good:
    """The good files, each made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, reader: Reader) -> bytes:
        file = self.folder / str(zlib.crc32(reader.file.encode())) / reader.file
        if not file.exists():
            file.parent.mkdir()
            reader.make(file)
        return file.read_bytes()


def test_the_good_file_is_read(reader: Reader, good: Good, folder: Path) -> None:
    assert attempt(reader, good(reader), folder, folder.with_name("scratch"))


def test_changed_bytes_are_refused_or_read(reader: Reader, good: Good, folder: Path, count: int) -> None:
    content = good(reader)
    for number in range(count):
        draw = np.random.Generator(np.random.PCG64([number, zlib.crc32(reader.file.encode())]))
        try:
            attempt(reader, changed_bytes(content, draw), folder, folder.with_name("scratch"))
        except BaseException as fault:
            fault.add_note(f"{reader.file}, edit {number}")
            raise


def test_a_changed_structure_is_refused_or_read(reader: Reader, good: Good, folder: Path, count: int) -> None:
    phases = (Phase.generate, Phase.shrink)  # nothing is kept from run to run

    @settings(max_examples=count, phases=phases, suppress_health_check=list(HealthCheck), database=None)
    @given(reader.changed(good(reader)))
    def every(content: bytes) -> None:
        attempt(reader, content, folder, folder.with_name("scratch"))

    every()
