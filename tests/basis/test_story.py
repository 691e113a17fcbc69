"""The story: one for all pages, filled in where the reader left something open, kept where the reader chose."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import selection
from bench.basis import evidence, limits, story
from bench.basis.story import FILLED, KEYS, Needs
from bench.library import Library
from bench.selection import as_asked
from bench.view import LIMIT, View
from tests.basis.libraries import MODELS, mixed, views
from tests.questions.heatmap.results import library_of, point
from tests.thorough import times

LLAMA, DEEPSEEK = MODELS
LATENCY = Needs("median TTFT", "ttft_ms_p50 IS NOT NULL")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return mixed(tmp_path_factory.mktemp("stories"))


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Llama FP8 at 128/128 has three points on one chip, Llama BF16 two on two, DeepSeek one, which states its TTFT."""
    rows = [
        *(point(128, 128, 10, concurrency=level) for level in (1, 2, 4)),
        *(point(256, 128, 10, accelerator=chip, precision="bf16") for chip in ("h100-sxm", "h200-sxm")),
        point(512, 64, 10, model=DEEPSEEK, precision="fp4", ttft_ms_p50=20),
    ]
    return library_of(tmp_path_factory.mktemp("three"), rows)


often = settings(max_examples=times(100, 8, 25))


def pinned(view: View) -> dict[str, str]:
    return {key: values[0] for key in KEYS if (values := view.values(key))}


class TestWhichStory:
    def test_has_the_most_points_times_accelerators(self, three: Library) -> None:
        """Two points on each of two chips are four, three points on one are three."""
        found = story.of(three, View())
        assert found.pins == pinned(found.view) == {"model": LLAMA, "precision": "bf16", "isl": "256", "osl": "128"}
        assert found.view.option(FILLED) == "model precision isl osl"

    @often
    @given(views)
    def test_is_the_best_by_a_plain_count(self, library: Library, view: View) -> None:
        """Points of the story times its accelerators, over all stories of what the filters leave: under limits first
        those that state what they are on."""
        found = story.of(library, view)
        condition = evidence.ranked(library, evidence.read(view.with_slo(())))
        columns = ", ".join(map(as_asked, KEYS))
        keys = [one.metric.key for one in limits.read(view)]
        asked = [f"{key} IS NOT NULL" if library.has(key) else "FALSE" for key in keys]
        rows = library.fetch(
            f"SELECT {columns}, accelerator, output_tokens_per_s IS NOT NULL OR ttft_ms_p50 IS NOT NULL,"
            f" {' AND '.join(asked) or 'FALSE'} FROM points WHERE {condition.sql}",
            condition.params,
        )
        weight = {}
        for key in {one[:4] for one in rows}:
            own = [one for one in rows if one[:4] == key]
            stating = [one for one in own if one[6]]
            weight[key] = (
                len(stating) * len({one[4] for one in stating}),
                sum(one[5] for one in own) * len({one[4] for one in own}),
            )
        if not rows or all(view.values(key) for key in KEYS):
            assert found.view == view
            return
        told = [
            many
            for key, many in weight.items()
            if all(
                selection.written(one) == found.pins.get(name, selection.written(one))
                for name, one in zip(KEYS, key, strict=True)
            )
        ]
        assert max(told) == max(weight.values())

    def test_is_nearest_the_others_where_it_lacks_what_a_page_needs(self, three: Library) -> None:
        found = story.of(three, View(), LATENCY)
        assert found.view.values("model") == (DEEPSEEK,)
        assert story.of(three, View()).instead_of == ""

    def test_nearest_is_the_same_model_before_the_same_lengths(self, tmp_path: Path) -> None:
        rows = [
            *(point(128, 128, 10, concurrency=level) for level in (1, 2, 4)),
            point(2048, 64, 10, precision="bf16", ttft_ms_p50=5),
            *(point(128, 128, 10, model=DEEPSEEK, ttft_ms_p50=5, concurrency=level) for level in (1, 2)),
        ]
        found = story.of(library_of(tmp_path, rows), View(), LATENCY)
        assert pinned(found.view) == {"model": LLAMA, "precision": "bf16", "isl": "2048", "osl": "64"}

    def test_enough_groups_must_meet_what_is_needed(self, three: Library) -> None:
        chips = Needs("two accelerators", "TRUE", having="count(DISTINCT accelerator) > 1")
        assert story.of(three, View.of({"model": [LLAMA]}), chips).view.values("precision") == ("bf16",)
        levels = Needs("three levels", "TRUE", each="concurrency", fewest=3)
        assert story.of(three, View.of({"model": [LLAMA]}), levels).view.values("precision") == ("fp8",)


