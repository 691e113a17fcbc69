"""Files of prompts and traces: what is read from them, and what hostile ones are told."""

from __future__ import annotations

import json
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.errors import InputError
from bench.records import Load
from bench.sweep.generator import prompt_files, traces
from bench.sweep.generator.calibration import Calibration
from bench.sweep.generator.prompt_files import FilePrompt, read_prompts
from bench.sweep.generator.prompts import lengths_to_calibrate, prompts
from bench.sweep.generator.traces import TracedRequest, read_trace
from bench.sweep.planning.shapes import Length, PlannedPoint, Shape

SHARE_GPT = [
    {"id": "a", "conversations": [{"from": "human", "value": "Hello"}, {"from": "gpt", "value": "x" * 400}]},
    {"id": "b", "conversations": [{"from": "gpt", "value": "I begin"}]},
    {"id": "c", "conversations": []},
    {"id": "d", "conversations": [{"from": "system", "value": "s"}, {"from": "human", "value": "Bye 🙂"}], "osl": 7},
]


def file(tmp_path, content: str | bytes, name: str = "prompts.jsonl"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_sharegpt_gives_first_human_turns_and_the_length_of_their_answers(tmp_path):
    whole, lines = json.dumps(SHARE_GPT, indent=1), "\ufeff" + "\n\n".join(json.dumps(entry) for entry in SHARE_GPT)
    for content in (whole, lines):
        assert read_prompts(file(tmp_path, content)) == (FilePrompt("Hello", 100), FilePrompt("Bye 🙂", 7))


def test_lines_give_prompts_texts_and_chats(tmp_path):
    chat = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
    rows = [{"prompt": "One", "osl": 5}, {"text": "Two", "max_tokens": 6}, {"messages": chat, "output_len": 7}]
    path = file(tmp_path, "\r\n".join(map(json.dumps, rows)))
    assert read_prompts(path, osl_needed=True) == (
        FilePrompt("One", 5),
        FilePrompt("Two", 6),
        FilePrompt("Be brief.\nWhy?", 7, tuple(chat)),
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), min_size=1, max_size=20),
    st.integers(1, 64),
    st.booleans(),
)
def test_a_list_is_read_the_same_however_it_is_cut_into_chunks(tmp_path, monkeypatch, texts, chunk, ascii_only):
    path = file(tmp_path, json.dumps([{"prompt": text} for text in texts], ensure_ascii=ascii_only, indent=2))
    with monkeypatch.context() as small:
        small.setattr(prompt_files, "CHUNK", chunk)
        assert [row.text for row in read_prompts(path)] == texts


def test_a_list_on_one_line_may_be_longer_than_any_entry(tmp_path, monkeypatch):
    monkeypatch.setattr(prompt_files, "MAX_ENTRY", 1000)
    path = file(tmp_path, json.dumps([{"prompt": "x" * 500}] * 100))
    assert len(read_prompts(path)) == 100


