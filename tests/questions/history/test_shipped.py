"""The shipped stories, worked out again from the files they came in, by other code."""

from __future__ import annotations

import csv
import statistics
from collections import defaultdict
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from bench.library import Library
from bench.questions import history
from bench.view import View
from tests.questions.answering import answer_of
from tests.questions.saying import headline, said, statements

SOURCES = Path(__file__).resolve().parents[3] / "data" / "library" / "sources"
Rates = dict[int, dict[str, float]]


def rows(name: str) -> list[dict[str, str]]:
    (path,) = SOURCES.glob(f"*/{name}")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def inferencex(**facts: str) -> list[dict[str, str]]:
    return [row for row in rows("inferencex-deepseek-r1.csv") if all(row[key] == value for key, value in facts.items())]


MI300X = {
    "precision": "fp8", "engine": "sglang", "accelerator": "mi300x", "accelerators": "8", "isl": "8192", "osl": "1024",
    "speculation": "none", "tp": "8", "ep": "1", "disaggregated": "false",
}  # fmt: skip


def by_load(of: list[dict[str, str]], metric: str = "output_tokens_per_s") -> Rates:
    found: Rates = defaultdict(dict)
    for row in of:
        found[int(row["concurrency"])][row["date"]] = float(row[metric]) / 8
    return found


def mean(values: list[float]) -> float:
    return exp(statistics.fmean(map(log, values)))


def test_the_first_story_is_what_the_file_says(shipped: Library) -> None:
    answer = answer_of(shipped, "history", View())
    of = by_load(inferencex(**MI300X))
    kind, values = headline(answer)
    assert kind == "changed"
    load = int(values["load"])
    days = sorted(of[load])
    assert values["runs"] == len(days) == 10
    levels = [mean([of[load][day] for day in part]) for part in (days[:5], days[5:9], days[9:])]
    assert (days[5], days[9]) == ("2026-01-05", "2026-05-18")
    assert (load, values["last_from"], values["changes"]) == (16, days[9], 2)
    assert values["speed"] == pytest.approx(levels[2] / levels[0])
    assert values["last"] == pytest.approx(levels[2] / levels[1])
    first, last = said(answer, "values")["first"], said(answer, "values")["last"]
    assert (first, last) == pytest.approx((of[load][days[0]], of[load][days[-1]]))
    within = [
        log(of[load][day] / level)
        for day, level in zip(days, [levels[0]] * 5 + [levels[1]] * 4 + [levels[2]], strict=True)
    ]
    assert said(answer, "values")["noise"] == pytest.approx((sum(one**2 for one in within) / 7) ** 0.5)
    told = {
        (one.load, answer.result.runs[value.run].name): value.value
        for one in answer.result.loads
        for value in one.values
    }
    assert told == pytest.approx({(load, day): of[load][day] for load in (4, 16, 64) for day in of[load]})
    assert answer.result.counted.used == sum(map(len, of.values())) == 32


def test_the_trade_offs_of_the_first_story_are_those_of_the_file(shipped: Library) -> None:
    gain = answer_of(shipped, "history", View()).result.gain
    assert gain is not None
    curves = []
    for day in ("2025-12-11", "2026-05-18"):
        own = [row for row in inferencex(**MI300X) if row["date"] == day]
        places = sorted((1000 / float(row["tpot_ms_p50"]), float(row["output_tokens_per_s"]) / 8) for row in own)
        curves.append(np.log(np.array(places)).T)
    (x0, y0), (x1, y1) = curves
    start, end = max(x0[0], x1[0]), min(x0[-1], x1[-1])
    fine = np.linspace(start, end, 200_001)
    ratios = np.interp(fine, x1, y1) - np.interp(fine, x0, y0)
    assert (log(gain.start), log(gain.end)) == pytest.approx((start, end))
    assert log(gain.low) == pytest.approx(ratios.min(), abs=1e-6)
    assert log(gain.high) == pytest.approx(ratios.max(), abs=1e-4)
    assert log(gain.mean) == pytest.approx(ratios.mean(), abs=1e-4)


RVLLM = View.of({"model": ["gemma-4-31b"], "engine": ["rvllm"], "accelerator": ["h100-sxm"]})


def test_the_article_of_two_methods_tells_no_speed(shipped: Library) -> None:
    """Between April and June its decode loop went from 100 to 40 iterations and to other routes, so it reads slower."""
    answer = history.answer(shipped, RVLLM)
    found = answer.result
    assert headline(answer)[0] == "method"
    assert all(not one.changes for one in found.loads)
    whole = history.answer(shipped, RVLLM.with_options(load="64,128,256"))
    read = {one.load: one.values[-1].value / one.values[0].value - 1 for one in whole.result.loads}
    assert read == pytest.approx({64: 2997 / 3265 - 1, 128: 5211 / 5802 - 1, 256: 7607 / 7808 - 1})
    assert {each.kind for one in whole.result.loads for each in one.values[-1].changes} == {"variant", "doubt"}
    doubts = {
        each.after or each.before
        for one in whole.result.loads
        for each in one.values[-1].changes
        if each.kind == "doubt"
    }
    assert any("100 iterations" in one and "40 after 8" in one for one in doubts)
    assert all(one.flags for one in statements(answer, "not_speed"))
