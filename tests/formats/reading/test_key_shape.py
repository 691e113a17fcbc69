"""Shapes of files: the first that has all its keys decides, and a file of none is told how near it came."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.formats.reading.key_shape import KeyShape, by_keys
from bench.formats.reading.outline import outline_of

RESULT = KeyShape(("model", "run.done", "run.rate"), ("object", "lines"))
TABLE = KeyShape(("model", "rate"), ("csv",), specificity=7)
SUMMARY = KeyShape(("runs", "best"))
SHAPES = (RESULT, TABLE, SUMMARY)
KEYS = st.lists(st.text("abcdef", min_size=1, max_size=3), min_size=1, max_size=6, unique=True)


@given(KEYS, st.data())
def test_a_file_is_recognised_by_all_keys_and_near_by_their_share(keys: list[str], data: st.DataObject) -> None:
    there = [key for key in keys if data.draw(st.booleans())]
    outline = outline_of(json.dumps(dict.fromkeys(there, 1)).encode())
    found = by_keys(KeyShape(tuple(keys)))(SimpleNamespace(outline=outline))
    if len(there) == len(keys):
        assert found.specificity == len(keys)
        return
    lacking = [key for key in keys if key not in there]
    assert found.specificity == 0
    assert found.near == len(there) / len(keys)
    assert found.why == f"{len(there)} of {len(keys)} keys, it lacks {', '.join(lacking)}"


@pytest.mark.parametrize(
    ("text", "specificity", "why"),
    [
        ('{"model": "m", "run": {"done": 1, "rate": 2}}', 3, "it has model, run.done, run.rate"),
        ('{"model": "m", "run": {"done": 1, "rate": 2}, "runs": 1, "best": 2}', 3, "it has model, run.done, run.rate"),
        ("rate,model\n1,m\n", 7, "it has model, rate"),
        ('{"runs": [], "best": 1}', 2, "it has runs, best"),
        ('{"model": "m", "run": {"rate": 2}}', 0, "2 of 3 keys, it lacks run.done"),
        ("rate,kind\n1,m\n", 0, "1 of 2 keys, it lacks model"),
        (
            '[{"model": "m", "run": {"done": 1, "rate": 2}}]',
            0,
            "3 of 3 keys, it begins as a list, not as one object or JSON lines",
        ),
        ('{"runs": []}', 0, "1 of 2 keys, it lacks best"),
        ("", 0, "0 of 3 keys, it lacks model, run.done, run.rate"),
    ],
)
def test_the_first_shape_decides_else_the_nearest_is_told(text: str, specificity: int, why: str) -> None:
    found = by_keys(*SHAPES)(SimpleNamespace(outline=outline_of(text.encode())))
    assert (found.specificity, found.why) == (specificity, why)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_fits_a_file_of_its_kinds_alone(shape: KeyShape) -> None:
    texts = {
        "csv": ",".join(shape.keys) + "\n",
        "object": '{"model": "m", "run": {"done": 1, "rate": 2}, "rate": 1, "runs": 1, "best": 2}',
    }
    texts["list"], texts["lines"] = f"[{texts['object']}]", f"{texts['object']}\n" * 2
    fitting = {kind for kind, text in texts.items() if shape.fits(outline_of(text.encode()))}
    assert fitting == set(shape.kinds) - {"yaml"}
