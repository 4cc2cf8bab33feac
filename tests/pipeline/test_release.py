"""`make release`: what is refused, what is recorded, and what can never be done twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketzero.arena.no_weaker import Result
from pocketzero.settings.base import read_yaml
from tools import attempts, params, release

from .conftest import Project, environment_for, toy

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = """
stages:
  export:
    cmd:
      - mkdir -p models/release metrics
      - echo '{"share":${student.held_out_share}, "variant":${student.epochs}}' > models/release/elite.onnx
      - >-
        echo '{"tiers":{"random":{"kind":"random"}, "medium":{"kind":"linear"}, "elite":{"kind":"network"}}}' >
        models/release/tiers.json
      - echo ${export.positions} > models/release/golden.jsonl
    outs:
      - models/release/elite.onnx: {cache: false}
      - models/release/tiers.json: {cache: false}
      - models/release/golden.jsonl: {cache: false}
  parity:
    cmd: >-
      echo '{"gates":[{"name":"scores", "wanted":"all equal", "found":"all equal", "holds":true}]}' >
      metrics/parity.json
    deps: [models/release/elite.onnx]
    metrics:
      - metrics/parity.json: {cache: false}
  ladder:
    cmd: >-
      echo '{"gates":[{"name":"elite beats medium", "wanted":0.75, "found":0.${ladder.games},
      "holds":'$(test ${ladder.games} -gt 750 && echo true || echo false)'}]}' > metrics/ladder.json
    deps: [models/release/elite.onnx]
    metrics:
      - metrics/ladder.json: {cache: false}
"""


IDENTITY = {"game": "toy", "rules": "as ever"}


class Fake(release.Table):
    """Games without playing: the share that elite takes from everybody is written in its model file."""

    def gate(self) -> bool:
        """Whether the ladder's gate holds on the release seed."""
        return True

    def ladder(self, folder: Path, seed: int) -> dict[str, Any]:
        assert seed == attempts.seed_of(attempts.candidate_of(release.describe([*folder.iterdir()])), 2024 + 7)
        holds = self.gate()
        gates = [{"name": "elite beats medium", "wanted": 0.75, "found": 0.7 + 0.1 * holds, "holds": holds}]
        return {"strength": {"elite": 100.0, "medium": 0.0}, "gates": gates}

    def anchors(self, folder: Path, players: Sequence[str], anchors: Path, seed: int) -> list[Result]:
        assert (anchors / "tiers.json").exists()
        share = json.loads((folder / "elite.onnx").read_text())["share"]
        luck = np.random.default_rng(seed).choice([-0.25, 0.0, 0.25], 50)
        return [
            Result(player, anchor, board, 100, np.clip(share + luck, 0, 1))
            for board in self.settings["game"].boards
            for player in players
            for anchor in self.settings["release"].anchors
        ]


class Failing(Fake):
    def gate(self) -> bool:
        return False


class Killed(Fake):
    def gate(self) -> bool:
        os.kill(os.getpid(), signal.SIGKILL)
        return True


@pytest.fixture(scope="module")
def candidate_once(borrowed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = toy(borrowed, tmp_path_factory.mktemp("release") / "project", {}, PIPELINE)
    project.write(
        "conf/release/default.yaml", "seed: 7\ngames: 100\nanchors: [random, medium]\nplayers: [hard, elite]\n"
    )
    games = read_yaml(project.root / "params.yaml")["ladder"]["games"]
    project.replace("conf/ladder/default.yaml", f"games: {games}\n", "games: 802\n")
    change(project, "student", "held_out_share: 0.1", "held_out_share: 0.5")
    return project.root


@pytest.fixture
def candidate(candidate_once: Path, tmp_path: Path) -> Project:
    """A project whose models are built, committed, and never judged."""
    root = tmp_path / "project"
    shutil.copytree(candidate_once, root, symlinks=True)
    return Project(root, environment_for(root))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "identity", lambda _: IDENTITY)


def change(project: Project, group: str, old: str, new: str) -> None:
    """Another setting, its models built and committed."""
    project.replace(f"conf/{group}/default.yaml", old, new)
    compose_anew(project)
    project.run("dvc", "repro")
    project.commit(f"{group}: {new}")


def compose_anew(project: Project) -> None:
    project.write("params.yaml", params.compose([], project.root))


def lines(project: Project) -> list[dict[str, Any]]:
    file = project.root / "releases" / attempts.FILE
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def releases(project: Project) -> list[str]:
    return sorted(file.stem for file in (project.root / "releases").glob("*.json"))


def released(project: Project, name: str, table: type[Fake] = Fake) -> dict[str, Any]:
    assert release.release(project.root, name, table) == 0
    project.commit(f"release {name}")
    return json.loads((project.root / "releases" / f"{name}.json").read_text())


