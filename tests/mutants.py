"""Planted faults, one at a time in a copy of the checkout: the tests of `make test` must find each of them.

    python -m tests.mutants [NAME …] [--list]

A fault is one change of the product after which it still runs and does something wrong. It names the narrow tests that
are expected to find it, so that all of them are tried in minutes.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.suite import LEFT_OUT, PYTEST, ROOT, in_memory

OPTIONS = ("-q", "-n", "0", "--tb=line", "-p", "no:cacheprovider", "--hypothesis-profile", "ci", "-m", LEFT_OUT)
FAILED = re.compile(r"^FAILED (.+?)(?: - .*)?$", re.MULTILINE)
OUT_OF_TIME = "Failed: Timeout"
"""What pytest-timeout says of a test that it ended: on a busy machine that is no sign of the fault."""


@dataclass(frozen=True)
class Fault:
    """One change of a file of the product, and the files or ids of tests of which at least one must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def is_stale(self) -> bool:
        """Whether the text that it changes does not stand in its file, or stands there more than once."""
        return (ROOT / self.file).read_text(encoding="utf-8").count(self.old) != 1


FAULTS = (
    Fault(
        "frontier-keeps-ties",
        "bench/maths/pareto.py",
        "return order[along[order] > best_before]",
        "return order[along[order] >= best_before]",
        ("tests/maths/test_pareto.py::test_points_equal_in_both_are_kept_once_by_the_smallest_id",),
    ),
    Fault(
        "excluding-flag-ignored",
        "bench/basis/evidence.py",
        'Reason("flagged", "ruled out by a flag", flags.has_sql(flags.EXCLUDING))',
        'Reason("flagged", "ruled out by a flag", "FALSE")',
        ("tests/basis/test_evidence.py::TestOneByOne::test_what_becomes_of_them",),
    ),
    Fault(
        "older-run-let-in",
        "bench/basis/evidence.py",
        "if not (ranking.all_runs and why == OLDER))",
        "if why != OLDER)",
        ("tests/basis/test_evidence.py::TestOneByOne::test_what_becomes_of_them",),
    ),
    Fault(
        "second-limit-dropped",
        "bench/basis/limits.py",
        'for one in limits]\n    return " AND ".join',
        'for one in limits[:1]]\n    return " AND ".join',
        ("tests/basis/test_limits.py::test_what_is_known_of_a_point_decides_and_what_is_not_stays_unknown",),
    ),
    Fault(
        "models-pooled",
        "bench/basis/side_by_side.py",
        "return FIELD if len(values) > 1 else usual",
        "return usual",
        ("tests/questions/test_side_by_side.py::test_what_would_pool_models_gives_way_and_says_so",),
    ),
    Fault(
        "every-price-book-read",
        "bench/basis/prices.py",
        'for column, value in (("book", choice.book), ("provider", choice.provider)):',
        'for column, value in (("provider", choice.provider),):',
        ("tests/basis/test_prices.py::test_a_book_and_a_provider_are_priced_by_their_own_quotes_alone",),
    ),
    Fault(
        "crossing-on-linear-axes",
        "bench/maths/crossover.py",
        "x = min(max(one.x * math.exp(share * distance(one.x, other.x)), one.x), other.x)",
        "x = one.x + share * (other.x - one.x)",
        ("tests/maths/test_crossover.py::test_a_crossing_by_hand",),
    ),
    Fault(
        "efficiency-against-the-largest-count",
        "bench/maths/scaling.py",
        "smallest, reference = min(zip(counts, throughputs, strict=True))",
        "smallest, reference = max(zip(counts, throughputs, strict=True))",
        ("tests/maths/test_scaling.py::test_the_efficiencies_of_gemma_on_h100",),
    ),
    Fault(
        "seconds-read-as-milliseconds",
        "bench/formats/guidellm/__init__.py",
        '("request_latency", "e2el_ms", 1000.0,',
        '("request_latency", "e2el_ms", 1.0,',
        ("tests/formats/test_guidellm.py::test_the_seconds_are_seconds_and_the_milliseconds_are_not",),
    ),
    Fault(
        "warm-up-in-the-window",
        "bench/sweep/measured/window.py",
        "begin, end = max(over, full[0]), full[1]",
        "begin, end = full",
        ("tests/sweep/measured/test_window.py::test_warm_up_is_cut_off_by_requests_and_by_seconds",),
    ),
    Fault(
        "chunks-counted-as-tokens",
        "bench/sweep/wire/usage.py",
        "if not chunks or total is None or",
        "if chunks or total is None or",
        ("tests/sweep/wire/test_stream.py::test_several_tokens_in_a_chunk_are_shared_out_by_length",),
    ),
    Fault(
        "429-taken-for-an-answer",
        "bench/sweep/wire/answer.py",
        'return "http_429", said + (f" (retry after {after})" if after else ""), None',
        'return "ok", "", {"choices": [{}]}',
        ("tests/sweep/wire/test_connection.py::test_each_failure_has_its_own_name_however_it_is_cut",),
    ),
    Fault(
        "retry-after-ignored",
        "bench/sweep/generator/backoff.py",
        "stated = retry_after_s(answer.head.retry_after)",
        'stated = retry_after_s("")',
        ("tests/sweep/generator/test_backoff.py::test_a_retry_after_is_kept_to_and_a_good_answer_ends_it",),
    ),
    Fault(
        "key-kept-with-an-error",
        "bench/sweep/wire/answer.py",
        "error=kept(error, self._secrets, LONGEST_SAID)",
        "error=kept(error, (), LONGEST_SAID)",
        ("tests/sweep/wire/test_connection.py::test_a_key_that_a_server_repeats_is_not_kept",),
    ),
    Fault(
        "redirect-followed",
        "bench/sweep/checks/endpoint_probe.py",
        'return self._ask("GET", path, None)',
        'reply = self._ask("GET", path, None)\n'
        "        if not reply.location:\n"
        "            return reply\n"
        '        return EndpointProbe(Target.at(reply.location, headers=self.target.headers)).get("")',
        ("tests/sweep/checks/test_preflight.py::test_what_is_no_endpoint",),
    ),
    Fault(
        "read-csv-in-peoples-sql",
        "bench/library/user_sql/grammar.py",
        'ROWS_FROM = frozenset({"range",',
        'ROWS_FROM = frozenset({"read_csv", "range",',
        ("tests/library/user_sql/test_grammar.py::test_no_table_function_reads_files_or_the_server",),
    ),
    Fault(
        "half-an-import-published",
        "bench/library/importing/batch.py",
        "for path in (*beside, staged)]",
        "for path in (staged, *beside)]",
        (
            "tests/library/test_packs.py::"
            "test_an_import_that_ends_before_any_of_its_renames_is_there_whole_or_not_at_all",
        ),
    ),
    Fault(
        "purged-rows-kept-in-the-pack",
        "bench/library/merging.py",
        'writer.write(rows if all_kept else rows.filter(pc.is_in(rows.column("source_id"), kept)))',
        "writer.write(rows)",
        ("tests/library/test_library.py::TestHiding::test_purge_leaves_no_byte_and_a_tombstone",),
    ),
    Fault(
        "purged-rows-kept-beside-the-pack",
        "bench/library/merging.py",
        'writer.write_beside(name, rows.filter(pc.is_in(rows.column("source_id"), kept)))',
        "writer.write_beside(name, rows)",
        ("tests/library/test_erasing.py::test_a_purge_that_was_cut_off_is_finished_at_the_next_start",),
    ),
    Fault(
        "last-point-measured-again",
        "bench/sweep/session/runner.py",
        "self.lines = [line for line, _ in before.points]",
        "self.lines = [line for line, _ in before.points[:-1]]",
        ("tests/sweep/session/test_runner.py::test_a_sweep_whose_points_are_all_measured_asks_its_endpoint_nothing",),
    ),
    Fault(
        "option-left-out-of-a-link",
        "bench/view.py",
        "for limit in self.slo), *self.options]",
        "for limit in self.slo), *self.options[1:]]",
        ("tests/test_view.py::test_a_view_survives_its_query_string",),
    ),
    Fault(
        "back-takes-two-steps",
        "pages/shared/address.py",
        "    st.query_params.from_dict(grouped)",
        "    st.query_params.clear()\n    st.query_params.from_dict(grouped)",
        ("tests/e2e/test_links.py::test_every_change_is_one_step_of_back_and_forward",),
    ),
    Fault(
        "name-unescaped-in-a-hover-box",
        "bench/chart/__init__.py",
        "<b>{html(deployment_words(row))}</b>",
        "<b>{deployment_words(row)}</b>",
        ("tests/chart/test_hover_lines.py",),
    ),
    Fault(
        "forwarding-header-trusted",
        "bench/access.py",
        'if any(name in PROXIES_SAY or name.startswith("x-forwarded-") for name in names):',
        "if any(name in PROXIES_SAY for name in names):",
        ("tests/test_access.py::test_nobody_else_may_in_local_mode",),
    ),
    Fault(
        "offers-counted-under-their-own-filter",
        "bench/selection.py",
        "condition = clause(view, without=(key,))",
        "condition = clause(view)",
        ("tests/test_selection.py::test_each_offer_leaves_as_many_points_as_it_says",),
    ),
    Fault(
        "selector-counts-without-the-story",
        "pages/shared/filter_counts.py",
        "return selection.count(library, View(told.where))",
        "return selection.count(library, View(after.where))",
        ("tests/pages/test_filter_counts.py::test_a_model_counts_the_points_of_the_story_that_its_page_then_tells",),
    ),
    Fault(
        "12-px-wider-than-the-window",
        "pages/server/look.css",
        '[data-testid="stMainBlockContainer"] { max-width: 1560px; ',
        '[data-testid="stMainBlockContainer"] { max-width: 1560px; width: calc(100% + 12px); flex: none; ',
        ("tests/e2e/test_layout.py::test_no_other_page_scrolls_sideways_either[data]",),
    ),
)