HOSTILE = {
    "empty": "",
    "no JSON": "once upon a time",
    "an empty list": "[]",
    "a list without end": '[{"prompt": "a"}, ',
    "a list that goes on after its end": '[{"prompt": "a"}] x',
    "no text": "\x00\xff".encode("latin-1"),
    "a list of lists": "[[[]]]",
    "deep": "[" * 100_000,
    "deep in an entry": '{"prompt": ' + "[" * 900 + "]" * 900 + "}",
    "a huge number": '{"prompt": "a", "osl": ' + "9" * 5000 + "}",
    "not a number": '{"prompt": "a", "osl": NaN}',
    "osl 0": '{"prompt": "a", "osl": 0}',
    "osl true": '{"prompt": "a", "osl": true}',
    "no prompt": '{"question": "a"}',
    "a prompt of blanks": '{"prompt": "  "}',
    "half a character": '{"prompt": "\\ud83d"}',
    "turns that are none": '{"conversations": [1]}',
    "a strange role": '{"messages": [{"role": "boss", "content": "a"}]}',
    "content in parts": '{"messages": [{"role": "user", "content": [1]}]}',
    "nobody asks": '{"conversations": [{"from": "gpt", "value": "a"}]}',
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_of_prompts_is_one_sentence(tmp_path, content):
    with pytest.raises(InputError, match=r"^prompts\.jsonl") as problem:
        read_prompts(file(tmp_path, content))
    assert len(str(problem.value)) < 300


@pytest.mark.parametrize("opened", ["[", ""])
def test_an_endless_entry_is_cut_off(tmp_path, monkeypatch, opened):
    monkeypatch.setattr(prompt_files, "MAX_ENTRY", 10_000)
    monkeypatch.setattr(prompt_files, "CHUNK", 1000)
    with pytest.raises(InputError, match=r"longer than 10,000"):
        read_prompts(file(tmp_path, opened + '{"prompt": "' + "x" * 100_000))


def test_too_many_rows_and_too_large_a_file_are_refused(tmp_path, monkeypatch):
    path = file(tmp_path, '{"prompt": "a"}\n' * 11)
    with monkeypatch.context() as small:
        small.setattr(prompt_files, "MAX_ROWS", 10)
        with pytest.raises(InputError, match="more than 10 prompts"):
            read_prompts(path)
    monkeypatch.setattr(prompt_files, "MAX_BYTES", 100)
    with pytest.raises(InputError, match="100 bytes"):
        read_prompts(path)
    monkeypatch.setattr(traces, "MAX_ROWS", 3)
    with pytest.raises(InputError, match="more than 3 requests"):
        read_trace(file(tmp_path, "at_s,isl,osl\n" + "1,2,3\n" * 4, "trace.csv"))


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_what_is_no_file_is_one_sentence(tmp_path, name):
    with pytest.raises(InputError, match="cannot be read"):
        read_prompts(tmp_path / name)


def test_a_row_without_osl_is_refused_when_nobody_else_states_it(tmp_path):
    with pytest.raises(InputError, match=r"line 2, has no osl; .* workloads\.osl"):
        read_prompts(file(tmp_path, '{"prompt": "a", "osl": 1}\n{"prompt": "b"}'), osl_needed=True)


def test_a_files_prompts_come_each_once_and_then_again(tmp_path):
    path = file(tmp_path, "\n".join(json.dumps({"prompt": f"p{n}", "osl": n + 1}) for n in range(50)))
    closed = Load(load_kind="closed", concurrency=1)
    point = PlannedPoint(Shape(None, None, prompts=str(path)), closed)
    made = list(islice(prompts(point, 1, Calibration()), 100))
    once, twice = [prompt.text for prompt in made[:50]], [prompt.text for prompt in made[50:]]
    assert sorted(once) == sorted(twice) == sorted(f"p{n}" for n in range(50))
    assert once != twice
    assert all(prompt.osl == int(prompt.text[1:]) + 1 and prompt.isl is None for prompt in made)
    held = PlannedPoint(Shape(None, Length.of(9), prompts=str(path)), closed)
    assert {prompt.osl for prompt in islice(prompts(held, 1, Calibration()), 50)} == {9}


TRACES = {
    "seconds": "at_s,isl,osl\n10.5,100,5\n10,200,6\n",
    "milliseconds": "timestamp_ms, ISL ,osl\n10500,100,5\n10000,200,6\n",
    "azure": "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.5000000,100,5\n2023-11-16 18:15:46,200,6\n",
    "mooncake": '{"timestamp": 500, "input_length": 100, "output_length": 5, "hash_ids": [1]}\n'
    '{"timestamp": 0, "input_length": 200, "output_length": 6, "hash_ids": [2]}\n',
    "lines": '{"arrival_s": 1.5, "isl": 100, "osl": 5}\n{"arrival_s": 1, "isl": 200, "osl": 6}',
}


@pytest.mark.parametrize("content", TRACES.values(), ids=TRACES)
def test_a_trace_is_sorted_and_starts_at_0(tmp_path, content):
    assert read_trace(file(tmp_path, content, "trace.csv")) == (TracedRequest(0, 200, 6), TracedRequest(0.5, 100, 5))


def test_a_trace_makes_prompts_of_its_lengths(tmp_path):
    path = file(tmp_path, TRACES["seconds"], "trace.csv")
    point = PlannedPoint(Shape(None, None, trace=str(path)), Load(load_kind="open", arrivals="trace"))
    assert lengths_to_calibrate([point.shape]) == (100, 200)
    made = list(prompts(point, 1, Calibration()))
    assert [(prompt.at_s, prompt.isl, len(prompt.text.split()), prompt.osl) for prompt in made] == [
        (0, 200, 200, 6),
        (0.5, 100, 100, 5),
    ]


BAD_TRACES = {
    "empty": "",
    "no row": "at_s,isl,osl\n",
    "no unit": "timestamp,isl,osl\n1,2,3\n",
    "no osl": "at_s,isl\n1,2\n",
    "a negative time": "at_s,isl,osl\n-1,2,3\n",
    "half a token": "at_s,isl,osl\n1,2.5,3\n",
    "too many tokens": "at_s,isl,osl\n1,99999999999,3\n",
    "years": "at_s,isl,osl\n1,2,3\n99999999,2,3\n",
    "a long cell": "at_s,isl,osl\n" + "1" * 200_000 + ",2,3\n",
    "no moment": "TIMESTAMP,ContextTokens,GeneratedTokens\nyesterday,1,1\n",
    "a list": '{"at_s": 1, "isl": 2, "osl": 3}\n[1]\n',
}


@pytest.mark.parametrize("content", BAD_TRACES.values(), ids=BAD_TRACES)
def test_a_trace_that_is_none_is_one_sentence(tmp_path, content):
    with pytest.raises(InputError, match=r"^trace\.csv") as problem:
        read_trace(file(tmp_path, content, "trace.csv"))
    assert len(str(problem.value)) < 300
