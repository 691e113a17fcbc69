"""What people come for, from the first page on, each within so many steps: a click or an Enter is one, typing is none.

A budget is what the way takes, and nothing to spare: who adds a step to a way has to say so here.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bench.library import Library
from bench.sweep.folder import listed
from bench.sweep.session import jobs
from bench.sweep.session.demo_endpoints import FOLDER
from bench.view import View
from tests.benchmarks._server import running
from tests.e2e.browsing import CHART, charted, choose, copied, figure, headline, reading, settled, spot

Visit = Callable[[], Page]

SAMPLE = Path(__file__).parents[1] / "samples" / "inferencex" / "agg_bmk.json"
MEASURED_WITHIN_MS = 60_000
POINTS = """(document.querySelector('.js-plotly-plot')?.data ?? []).filter(trace => trace.customdata)
    .reduce((many, trace) => many + trace.customdata.length, 0)"""
ARRIVALS = """
(() => {
  const [arrivals] = document.querySelector('.st-key-card .js-plotly-plot').data
  return [Array.from(arrivals.x), Array.from(arrivals.y)]
})()
"""
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@dataclass
class Counter:
    """A reader at a page, whose clicks and Enters are counted."""

    page: Page
    steps: int = 0

    def click(self, what: Locator) -> None:
        self.steps += 1
        what.click()

    def click_at(self, x: float, y: float) -> None:
        self.steps += 1
        self.page.mouse.click(x, y)

    def enter(self, typed: str = "") -> None:
        self.page.keyboard.type(typed)
        self.steps += 1
        self.page.keyboard.press("Enter")

    def choose(self) -> None:
        """Opens a list by keyboard and picks its first option."""
        self.steps += 1
        choose(self.page)

    def go_to(self, words: str, page: str) -> None:
        """Types into the box of the first page and follows the first way to a page."""
        self.click(self.page.get_by_role("textbox", name="Go to"))
        self.enter(words)
        way = self.page.locator(".st-key-offers").get_by_role("link", name=page).first
        way.wait_for()
        settled(self.page)
        self.click(way)
        self.page.wait_for_url(f"**/{page.lower()}?*v=2*")
        self.page.wait_for_selector(CHART)
        settled(self.page)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the library lies that these readers write to; what they start in it ends with them."""
    library = tmp_path_factory.mktemp("journeys") / "library"
    yield library
    for folder in listed(library):
        if folder.held():
            jobs.cancel(folder)
    for record in (library / FOLDER).glob("*.json"):
        os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)


@pytest.fixture(scope="module")
def own(place: Path, browser: Browser) -> Iterator[Page]:
    """A tab on an app whose library is the reader's own beside the shipped one."""
    with running(place) as server, reading(browser, server.url) as tab:
        yield tab()


def test_the_best_accelerator_within_two_limits_takes_3_steps_and_says_how_few_state_them(
    visit: Visit, tmp_path: Path
) -> None:
    reader = Counter(charted(visit(), "/"))
    reader.go_to("llama 3.3 70b ttft 2 s tpot 50 ms", "Pareto")
    assert reader.steps == 3
    ((of, stating, within),) = Library.open(tmp_path / "none").fetch(
        "SELECT count(*), count(*) FILTER (ttft_ms_p50 IS NOT NULL AND tpot_ms_p50 IS NOT NULL),"
        " max(output_tokens_per_s / accelerators) FILTER (ttft_ms_p50 <= 2000 AND tpot_ms_p50 <= 50)"
        " FROM points WHERE model = 'llama-3.3-70b' AND evidence = 'measured'"
    )
    told = headline(reader.page)
    assert told.startswith(f"Only {stating} of {of} points state ")
    assert "TTFT" in told
    assert "TPOT" in told
    assert f"{within:,.0f} tokens/s" in told
    assert " best " not in told
    assert stating / of < 0.05
    instead = reader.page.locator(".st-key-onward-throughput")
    expect(instead).to_have_text(re.compile("^By throughput alone: "))
    peak = re.search(r"([0-9,]+) output tokens/s", instead.inner_text())
    assert peak is not None
    ((most,),) = Library.open(tmp_path / "none").fetch(
        "SELECT max(output_tokens_per_s) FROM points WHERE model = 'llama-3.3-70b' AND evidence = 'measured'"
        " AND precision = 'fp4'"
    )
    assert peak[1] == f"{most:,.0f}"
    reader.click(instead.get_by_role("link", name="Open Heatmap"))
    reader.page.wait_for_url("**/heatmap?*v=2*")
    settled(reader.page)
    assert f"{most:,.0f}" in headline(reader.page)


