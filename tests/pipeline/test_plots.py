"""What `dvc plots show` and `dvc plots diff` draw: every chart of dvc.yaml, with data and nothing left to fill in."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pocketzero.settings.base import read_yaml

from .conftest import Project

ROOT = Path(__file__).resolve().parents[2]
CHARTS = {name: about for entry in read_yaml(ROOT / "dvc.yaml")["plots"] for name, about in entry.items()}
SPEC = re.compile(r"var spec = (\{.*?\});\s*vegaEmbed\('#([^']+)'", re.DOTALL)
PICTURE = re.compile(r'<img[^>]*src="([^"]+)"')


def drawn(project: Project, *command: str) -> tuple[dict[str, dict[str, Any]], list[Path]]:
    """Chart -> its Vega-Lite specification, and the pictures, of the page that the command writes."""
    project.run("dvc", "plots", *command, "--out", ".copies/page")
    page = project.root / ".copies/page/index.html"
    text = page.read_text()
    return (
        {match[2]: json.loads(match[1]) for match in SPEC.finditer(text)},
        [page.parent / name for name in PICTURE.findall(text)],
    )


def on_page(name: str) -> str:
    """What the page calls the chart."""
    return re.sub(r"[^\w-]", "_", name)


@pytest.mark.xdist_group("smoke")
@pytest.mark.parametrize("command", [("show",), ("diff", "HEAD")], ids=["show", "diff"])
def test_every_chart_has_data_of_every_version(smoke: Project, command: tuple[str, ...]) -> None:
    specs, pictures = drawn(smoke, *command)
    versions = {"workspace"} if command == ("show",) else {"workspace", "HEAD"}
    for name, about in CHARTS.items():
        spec = specs[on_page(name)]
        assert "<DVC_METRIC" not in json.dumps(spec), name
        rows = spec["data"]["values"]
        assert {row["rev"] for row in rows} == versions, name
        fields = about["y"].values()
        assert all(any(field in row for field in (*fields, "dvc_inferred_y_value")) for row in rows), name
    for name in ("share.png", "margin.png", "weights.png"):
        assert sum(picture.name.endswith(name) for picture in pictures) == len(versions), name
    assert all(picture.stat().st_size for picture in pictures)


@pytest.mark.parametrize("name", [name for name, about in CHARTS.items() if "template" in about])
def test_a_chart_s_template_is_there_and_takes_its_data(name: str) -> None:
    template = json.loads((ROOT / ".dvc/plots" / f"{CHARTS[name]['template']}.json").read_text())
    assert template["data"] == {"values": "<DVC_METRIC_DATA>"}