def test_a_release_says_what_it_is_and_how_it_was_judged(candidate: Project) -> None:
    head = candidate.run("git", "rev-parse", "HEAD").stdout.strip()
    content = released(candidate, "v1")
    assert content["commit"] == head
    assert set(content["files"]) == {"elite.onnx", "golden.jsonl", "tiers.json"}
    assert content["files"]["golden.jsonl"]["bytes"] == len("1000\n")
    assert len(content["files"]["elite.onnx"]["sha256"]) == 64
    assert content["strength"] == {"elite": 100.0, "medium": 0.0}
    assert {share["anchor"] for share in content["shares"]} == {"random", "medium"}
    assert content["seed"] == lines(candidate)[0]["seed"]
    assert content["not_checked_on"] == []
    assert {"name", "number", "settings", "processor", "endgames", "gates", "no_weaker"} <= set(content)


def test_gates_that_do_not_hold_refuse_with_a_table_and_cost_no_attempt(
    candidate: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    change(candidate, "ladder", "games: 802", "games: 700")
    assert release.release(candidate.root, "v1", Fake) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0].split() == ["gate", "wanted", "found"]
    assert any(line.split() == ["ladder:", "elite", "beats", "medium", "above", "0.75", "0.7"] for line in told)
    assert "Refused: 1 of 5 gates do not hold." in told
    assert not releases(candidate) and not lines(candidate)


def test_a_gate_that_does_not_hold_is_red_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(release, "coloured", lambda text, colour: f"{colour}{text}")
    gates = [{"name": name, "wanted": 0.5, "found": 0.4, "holds": name == "good"} for name in ("bad", "good")]
    assert [line.startswith(release.RED) for line in release.table_lines(gates)] == [False, False, True]


