"""Difficulty tiers: from recipes (settings) to the numbers that an app plays with, and tiers.json that carries them.

tiers.json, schema 2, where L is the number of features that linear tiers weigh (all but game_progress):

    schema, game, features [names], denominators
    tiers: name -> kind          linear | switching | network | random
                   weights [L]   of a linear tier: a move's score is the dot product of its first L features with them
                   early, late   [L] of a switching tier: weights early * (1 - gp) + late * gp; gp: game_progress
                   model         of a network tier: the file beside tiers.json whose logits are the scores, in float32
                   int8_model    the same network in whole numbers: the one that an app plays with
                   choice        argmax (of equal moves the lowest) | sample (from the softmax: exact.softmax_sample)
                   temperature   of the softmax
                   within        with sample: only moves with score >= best - within take part; 0: all
                   recipe        the settings that the tier came from

A random tier scores every move 0. Weights are final: blends are mixed already.
"""

import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketzero.bad_file import BadFile
from pocketzero.games import Game, load
from pocketzero.settings.tiers import Tier, blend_order
from pocketzero.work import read_json

SCHEMA = 2
MODEL, INT8_MODEL = "elite.onnx", "elite.int8.onnx"
MODELS = {"int8_model": INT8_MODEL, "model": MODEL}
VECTORS = {"linear": ("weights",), "switching": ("early", "late"), "network": (), "random": ()}
CHOICES = ("argmax", "sample")
LARGEST = sys.float_info.max


class BadTier(BadFile):
    """A refused tier, or a refused file of tiers."""


@dataclass(frozen=True, kw_only=True)
class PlayableTier:
    """A tier as it plays: nothing is left to mix or to look up, but for a network's file."""

    name: str
    """What people call it."""
    kind: str
    """linear, switching, network or random."""
    vectors: dict[str, tuple[float, ...]]
    """weights, or early and late, by the names in VECTORS; each [L]."""
    choice: str
    """argmax or sample."""
    temperature: float
    """Softmax temperature of a sampled choice."""
    within: float
    """Largest distance from the best score of a sampled move; 0: any."""
    recipe: dict[str, Any]
    """The settings it came from."""


def resolve(recipes: Mapping[str, Tier], trained: object, game: Game) -> dict[str, PlayableTier]:
    """The playable tiers of the recipes, in their order.

    Args: trained: the content of models/linear.json; looked at only where a recipe asks for trained weights.
    Raises BadTier: an unknown feature, a game without features, or trained weights that do not fit the game.
    DoesNotFit: a blend with a tier that is missing, of another kind, or that leads back (settings.tiers.blend_order).
    """
    vectors: dict[str, dict[str, tuple[float, ...]]] = {}
    for name in blend_order(recipes):
        recipe = recipes[name]
        own = _own_vectors(name, recipe, trained, game)
        share = recipe.blend_share
        if recipe.blend_with:
            other = vectors[recipe.blend_with]
            own = {
                key: tuple(
                    share * theirs + (1.0 - share) * ours for theirs, ours in zip(other[key], own[key], strict=True)
                )
                for key in own
            }
        vectors[name] = own
    return {
        name: PlayableTier(
            name=name,
            kind=recipe.kind,
            vectors=vectors[name],
            choice=recipe.choice,
            temperature=recipe.temperature,
            within=recipe.within,
            recipe=dataclasses.asdict(recipe),
        )
        for name, recipe in recipes.items()
    }


def to_json(game: Game, tiers: Mapping[str, PlayableTier]) -> dict[str, Any]:
    """The content of tiers.json."""
    return {
        "schema": SCHEMA,
        "game": game.name,
        "features": list(game.feature_names),
        "denominators": list(game.denominators),
        "tiers": {
            tier.name: {
                "kind": tier.kind,
                **{key: list(vector) for key, vector in tier.vectors.items()},
                **(MODELS if tier.kind == "network" else {}),
                "choice": tier.choice,
                "temperature": tier.temperature,
                "within": tier.within,
                "recipe": tier.recipe,
            }
            for tier in tiers.values()
        },
    }