class TestUnderLimits:
    @pytest.fixture(scope="class")
    @classmethod
    def loaded(cls, tmp_path_factory: pytest.TempPathFactory) -> Library:
        """Of Llama three points in FP8 state nothing but a throughput, two in BF16 and one in FP4 their TTFT too."""
        rows = [
            *(point(128, 128, 10, concurrency=level) for level in (1, 2, 4)),
            *(point(128, 128, 10, precision="bf16", concurrency=level, ttft_ms_p50=20) for level in (1, 2)),
            point(256, 128, 10, precision="fp4", ttft_ms_p50=20),
            point(512, 64, 10, model=DEEPSEEK, ttft_ms_p50=20),
        ]
        return library_of(tmp_path_factory.mktemp("limited"), rows)

    @pytest.mark.parametrize(
        ("options", "limit", "precision"),
        [
            ({}, None, "fp8"),
            ({}, "ttft_ms_p50<=50", "bf16"),
            ({}, "ttft_ms_p50<=1", "bf16"),
            ({}, "ttft_ms_p99<=50", "fp8"),
            ({}, "usd_per_million_output_tokens<=1", "fp8"),
            ({}, limits.NONE, "fp8"),
            ({FILLED: LIMIT}, "ttft_ms_p50<=50", "fp8"),
        ],
    )
    def test_is_one_whose_points_state_what_the_readers_limits_are_on_if_any_does(
        self, loaded: Library, options: dict[str, str], limit: str | None, precision: str
    ) -> None:
        view = View.of({"model": [LLAMA]}, options, slo=[limit] if limit else [])
        assert story.of(loaded, view).view.values("precision") == (precision,)

    def test_set_on_a_page_it_stays_near_to_what_was_shown_if_that_can_tell(self, loaded: Library) -> None:
        for shown, expected in (("fp4", "fp4"), ("fp8", "bf16")):
            view = View.of({"model": [LLAMA]}, slo=["ttft_ms_p50<=50"])
            near = story.nearest(view, {"precision": shown})
            assert story.of(loaded, near).view.values("precision") == (expected,)

    def test_set_on_a_page_the_model_that_is_shown_stays(self, loaded: Library) -> None:
        """Without what was shown it is the model with the most points that state the limits' metrics."""
        view = View(slo=("ttft_ms_p50<=50",))
        for model in MODELS:
            shown = story.shown(story.of(loaded, View.of({"precision": ["fp8"]})).view) | {"model": model}
            assert story.of(loaded, story.nearest(view, shown)).view.values("model") == (model,)


class TestToldAgain:
    @often
    @given(views)
    def test_is_the_same(self, library: Library, view: View) -> None:
        once = story.of(library, view)
        for again in (once.view, once.view.made_whole(), View.from_query(once.view.made_whole().query())):
            found = story.of(library, again)
            assert found.view.where == once.view.where
            assert found.view.option(FILLED) == once.view.option(FILLED)
            assert found.left_out == once.left_out

    @often
    @given(views, st.sets(st.sampled_from(KEYS)))
    def test_leaves_free_what_a_page_draws_along(self, library: Library, view: View, free: set[str]) -> None:
        found, whole = story.of(library, view, free=free), story.of(library, view)
        assert not found.pins.keys() & free
        assert found.pins == {key: value for key, value in whole.pins.items() if key not in free}
        assert story.of(library, whole.view, free=free).view == found.view

    @often
    @given(views)
    def test_is_the_same_for_another_order_of_filters_and_says_what_it_leaves_out(
        self, library: Library, view: View
    ) -> None:
        found = story.of(library, view)
        for order in list(permutations(view.where))[1:4]:
            assert story.of(library, View.of(dict(order), dict(view.options), slo=view.slo)).view == found.view
        expected = selection.count(library, view) - selection.count(library, found.view)
        assert found.left_out == (expected if view.where and found.pins else 0)

    def test_a_whole_view_stays_and_a_filter_with_several_values_was_never_filled_in(self, three: Library) -> None:
        for where, options in (({}, {}), ({"model": ["nobody"]}, {}), ({"model": MODELS}, {FILLED: "model"})):
            view = View.of(where, options, whole=True)
            assert story.of(three, view).view == view