@pytest.mark.parametrize("spoilt", ["uncommitted", "params", "stale"])
def test_models_that_do_not_belong_to_the_commit_are_refused(
    candidate: Project, spoilt: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if spoilt == "uncommitted":
        candidate.write("note.txt", "not committed")
    else:
        candidate.replace("conf/student/default.yaml", "epochs: ", "epochs: 1")
        if spoilt == "stale":
            compose_anew(candidate)
        candidate.commit("changed")
    assert release.release(candidate.root, "v1", Fake) == 1
    row = {
        "uncommitted": "git: nothing uncommitted                none    note.txt",
        "params": "params.yaml: what conf/ composes to     equal   different: `make params`",
        "stale": "dvc status: no stage to run             none    export (",
    }[spoilt]
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert any(line.startswith(" ".join(row.split())) for line in told), told
    assert not lines(candidate)


def test_metrics_without_gates_are_no_passed_gates(candidate: Project) -> None:
    (candidate.root / "metrics/parity.json").write_text('{"gates": []}')
    found = release.tuned(candidate.root)
    assert [gate["name"] for gate in found if not gate["holds"]] == ["parity: gates"]


def test_a_weaker_model_is_refused_and_its_attempt_remembered(
    candidate: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    released(candidate, "v1")
    change(candidate, "student", "held_out_share: 0.5", "held_out_share: 0.499")
    assert release.release(candidate.root, "v2", Fake) == 1
    assert "elite against the anchors, less v1's, all boards together" in capsys.readouterr().out
    assert releases(candidate) == ["v1"]
    assert lines(candidate)[-1]["attempt"] == 2
    assert "elite against the anchors, less v1's, all boards together" in lines(candidate)[-1]["refused"]


def test_the_best_release_stays_the_measure_whatever_came_after(candidate: Project) -> None:
    released(candidate, "v1")
    change(candidate, "student", "held_out_share: 0.5", "held_out_share: 0.45")
    with pytest.MonkeyPatch.context() as patch:  # a weaker one got in, by luck
        patch.setattr(release, "compare", lambda *_: [])
        released(candidate, "v2")
    change(candidate, "student", "held_out_share: 0.45", "held_out_share: 0.47")
    assert release.release(candidate.root, "v3", Fake) == 1
    refused = lines(candidate)[-1]["refused"]
    assert refused and all("less v1's" in gate for gate in refused), "it is better than v2, the last release"


def test_another_model_that_plays_alike_passes(candidate: Project) -> None:
    released(candidate, "v1")
    change(candidate, "student", "epochs: ", "epochs: 1")
    content = released(candidate, "v2")
    assert {each["difference"] for each in content["no_weaker"]} == {0.0}
    assert {each["release"] for each in content["no_weaker"]} == {"v1"}


def test_the_same_candidate_is_not_released_again_under_another_name(candidate: Project) -> None:
    released(candidate, "v1")
    with pytest.raises(attempts.AlreadyJudged, match="released already, as v1"):
        release.release(candidate.root, "v2", Fake)


def test_a_refused_candidate_is_not_judged_again(candidate: Project) -> None:
    assert release.release(candidate.root, "v1", Failing) == 1
    assert lines(candidate)[-1] == {"attempt": 1, "refused": ["release seed: elite beats medium"]}
    candidate.commit("attempt")
    with pytest.raises(attempts.AlreadyJudged, match="attempt 1, as v1, was refused"):
        release.release(candidate.root, "v1", Fake)


def test_neither_another_seed_nor_other_golden_positions_make_another_candidate(candidate: Project) -> None:
    assert release.release(candidate.root, "v1", Failing) == 1
    candidate.commit("attempt")
    candidate.replace("conf/release/default.yaml", "seed: 7", "seed: 8")
    change(candidate, "export", "positions: 1000", "positions: 1001")
    with pytest.raises(attempts.AlreadyJudged, match="was refused"):
        release.release(candidate.root, "v1", Fake)


def test_a_refusal_must_be_committed_before_the_next_candidate(candidate: Project) -> None:
    assert release.release(candidate.root, "v1", Failing) == 1
    candidate.replace("conf/student/default.yaml", "epochs: ", "epochs: 1")
    compose_anew(candidate)
    candidate.run("dvc", "repro")
    candidate.run("git", "commit", "--quiet", "--all", "--message", "all but the attempt")
    assert release.release(candidate.root, "v1", Fake) == 1
    assert not releases(candidate)


def test_killed_while_it_plays_it_leaves_the_attempt_and_no_release_and_goes_on_with_the_same_seed(
    candidate: Project,
) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.pipeline import test_release as t\n"
        "t.release.identity = lambda _: t.IDENTITY\n"
        "t.release.release(Path(sys.argv[1]), 'v1', t.Killed)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(candidate.root)], cwd=ROOT, env=candidate.environment)
    assert done.returncode == -9
    assert [line["attempt"] for line in lines(candidate)] == [1]
    assert not list((candidate.root / "releases").glob("*.json"))
    candidate.commit("the attempt that was killed")
    content = released(candidate, "v1")
    assert (content["attempt"], content["seed"]) == (1, lines(candidate)[0]["seed"])
    assert len(lines(candidate)) == 1


def test_an_interrupted_attempt_does_not_go_on_with_other_settings(candidate: Project) -> None:
    begun = {"commit": "c" * 40, "name": "v1", "seed": 1}
    attempts.begin(candidate.root / "releases", "ab" * 32, settings="these", **begun)
    with pytest.raises(attempts.AlreadyJudged, match="other settings"):
        attempts.begin(candidate.root / "releases", "ab" * 32, settings="those", **begun)


def test_a_name_is_never_used_twice_and_is_a_plain_one(candidate: Project) -> None:
    released(candidate, "v1")
    change(candidate, "student", "epochs: ", "epochs: 1")
    before = (candidate.root / "releases/v1.json").read_bytes()
    with pytest.raises(release.Refused, match="never overwritten"):
        release.release(candidate.root, "v1", Fake)
    assert (candidate.root / "releases/v1.json").read_bytes() == before
    for name in ("", "../v2", ".v2", "v 2"):
        with pytest.raises(release.Refused, match="make a name"):
            release.release(candidate.root, name, Fake)


def test_a_release_that_was_taken_away_is_missed(candidate: Project) -> None:
    released(candidate, "v1")
    change(candidate, "student", "epochs: ", "epochs: 1")
    released(candidate, "v2")
    (candidate.root / "releases/v1.json").unlink()
    with pytest.raises(release.Refused, match="one file for each number from 1 was here once"):
        release.read_releases(candidate.root / "releases")


def test_files_of_an_earlier_release_are_those_that_were_released(candidate: Project, tmp_path: Path) -> None:
    content = released(candidate, "v1")
    folder = release.take_out(candidate.root, content, tmp_path / "v1")
    assert sorted(file.name for file in folder.iterdir()) == ["elite.onnx", "tiers.json"]
    content["files"]["elite.onnx"]["sha256"] = "0" * 64
    with pytest.raises(release.Refused, match="was released"):
        release.take_out(candidate.root, content, tmp_path / "other")
    content["commit"] = "f" * 40
    with pytest.raises(release.Refused, match="unshallow"):
        release.take_out(candidate.root, content, tmp_path / "third")


def test_the_seed_follows_from_the_candidate_and_the_tuning_seed_is_another() -> None:
    seeds = {attempts.seed_of(candidate, 2024) for candidate in ("00" * 32, "01" * 32)}
    assert len(seeds) == 2
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert attempts.seed_of("00" * 32, 2024) != attempts.seed_of("00" * 32, 2025)


def test_a_damaged_record_of_attempts_is_refused_by_its_line(tmp_path: Path) -> None:
    (tmp_path / attempts.FILE).write_text('{"attempt": 1, "refused": []}\nnonsense\n')
    with pytest.raises(ValueError, match=r"attempts.jsonl, line 2: text is b'nonsense'"):
        attempts.begin(tmp_path, "ab" * 32, "c" * 40, "v1", 1, "settings")


def test_the_make_target_hands_the_name_on_and_asks_for_it() -> None:
    command = ["make", "--no-print-directory", "--dry-run", "release"]
    told = subprocess.run([*command, "NAME=v1"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-1].endswith('python -m tools.release "v1"')
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0
    assert "NAME=... is missing" in done.stderr
