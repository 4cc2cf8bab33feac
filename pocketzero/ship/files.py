"""The files of a release, besides the models that the tiers name."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

TIERS, GOLDEN = "tiers.json", "golden.jsonl"


def describe(files: Sequence[Path]) -> dict[str, dict[str, Any]]:
    """Bytes and SHA-256 of every file, by its name."""
    contents = {file.name: file.read_bytes() for file in files}
    return {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in contents.items()
    }
