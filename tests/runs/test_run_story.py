"""A point's story is its journal's figures, down to the single request; a run's story holds in every state."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.cli import main
from bench.errors import InputError, NotFound
from bench.formats.journal import EndLine, PointLine
from bench.records import Load, Workload
from bench.runs import documents, point_story, story
from bench.runs.phases import PHASES, phases, waterfall
from bench.runs.point import MOST_VERTICES, Distribution, story_of_line
from bench.sweep.folder import Folder, Writer
from bench.sweep.generator.spool import ABSENT
from bench.sweep.measured import window
from bench.sweep.measured.honesty import ClientLoad, flags
from bench.sweep.measured.request_file import KeptRequests
from bench.sweep.wire.exchange import Limits
from tests.sweep.made import exchange, samples_of, slot
from tests.sweep.sweeping import folder_for

REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 500),
        st.lists(st.tuples(st.integers(0, 50), st.integers(1, 4)), max_size=6),
        st.integers(0, 5),
        st.sampled_from(["ok", "ok", "ok", "ok", "cancelled", "stalled", "http_5xx"]),
        st.integers(0, 20),
    ),
    min_size=1,
    max_size=30,
)


def kept_of(exchanges) -> KeptRequests:
    samples = samples_of(exchanges)
    absent = np.full(len(samples), ABSENT)
    return KeptRequests(
        samples,
        np.array([one.number for one in exchanges]),
        absent,
        absent,
        tuple(one.error or None for one in exchanges),
    )


def line_of(kept: KeptRequests, load: Load, limits: Limits | None = None) -> PointLine:
    """A journal's line of these requests, as the sweep writes it."""
    found = window.measured(kept.samples, load, limits or Limits(), 0)
    over = found.window
    return PointLine(
        number=1,
        key="k",
        load=load,
        workload=Workload(),
        metrics=found.metrics,
        whole=found.whole,
        window_s=over.duration_s,
        window_start_s=over.start_ns / 1e9,
        why_not_steady=over.why or None,
        failures={str(kind): many for kind, many in found.failures.items()},
        timed=found.timed,
        flags=flags(found, load, ClientLoad()),
    )


def made(rows, intended: bool) -> KeptRequests:
    """Requests from drawn numbers: sent, chunks as gap and tokens, the rest to the end, outcome, delay."""
    exchanges = []
    for number, (sent, chunks, rest, outcome, delay) in enumerate(rows):
        stamps = list(np.cumsum([sent + delay, *(gap for gap, _ in chunks)])[1:].astype(float))
        end = (stamps[-1] if stamps else sent + delay) + rest
        exchanges.append(
            exchange(
                number,
                sent + delay,
                stamps,
                end=end,
                tokens=[many for _, many in chunks],
                intended=float(sent) if intended else None,
                outcome=outcome,
            )
        )
    return kept_of(exchanges)


@given(REQUESTS, st.booleans(), st.integers(1, 6))
def test_a_points_story_is_its_journals_figures(rows, intended, concurrency):
    kept = made(rows, intended)
    load = Load(load_kind="open", request_rate=1.0) if intended else Load(load_kind="closed", concurrency=concurrency)
    line = line_of(kept, load, Limits(warmup_requests=1))
    point = story_of_line(line, kept)
    for key in ("ttft_ms", "tpot_ms", "itl_ms", "e2el_ms"):
        found = point.latencies.get(key)
        assert (found is None) == (f"{key}_p50" not in line.metrics)
        if found is not None:
            for name in ("mean", "p50", "p90", "p99"):
                assert found.statistics[name] == pytest.approx(line.metrics[f"{key}_{name}"], rel=1e-12)
    inside = point.over_time[point.over_time["in_window"]]
    if "output_tokens" in line.metrics and line.window_s:
        assert inside["output_tokens"].sum() == line.metrics["output_tokens"]
        assert inside["output_tokens"].sum() / line.window_s == pytest.approx(line.metrics["output_tokens_per_s"])
        widths = inside["to_s"] - inside["from_s"]
        assert (inside["output_tokens_per_s"] * widths).sum() / line.window_s == pytest.approx(
            line.metrics["output_tokens_per_s"]
        )
    assert {one.kind: one.requests for one in point.failures} == dict(line.failures)
    # No time and no token is lost.
    over, seen = point.over_time, kept.samples
    together = (over["in_flight"] * (over["to_s"] - over["from_s"])).sum()
    assert together == pytest.approx((seen.end_ns - seen.sent_ns).sum() / 1e9, abs=1e-6)
    useful = [sum(many for _, many in chunks) for _, chunks, _, outcome, _ in rows if outcome in ("ok", "cancelled")]
    assert over["output_tokens"].sum() == sum(useful)
    assert over["started"].sum() == len(kept)
    assert over["from_s"].tolist()[1:] == over["to_s"].tolist()[:-1]


