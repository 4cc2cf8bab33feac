"""The hook through which numba asks where a function's compiled code lies (NUMBA_CACHE_LOCATOR_CLASSES)."""

from collections.abc import Callable
from pathlib import Path

import numba
from numba.core.caching import UserProvidedCacheLocator

from pocketzero.compile_cache import PACKAGE


class ContentLocator(UserProvidedCacheLocator):
    """By the file's place in the library, not by the checkout's place on the disk: two clones share compiled code."""

    def __init__(self, py_func: Callable, py_file: str) -> None:
        super().__init__(py_func, py_file)
        path = Path(py_file).resolve()
        if path.is_relative_to(PACKAGE.resolve()):
            place = path.relative_to(PACKAGE.resolve()).parent.as_posix()
            self._cache_path = str(Path(numba.config.CACHE_DIR) / "library" / place)
