"""What a gate decided, as people and machines read it: a sentence, a table for a pull request, JSON, JUnit."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from bench.gate import Gate, GateLine
from bench.wording import counted, inline, joined, share

HEADING = ("Metric", "Candidate / baseline", "95 % interval", "Loss allowed", "Verdict")


def headline(gate: Gate) -> str:
    """The verdict in one sentence, and what would decide it where nothing does yet."""
    named = {
        word: [inline(one.ratio.row) for one in gate.lines if one.verdict == word] for word in ("worse", "unknown")
    }
    if not gate.lines:
        return "The candidate and the baseline have no point at one workload and load, so nothing is compared."
    if named["worse"]:
        return f"The candidate is worse: {joined(named['worse'])}."
    if named["unknown"]:
        return f"It is unknown whether the candidate is worse in {joined(named['unknown'])}. {what_decides(gate)}"
    pairs = counted(gate.lines[0].ratio.pairs, "matched pair")
    return f"The candidate is {'better' if gate.verdict == 'better' else 'as good'} over {pairs}."


def what_decides(gate: Gate) -> str:
    """What to measure so that the unknown becomes known."""
    if gate.repeats is not None:
        return f"Measure each side {counted(gate.repeats, 'more time')}, and give all its files."
    return "Measure each side at least twice, and give all its files: that tells a change from noise."


def rows(gate: Gate) -> list[tuple[str, ...]]:
    """The table, a row for each metric, in the words of HEADING."""
    return [_row(one) for one in gate.lines]


def _row(one: GateLine) -> tuple[str, ...]:
    ratio = one.ratio
    known = ratio.low is not None and ratio.high is not None
    interval = f"{ratio.low:.3f} to {ratio.high:.3f}" if known else "not known"
    return ratio.row.label, f"{ratio.ratio:.3f}", interval, share(one.allowed), one.verdict


def markdown(gate: Gate) -> str:
    """The verdict as Markdown for a pull request."""
    mark = {"better": "✅", "same": "✅", "worse": "❌", "unknown": "❔"}[gate.verdict]
    lines = [f"{mark} **{headline(gate)}**", ""]
    if gate.lines:
        lines += [" | ".join(("", *HEADING, "")).strip(), "|---|---:|---|---:|---|"]
        lines += [f"| {' | '.join(row)} |" for row in rows(gate)]
        lines += ["", f"Baseline: {_files(gate.baseline)}. Candidate: {_files(gate.candidate)}."]
    lines += [f"- {text}" for text in differences(gate)]
    return "\n".join(lines) + "\n"


def differences(gate: Gate) -> list[str]:
    """In what the two sides' facts differ, a line for each."""
    return [f"{one.fact}: {one.a} in the baseline, {one.b} in the candidate" for one in gate.answer.result.differences
            if one.fact != "source"]  # fmt: skip


def junit(gate: Gate) -> str:
    """The verdict as JUnit XML, a case for each metric: worse is a failure, unknown is skipped."""
    cases = list(_cases(gate))
    suite = ElementTree.Element("testsuite", name="kneepoint check", tests=str(len(cases)))
    suite.set("failures", str(sum(one.verdict == "worse" for one in gate.lines)))
    suite.set("skipped", str(sum(one.verdict == "unknown" for one in gate.lines)))
    suite.extend(cases)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _cases(gate: Gate) -> Iterator[ElementTree.Element]:
    for one in gate.lines:
        case = ElementTree.Element("testcase", classname="kneepoint", name=one.ratio.metric)
        said = "; ".join(f"{name}: {value}" for name, value in zip(HEADING, _row(one), strict=True))
        if one.verdict == "worse":
            ElementTree.SubElement(case, "failure", message=said)
        elif one.verdict == "unknown":
            ElementTree.SubElement(case, "skipped", message=f"{said}. {what_decides(gate)}")
        yield case


def document(gate: Gate) -> dict[str, object]:
    """The verdict as `check --json` prints it."""
    return {
        "verdict": gate.verdict,
        "headline": headline(gate),
        "baseline": gate.baseline,
        "candidate": gate.candidate,
        "repeats_to_decide": gate.repeats,
        "metrics": [
            {
                "metric": one.ratio.metric,
                "ratio": one.ratio.ratio,
                "low": one.ratio.low,
                "high": one.ratio.high,
                "pairs": one.ratio.pairs,
                "known_from": one.ratio.basis,
                "loss": one.loss,
                "allowed": one.allowed,
                "verdict": one.verdict,
                "repeats_to_decide": one.ratio.repeats,
            }
            for one in gate.lines
        ],
        "differences": differences(gate),
        "caveats": gate.answer.caveats,
    }


def _files(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else counted(len(names), "file")