def from_json(content: object, file: Path | str = "tiers.json") -> tuple[Game, dict[str, PlayableTier]]:
    """The game and its tiers. Raises BadTier, naming file, key and value, for anything that to_json would not write."""
    top = _members(file, "", content, ("schema", "game", "features", "denominators", "tiers"))
    if top["schema"] != SCHEMA:
        raise BadTier(
            file, "schema", top["schema"], f"{SCHEMA}, the one that this version reads and `dvc repro export` writes"
        )
    try:
        game = load(str(top["game"]))
    except ValueError as error:
        raise BadTier(file, "game", top["game"], f"a game of this checkout ({error})") from error
    for key, wanted in (("features", list(game.feature_names)), ("denominators", list(game.denominators))):
        if top[key] != wanted:
            raise BadTier(file, key, top[key], f"those of the game {game.name}: {wanted}")
    if not isinstance(top["tiers"], dict) or not top["tiers"]:
        raise BadTier(file, "tiers", top["tiers"], "an object with one member a tier")
    return game, {name: _tier_from_json(file, game, name, value) for name, value in top["tiers"].items()}


def read(path: Path) -> tuple[Game, dict[str, PlayableTier]]:
    """Read and check a tiers.json. Raises BadTier; BadFile where it is not JSON; FileNotFoundError."""
    return from_json(read_json(path), path)


def _own_vectors(name: str, recipe: Tier, trained: object, game: Game) -> dict[str, tuple[float, ...]]:
    """The weights of a recipe before any blend."""
    if not VECTORS[recipe.kind]:
        return {}
    features = game.weighed_features
    if not features:
        wanted = f"network or random: {game.name} has no FEATURES, so it has no linear tiers"
        raise BadTier("params.yaml", f"tiers.{name}.kind", recipe.kind, wanted)
    if recipe.trained:
        content = _members("models/linear.json", "", trained, ("features", *VECTORS[recipe.kind]), others=True)
        known = content["features"]
        if not isinstance(known, list) or tuple(known[: len(features)]) != features:
            raise BadTier("models/linear.json", "features", known, f"those of the game {game.name}: {list(features)}")
        return {key: _numbers("models/linear.json", key, content[key], len(features)) for key in VECTORS[recipe.kind]}
    for feature in recipe.weights:
        if feature not in features:
            key = f"tiers.{name}.weights.{feature}"
            raise BadTier(
                "params.yaml", key, recipe.weights[feature], f"left out: the features are {', '.join(features)}"
            )
    return {"weights": tuple(recipe.weights.get(feature, 0.0) for feature in features)}


def _tier_from_json(file: Path | str, game: Game, name: str, value: object) -> PlayableTier:
    key = f"tiers.{name}"
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(kind, str) or kind not in VECTORS:
        raise BadTier(file, f"{key}.kind", kind, "one of " + ", ".join(VECTORS))
    models = MODELS if kind == "network" else {}
    tier = _members(file, key, value, ("kind", *VECTORS[kind], *models, "choice", "temperature", "within", "recipe"))
    for name_of, model in models.items():
        if tier[name_of] != model:
            raise BadTier(file, f"{key}.{name_of}", tier[name_of], repr(model))
    if tier["choice"] not in CHOICES:
        raise BadTier(file, f"{key}.choice", tier["choice"], "one of " + ", ".join(CHOICES))
    for field in ("temperature", "within"):
        if not _is_number(tier[field]) or tier[field] < 0:
            raise BadTier(file, f"{key}.{field}", tier[field], "a number of at least 0")
    if tier["choice"] == "sample" and tier["temperature"] == 0:
        raise BadTier(file, f"{key}.temperature", tier["temperature"], "above 0 where choice is sample")
    if not isinstance(tier["recipe"], dict):
        raise BadTier(file, f"{key}.recipe", tier["recipe"], "an object: the settings that the tier came from")
    length = len(game.weighed_features) if VECTORS[kind] else 0
    return PlayableTier(
        name=name,
        kind=kind,
        vectors={part: _numbers(file, f"{key}.{part}", tier[part], length) for part in VECTORS[kind]},
        choice=tier["choice"],
        temperature=float(tier["temperature"]),
        within=float(tier["within"]),
        recipe=tier["recipe"],
    )


def _members(file: Path | str, key: str, value: object, names: tuple[str, ...], others: bool = False) -> dict[str, Any]:
    """The object's members: exactly `names`, or with `others` at least these."""
    if not isinstance(value, dict):
        raise BadTier(file, key or "the content", value, "an object with " + ", ".join(names))
    for name in names:
        if name not in value:
            raise BadTier(file, f"{key}.{name}".lstrip("."), None, "there")
    for name in value:
        if name not in names and not others:
            raise BadTier(file, f"{key}.{name}".lstrip("."), value[name], "left out: known are " + ", ".join(names))
    return value


def _numbers(file: Path | str, key: str, value: object, length: int) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != length or not all(_is_number(number) for number in value):
        raise BadTier(file, key, value, f"a list of {length} finite numbers")
    return tuple(float(number) for number in value)


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and -LARGEST <= value <= LARGEST  # type: ignore[operator]
