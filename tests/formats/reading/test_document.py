"""Documents read leniently where tools are sloppy, and refused with one sentence where they are hostile."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.formats.reading import SourceFile
from bench.formats.reading.document import lines, loaded, parsed, records
from bench.records import Refusal
from tests.formats.documents import JSON


def file(tmp_path: Path, content: bytes, name: str = "result.json") -> SourceFile:
    path = tmp_path / name
    path.write_bytes(content)
    return SourceFile(path)


@given(JSON)
def test_json_is_read_as_what_it_says(value: object) -> None:
    assert parsed(json.dumps(value).encode(), "x") == value


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(InputError):
        parsed(content, "x")


def test_numbers_that_json_does_not_have_are_taken() -> None:
    found = parsed(b'{"a": NaN, "b": Infinity, "c": -Infinity, "d": 123456789012345678901}', "x")
    assert math.isnan(found["a"])
    assert (found["b"], found["c"], found["d"]) == (math.inf, -math.inf, 123456789012345678901)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a": ' + b"9" * 100_000 + b"}", "a number of 100,000 digits"),
        (b'{"a": ' + b"[" * 100_000, "nested more than 64 deep"),
        (b'{"a": 1', "ends in the middle of its JSON"),
        (b'{"a": 1, ]}', "not valid JSON at line 1"),
    ],
)
def test_hostile_json_is_refused_in_a_sentence(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        loaded(file(tmp_path, content))


@given(JSON)
def test_a_name_with_two_values_is_refused_and_one_that_repeats_its_value_is_not(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    folder = tmp_path_factory.getbasetemp()
    written, other = json.dumps(value), json.dumps([value])
    single, doubled = f'{{"a": {written}, "a": {written}}}', f'{{"b": [{{"a": {written}, "a": {other}}}]}}'
    assert loaded(file(folder, single.encode())) == {"a": value}
    with pytest.raises(InputError, match="has two values of 'a'"):
        loaded(file(folder, doubled.encode()))
    with pytest.raises(InputError, match=r"^Line 2 of result\.json has two values of 'a'"):
        list(lines(file(folder, f"{single}\n{doubled}\n".encode()), []))


def test_only_a_small_file_is_looked_through_for_names_that_stand_twice(tmp_path: Path) -> None:
    text = f'{{"a": 1, "a": 2, "b": "{"x" * 300_000}"}}'
    assert loaded(file(tmp_path, text.encode()))["a"] == 2


def test_what_a_parser_may_stumble_over_twice_is_still_read(tmp_path: Path) -> None:
    assert loaded(file(tmp_path, b'{"a": ' + b"9" * 300 + b"}")) == {"a": 1e300}
    deep = loaded(file(tmp_path, b'{"a":' * 1000 + b"1" + b"}" * 1000))
    assert list(deep) == ["a"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    assert loaded(file(tmp_path, '{"ä": [1]}'.encode(encoding))) == {"ä": [1]}


def test_a_last_line_that_is_cut_off_is_passed_over_and_another_is_not(tmp_path: Path) -> None:
    told: list[Refusal] = []
    cut = file(tmp_path, b'\xef\xbb\xbf{"a": 1}\n\n{"a": 2}\n{"a": 3')
    assert list(lines(cut, told)) == [(1, {"a": 1}), (3, {"a": 2})]
    assert [(one.file, one.row) for one in told] == [("result.json", 4)]
    with pytest.raises(InputError, match=r"Line 2 of result\.json is not valid JSON"):
        list(lines(file(tmp_path, b'{"a": 1}\n{"a": \n{"a": 3}\n'), told))
    with pytest.raises(InputError, match="Line 1"):
        list(lines(file(tmp_path, b'{"a": '), told))
    assert len(told) == 1


def test_records_of_an_object_a_list_and_lines(tmp_path: Path) -> None:
    told: list[Refusal] = []

    def read(content: bytes) -> list[tuple[str, float | None]]:
        return [(one.where, one.number("a")) for one in records(file(tmp_path, content), told)]

    assert read(b'{"a": 1}') == [("the document", 1)]
    assert read(b'[{"a": 1}, {"a": 2}]') == [("entry 1", 1), ("entry 2", 2)]
    assert read(b'{"a": 1}\n{"a": 2}') == [("line 1", 1), ("line 2", 2)]
    assert told == []
    with pytest.raises(InputError, match=r"entry 2 in .* is 2; expected an object"):
        read(b'[{"a": 1}, 2]')


def test_yaml_too_large_to_be_read_in_seconds_is_refused(tmp_path: Path) -> None:
    text = "version: 1\n" + "a: [1, 2, 3]\n" * 80_000
    with pytest.raises(InputError, match="YAML is read up to 1,000,000, so save it as JSON"):
        loaded(file(tmp_path, text.encode(), "report.yaml"))


def test_yaml_has_the_numbers_that_tools_write(tmp_path: Path) -> None:
    text = b"version: '0.2'\na: 1\nb: 1.5\nc: 1e-3\nd: 1:30\ne: 2026-01-02\nf: .inf\ng: [true, null]\nh: 0x10\n"
    assert loaded(file(tmp_path, text, "report.yaml")) == {
        "version": "0.2",
        "a": 1,
        "b": 1.5,
        "c": 0.001,
        "d": "1:30",
        "e": "2026-01-02",
        "f": math.inf,
        "g": [True, None],
        "h": "0x10",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 1\na: &x [1]\nb: *x\n", "anchors or aliases"),
        ("version: 1\na: &a ['x']\nb: &b [*a,*a]\n", "anchors or aliases"),
        ("version: 1\na: !!python/object/apply:os.system ['true']\n", "not valid YAML"),
        ("version: 1\na: " + "[" * 100 + "\n", "nested more than 64 deep"),
        ("version: 1\na: [1\n", "not valid YAML"),
        ("version: 1\na: " + "9" * 100_000 + "\n", "a number of 100,000 digits"),
    ],
)
def test_hostile_yaml_is_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        loaded(file(tmp_path, text.encode(), "report.yaml"))