def copied(folder: Path) -> None:
    """Copy what git has or would take into `folder`, with its times: what is compiled there stays right."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in names:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def tested(folder: Path, tests: Iterable[str], *more: str) -> subprocess.CompletedProcess[str]:
    """Run these tests in the copy, as `make test` does."""
    command = [*PYTEST, *OPTIONS, "--basetemp", str(folder.parent / "tests"), *more, *tests]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def words(done: subprocess.CompletedProcess[str]) -> str:
    """Pytest's exit status and what it printed, without the end of what its process says as it ends."""
    return f"pytest's exit status is {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[:1000]}"


def outcome(fault: Fault, folder: Path) -> tuple[bool, str]:
    """Whether a test fails with the fault planted in the copy, and which; else what pytest printed."""
    changed = folder / fault.file
    changed.write_text(changed.read_text(encoding="utf-8").replace(fault.old, fault.new), encoding="utf-8")
    done = tested(folder, fault.tests, "-x")
    shutil.copy2(ROOT / fault.file, changed)
    failed = FAILED.search(done.stdout)
    if done.returncode == 1 and failed is not None and OUT_OF_TIME not in done.stdout:
        return True, f"caught by {failed[1]}"
    return False, f"NOT CAUGHT: {words(done)}"


def planted(faults: Sequence[Fault], folder: Path) -> int:
    """Plant one after another in a copy whose tests pass, say what finds it, and return how many nothing finds."""
    copied(folder)
    whole = tested(folder, sorted({test for fault in faults for test in fault.tests}))
    if whole.returncode:
        print(f"Without any fault, {words(whole)}")
        return len(faults)
    escaped = 0
    for fault in faults:
        began = time.monotonic()
        is_caught, what = outcome(fault, folder)
        escaped += not is_caught
        print(f"{fault.name}: {time.monotonic() - began:.0f} s, {what}", flush=True)
    return escaped


def main(arguments: Sequence[str] | None = None) -> int:
    """Plant the faults that are named, or all; 1 where one is stale or not caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a fault; all where none is named")
    parser.add_argument("--list", action="store_true", help="list the faults and plant none")
    asked = parser.parse_args(arguments)
    known = {fault.name: fault for fault in FAULTS}
    if unknown := [name for name in asked.names if name not in known]:
        parser.error(f"there is no fault named {', '.join(unknown)}; --list lists them")
    faults = [known[name] for name in asked.names or known]
    if asked.list:
        print("\n".join(f"{fault.name}  {fault.file}" for fault in faults))
        return 0
    if stale := [fault for fault in faults if fault.is_stale]:
        print("\n".join(f"{one.name} is stale: its old text does not stand once in {one.file}" for one in stale))
        return 1
    with tempfile.TemporaryDirectory(prefix="kneepoint-mutants.", dir=in_memory()) as place:
        return 1 if planted(faults, Path(place) / "checkout") else 0


if __name__ == "__main__":
    sys.exit(main())
