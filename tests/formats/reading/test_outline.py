"""The beginning of a file: whatever is cut off, what came before is known, and no bytes are too strange."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bench.formats.reading.outline import ends_early, outline_of
from tests.formats.documents import OBJECTS


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
    outline = outline_of(b'{"metadata": {"version": 2}, "benchmarks": [{"config": {"id": 1}, "metrics": {"a": [1, 2')
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
        ("version: '0.2'\nrun:\n  uid: x\n", "yaml", {"version": "0.2", "run": {"uid": "x"}}),
        ("# of a tool\n#\nEndpoint,Type\n1,2\n", "csv", ["Endpoint", "Type"]),
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


@given(OBJECTS, st.booleans())
def test_the_keys_of_yaml_in_blocks_are_those_of_the_document(value: dict[str, object], sort_keys: bool) -> None:
    """The same objects in the same lists, whatever their values; keys that need quotes are passed over."""
    plain = yaml.safe_load(yaml.safe_dump({"first": 1, "all": _named(value)}))
    text = yaml.safe_dump(plain, sort_keys=sort_keys, width=10**6)
    outline = outline_of(text.encode())
    assert outline.kind == "yaml"
    assert _keys(outline.value) == _keys(plain)


@pytest.mark.parametrize("indent", [0, 2])
def test_a_list_of_yaml_may_stand_under_its_key_or_further_in(indent: int) -> None:
    by = " " * indent
    outline = outline_of(
        f"runs:\n{by}- name: a  # the first\n{by}  rate:\n{by}    mean: 1.5\n{by}- name: b\nend: 'x'\n".encode()
    )
    assert outline.value == {"runs": [{"name": "a", "rate": {"mean": "1.5"}}, {"name": "b"}], "end": "x"}
    assert outline.has("runs[].rate.mean")


def test_keys_of_a_cut_yaml_are_known_as_far_as_they_came() -> None:
    outline = outline_of(b"metadata:\n  version: 2\nbenchmarks:\n- config:\n    strategy:\n      typ")
    assert outline.at("metadata.version") == "2"
    assert not outline.lacks("benchmarks[].config.strategy")
    assert outline.lacks("benchmarks[].config.strategy.type_", "benchmarks[].metrics")


def _named(value: object) -> object:
    """The value with letters for keys, texts for what is no object, and lists of objects alone."""
    if isinstance(value, dict):
        return {f"k{place}": _named(one) for place, one in enumerate(value.values())} or "none"
    if isinstance(value, list):
        return [one for one in map(_named, value) if isinstance(one, dict)] or "none"
    return "text"


def _keys(value: object) -> object:
    if isinstance(value, dict):
        return {key: _keys(one) for key, one in value.items()}
    return [_keys(one) for one in value] if isinstance(value, list) else None


def test_nesting_and_digits_do_no_harm() -> None:
    assert outline_of(b"[" * 60_000).kind == "list"
    assert outline_of(b'{"a":' * 10_000).kind == "object"
    assert outline_of(b'{"a": ' + b"9" * 60_000 + b', "b": 1}').first["b"] == 1
    assert outline_of('{"ä": 1}'.encode("utf-16")).first == {"ä": 1}


@given(OBJECTS, st.data())
def test_a_beginning_that_ends_within_a_value_is_told_from_what_is_no_json(
    value: dict[str, object], data: st.DataObject
) -> None:
    text = json.dumps(value).encode()
    assert not ends_early(text)
    assert ends_early(text[: data.draw(st.integers(1, len(text) - 1))])
    assert not ends_early(b"[2026-11-22 10:00] " + text * 3)


@pytest.mark.parametrize(
    ("text", "more"),
    [("a: 1\nb: 2\n", True), ("a,b\n1,2\n", False), ("", False), ("\0", False), ('{"a": 1}\n{"a": 2', False)],
)
def test_yaml_may_go_on_and_lines_and_tables_tell_nothing_more(text: str, more: bool) -> None:
    assert ends_early(text.encode()) is more
