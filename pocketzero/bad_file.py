"""The refusal of a file from outside: one error that says what is wrong and what would be right."""

from pathlib import Path


class BadFile(ValueError):
    """A file that is not what it should be.

    Attributes: path; field, the part of the file that is wrong; value found there; wanted, in words.
    """

    def __init__(self, path: Path | str, field: str, value: object, wanted: str):
        super().__init__(f"{path}: {field} is {value}; it should be {wanted}")
        self.path, self.field, self.value, self.wanted = path, field, value, wanted
