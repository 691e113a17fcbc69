"""A model's config.json on its way into the library: by import, under its name, durably, and refused in a sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.library import Library
from bench.library.model_configs import named, read_config

FILES = Path(__file__).with_name("files")
QWEN = FILES / "Qwen3-Next-80B-A3B-Instruct.json"


@pytest.fixture
def own(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "own", shipped=False)


def test_a_config_becomes_a_model_of_the_library_and_stays(own: Library, tmp_path: Path) -> None:
    before = own.version
    assert own.add([QWEN], dry_run=True).models[0].model == "qwen3-next-80b-a3b"
    assert own.dropped_models == ()
    report = own.add([QWEN])
    (found,) = report.models
    assert (found.model, report.imported, report.refused) == ("qwen3-next-80b-a3b", [], [])
    assert "79.7 B" in found.sentence(dry_run=False)
    assert type(report).of(json.loads(json.dumps(report.document()))) == report
    assert own.version != before
    again = Library.open(tmp_path / "own", shipped=False)
    assert again.version == own.version
    assert again.dropped_models == ("qwen3-next-80b-a3b",)
    assert again.model_shape("qwen3-next-80b-a3b") == read_config(QWEN, "qwen3-next-80b-a3b")
    assert again.model_shape("llama-3.1-70b") is None
    other = tmp_path / "model" / QWEN.name  # with its folder's README, which is no result; the last one stands
    other.parent.mkdir()
    other.write_text(json.dumps({**json.loads(QWEN.read_text()), "num_hidden_layers": 8}))
    (other.parent / "README.md").write_text("# A model\n")
    assert [one.model for one in again.add([other.parent]).models] == ["qwen3-next-80b-a3b"]
    newest = again.model_shape("qwen3-next-80b-a3b")
    assert newest is not None
    assert newest.layers == 8


def test_people_read_the_name_that_it_was_given(own: Library) -> None:
    own.add([QWEN])
    assert own.model_name("qwen3-next-80b-a3b") == "Qwen3-Next 80B-A3B"  # that of its row in data/models.csv
    for stated, name in (("Lab/My_Own-80B", "My-Own-80B"), ("MY-own-80b", "MY-own-80b"), ("My-Own-80B", "My-Own-80B")):
        own.add([QWEN], {"model": stated})
        assert own.model_name("my-own-80b") == name
        assert {file.stem for file in (own.path / "models").iterdir()} == {"qwen3-next-80b-a3b", name}
    assert own.dropped_models == ("my-own-80b", "qwen3-next-80b-a3b")
    assert own.model_shape("my-own-80b") is not None
    assert own.model_name("nobody-9b") == "nobody-9b"


def test_its_name_is_stated_or_its_own_or_it_is_refused(own: Library, tmp_path: Path) -> None:
    bare = tmp_path / "config.json"
    shutil.copy(QWEN, bare)
    assert len(own.add([bare]).refused) == 1
    assert own.add([bare], {"model": "My-Own-80B"}).models[0].model == "my-own-80b"
    hub = tmp_path / "models--Qwen--Qwen3-Next-80B-A3B-Instruct" / "snapshots" / "abc" / "config.json"
    hub.parent.mkdir(parents=True)
    shutil.copy(QWEN, hub)
    assert named(hub) == "Qwen3-Next-80B-A3B-Instruct"
    for stated, name in (("Qwen/Qwen3-X", "Qwen3-X"), ("./here/x", None), ("/root/models/x", None), ("x", None)):
        bare.write_text(json.dumps({**json.loads(QWEN.read_text()), "_name_or_path": stated}))
        assert named(bare) == name


def test_a_broken_file_put_there_by_hand_is_told_and_breaks_nothing(own: Library) -> None:
    own.add([QWEN])
    (own.path / "models" / "broken.json").write_text("{")
    own.refresh()
    assert own.model_shape("broken") is None
    assert own.model_shape("qwen3-next-80b-a3b") is not None
    assert ("models/broken.json",) in own.fetch("SELECT file FROM refusals")
