"""Small settings and games that several tests of this room share."""

from pathlib import Path

from pocketzero.games import load
from pocketzero.learn.training import Figures
from pocketzero.learn.warm_start import play_recipe
from pocketzero.records import Positions
from pocketzero.settings.base import from_mapping
from pocketzero.settings.student import Student
from pocketzero.settings.teacher import Teacher, WarmStart
from pocketzero.settings.teacher_data import TeacherData
from pocketzero.work import Work

GAME = load("cell_division")
BOARDS = (4, 5)
SEARCH = {
    "simulations": 6,
    "c_puct": 1.5,
    "considered": 0,
    "value_scale": 0.0,
    "noise_alpha": 0.3,
    "noise_share": 0.25,
    "temperature": 1.0,
    "temperature_moves": 4,
    "reuse": True,
}
WARM_START = {
    "enabled": True,
    "weights": [1.0, 1.0, 0.3, *[0.0] * 10],
    "games_per_board": 12,
    "temperature": 0.15,
    "random_share": 0.1,
    "margin_share": 0.5,
    "margin_scale": 15.0,
    "steps": 55,
    "learning_rate": 0.002,
    "final_steps": 5,
    "final_learning_rate": 0.0005,
}
TEACHER = {
    "seed": 0,
    "network": {"channels": 8, "blocks": 1, "value_hidden": 8},
    "iterations": 3,
    "games_per_iteration": 6,
    "shard_games": 2,
    "search": SEARCH,
    "window": 2,
    "steps_per_iteration": 4,
    "batch_size": 32,
    "learning_rate": 0.001,
    "learning_rate_decay": 0.9,
    "weight_decay": 0.0001,
    "value_weight": 1.0,
    "margin_share": 0.5,
    "margin_scale": 15.0,
    "warm_start": WARM_START,
}
STUDENT = {
    "seed": 0,
    "channels": 8,
    "blocks": 1,
    "epochs": 3,
    "batch_size": 32,
    "learning_rate": 0.002,
    "weight_decay": 0.0001,
    "held_out_share": 0.25,
    "contested_gap": 0.2,
}
TEACHER_DATA = {
    "seed": 0,
    "games": 8,
    "shard_games": 3,
    "search": SEARCH,
    "weak_share": 0.5,
    "weak_move_share": 0.5,
}


def teacher_settings(**changes: object) -> Teacher:
    return from_mapping(Teacher, TEACHER | changes)


def warm_start_settings(**changes: object) -> WarmStart:
    return from_mapping(WarmStart, WARM_START | changes)


def student_settings(**changes: object) -> Student:
    return from_mapping(Student, STUDENT | changes)


def teacher_data_settings(**changes: object) -> TeacherData:
    return from_mapping(TeacherData, TEACHER_DATA | changes)


def recipe_games(numbers: range, seed: int = 1) -> Positions:
    return play_recipe(GAME, numbers, warm_start_settings(), seed, BOARDS)


def work_in(folder: Path) -> Work:
    """A work folder whose limit counts only what is under `folder`."""
    return Work(folder / "work" / "stage" / "inputs")


def files_of(folder: Path) -> dict[str, Path]:
    """Name -> path of every finished step of the work in `folder`."""
    steps = folder / "work" / "stage" / "inputs"
    return {str(file.relative_to(steps)): file for file in steps.rglob("*") if file.is_file() and file.name != ".lock"}


def contents_of(folder: Path) -> dict[str, bytes]:
    """Name -> content of every finished step."""
    return {name: path.read_bytes() for name, path in files_of(folder).items()}


def ignore(figures: Figures) -> None:
    """For a run whose figures do not matter."""
