"""A module is tested by the file that mirrors it; which have none, what tests them, and why, stands here."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from bench.questions import questions

ROOT = Path(__file__).parents[1]

ELSEWHERE = """
bench: errors records | formats/test_contract.py library/test_library.py | only hold what others \
say: an error's exit, a point's facts
bench/audit: claims finding reference_answers sides_of_pair | audit/test_audit.py audit/test_answers.py | the parts \
of one run
bench/cli: arguments asking auditing changes checking completion endpoints examples exporting looking output progress \
running serving sweeping verifying | test_cli.py test_command_examples.py test_progress.py | a command is run
bench/basis: document points side_by_side statement | questions/test_contract.py questions/test_side_by_side.py | \
every question goes through them
bench/destinations: nearest readings words | destinations/test_destinations.py | what is typed is read and led \
somewhere in one go
bench/endpoint: answering chunks connection counting requested server serving settings steps | \
endpoint/test_answers.py endpoint/test_process.py | a live endpoint is asked
bench/export/rows: csv excel parquet | export/test_files.py | rows as a file
bench/export/serving: child | export/serving/test_desk.py | the process that a file is written by
bench/formats/aiperf: blocks config records | formats/test_aiperf.py | one format
bench/formats/guidellm: dataset window | formats/test_guidellm.py | one format
bench/formats/inferencex: layout | formats/test_inferencex.py | one format
bench/formats/llmd_report: own_fields stack | formats/test_llmd_report.py | one format
bench/formats/reading: bench_serving days json_text point_table source_file text_file | formats/test_vllm.py \
formats/test_sglang.py formats/test_tables.py | what several readers share
bench/formats/table: cells columns csv_slices json_slices parquet_slices refusals row_order slices | \
formats/test_tables.py | a table, whatever file it comes in
bench/holdings: history originals | holdings/test_correcting.py pages/test_data.py | what changed is read where it is \
corrected
bench/library: columns confinement facts index merging rebuilding rows runs tables verifying | \
library/test_library.py library/test_packs.py library/test_damage.py library/test_histories.py \
test_verify_command.py | seen through the Library
bench/library/importing: batch bundle_facts discovery related_files report sandbox_child | \
library/importing/test_bundles.py library/importing/test_sandbox.py library/importing/test_staging.py | seen \
through an import
bench/library/model_configs: layers values | library/model_configs/test_families.py | every family's files are read
bench/library/user_sql: child | library/user_sql/test_query.py | the process that a query runs in
bench/questions/capacity: figure fleet_words measured planning random_arrivals result uses | \
questions/capacity/test_capacity.py | one question, by its answers
bench/questions/compare: curves estimated figure matching result sides statements | questions/compare/test_compare.py \
| one question, by its answers
bench/questions/cost: cost_words figure priced result | questions/cost/test_cost.py | one question, by its answers
bench/questions/crossover: comparison figure options pair_words pairs result | questions/crossover/test_made.py \
questions/crossover/test_shipped.py | one question, by its answers
bench/questions/heatmap: figure options result | questions/heatmap/test_heatmap.py questions/heatmap/test_drawing.py \
| one question, by its answers
bench/questions/history: figure fixed_loads lines method result trade_offs | questions/history/test_history.py \
questions/history/test_shipped.py | one question, by its answers
bench/questions/memory: figure fitting heat result | questions/memory/test_memory.py | one question, by its answers
bench/questions/overview: figure result | questions/overview/test_overview.py | one question, by its answers
bench/questions/pareto: points result | questions/pareto/test_pareto.py | one question, by its answers
bench/questions/roofline: ceilings figure measured paths result steps | questions/roofline/test_roofline.py | one \
question, by its answers
bench/questions/scaling: figure lines measured operating result why | questions/scaling/test_scaling.py | one \
question, by its answers
bench/runs: curve_chart documents grid_chart latencies levels over_time phases point point_charts remeasure \
request_chart run sentences | runs/test_run_story.py runs/test_run_story_again.py pages/test_run.py | a run is told \
from a real sweep's folder
bench/sweep: pauses | sweep/checks/test_preflight.py sweep/session/test_runner.py | a record that tests hand in
bench/sweep/checks: counting endpoint_checks endpoint_probe engines machine tokenizer_file | \
sweep/checks/test_preflight.py | what a preflight asks a live endpoint
bench/sweep/executors: local | sweep/test_executors.py | one contract for every place
bench/sweep/generator: alarm assignment backlog calibration live samples spool traces | sweep/generator/test_load.py \
sweep/test_measured.py | parts of a load that is sent
bench/sweep/measured: clock request_file saturation | sweep/measured/test_honesty.py sweep/test_measured.py | what a \
point is told by
bench/sweep/planning: complaints facts part plan_parts ramp toml_text | sweep/planning/test_plan.py \
sweep/planning/test_searches.py | the parts of a plan
bench/sweep/session: endings origin setup status | sweep/session/test_runner.py | stages of one session
bench/sweep/wire: answer bodies exchange redaction usage | sweep/wire/test_connection.py sweep/wire/test_stream.py | \
one request on the wire
pages: jobs main | pages/test_pages.py e2e | drawn, and looked at in the browser
pages/parts/capacity: measuring | pages/test_capacity.py | drawn by its page
pages/parts/compare: difference | pages/test_compare.py | drawn by its page
pages/parts/cost: bars | pages/test_cost.py | drawn by its page
pages/parts/crossover: choosing prices verdicts | pages/test_crossover.py | drawn by its page
pages/parts/data: adding audit correcting facts import_report listing opened tabs | pages/test_data.py \
pages/test_adding.py | drawn by its page
pages/parts/jobs: sweeps | e2e | looked at in the browser
pages/parts/launch: endpoint fields plan | pages/test_launch.py e2e | drawn by its page, and sent in the browser
pages/parts/memory: models | pages/test_memory.py | drawn by its page
pages/parts/overview: doors | pages/test_overview.py | drawn by its page
pages/parts/run: point remeasure requests | pages/test_run.py | drawn by its page
pages/parts/sql: examples query result | pages/test_sql.py | drawn by its page
pages/server: missing receiving shell waiting websockets | pages/test_receiving.py pages/test_hostile_clients.py | a \
server is asked
pages/shared: address buttons cached cached_sweeps card exporting filter_counts filters first_paint frame headlines \
look notices options page page_paths points prefetch result runs selectors signposts table upload_room visitor | \
pages/test_pages.py | drawn on every page
"""

QUESTIONS = frozenset(questions())

FOUND = {
    "bench/audit/checks": "audit/test_checks.py",
    "bench/export": "export/test_exports.py",
    "bench/formats": "formats/test_contract.py",
    "bench/questions": "questions/test_contract.py",
    "bench/sweep/arrivals": "sweep/test_arrivals.py",
    "bench/sweep/planning/stop_rules": "sweep/planning/test_stop_rules.py",
}
"""Folders whose modules are found by listing them, and what is tested of every one: a new one needs no row here, nor
does the page of a question."""

ADDING = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")


def mirrored(module: Path) -> bool:
    """Whether the file of tests for this module stands where it would be looked for."""
    inside = module.relative_to("bench") if module.parts[0] == "bench" else module
    return (ROOT / "tests" / inside.parent / f"test_{module.stem}.py").exists()


def found(module: Path) -> bool:
    """Whether it is one of many that are found by listing, and tested as they are found."""
    of_question = module.parent == Path("pages") and f"{module.stem}" in QUESTIONS
    return of_question or module.parent.as_posix() in FOUND


def unmirrored() -> dict[str, set[str]]:
    """The modules without such a file, by their folder."""
    alone: dict[str, set[str]] = {}
    for path in sorted((*(ROOT / "bench").rglob("*.py"), *(ROOT / "pages").rglob("*.py"))):
        module = path.relative_to(ROOT)
        if not module.stem.startswith("__") and not found(module) and not mirrored(module):
            alone.setdefault(module.parent.as_posix(), set()).add(module.stem)
    return alone


ROWS = [[part.strip() for part in line.split("|")] for line in ELSEWHERE.strip().splitlines()]


def test_every_module_without_a_mirror_is_listed_and_no_other() -> None:
    listed = {folder: set(names.split()) for folder, names in (row[0].split(": ") for row in ROWS)}
    alone = unmirrored()
    assert listed.keys() == alone.keys()
    assert {folder: names for folder, names in alone.items() if listed[folder] != names} == {}


def test_what_is_found_by_listing_is_tested_as_it_is_found_and_docs_say_how_one_is_added() -> None:
    assert [tests for tests in FOUND.values() if not (ROOT / "tests" / tests).exists()] == []
    assert FOUND.keys() <= {path.rpartition("/")[0] for path in re.findall(r"^`(bench/[a-z_/]+)\.py`:$", ADDING, re.M)}


@cache
def parsed(test: Path) -> tuple[frozenset[str], frozenset[str]]:
    """What a file of tests imports, and its texts; what it imports of tests included."""
    imports: set[str] = set()
    texts: set[str] = set()
    waiting, seen = [test], {test}
    while waiting:
        for node in ast.walk(ast.parse(waiting.pop().read_text(encoding="utf-8"))):
            names: set[str] = set()
            if isinstance(node, ast.Import):
                names = {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            imports |= names
            beside = {ROOT / f"{name.replace('.', '/')}.py" for name in names if name.startswith("tests.")}
            new = {path for path in beside if path.exists()} - seen
            waiting += new
            seen |= new
    return frozenset(imports), frozenset(texts)


def names_page(test: Path, page: str) -> bool:
    """Whether a page is named in a file of tests: by its address, by its file or as it is opened."""
    named = re.compile(rf"(?:.*/)?{page}(?:\.py)?(?:[?#/].*)?")
    return any(named.fullmatch(text) for text in parsed(test)[1])


def covers(test: Path, folder: str, modules: list[str]) -> bool:
    """Whether a file of tests, or one of a folder of them, is named for this package, imports it, or names its page."""
    if test.is_dir():
        return any(covers(path, folder, modules) for path in test.glob("test_*.py"))
    inside = Path(folder.removeprefix("bench/"))
    if test == ROOT / "tests" / inside.parent / f"test_{inside.name}.py":
        return True
    if folder == "pages" or folder.startswith("pages/parts/"):
        return any(names_page(test, page) for page in (modules if folder == "pages" else [inside.name]))
    package = folder.replace("/", ".")
    wanted = [f"{package}.{name}" for name in modules] if folder == "bench" else [package]
    return any(f"{name}.".startswith(f"{one}.") for name in parsed(test)[0] for one in wanted)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].split(":")[0])
def test_what_tests_it_is_there_and_imports_it(row: list[str]) -> None:
    listed, tests, why = row
    folder, names = listed.split(": ")
    assert why
    assert [name for name in tests.split() if not covers(ROOT / "tests" / name, folder, names.split())] == []


def test_a_file_that_imports_nothing_of_a_package_does_not_test_it() -> None:
    assert not covers(ROOT / "tests" / "test_names.py", "bench/holdings", ["history"])
    assert not covers(ROOT / "tests" / "test_names.py", "pages/parts/cost", ["bars"])