@given(REQUESTS, st.booleans())
def test_the_phases_of_a_request_are_its_whole_time(rows, intended):
    kept = made(rows, intended)
    everything = np.ones(len(kept), dtype=bool)
    found = phases(kept, everything)
    total = found[list(PHASES)].sum(axis="columns")
    assert total.tolist() == pytest.approx(((found["end_s"] - found["start_s"]) * 1000).tolist(), abs=1e-6)
    assert (found[list(PHASES)] >= 0).all(axis=None)


def test_connecting_is_told_where_a_request_waited_for_it():
    # Due at 10, sent at 40 ms on a connection that took 20 ms: it waited 10 ms before. The second one was opened ahead.
    kept = kept_of([exchange(0, 40, [90, 100], intended=10.0), exchange(1, 51, [60], intended=50.0, end=61)])
    kept = KeptRequests(kept.samples, kept.number, np.array([20_000_000, 20_000_000]), kept.headers_ns, kept.error)
    found = phases(kept, np.ones(2, dtype=bool))
    assert found[list(PHASES)].to_numpy().tolist() == [[10, 20, 50, 10, 0, 0], [1, 0, 9, 0, 1, 0]]


def test_of_many_requests_some_are_drawn_evenly_and_failures_first():
    many = [exchange(n, n, [n + 5], outcome="http_5xx" if n in (17, 400) else "ok") for n in range(1000)]
    found = waterfall(kept_of(many), most=30)
    assert len(found.rows) == 30
    assert {17, 400} <= set(found.rows["number"])
    assert {0, 999} <= set(found.rows["number"])
    assert np.diff(found.rows["number"]).max() <= 1000 / 27
    assert "30 of 1,000 requests" in found.said
    assert "2 of the 2 that failed" in found.said
    assert "All 20 requests" in waterfall(kept_of(many[:20]), most=30).said


@given(st.lists(st.floats(0.01, 5000), min_size=1, max_size=3 * MOST_VERTICES))
def test_a_thinned_curve_goes_through_every_percentile_and_never_falls(values):
    one = Distribution("ttft_ms", np.sort(np.array(values)))
    drawn, percents = one.curve()
    for percent in (50, 90, 95, 99):
        assert drawn[percents.tolist().index(percent)] == one.at(percent)
    assert len(drawn) <= MOST_VERTICES + 30
    assert (np.diff(drawn) >= 0).all()
    assert (drawn[0], drawn[-1]) == (min(values), max(values))


def test_failures_tell_their_first_examples_the_warm_up_s_included():
    said = ["HTTP 500: a", "HTTP 500: a", "HTTP 500: b", "reset"]
    lost = [
        exchange(n, 10 * n, end=10 * n + 5, outcome=kind)
        for n, kind in enumerate(["http_5xx", "http_5xx", "http_5xx", "broken_stream"])
    ]
    for one, error in zip(lost, said, strict=True):
        one.error = error
    kept = kept_of([*lost, *slot(50, 10, 5, 4, 6, number=10)])
    line = line_of(kept, Load(load_kind="closed", concurrency=1), Limits(warmup_requests=1))
    found = {one.kind: one for one in story_of_line(line, kept).failures}
    assert found["http_5xx"].requests == 3
    assert [(one.number, one.error) for one in found["http_5xx"].examples] == [(0, "HTTP 500: a"), (2, "HTTP 500: b")]
    assert found["broken_stream"].requests == 1


