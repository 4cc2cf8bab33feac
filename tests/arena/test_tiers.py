"""Recipes become final weights, and tiers.json is read with suspicion."""

import copy
import json
from typing import Any

import pytest

from pocketzero import games
from pocketzero.arena.tiers import BadTier, from_json, read, resolve, to_json
from pocketzero.settings.base import DoesNotFit
from tests.arena.recipes import FIRST, PUBLISHED, recipe, trained

GAME = games.load("cell_division")
LINEAR = GAME.feature_names[:13]
TRAINED = trained(GAME, [float(i) for i in range(13)], [0.5] * 13)


def all_kinds() -> dict[str, Any]:
    recipes = {
        "medium": recipe(weights=FIRST),
        "hard": recipe(trained=True, blend_with="medium", blend_share=0.75),
        "fallback": recipe("switching"),
        "elite": recipe("network"),
        "random": recipe("random"),
    }
    return resolve(recipes, TRAINED, GAME)


def test_features_that_a_recipe_does_not_name_weigh_nothing():
    vector = all_kinds()["medium"].vectors["weights"]
    assert vector == (1.0, 1.0, 0.3, *[0.0] * 10)


def test_a_blend_mixes_the_other_tiers_weights_with_the_trained_ones_as_they_are():
    vector = all_kinds()["hard"].vectors["weights"]
    assert vector[:4] == (0.75 * 1.0 + 0.25 * 0.0, 0.75 * 1.0 + 0.25 * 1.0, 0.75 * 0.3 + 0.25 * 2.0, 0.25 * 3.0)
    assert vector[12] == 3.0


def test_the_published_blend_is_three_quarters_medium():
    weights = dict(zip(LINEAR, PUBLISHED, strict=True))
    recipes = {
        "published": recipe(weights=weights, blend_with="medium", blend_share=0.75),
        "medium": recipe(weights=FIRST),
    }
    vector = resolve(recipes, None, GAME)["published"].vectors["weights"]
    assert vector[:3] == pytest.approx((1.7725, 1.835, 3.8475))
    assert vector[9] == pytest.approx(-0.9725)


def test_a_blend_of_a_blend_is_mixed_in_any_order_of_the_recipes():
    a = recipe(weights={"openness": 8.0})
    b = recipe(weights={}, blend_with="a", blend_share=0.5)
    c = recipe(weights={}, blend_with="b", blend_share=0.5)
    for recipes in ({"a": a, "b": b, "c": c}, {"c": c, "b": b, "a": a}):
        tiers = resolve(recipes, None, GAME)
        assert list(tiers) == list(recipes)
        assert tiers["c"].vectors["weights"][2] == 2.0


def test_a_switching_tier_takes_both_trained_vectors():
    vectors = all_kinds()["fallback"].vectors
    assert vectors["early"] == tuple(TRAINED["early"])
    assert vectors["late"] == (0.5,) * 13


def test_blends_that_lead_back_are_refused_with_the_circle():
    circle = {
        "a": recipe(blend_with="b", blend_share=0.5),
        "b": recipe(blend_with="c", blend_share=0.5),
        "c": recipe(blend_with="a", blend_share=0.5),
    }
    with pytest.raises(DoesNotFit, match=r"a -> b -> c -> a"):
        resolve(circle, None, GAME)
    with pytest.raises(DoesNotFit, match=r"a -> a"):
        resolve({"a": recipe(blend_with="a", blend_share=0.5)}, None, GAME)


def test_a_blend_with_nobody_or_with_another_kind_is_refused():
    with pytest.raises(DoesNotFit, match=r"a\.blend_with must be empty or a tier: a"):
        resolve({"a": recipe(blend_with="mediun", blend_share=0.5)}, None, GAME)
    with pytest.raises(DoesNotFit, match="of the same kind, switching"):
        resolve({"a": recipe("switching", blend_with="b", blend_share=0.5), "b": recipe()}, TRAINED, GAME)


def test_an_unknown_feature_is_refused_by_its_key_and_with_those_there_are():
    with pytest.raises(BadTier, match=r"tiers\.easy\.weights\.opennes is 1\.0.*openness") as refusal:
        resolve({"easy": recipe(weights={"opennes": 1.0})}, None, GAME)
    assert refusal.value.value == 1.0


