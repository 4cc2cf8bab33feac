"""The refusal of a file from outside: one error that says what is wrong and what would be right."""

from pathlib import Path

LONGEST = 300  # characters of a value in a message
LONGEST_WANTED = 1000  # of what would be right


class BadFile(ValueError):
    """A file that is not what it should be.

    Attributes: path; field, the part of the file that is wrong; value found there; wanted, in words.
    """

    def __init__(self, path: Path | str, field: str, value: object, wanted: str):
        super().__init__(f"{path}: {cut(field)} is {cut(value)}; it should be {cut(wanted, LONGEST_WANTED)}")
        self.path, self.field, self.value, self.wanted = path, field, value, wanted


def cut(value: object, longest: int = LONGEST) -> str:
    """The value as text that a message can hold, whatever a file puts there."""
    try:
        text = str(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, lists in lists in lists
        text = f"of type {type(value).__name__}, too large to show"
    return text if len(text) <= longest else text[: longest - 3] + "..."


def shown(value: object, longest: int = LONGEST) -> str:
    """As `cut`, with quotation marks around texts."""
    return cut(repr(value) if isinstance(value, str) else value, longest)