def test_tpu_against_gpu_per_dollar_at_my_price_takes_6_steps(visit: Visit, tmp_path: Path) -> None:
    reader = Counter(charted(visit(), "/"))
    page = reader.page
    reader.go_to("tpu vs gpu per dollar", "Crossover")
    before, drawn = headline(page), figure(page)
    assert "per dollar" in before
    slider = page.get_by_test_id("stSlider")
    said = re.search(r"at batch (\d+) it breaks even at ([0-9.]+)", slider.inner_text())
    assert said is not None
    at, even = int(said[1]), float(said[2])
    ((tpu, gpu),) = Library.open(tmp_path / "none").fetch(
        "SELECT max(output_tokens_per_s / accelerators) FILTER (accelerator = 'tpu-v6e' AND accelerators = 4"
        " AND precision = 'int8'), max(output_tokens_per_s / accelerators) FILTER (accelerator = 'h100-sxm'"
        " AND precision = 'fp8') FROM points WHERE model = 'gemma-4-31b' AND evidence = 'measured' AND batch = ?",
        (at,),
    )
    price = re.search(r"H100 SXM ([0-9.]+) USD/h", page.locator("[data-testid=stMain]").inner_text())
    assert price is not None
    assert even == pytest.approx(float(price[1]) * tpu / gpu, rel=0.01)
    reader.click(page.locator(".st-key-options").get_by_role("button", name="Prices"))
    reader.click(page.get_by_role("textbox", name="Price of A (USD/h)"))
    reader.enter("0.5")
    settled(page)
    assert reader.steps == 6
    assert headline(page) != before
    assert "TPU v6e" in headline(page)
    assert figure(page) != drawn
    view = View.from_query(page.url.partition("?")[2])
    assert (view.option("price_a"), view.option("per")) == ("0.5", "dollar")


def test_my_file_beside_the_published_takes_3_steps_and_the_drop(own: Page) -> None:
    reader = Counter(charted(own, "/"))
    reader.click(own.get_by_role("link", name="Data", exact=True))
    own.wait_for_url("**/data*")
    settled(own)
    own.locator("input[type=file]").set_input_files(SAMPLE)
    own.get_by_role("button", name="Import 1 file").wait_for()
    settled(own)
    reader.click(own.get_by_role("button", name="Import 1 file"))
    own.get_by_text("3 points from 1 file are in the library now.").wait_for(timeout=MEASURED_WITHIN_MS)
    settled(own)
    reader.click(own.get_by_role("link", name="Compare with the published"))
    own.wait_for_url("**/pareto?*v=2*")
    own.wait_for_selector(CHART)
    settled(own)
    assert reader.steps == 3
    assert View.from_query(own.url.partition("?")[2]).option("group") == "origin"
    drawn = [trace for trace in figure(own)[0] if trace.get("customdata")]
    assert {"imported", "published"} <= {trace.get("name") for trace in figure(own)[0]}
    assert len({point[0] for trace in drawn for point in trace["customdata"]}) > 3
    assert "DeepSeek-R1 FP4 at 1,024/1,024" in headline(own)