def test_a_linear_tier_of_a_game_without_features_is_refused():
    with pytest.raises(BadTier, match=r"tiers\.easy\.kind is linear.*network or random.*connect_four"):
        resolve({"easy": recipe()}, None, games.load("connect_four"))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"features": ["openness"]}, "features"),
        ({"weights": [1.0] * 12}, "weights"),
        ({"weights": [1.0] * 12 + [float("nan")]}, "weights"),
        ({"weights": [1.0] * 12 + [True]}, "weights"),
    ],
)
def test_trained_weights_that_do_not_fit_the_game_are_refused(change, key):
    with pytest.raises(BadTier) as refusal:
        resolve({"hard": recipe(trained=True)}, {**TRAINED, **change}, GAME)
    assert (refusal.value.path, refusal.value.field) == ("models/linear.json", key)


def test_trained_weights_that_are_not_there_are_refused():
    with pytest.raises(BadTier, match=r"models/linear\.json"):
        resolve({"hard": recipe(trained=True)}, None, GAME)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"choice": "sample"}, "temperature"),
        ({"within": 0.5}, "within"),
        ({"trained": True, "weights": {"openness": 1.0}}, "weights"),
        ({"kind": "network", "weights": {"openness": 1.0}}, "weights"),
        ({"kind": "network", "trained": True}, "trained"),
        ({"kind": "switching", "trained": False}, "trained"),
        ({"kind": "random", "choice": "argmax"}, "choice"),
        ({"kind": "random", "blend_with": "medium", "blend_share": 0.5}, "blend_with"),
        ({"blend_share": 0.5}, "blend_share"),
    ],
)
def test_a_recipe_that_contradicts_itself_is_refused(changes, field):
    with pytest.raises(DoesNotFit) as refusal:
        recipe(**changes).check()
    assert refusal.value.field == field


def test_what_is_written_reads_back_to_the_last_bit():
    tiers = all_kinds()
    game, back = from_json(json.loads(json.dumps(to_json(GAME, tiers))))
    assert game is GAME
    assert back == tiers


def changed(path: str, value: object) -> dict[str, Any]:
    """The content of a good tiers.json with one value replaced, or with one key dropped where value is ..."""
    content: dict[str, Any] = copy.deepcopy(to_json(GAME, all_kinds()))
    *parents, last = path.split(".")
    at = content
    for name in parents:
        at = at[name]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "key"),
    [
        ("schema", 1, "schema"),
        ("schema", ..., "schema"),
        ("game", "chess", "game"),
        ("game", "connect_four", "features"),
        ("features", ["openness"], "features"),
        ("denominators", [1] * 14, "denominators"),
        ("extra", 1, "extra"),
        ("tiers", {}, "tiers"),
        ("tiers.medium", 7, "tiers.medium.kind"),
        ("tiers.medium.kind", "quadratic", "tiers.medium.kind"),
        ("tiers.medium.weights", ..., "tiers.medium.weights"),
        ("tiers.medium.weights", [1.0] * 14, "tiers.medium.weights"),
        ("tiers.medium.weights", ["1"] * 13, "tiers.medium.weights"),
        ("tiers.fallback.late", [float("inf")] * 13, "tiers.fallback.late"),
        ("tiers.medium.choice", "worst", "tiers.medium.choice"),
        ("tiers.medium.choice", "sample", "tiers.medium.temperature"),
        ("tiers.medium.temperature", -1.0, "tiers.medium.temperature"),
        ("tiers.medium.within", "near", "tiers.medium.within"),
        ("tiers.medium.recipe", [], "tiers.medium.recipe"),
        ("tiers.medium.note", "hello", "tiers.medium.note"),
        ("tiers.elite.model", "../elite.onnx", "tiers.elite.model"),
        ("tiers.elite.int8_model", ..., "tiers.elite.int8_model"),
        ("tiers.elite.int8_model", "elite.onnx", "tiers.elite.int8_model"),
    ],
)
def test_anything_unexpected_in_tiers_json_is_refused_with_file_and_key(path, value, key):
    with pytest.raises(BadTier) as refusal:
        from_json(changed(path, value), "here/tiers.json")
    assert (refusal.value.path, refusal.value.field) == ("here/tiers.json", key)
    assert str(refusal.value).startswith("here/tiers.json: ")


@pytest.mark.parametrize("content", ["", "[1, 2]", '{"schema": 1', '{"schema": NaN}'])
def test_a_file_that_is_no_tiers_json_is_refused_with_its_name(tmp_path, content):
    file = tmp_path / "tiers.json"
    file.write_text(content)
    with pytest.raises(ValueError, match=r"tiers\.json"):
        read(file)
