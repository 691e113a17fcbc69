"""A few typed words lead to pages that can answer them; whatever is typed, nothing breaks and nothing is made up."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import catalogue, names, selection
from bench.library import Library
from bench.questions import question, questions
from bench.suggestions.typed import EXAMPLE, Directions, directions, of_cell
from bench.suggestions.words import meaning
from bench.view import View
from tests.library.files import published
from tests.questions.heatmap.results import point
from tests.thorough import some, times

WORDS = st.sampled_from(
    "h200 mi355x deepseek llama 70b 3.3 fp8 fp4 vllm sglang 1k/1k 1024/8192 isl osl 128 tp=8 8x cost vs , tpu gpu"
    " ttft<=2s tpot<50 p99 data launch scaling crossover <script> %00 ' -- \u202e 🜁 1e999 slo=x // ?model=x".split()
)


FOUND: dict[tuple[Path, str], Directions] = {}


def led(library: Library, text: str) -> Directions:
    """Where a text leads in a library, looked up once."""
    key = (library.path, text)
    if key not in FOUND:
        FOUND[key] = directions(library, text)
    return FOUND[key]


def pages(found: Directions) -> list[str]:
    return [one.page for one in found.destinations]


def asked(library: Library, text: str, at: int = 0) -> View:
    """The View of one of the links that a text leads to."""
    return View.from_query(led(library, text).destinations[at].query)


def test_the_example_offers_every_page_that_can_answer(shipped):
    found = led(shipped, EXAMPLE)
    assert pages(found) == ["pareto", "heatmap", "crossover", "cost", "data"]
    assert (found.told, found.unknown) == ((), ())
    wanted = {"model": ("deepseek-r1",), "precision": ("fp8",), "accelerator": ("h200-sxm", "mi355x")}
    for one in found.destinations:
        assert dict(View.from_query(one.query).where) == wanted
        assert one.label.startswith(f"{'Data' if one.page == 'data' else question(one.page).TITLE}: ")
        assert one.label.endswith(f", {one.points} points")
        assert "H200 SXM" in one.label
        assert "MI355X" in one.label
    crossover = View.from_query(found.destinations[2].query)
    assert (crossover.option("a"), crossover.option("b")) == ("accelerator=h200-sxm", "accelerator=mi355x")
    assert "H200 SXM against MI355X" in found.destinations[2].label


def test_where_no_point_can_be_judged_within_the_limits_the_largest_part_that_can_is_offered(shipped):
    found = led(shipped, "best gpu for llama 3.3 70b ttft<=2000 tpot<=50")
    assert "104" in found.told[0]
    first = found.destinations[0]
    assert first.page == "pareto"
    assert first.label.endswith(" (without GPU)")
    view = View.from_query(first.query)
    assert (view.values("model"), view.slo) == (("llama-3.3-70b",), ("tpot_ms_p50<=50", "ttft_ms_p50<=2000"))
    assert question("pareto").answer(shipped, view).is_told
    assert "heatmap" not in pages(found)


def test_of_a_lopsided_comparison_both_counts_are_said_and_a_balanced_one_comes_first(shipped):
    first, second, *_ = led(shipped, "llama vs gemma on b200").destinations
    assert first.label.endswith(" points (without B200 SXM)")
    assert second.label == "Data: Llama 2 70B and Gemma 4 E4B, B200 SXM, 99 points (98 and 1)"


def test_who_asks_for_help_is_told_what_to_type_and_where_to_begin(shipped):
    found = led(shipped, "help")
    assert pages(found) == ["data", "launch", "sql"]
    assert found.told
    assert led(shipped, "help deepseek").unknown == ()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("llama 3.3 70b at 1,000/1,000", {"model": ("llama-3.3-70b",), "isl": ("1000",), "osl": ("1000",)}),
        ("meta-llama/Llama-3.3-70B-Instruct", {"model": ("llama-3.3-70b",)}),
        ("deepseek r1 isl 1024 osl=8192", {"model": ("deepseek-r1",), "isl": ("1024",), "osl": ("8192",)}),
        ("deepseek 1024 in 8192 out", {"model": ("deepseek-r1",), "isl": ("1024",), "osl": ("8192",)}),
        ("DeepSeek 8k/1k", {"model": ("deepseek-r1",), "isl": ("8192", "8000"), "osl": ("1024", "1000")}),
        ("8 x mi355x deepseek", {"model": ("deepseek-r1",), "accelerator": ("mi355x",), "accelerators": ("8",)}),
        ("deepseek sglang tp 8", {"model": ("deepseek-r1",), "engine": ("sglang",), "tp": ("8",)}),
        ("NVIDIA H100 80GB HBM3 gemma-4-31b", {"model": ("gemma-4-31b",), "accelerator": ("h100-sxm",)}),
        ("trt-llm mixtral 8x7b", {"model": ("mixtral-8x7b",), "engine": ("tensorrt-llm",)}),
    ],
)
def test_names_are_those_of_the_vocabulary(shipped, text, where):
    meant = meaning(shipped, text)
    assert ({key: values for key, (values,) in meant.groups.items()} | meant.lengths, meant.unknown) == (where, ())


def test_every_name_and_alias_means_what_it_names(shipped):
    for kind, rows in (("model", names.models()), ("accelerator", names.accelerators())):
        for row in rows:
            for spelling in (row.slug, row.name, *row.aliases):
                groups = meaning(shipped, spelling).groups.get(kind, ())
                assert any(row.slug in group for group in groups) or names.matching(kind, spelling) != (row.slug,)


def test_two_kinds_of_chips_are_compared_where_both_were_measured(shipped):
    found = led(shipped, "tpu vs gpu cost")
    assert pages(found)[:2] == ["crossover", "cost"]
    view = View.from_query(found.destinations[0].query)
    a, b = (View.from_query(view.option(side)).values("accelerator") for side in ("a", "b"))
    assert all(chip.startswith("tpu") for chip in a)
    assert not any(chip.startswith("tpu") for chip in b)
    assert len(view.values("model")) == 1
    assert "against" in found.destinations[0].label
    assert view.option("per") == "dollar"
    assert len(question("crossover").answer(shipped, view).rows)


@pytest.mark.parametrize(
    ("text", "unknown"),
    [("日本語", "日本語"), ("deepseek r1 h20", "h20"), ("deepseek b20", "b20"), ("deepseek mi35", "mi35")],
)
def test_a_word_that_is_no_whole_name_is_not_taken_for_another(shipped, text, unknown):
    found = led(shipped, text)
    assert found.unknown == (unknown,)
    assert not any(
        View.from_query(one.query).values(key) for one in found.destinations for key in ("accelerator", "engine")
    )
    assert names.matching("engine", "日本語") == ("",)


def test_no_offered_page_is_empty(shipped):
    found = led(shipped, "8 x h100 mixtral scaling")
    assert "scaling" not in pages(found)
    assert "cost" in pages(found)
    answers_everywhere(shipped, "8 x h100 mixtral scaling")


def test_an_ambiguous_word_gives_several(shipped):
    found = led(shipped, "llama 70b 1k/1k")
    models = {View.from_query(one.query).values("model") for one in found.destinations}
    lengths = {View.from_query(one.query).values("isl") for one in found.destinations}
    assert len(models) > 1
    assert lengths == {("1000",), ("1024",)}
    measured = {"model": ("deepseek-r1",), "isl": ("8192",), "osl": ("1024",)}
    assert dict(asked(shipped, "DeepSeek 8k/1k").where) == measured


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("price", "cost"),
        ("frontier", "pareto"),
        ("matrix", "overview"),
        ("vram", "memory"),
        ("mbu", "roofline"),
        ("sizing", "capacity"),
        ("regression", "history"),
        ("query", "sql"),
        ("heat map", "heatmap"),
        ("jobs", "jobs"),
        ("upload", "data"),
        ("run", "launch"),
        ("scaling mixtral h200", "scaling"),
    ],
)
def test_pages_are_asked_for_by_their_names_and_synonyms(shipped, word, page):
    found = led(shipped, word)
    assert (pages(found)[0], found.unknown) == (page, ())


SHIPPED_WORDS = (
    "llama vs gemma",
    "memory gpt-j",
    "roofline deepseek h200",
    "capacity gpt-j",
    "h20 mi35x depseek",
    "p99 ttft deepseek",
    "energy",
    "5090",
    "fp4 vs fp8",
    "deepseek vllm sglang",
    "llama 3.3 70b ttft 2 s tpot 50 ms",
    "tpu vs gpu per dollar",
    "llama 70b 3k/3k",
    "deepseek vs groq on tpu",
    "1k/1k",
    "million",
    "compare",
    EXAMPLE,
)
EVERY_NAME = [row.slug for row in (*names.models(), *names.accelerators())]


@pytest.mark.parametrize("text", [*some(SHIPPED_WORDS, 3, 10), *some(EVERY_NAME, 1, 8)])
def test_every_offer_has_points_or_an_answer(shipped, text):
    answers_everywhere(shipped, text)
    assert led(shipped, text).destinations


def answers_everywhere(library: Library, text: str) -> None:
    leads_somewhere(library, text)
    for one in led(library, text).destinations:
        if one.page in questions():
            assert question(one.page).answer(library, View.from_query(one.query)).is_told, one.label


def test_no_offer_of_two_models_holds_one_alone(shipped):
    found = led(shipped, "llama vs gemma on b200")
    assert found.destinations
    for one in found.destinations:
        view = View.from_query(one.query)
        shown = question(one.page).complete(shipped, view) if one.page in questions() else view
        models = {model for model in shown.values("model") if selection.count(shipped, shown.with_where(model=[model]))}
        assert {"llama", "gemma"} <= {model.split("-")[0] for model in models}, one.label


def test_where_no_point_has_all_the_largest_part_is_offered(shipped):
    found = led(shipped, "deepseek vs groq on tpu")
    assert found.told
    assert all("(without " in one.label for one in found.destinations[:-1])
    assert found.destinations[-1].page == "launch"
    assert pages(led(shipped, "llama 70b 3k/3k"))[0] == "pareto"


def test_memory_leads_first_to_a_model_whose_size_is_known(shipped):
    first = led(shipped, "memory for llama 70b").destinations[0]
    assert first.page == "memory"
    assert question("memory").answer(shipped, View.from_query(first.query)).is_told
    assert "memory" not in pages(led(shipped, "memory gpt-j"))


def test_the_nearest_names_are_offered_for_words_that_are_none(shipped):
    found = led(shipped, "h20 mi35x depseek")
    assert all(word in found.told[0] for word in ("h20", "mi35x", "depseek"))
    assert all(name in found.told[1] for name in ("H200 SXM", "MI355X", "DeepSeek-R1"))
    assert pages(found)[0] == "pareto"
    assert asked(shipped, "h20 mi35x depseek").values("accelerator") == ("h200-sxm", "mi355x")
    assert "Pareto" in led(shipped, "paretto").told[1]
    assert led(shipped, "wibble").destinations == ()


def test_a_metric_leads_to_its_pages_and_its_definition(shipped):
    found = led(shipped, "ttft")
    assert found.told[0].startswith("TTFT: Time to first token")
    assert pages(found) == ["pareto", "heatmap", "crossover", "data"]
    pareto, heatmap, _, data = (View.from_query(one.query) for one in found.destinations)
    assert pareto.option("x") == heatmap.option("metric") == "ttft_ms_p50"
    assert data.option("tab") == "passports"
    assert asked(shipped, "p99 ttft deepseek").option("x") == "ttft_ms_p99"
    assert asked(shipped, "energy").option("y") == "joules_per_output_token"
    assert led(shipped, "p99").unknown == ("p99",)


def test_every_metric_is_known_by_its_label_and_its_key(shipped):
    for metric in catalogue.METRICS:
        for text in [metric.key, *([metric.label] if metric.direction != "neutral" else [])]:
            meant = meaning(shipped, f"deepseek {text}, fp8")
            assert (set(meant.groups), meant.unknown) == ({"model", "precision"}, ()), text
            is_known = metric.kind != "cost" and [one.base for one in meant.metrics] == [metric.key]
            assert is_known or meant.pages, text


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("failed share under 5%", "failed_share<=0.05"),
        ("under 5% failed share", "failed_share<=0.05"),
        ("failed_share < 5 %", "failed_share<=0.05"),
        ("output throughput over 1000 tokens/s", "output_tokens_per_s>=1000"),
        ("interactivity under 50", "interactivity_tokens_per_s_per_user_p50<=50"),
        ("p99 latency under 2s", "e2el_ms_p99<=2000"),
        ("failed_share<=5%", "failed_share<=0.05"),
        ("ttft_ms_p99<=2000", "ttft_ms_p99<=2000"),
        ("interactivity 50", "interactivity_tokens_per_s_per_user_p50>=50"),
        ("under 2s ttft and 50ms tpot", "ttft_ms_p50<=2000 tpot_ms_p50<=50"),
        ("2 s ttft 50 ms tpot", "ttft_ms_p50<=2000 tpot_ms_p50<=50"),
        ("ttft 2s, 50ms median tpot", "ttft_ms_p50<=2000 tpot_ms_p50<=50"),
    ],
)
def test_every_metric_can_be_limited_in_words(shipped, text, limit):
    meant = meaning(shipped, text)
    assert (" ".join(meant.slo), meant.unknown) == (limit, ())


def test_a_count_behind_a_metric_is_no_limit(shipped):
    assert meaning(shipped, "power 8 x h200").groups.keys() == {"accelerators", "accelerator"}
    assert meaning(shipped, "ttft 8 gpus").groups == {"accelerators": (("8",),)}
    assert meaning(shipped, "latency 1024/1024").lengths == {"isl": ("1024",), "osl": ("1024",)}
    assert meaning(shipped, "ttft_ms_p99").slo == ()
    assert led(shipped, "failed_share<=500%").unknown == ("failed_share<=500%",)


def test_a_number_that_names_an_accelerator_finds_it(shipped):
    found = led(shipped, "5090")
    assert [(one.page, one.label) for one in found.destinations] == [("launch", "Launch: measure RTX 5090")]


def test_run_alone_leads_to_the_pages_of_runs(shipped):
    assert pages(led(shipped, "run")) == ["launch", "jobs", "run"]
    assert "run" not in pages(led(shipped, "run deepseek"))


@pytest.mark.long
def test_limits_go_into_every_link(shipped):
    found = led(shipped, "llama 3.3 70b ttft<=2 s, tpot p99 under 50ms")
    for one in found.destinations:
        if one.page in questions():
            slo = View.from_query(one.query).slo
            assert slo == ("tpot_ms_p99<=50", "ttft_ms_p50<=2000")


def test_what_is_not_understood_is_named_and_what_is_missing_is_said(shipped):
    found = led(shipped, "wibble deepseek h200 <b>")
    assert found.unknown == ("wibble", "<b>")
    assert "pareto" in pages(found)
    nothing = led(shipped, "groq deepseek fp8")
    assert nothing.destinations[0].label.endswith("(without Groq LPU)")
    measure = nothing.destinations[-1]
    assert (measure.page, measure.points) == ("launch", None)
    assert "facts.accelerator=groq-lpu" in measure.query
    one = led(shipped, "deepseek vllm sglang")
    assert one.destinations[0].label.endswith("(without vLLM)")
    assert led(shipped, "") == Directions()


def test_a_cell_opens_the_first_page_that_can_answer_within_the_other_filters(shipped):
    cell = View.of({"model": ["deepseek-r1"], "accelerator": ["h200-sxm"]}).query()
    way = of_cell(shipped, View.of({"precision": ["fp8"]}, slo=["ttft_ms_p99<=2000"]), cell)
    assert way.page == "pareto"
    view = View.from_query(way.query)
    assert dict(view.where) == {"model": ("deepseek-r1",), "precision": ("fp8",), "accelerator": ("h200-sxm",)}
    assert view.slo == ("ttft_ms_p99<=2000",)


def test_every_cell_of_the_matrix_leads_to_points(shipped):
    rows = question("overview").answer(shipped, View()).rows.dropna(subset=["model", "accelerator"])
    for row in some(rows.to_dict("records")[::2], 3, 8):
        cell = View.of({"model": [row["model"]], "accelerator": [row["accelerator"]]})
        way = of_cell(shipped, View(), cell.query())
        assert way is not None
        if way.page in questions():
            assert len(question(way.page).answer(shipped, View.from_query(way.query)).rows), way.label
        assert 0 < way.points <= row["measured"] + row["other_evidence"]


def leads_somewhere(library: Library, text: str) -> None:
    found = led(library, text)
    for one in found.destinations:
        if one.points is None:
            assert one.page in ("launch", "jobs", "run", "sql")
            continue
        view = View.from_query(one.query)
        assert one.points > 0
        assert view.query() == one.query
        if one.page in questions():
            assert selection.count(library, question(one.page).complete(library, view)) == one.points, one.label
        else:
            assert selection.count(library, view) == one.points


@settings(max_examples=times(80, 4, 14))
@given(text=st.text(max_size=120) | st.lists(WORDS, max_size=8).map(" ".join))
def test_whatever_is_typed_breaks_nothing_and_every_offer_has_points(shipped, text):
    leads_somewhere(shipped, text)


@pytest.mark.long
def test_hostile_names_in_the_library_are_only_text(tmp_path: Path):
    odd = "model-'; DROP TABLE points; --<script>"
    rows = [
        point(128, 128, 100 * level, model=odd, accelerator="x\u202ey", concurrency=level, tpot_ms_p50=10)
        for level in (1, 2)
    ]
    library = Library.open(tmp_path / "library", shipped=False)
    assert not library.add([published(tmp_path / "odd.csv", rows)]).refused
    for text in ("drop table points", odd, "script", "fp8 vllm", "x\u202ey"):
        leads_somewhere(library, text)
    assert led(library, "vllm fp8").destinations[0].page == "pareto"


def test_a_new_library_has_nowhere_to_lead(tmp_path: Path):
    library = Library.open(tmp_path / "library", shipped=False)
    for text in ("", "cost", EXAMPLE, "tpu vs gpu"):
        assert all(one.points is None for one in led(library, text).destinations)
