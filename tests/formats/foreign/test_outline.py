"""The beginning of a file: whatever is cut off, what came before is known, and no bytes are too strange."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.formats.foreign.outline import outline_of
from tests.formats.foreign.documents import OBJECTS


@given(OBJECTS)
def test_a_whole_object_is_known_whole(value: dict[str, object]) -> None:
    outline = outline_of(json.dumps(value).encode())
    assert (outline.kind, outline.value) == ("object", value)


@given(OBJECTS, st.data())
def test_a_cut_object_is_known_as_far_as_it_came(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(value).encode()
    outline = outline_of(text[: data.draw(st.integers(1, len(text)))])
    assert outline.kind == "object"
    assert list(outline.first) == list(value)[: len(outline.first)]
    for key in list(outline.first)[:-1]:
        assert outline.first[key] == value[key]


@given(st.binary(max_size=300))
def test_any_bytes_have_an_outline(head: bytes) -> None:
    assert outline_of(head).kind in ("object", "list", "lines", "yaml", "csv", "none")


def test_keys_inside_what_is_cut_off_are_known() -> None:
    outline = outline_of(
        b'{"metadata": {"version": 2}, "benchmarks": [{"config": {"id": 1}, "metrics": {"a": [1, 2'
    )
    assert outline.has("metadata.version")
    assert outline.at("metadata.version") == 2
    assert outline.has("benchmarks[].metrics.a")
    assert outline.lacks("benchmarks[].config.id", "benchmarks[].run_stats", "args") == [
        "benchmarks[].run_stats",
        "args",
    ]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ('[{"a": 1}, {"b"', "list", [{"a": 1}, {}]),
        ('{"a": 1}\n{"a": 2}\n', "lines", {"a": 1}),
        ('{"a": 1}\n', "object", {"a": 1}),
        ('{"a": NaN, "b": Infinity, "c": 1}', "object", None),
        ("version: '0.2'\nrun:\n  uid: x\n", "yaml", {"version": "0.2", "run": ""}),
        ("build_commit,model\n1,2\n", "csv", ["build_commit", "model"]),
        ("a\n", "none", None),
        ("", "none", None),
    ],
)
def test_each_kind_of_file(text: str, kind: str, value: object) -> None:
    outline = outline_of(text.encode())
    assert outline.kind == kind
    if value is not None:
        assert outline.value == value


def test_nesting_and_digits_do_no_harm() -> None:
    assert outline_of(b"[" * 60_000).kind == "list"
    assert outline_of(b'{"a":' * 10_000).kind == "object"
    assert outline_of(b'{"a": ' + b"9" * 60_000 + b', "b": 1}').first["b"] == 1
    assert outline_of('{"ä": 1}'.encode("utf-16")).first == {"ä": 1}
