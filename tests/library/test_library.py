"""The library as its users see it: what goes in comes out once, with its reasons, and changes are told."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from bench.errors import BenchError, NotFound, UsageError
from bench.library import Library
from tests.library.files import ROW, SCORE, entries, sweep, table
from tests.library.packing import tarred, zipped


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library of one sweep, which is to stay as it is."""
    folder = tmp_path_factory.mktemp("settled")
    library = Library.open(folder / "library", shipped=False)
    library.add([sweep(folder, 1)])
    return library


def points(library: Library) -> int:
    return int(library.fetch("SELECT count(*) FROM points")[0][0])


def everything(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


class TestImport:
    def test_a_file_is_there_for_every_process_at_once(self, library: Library, tmp_path: Path) -> None:
        other = Library.open(library.path, shipped=False)
        before = other.version
        report = library.add([sweep(tmp_path, 1)], who="ada")
        assert [row.points for row in report.imported] == [3]
        assert points(library) == 3
        assert [(row["who"], row["what"]) for row in entries(library.path / "audit.jsonl")] == [("ada", "import")]
        assert other.refresh()
        assert points(other) == 3
        assert other.version == library.version != before
        assert not other.refresh()

    def test_the_same_file_again_changes_nothing(self, library: Library, tmp_path: Path) -> None:
        file = sweep(tmp_path, 1)
        library.add([file])
        version, files = library.version, everything(library.path)
        report = library.add([file, library.path])  # which is no place to import from
        assert (report.imported, [row.file for row in report.already]) == ([], [str(file)])
        assert (library.version, everything(library.path)) == (version, files)

    def test_a_folder_is_searched_and_what_is_no_result_is_named(self, library: Library, tmp_path: Path) -> None:
        for number in range(3):
            sweep(tmp_path / "in" / "deep", number)
        (tmp_path / "in" / "notes.txt").write_text("hello")
        (tmp_path / "in" / ".hidden.csv").write_text("model\n")
        report = library.add([tmp_path / "in", tmp_path / "nowhere.csv"])
        assert len(report.imported) == 3
        assert report.no_results == [str(tmp_path / "in" / "notes.txt")]
        assert ["There is no file" in row.reason for row in report.refused] == [True]
        assert library.refusals().empty

    @pytest.mark.parametrize("content", [b"", b"\x00\x01\x02", b"model,output_tokens_per_s\n"])
    def test_a_file_that_is_no_result_is_refused_and_kept_in_mind(
        self, library: Library, tmp_path: Path, content: bytes
    ) -> None:
        file = tmp_path / "odd.csv"
        file.write_bytes(content)
        for _ in range(2):
            report = library.add([file])
            assert [row.file for row in report.refused] == [str(file)]
        assert library.fetch("SELECT file FROM refusals") == [("odd.csv",)]
        assert points(library) == 0

    def test_a_bad_row_is_refused_and_the_others_load(self, library: Library, tmp_path: Path) -> None:
        file = table(tmp_path / "t.csv", {}, {"concurrency": 8, "output_tokens_per_s": -1})
        report = library.add([file])
        assert (report.imported[0].points, report.refused[0].row) == (1, 3)
        assert library.fetch('SELECT "row", "column", value FROM refusals') == [(3, "output_tokens_per_s", "-1")]
        assert library.sources().loc[0, "refusals"] == 1

    def test_a_dry_run_tells_the_same_and_writes_nothing(self, library: Library, tmp_path: Path) -> None:
        file = sweep(tmp_path, 1)
        tried = library.add([file], dry_run=True)
        assert not library.path.exists()
        assert tried.document() == library.add([file]).document()

    def test_what_points_are_compared_by_and_a_file_leaves_open(self, library: Library, tmp_path: Path) -> None:
        """A price is open only where no book and nobody states it."""
        file = table(tmp_path / "t.csv", {"accelerator": None, "accelerators": None}, {}, {"accelerator": "gaudi-9"})
        report = library.add([file], dry_run=True)
        missing = {"accelerator": 1, "accelerators": 1, "precision": 3, "usd_per_accelerator_hour": 2}
        assert {row.fact: row.points for row in report.missing_facts} == missing
        facts = {"accelerator": "x", "accelerators": 1, "precision": "fp8", "usd_per_accelerator_hour": 1}
        assert library.add([file], facts).missing_facts == []

    @pytest.mark.parametrize(
        ("lacking", "facts"),
        [
            ({"load_kind": None, "concurrency": None}, {"load_kind": "closed", "concurrency": 4}),
            ({"osl": None}, {"osl_requested": 512}),
        ],
    )
    def test_figures_are_judged_by_facts_that_are_stated_later_or_taken_back(
        self, library: Library, tmp_path: Path, lacking: dict[str, object], facts: dict[str, object]
    ) -> None:
        """100 answers a second of 1 s are 100 in flight, where 4 were let in."""
        rates = {"output_tokens_per_s": 51_200.0, "e2el_ms_mean": 1000.0}
        report = library.add([table(tmp_path / "t.csv", {**rates, **lacking})])
        assert library.fetch("SELECT flags FROM points") == [(None,)]
        library.set_facts(report.imported[0].sha256, facts)
        ((flags,),) = library.fetch("SELECT flags FROM points")
        assert "littles-law" in flags
        library.set_facts(report.imported[0].sha256, dict.fromkeys(facts))
        assert library.fetch("SELECT flags FROM points") == [(None,)]

    def test_lengths_nobody_states_are_asked_for_and_kept(self, library: Library, tmp_path: Path) -> None:
        rows = [{"isl": None, "isl_actual": 51.2}, {"isl": None, "osl": None, "dataset": "sharegpt"}, {}]
        file = table(tmp_path / "t.csv", *rows, base={**ROW, "precision": "fp8"})
        report = library.add([file])
        assert [(row.fact, row.points) for row in report.missing_facts] == [("isl_requested", 1)]
        library.set_facts(report.imported[0].sha256, {"isl_requested": 100})
        for _ in range(2):
            assert library.fetch("SELECT DISTINCT isl FROM points") == [(100,)]
            library.rebuild()

    def test_archives_are_read_like_folders(self, library: Library, tmp_path: Path) -> None:
        files = [sweep(tmp_path / "files", number) for number in range(2)]
        card = files[0].with_name("sweep0.source.toml")
        card.write_text('title = "Of my own"\n')
        inside = {f"runs/{path.name}": path.read_bytes() for path in (*files, card)}
        inside["notes.txt"] = b"nothing to read"
        inside["old.zip"] = zipped(tmp_path / "old.zip", {"a.csv": b"x"}).read_bytes()
        archive = zipped(tmp_path / "in" / "results.bin", inside)
        report = library.add([tmp_path / "in"])
        assert [row.file for row in report.imported] == [f"{archive}/runs/sweep0.csv", f"{archive}/runs/sweep1.csv"]
        assert [Path(row.file).name for row in report.refused] == ["old.zip"]
        assert report.no_results == [f"{archive}/notes.txt"]
        assert set(library.sources()["title"].dropna()) == {"Of my own"}
        # the same bytes outside the archive are the same source; a card makes another one of them
        assert [row.file for row in library.add([files[1]]).already] == [str(files[1])]
        tar = tarred(tmp_path / "t.tgz", {f"elsewhere/{path.name}": path.read_bytes() for path in (*files, card)})
        assert len(library.add([tar]).already) == 2
        assert points(library) == 6
        assert list((library.path / "tmp").iterdir()) == []

    def test_facts_of_single_sources(self, library: Library, tmp_path: Path) -> None:
        one, two = sweep(tmp_path, 1), sweep(tmp_path, 2)
        ids = [row.sha256 for row in library.add([one, two], dry_run=True).imported]
        of_all = {"variant": "a", "accelerators": "4", "licence": "CC0"}
        of_it = {ids[0]: {"accelerator": "NVIDIA H200"}, "": of_all, ids[1]: {"variant": "b"}}
        library.add([one, two], facts_of=of_it)
        assert set(library.sources()["licence"]) == {"CC0"}
        asked = "SELECT DISTINCT source_id, accelerator, variant, accelerators FROM points ORDER BY 3"
        expected = [(ids[0], "h200-sxm", "a", 4), (ids[1], "h100-sxm", "b", 4)]
        assert library.fetch(asked) == expected
        library.rebuild()
        assert library.fetch(asked) == expected
        library.add([one, two], facts_of={ids[1]: {"variant": "c"}})
        assert library.fetch(asked) == [expected[0], (ids[1], "h100-sxm", "c", 4)]

    def test_the_report_is_the_documented_json(self, library: Library, tmp_path: Path) -> None:
        file = table(tmp_path / "t.csv", {"engine": None}, {"output_tokens_per_s": "many"})
        document = json.loads(json.dumps(library.add([file]).document()))
        keys = "imported already refused missing_facts not_understood no_results taken_over models"
        assert set(document) == set(keys.split())
        assert {"file", "format", "sha256", "points"} <= set(document["imported"][0])
        assert {"file", "row", "reason"} <= set(document["refused"][0])

    def test_a_library_that_cannot_be_written_says_so(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        library = Library.open(tmp_path / "file" / "library", shipped=False)
        with pytest.raises(BenchError, match="cannot be written"):
            library.add([sweep(tmp_path, 1)])


class TestPoints:
    def test_lengths_are_as_requested_else_as_counted(self, library: Library, tmp_path: Path) -> None:
        counted = {"isl": None, "isl_actual": 99.6, "osl_actual": 510, "concurrency": 8}
        library.add([table(tmp_path / "t.csv", {"isl_actual": 1000.2}, counted)])
        found = library.fetch("SELECT isl, osl, isl_requested, isl_actual FROM points ORDER BY concurrency")
        assert found == [(1024, 512, 1024, 1000.2), (100, 512, None, 99.6)]
        assert library.fetch("SELECT DISTINCT batch, flags, restated_in FROM points") == [(None,) * 3]

    def test_derived_metrics_stand_beside_stored_ones(self, library: Library, tmp_path: Path) -> None:
        stored = {"concurrency": 8, "output_tokens_per_s_per_accelerator": 99.0}
        library.add([table(tmp_path / "t.csv", {"tpot_ms_p50": 20.0}, stored)])
        assert library.fetch(
            "SELECT output_tokens_per_s_per_accelerator, interactivity_tokens_per_s_per_user_p50"
            " FROM points ORDER BY concurrency"
        ) == [(100.0, 50.0), (99.0, None)]
        assert library.has("interactivity_tokens_per_s_per_user_p50")
        assert not library.has("interactivity_tokens_per_s_per_user_p99")
        assert library.has("tpot_ms_p50")
        assert library.has("isl")
        assert not library.has("ttft_ms_p50")
        assert "interactivity_tokens_per_s_per_user_p50" not in library.metric_columns()

    def test_ids_do_not_depend_on_what_else_was_imported(self, library: Library, tmp_path: Path) -> None:
        files = [sweep(tmp_path, number) for number in range(3)]
        library.add(files)
        other = Library.open(tmp_path / "other", shipped=False)
        for file in reversed(files):
            other.add([file])
        ask = "SELECT point_id, source_id, deployment_id, workload_id, series_id FROM points ORDER BY 1"
        assert library.fetch(ask) == other.fetch(ask)

    def test_an_empty_library_answers_with_nothing(self, library: Library) -> None:
        for name in ("points", "scores", "passports", "refusals", "sources", "notes", "facts", "retractions"):
            assert library.fetch(f"SELECT * FROM {name}") == []
        assert library.fetch("SELECT count(*) FROM accelerators")[0][0] > 0
        assert library.fetch("SELECT count(*) FROM models")[0][0] > 0

    def test_price_books_of_the_reader_are_read(self, library: Library) -> None:
        before = library.fetch("SELECT count(*) FROM prices")[0][0]
        books = library.path / "prices"
        books.mkdir(parents=True)
        head = "provider,accelerator,accelerators,terms,usd_per_hour\n"
        (books / "mine.csv").write_text(head + "me,H100 SXM,8,reserved,16\n")
        (books / "bad.csv").write_text("x\n")
        assert library.refresh()
        assert library.fetch("SELECT count(*) FROM prices")[0][0] == before + 1
        assert library.fetch("SELECT usd_per_accelerator_hour FROM prices WHERE book = 'mine'") == [(2.0,)]
        assert library.fetch("SELECT file FROM refusals") == [("bad.csv",)]


MISFITS = (
    ("accelerators", "many"),
    ("accelerators", 0),
    ("tp", 1.5),
    ("accelerators", "nan"),
    ("shared_prefix_share", 2),
    ("dp_attention", "perhaps"),
    ("date", "2026-13-01"),
    ("date", "0001-01-01"),
    ("date", "9999-12-31"),
    ("model", "////"),
    ("evidence", "guessed"),
    ("source_url", "javascript:alert(1)"),
    ("model", "x" * 2000),
)


class TestFacts:
    def test_a_fact_stated_later_makes_the_rows_anew(self, library: Library, tmp_path: Path) -> None:
        source = library.add([table(tmp_path / "t.csv", {})]).imported[0].sha256
        version = library.version
        before = library.fetch("SELECT point_id, deployment_id FROM points")[0]
        library.set_facts(source[:10], {"accelerators": 2}, who="ada")
        after = library.fetch("SELECT point_id, deployment_id FROM points")[0]
        assert library.version != version
        assert (after[0] == before[0], after[1] == before[1]) == (True, False)
        assert library.fetch("SELECT output_tokens_per_s_per_accelerator FROM points") == [(400.0,)]
        library.set_facts(source, {"accelerators": None})
        assert library.fetch("SELECT point_id, deployment_id FROM points") == [before]

    def test_shipped_results_are_corrected_and_hidden_by_the_reader_and_not_purged(self, tmp_path: Path) -> None:
        library = Library.open(tmp_path / "library")
        found = library.fetch("SELECT source_id, points FROM sources WHERE points > 0 ORDER BY points LIMIT 1")
        ((source, before),) = found
        everything_before = points(library)
        library.set_facts(source, {"variant": "as I see it"})
        again = Library.open(tmp_path / "library")
        assert again.fetch("SELECT count(*) FROM points WHERE variant = 'as I see it'") == [(before,)]
        assert points(again) == everything_before
        assert again.refusals().empty
        again.retract(source, "not today")
        assert points(again) == everything_before - before
        with pytest.raises(UsageError, match="ships with"):
            again.purge(source, "never")

    def test_a_fact_that_does_not_fit_is_refused(self, library: Library, tmp_path: Path) -> None:
        file = sweep(tmp_path, 1)
        for key, value in MISFITS:
            with pytest.raises(UsageError):
                library.add([file], {key: value})
        assert not library.path.exists()

    def test_a_source_whose_files_are_gone_keeps_its_rows(self, library: Library, tmp_path: Path) -> None:
        source = library.add([sweep(tmp_path, 1)]).imported[0].sha256
        (library.path / "sources" / source / "manifest.json").unlink()
        with pytest.raises(NotFound, match="manifest"):
            library.set_facts(source, {"variant": "x"})
        library.add([sweep(tmp_path, 2)])
        assert library.rebuild().sources == 1
        assert points(library) == 6

    def test_a_writer_that_died_before_the_rows_were_made_is_made_good(self, library: Library, tmp_path: Path) -> None:
        source = library.add([table(tmp_path / "t.csv", {})]).imported[0].sha256
        with (library.path / "facts.jsonl").open("a") as ledger:
            ledger.write(json.dumps({"source_id": source, "facts": {"variant": "late"}}) + "\n")
        library.add([sweep(tmp_path, 2)])
        assert library.fetch("SELECT count(*) FROM points WHERE variant = 'late'") == [(1,)]


class TestHiding:
    def test_a_point_is_hidden_with_its_reason_and_comes_back(self, library: Library, tmp_path: Path) -> None:
        library.add([sweep(tmp_path, 1), sweep(tmp_path, 2)])
        point = library.fetch("SELECT min(point_id) FROM points")[0][0]
        version = library.version
        library.retract(point, "wrong clock", who="ada")
        assert points(library) == 5
        assert library.version != version
        told = library.fetch("SELECT id, kind, reason, who FROM retractions")
        assert told == [(point, "point", "wrong clock", "ada")]
        library.restore(point)
        assert points(library) == 6
        assert library.fetch("SELECT * FROM retractions") == []
        library.annotate(point, "re-measured in March", who="ada")
        assert library.fetch("SELECT id, text, who FROM notes") == [(point, "re-measured in March", "ada")]

    def test_a_source_is_hidden_and_comes_back(self, library: Library, tmp_path: Path) -> None:
        report = library.add([sweep(tmp_path, 1), table(tmp_path / "s.csv", {}, {"value": 0.5}, base=SCORE)])
        (score,) = library.fetch("SELECT min(score_id) FROM scores")[0]
        library.retract(score, "a wrong judge")
        assert library.fetch("SELECT count(*) FROM scores") == [(1,)]
        library.restore(score)
        for row in report.imported:
            library.retract(row.sha256[:12], "not ours")
        assert (points(library), library.fetch("SELECT count(*) FROM scores")) == (0, [(0,)])
        assert set(library.sources()["retracted"]) == {"not ours"}
        for row in report.imported:
            library.restore(row.sha256[:12])
        assert (points(library), library.fetch("SELECT count(*) FROM scores")) == (3, [(2,)])

    def test_columns_come_as_arrays_with_what_is_absent_masked(self, settled: Library) -> None:
        found = settled.arrays(
            "SELECT concurrency, output_tokens_per_s, isl_actual FROM points WHERE concurrency < ? ORDER BY 1", [3]
        )
        assert found["concurrency"].tolist() == [1, 2]
        assert found["output_tokens_per_s"].tolist() == [101, 102]
        assert found["isl_actual"].mask.tolist() == [True, True]

    def test_a_change_needs_an_id_and_a_reason(self, settled: Library) -> None:
        before = everything(settled.path)
        source = settled.fetch("SELECT source_id FROM sources")[0][0]
        for change in (settled.retract, settled.annotate, settled.purge):
            for id in ("", "../../etc", "0" * 16, "0" * 64, "%", "deadbeef", "A" * 16):
                with pytest.raises(NotFound):
                    change(id, "why")
            with pytest.raises(UsageError):
                change(source, "  ")
        with pytest.raises(NotFound):
            settled.restore("0" * 64)
        assert everything(settled.path) == before

    def test_purge_leaves_no_byte_and_a_tombstone(self, library: Library, tmp_path: Path) -> None:
        secret = table(tmp_path / "secret.csv", {"note": "do-not-keep-me", "concurrency": 64})
        library.add([secret, sweep(tmp_path, 1)])
        other = Library.open(library.path, shipped=False)
        source = library.fetch("SELECT source_id FROM points WHERE concurrency = 64")[0][0]
        library.purge(source, "personal data", who="ada")
        assert points(library) == 3
        for path in everything(library.path):
            assert b"do-not-keep-me" not in path.read_bytes()
            assert b"secret.csv" not in path.read_bytes() or path.name == "audit.jsonl"
        report = library.add([secret])
        assert "personal data" in report.refused[0].reason
        assert points(library) == 3
        assert library.add([secret], force=True).imported[0].points == 1
        assert points(library) == 4
        other.refresh()
        assert points(other) == 4


class TestReading:
    def test_threads_do_not_disturb_each_other(self, library: Library, tmp_path: Path) -> None:
        library.add([sweep(tmp_path, number) for number in range(1, 5)])
        expected = {n: library.fetch(f"SELECT count(*) FROM points WHERE concurrency = {n}") for n in (1, 2, 4)}
        wrong: list[object] = []

        def ask(concurrency: int) -> None:
            for _ in range(25):
                found = library.fetch("SELECT count(*) FROM points WHERE concurrency = $1", [concurrency])
                if found != expected[concurrency]:
                    wrong.append(found)

        threads = [threading.Thread(target=ask, args=(n,)) for n in (1, 2, 4) * 2]
        for thread in threads:
            thread.start()
        for number in range(3):
            library.annotate(library.fetch("SELECT source_id FROM sources LIMIT 1")[0][0], f"note {number}")
        for thread in threads:
            thread.join()
        assert wrong == []
