"""`python -m tests.e2e.screenshots FOLDER`: every page in light and dark, wide and narrow, and its other states."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.benchmarks._server import running
from tests.e2e.browsing import CHROMIUM, FLAGS, context_on, open_filters, settled, spot
from tests.pages.drawn import NAMES

SCHEMES = ("light", "dark")
WIDTHS = (1440, 800)
TALLEST = 3000
SAMPLES = Path(__file__).parents[1] / "samples" / "vllm"


def click(kind: str) -> Callable[[Page], None]:
    """A click on the third point of a chart."""
    return lambda page: page.mouse.click(*spot(page, kind, 2))


def pick_source(page: Page) -> None:
    box = page.locator("[data-testid=stDataFrame]").first.bounding_box() or {"x": 0, "y": 0}
    page.mouse.click(box["x"] + 16, box["y"] + 52)


def drop_files(page: Page) -> None:
    """Two results and a file that is none, looked through."""
    files = [SAMPLES / "concurrency-4.json", SAMPLES / "concurrency-16.json", SAMPLES / "SOURCE.md"]
    page.locator("input[type=file]").set_input_files(files)
    page.get_by_role("button", name="Import").wait_for()


def run_example(page: Page) -> None:
    page.locator(".st-key-examples button").first.click()
    page.locator(".js-plotly-plot, [data-testid=stDataFrame]").first.wait_for()


def tab(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("tab", name=name).click()


def open_export(page: Page) -> None:
    page.get_by_role("button", name="Export").click()


STATES: dict[str, tuple[str, Callable[[Page], None] | None]] = {
    "filters": ("/pareto", open_filters),
    "pareto-point": ("/pareto", click("line")),
    "pareto-limits": (
        "/pareto?v=1&model=deepseek-r1&isl=8192&osl=1024&slo=interactivity_tokens_per_s_per_user_p50>=40&slo=output_tokens_per_s_per_accelerator>=100",
        None,
    ),
    "heatmap-cell": ("/heatmap", click("cell")),
    "heatmap-ratio": (
        "/heatmap?model=llama-3.1-70b&engine_version=0.17&panel=accelerators&ratio_by=accelerator"
        "&ratio_a=h200-sxm&ratio_b=h100-sxm",
        None,
    ),
    "data-source": ("/data", pick_source),
    "data-adding": ("/data", drop_files),
    "data-points": ("/data", tab("Points")),
    "data-passports": ("/data", tab("Passports")),
    "data-refusals": ("/data", tab("Refusals")),
    "sql-example": ("/sql", run_example),
    "export": ("/pareto", open_export),
    "not-loaded": ("/pareto?v=1&model=deepseek-r1&model=no-such-model&isl=many", None),
    "nothing-selected": ("/pareto?v=1&model=deepseek-r1&accelerator=tpu-v6e", None),
}


def main() -> int:
    """Zero once every picture lies in the folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only the pictures whose name contains this")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as library, running(Path(library)) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for name, (address, act) in shown().items():
            for scheme in SCHEMES:
                for width in WIDTHS:
                    target = asked.folder / f"{name}-{scheme}-{width}.png"
                    if asked.only in target.name:
                        take(browser, server.url, address, act, scheme, width, target)
                        print(target)
        browser.close()
    return 0


def shown() -> dict[str, tuple[str, Callable[[Page], None] | None]]:
    """Each picture's name with the address it shows and what is done there first."""
    pages = {name: ("/" if name == "overview" else f"/{name}", None) for name in NAMES}
    return {**pages, **STATES}


def take(
    browser: Browser, url: str, address: str, act: Callable[[Page], None] | None, scheme: str, width: int, target: Path
) -> None:
    """Writes one picture: the whole page, however long, at this width."""
    context = context_on(browser, url)
    page = context.new_page()
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 1000})
    page.goto(address)
    page.locator("h1, h2").first.wait_for()
    settled(page)
    if act:
        act(page)
        settled(page)
    page.mouse.move(0, 0)
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(max(height, 600), TALLEST)})
    page.wait_for_timeout(800)
    page.screenshot(path=target)
    context.close()


if __name__ == "__main__":
    sys.exit(main())