def test_a_measured_sweep_tells_its_figures_its_machine_and_its_checks(measured: Folder) -> None:
    found = story(measured)
    assert found.state == "done"
    assert found.headline.startswith("fake-model")
    peak = max(line.metrics["output_tokens_per_s"] for line in found.lines)
    assert found.curves[0].peak.throughput == peak
    labels = dict(found.environment)
    assert {"Client: processor", "Client: cores", "Client: python", "Client: Kneepoint", "Engine version"} <= set(
        labels
    )
    assert labels["Accelerator"] == "H100 SXM"
    assert all(check.passed is not False for check in found.checks)
    assert len(found.checks) > 3
    assert found.caveats[0].startswith("Simulated")
    for line in found.lines:
        point = point_story(measured, line.number)
        assert point.latencies["ttft_ms"].at(50) == line.metrics["ttft_ms_p50"]
        itl = point.latencies.get("itl_ms")  # none where a busy machine read all of every answer at once
        assert (itl.at(99) if itl else None) == line.metrics.get("itl_ms_p99")
        inside = point.over_time[point.over_time["in_window"]]
        assert inside["output_tokens"].sum() / line.window_s == pytest.approx(line.metrics["output_tokens_per_s"])
        assert "running" in point.engine
        assert sum(one.requests for one in point.failures) == line.requests_failed


def test_everything_is_told_without_a_browser(measured: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(*more: str) -> tuple[int, str, str]:
        status = main(["run", measured.id, "--library", str(measured.path.parents[1]), *more])
        return (status, *capsys.readouterr())

    status, out, _ = asked("--json")
    whole = json.loads(out)
    assert status == 0
    assert whole["headline"] == story(measured).headline
    assert [point["number"] for point in whole["points"]] == [1, 2]
    assert whole["again"]["missing"] == []
    one = json.loads(asked("--point", "2", "--json")[1])
    told_so = documents.point_story_document(point_story(measured, 2))
    assert one == json.loads(json.dumps({"id": measured.id, **told_so}))
    assert one["latencies"]["ttft_ms"]["p50"] == one["ttft_ms_p50"]
    assert asked()[1].startswith(whole["headline"])
    assert "Measured from" in asked("--point", "2")[1]
    status, out, why = asked("--point", "3", "--json")
    assert (status, out) == (1, "")
    assert "has no point 3" in why


def test_lost_samples_are_one_sentence(measured: Folder, tmp_path: Path) -> None:
    copy = Folder(tmp_path / "sweeps" / measured.id)
    shutil.copytree(measured.path, copy.path)
    (copy.requests / "1.parquet").write_bytes(b"PAR1 and nothing else PAR1")
    (copy.requests / "2.parquet").unlink()
    for number in (1, 2):
        with pytest.raises(InputError, match="cannot be read as the requests of a point"):
            point_story(copy, number)
    with pytest.raises(NotFound):
        point_story(copy, 9)
    assert story(copy).headline == story(measured).headline


def test_a_sweep_without_a_point_says_where_it_is(tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "http://127.0.0.1:9")
    found = story(folder)
    assert found.headline == "fake-model: the sweep was interrupted before its first point."
    assert found.points.empty
    assert len(found.again.missing) == 2
    assert "2 points of the plan are missing." in found.caveats


def test_a_resumed_sweep_tells_its_sessions_and_what_is_missing(measured: Folder, tmp_path: Path) -> None:
    folder = folder_for(tmp_path, "http://127.0.0.1:9", loads__concurrency="1,4,16", point__requests="24")
    journal = measured.read
    (line, session), *_ = journal.points
    writer = Writer(folder)
    writer.add(session)
    writer.add(line)
    writer.add(EndLine("cancelled", "It was cancelled.", "2999-01-01T00:00:00.000+00:00"))
    writer.close()
    folder.tell({"id": folder.id, "state": "cancelled", "reason": "It was cancelled."})
    found = story(folder)
    assert found.sessions[["points", "state"]].to_numpy().tolist() == [[1, "cancelled"]]
    assert [point.load.concurrency for point in found.again.missing] == [4, 16]
    assert "It was cancelled after 1 point: It was cancelled." in found.caveats