def test_a_practice_sweep_from_launch_to_one_request_with_its_tokens_takes_6_steps(own: Page, place: Path) -> None:
    reader = Counter(charted(own, "/"))
    reader.click(own.get_by_role("link", name="Launch", exact=True))
    own.wait_for_url("**/launch*")
    settled(own)
    reader.click(own.get_by_role("button", name="chat-gpu"))
    own.get_by_role("button", name="Start the sweep").wait_for()
    settled(own)
    reader.click(own.get_by_role("button", name="Start the sweep"))
    own.wait_for_url("**/jobs?job=*")
    own.wait_for_function(f"() => {POINTS} >= 1", timeout=MEASURED_WITHIN_MS)
    reader.click(own.get_by_role("link", name="The run's story"))
    own.wait_for_url("**/run?*")
    settled(own)
    for label in ("Point", "Open a request"):
        box = own.get_by_role("combobox", name=label, exact=True)
        box.wait_for()
        box.focus()
        reader.choose()
    own.locator(".st-key-card").wait_for()
    settled(own)
    assert reader.steps == 6
    (folder,) = listed(place)
    asked = parse_qs(urlsplit(own.url).query)
    assert asked["run"] == [folder.id]
    assert asked["request"][0].isdigit()
    expect(own.locator(".st-key-card")).to_contain_text(f"Request {int(asked['request'][0]):,} ")
    raw = pq.read_table(folder.requests / f"{asked['point'][0]}.parquet").to_pylist()
    (request,) = (row for row in raw if row["number"] == int(asked["request"][0]))
    own.wait_for_selector(f".st-key-card {CHART}")
    settled(own)
    at_ms, tokens_so_far = own.evaluate(ARRIVALS)
    assert len(at_ms) == len(request["chunks_ns"]) > 1
    assert tokens_so_far == [*accumulate(request["chunk_tokens"])]
    due = request["sent_ns"] if request["intended_ns"] is None else request["intended_ns"]
    assert at_ms == pytest.approx([(at - due) / 1e6 for at in request["chunks_ns"]])


def test_a_model_and_a_limit_chosen_in_the_row_take_5_steps_and_their_link_shows_the_same(
    visit: Visit, browser: Browser, server: str, tmp_path: Path
) -> None:
    reader = Counter(charted(visit(), "/pareto"))
    page, before = reader.page, headline(reader.page)
    reader.click(page.get_by_role("combobox", name="Model", exact=True))
    page.keyboard.type("Flan-T5 XL")
    settled(page)
    reader.click(page.get_by_role("option", name=re.compile(r"^Flan-T5 XL \(")))
    page.wait_for_url("**model=flan-t5-xl**")
    settled(page)
    assert headline(page) != before
    reader.click(page.get_by_role("button", name="Limits: None"))
    reader.click(page.get_by_role("spinbutton", name="TTFT at most (ms)"))
    reader.enter("2000")
    page.wait_for_url("**slo=ttft_ms_p50**")
    settled(page)
    page.keyboard.press("Escape")
    settled(page)
    assert reader.steps == 5
    told = headline(page)
    assert told.startswith("With median TTFT ≤ 2,000 ms, ")
    assert "Flan-T5 XL" in told
    ((most,),) = Library.open(tmp_path / "none").fetch(
        "SELECT max(output_tokens_per_s / accelerators) FILTER (ttft_ms_p50 <= 2000) FROM points"
        " WHERE model = 'flan-t5-xl' AND evidence = 'measured'"
    )
    assert f"{most:,.0f} tokens/s per chip" in told
    link, drawn = copied(page), figure(page)
    with reading(browser, server) as tab:
        other = charted(tab(), link)
        assert headline(other) == told
        assert figure(other) == drawn
        view = View.from_query(other.url.partition("?")[2])
        assert (view.values("model"), view.slo) == (("flan-t5-xl",), ("ttft_ms_p50<=2000",))


def test_a_shared_link_on_a_phone_takes_0_steps_to_its_answer_and_1_to_the_point_and_to_the_filters(
    visit: Visit,
) -> None:
    desk = charted(visit(), "/pareto")
    link, told = desk.url, headline(desk)
    phone = visit()
    phone.set_viewport_size({"width": 390, "height": 844})
    reader = Counter(charted(phone, link))
    assert headline(phone) == told
    assert not phone.evaluate(WIDER)
    chart = phone.locator(".js-plotly-plot").first.bounding_box()
    assert chart is not None
    assert chart["y"] < 844 / 2
    model = phone.get_by_role("combobox", name="Model", exact=True)
    expect(model).to_be_hidden()
    reader.click_at(*spot(phone, "line", 1))
    phone.locator(".st-key-card").wait_for()
    settled(phone)
    assert reader.steps == 1
    expect(phone.locator(".st-key-card")).to_contain_text("TTFT (ms)")
    reader.click(phone.locator(".st-key-selected button"))
    expect(model).to_be_visible()
    assert reader.steps == 2
