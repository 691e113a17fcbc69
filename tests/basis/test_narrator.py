"""Sentences are filled from templates, each value written as its template asks."""

from __future__ import annotations

import pytest

from bench.basis.narrator import Narrator, flagged_note
from bench.basis.points import PointFacts
from bench.basis.subject import Subject
from bench.basis.subject import of as subject_of
from bench.view import View

WORDS = {
    "number": "it is {x}.",
    "all": "{x:all}.",
    "name": "{x:accelerator} leads.",
    "precision": "{x:precision}",
    "count": "{x:count series/series} {x:verb is/are} loaded.",
    "share": "{x:share} more.",
    "below": "below {x:below} USD.",
    "ratio": "{x:times}, ahead {x:ahead}.",
    "margin": "{x:margin}, {x:range}.",
    "metric": "{key:metric} of {x:in {key}}.",
    "columns": "{x:column} differ.",
    "named": "{x:named {key}}.",
    "each": "{rows:each part}.",
    "every": "{rows:every part}.",
    "part": "{chip:accelerator} {usd}",
}
SAY = Narrator(WORDS)
FLAGGED = PointFacts("p1", flags='[{"kind": "decode-only"}]')


@pytest.mark.parametrize(
    ("kind", "values", "text"),
    [
        ("number", {"x": 1234.5}, "It is 1,234."),
        ("number", {"x": "so"}, "It is so."),
        ("number", {"x": ["a", "b", "c", "d", "e"]}, "It is a, b, c and 2 more."),
        ("all", {"x": [1, 2, 4, 8]}, "1, 2, 4 and 8."),
        ("name", {"x": "h200-sxm"}, "H200 SXM leads."),
        ("name", {"x": ["h200-sxm", "mi355x"]}, "H200 SXM and MI355X leads."),
        ("name", {"x": ["h200-sxm", None]}, "H200 SXM and accelerator not stated leads."),
        ("precision", {"x": "fp8"}, "FP8"),
        ("count", {"x": 1}, "1 series is loaded."),
        ("count", {"x": 2}, "2 series are loaded."),
        ("share", {"x": 0.25}, "25 % more."),
        ("below", {"x": 2.3499}, "Below 2.34 USD."),
        ("ratio", {"x": 2.6}, "2.60 times, ahead 2.60 times."),
        ("margin", {"x": [1.028, 1.55]}, "By 2.8 to 55 %, 1.03 to 1.55."),
        ("margin", {"x": [1, 1.55]}, "By up to 55 %, 1 to 1.55."),
        ("margin", {"x": [1, 3.2]}, "Up to 3.20 times, 1 to 3.20."),
        ("metric", {"key": "ttft_ms_p99", "x": 2000.0}, "P99 TTFT of 2,000 ms."),
        ("columns", {"x": ["isl", "accelerators"]}, "Input length and chip count differ."),
        ("named", {"key": "ttft_ms_p99", "x": 43.0}, "43 ms p99 TTFT."),
        ("named", {"key": "output_tokens_per_s", "x": 43.0}, "43 tokens/s."),
        ("each", {"rows": [{"chip": "mi355x", "usd": 2.0}] * 5}, "MI355X 2; MI355X 2; MI355X 2; 2 more."),
        ("every", {"rows": [{"chip": "mi355x", "usd": 2.0}] * 4}, "MI355X 2; MI355X 2; MI355X 2; MI355X 2."),
    ],
)
def test_a_value_is_written_as_its_template_asks(kind: str, values: dict[str, object], text: str) -> None:
    said = SAY.verdict(kind, **values)
    assert said.text == text
    assert (said.role, said.kind, said.values) == ("headline", kind, values)


def test_what_no_template_knows_is_an_error() -> None:
    with pytest.raises(KeyError):
        SAY.finding("unknown")
    with pytest.raises(KeyError):
        Narrator({"a": "{x:smaller}"}).finding("a", x=1)


def test_a_flagged_point_has_a_dagger_that_a_note_explains() -> None:
    said = SAY.finding("number", [FLAGGED, FLAGGED], x=2)
    assert (said.text, said.point_ids, said.flags) == ("It is 2 \u2020.", ("p1",), ("decode only",))
    (note,) = flagged_note([said, SAY.note("number", x=1)])
    assert (note.text, note.point_ids) == ("\u2020 Flagged: decode only.", ("p1",))
    assert flagged_note([SAY.finding("number", [PointFacts("p2")], x=2)]) == []


def test_a_subject_has_what_is_chosen_alone() -> None:
    view = View.of(
        {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["8192"], "osl": ["1024"]}, slo=["ttft_ms_p99<=2000"]
    )
    assert (
        subject_of(view).text == "DeepSeek-R1 \u00b7 FP8 \u00b7 8,192 in / 1,024 out \u00b7 p99 TTFT at most 2,000 ms"
    )
    open_ = View.of({"model": ["deepseek-r1", "glm-5"], "isl": ["128", "256"], "osl": ["1024"]})
    assert subject_of(open_, "Only 2 of 106 points state TPOT").text == (
        "DeepSeek-R1 and GLM-5 \u00b7 1,024 out \u00b7 only 2 of 106 points state TPOT"
    )
    assert Subject((), None, None, None, ()).text == ""