class TestChoosing:
    @pytest.fixture(scope="class")
    @classmethod
    def loaded(cls, tmp_path_factory: pytest.TempPathFactory) -> Library:
        """Llama on vLLM and H100, DeepSeek on SGLang, H200 and B200."""
        rows = [
            point(128, 128, 10),
            point(128, 128, 20, concurrency=64),
            point(512, 64, 10, model=DEEPSEEK, engine="sglang", accelerator="h200-sxm"),
            point(512, 64, 10, model=DEEPSEEK, engine="sglang", accelerator="b200-sxm"),
        ]
        return library_of(tmp_path_factory.mktemp("choosing"), rows)

    def test_another_model_lets_go_of_what_a_story_filled_in(self, loaded: Library) -> None:
        first = story.of(loaded, View.of({"model": [LLAMA]})).view.made_whole()
        assert first.values("isl") == ("128",)
        found = story.chosen(loaded, first, {"model": [DEEPSEEK]})
        assert (found.where, found.whole) == ((("model", (DEEPSEEK,)),), False)
        assert story.of(loaded, found).view.values("isl") == ("512",)

    def test_another_model_keeps_the_readers_filters_it_has_points_under(self, loaded: Library) -> None:
        asked = View.of({"model": [DEEPSEEK], "engine": ["sglang"], "accelerator": ["b200"], "osl": ["64"]})
        kept = story.chosen(loaded, asked, {"model": [LLAMA]})
        assert dict(kept.where) == {"model": (LLAMA,)}
        back = story.chosen(loaded, asked.with_where(accelerator=["h100-sxm"]), {"model": [DEEPSEEK]})
        assert dict(back.where) == {"model": (DEEPSEEK,), "engine": ("sglang",), "osl": ("64",)}

    def test_each_kept_filter_leaves_something_of_the_model_with_those_before_it(self, loaded: Library) -> None:
        """H200 has points of DeepSeek and so has an input length of 512, one of 128 has none."""
        asked = View.of(
            {"model": [LLAMA], "accelerator": ["h200"], "isl": ["128"], "osl": ["64"]}, slo=["ttft_ms_p50<=5"]
        )
        found = story.chosen(loaded, asked, {"model": [DEEPSEEK]})
        assert dict(found.where) == {"model": (DEEPSEEK,), "accelerator": ("h200",), "osl": ("64",)}
        assert found.slo == ("ttft_ms_p50<=5",)

    def test_another_filter_changes_nothing_of_the_readers_others(self, loaded: Library) -> None:
        asked = View.of({"model": [LLAMA], "engine": ["vllm"]}, {"x": "isl"}, whole=True, slo=["ttft_ms_p50<=5"])
        found = story.chosen(loaded, asked, {"accelerator": ["b200"]})
        assert dict(found.where) == {"model": (LLAMA,), "engine": ("vllm",), "accelerator": ("b200",)}
        assert (found.option("x"), found.slo, found.whole) == ("isl", ("ttft_ms_p50<=5",), False)
        assert dict(story.chosen(loaded, asked, {"model": []}).where) == {"engine": ("vllm",)}

    def test_the_readers_own_choice_is_what_no_story_filled_in(self, loaded: Library) -> None:
        told = story.of(loaded, View.of({"engine": ["vllm"]}, {"x": "isl"})).view
        assert len(told.where) == 5
        own = story.own_choice(told)
        assert (dict(own.where), dict(own.options)) == ({"engine": ("vllm",)}, {"x": "isl"})


def test_what_is_narrowed_is_told_with_what_it_leaves_out(three: Library) -> None:
    (told,) = story.statements(story.of(three, View.of({"model": [LLAMA]})))
    pins = {"precision": "bf16", "isl": "256", "osl": "128"}
    assert (told.role, told.kind, told.values) == ("coverage", "narrowed", {"left_out": 3, **pins})
    assert story.statements(story.of(three, View())) == []


def test_what_is_told_instead_of_a_story_that_lacks_or_mixes_something(three: Library) -> None:
    mixed_up = Needs("two accelerators", "TRUE", each="TRUE", odd="count(DISTINCT accelerator) > 1", odd_words="mixed")
    for needs, is_odd in ((LATENCY, False), (mixed_up, True)):
        found = story.of(three, View(), needs)
        (told,) = story.statements(found)
        assert found.instead_of == "Llama 3.1 70B BF16 at 256/128"
        assert (told.role, told.kind, told.values) == ("coverage", "other_story", {"odd": is_odd})
