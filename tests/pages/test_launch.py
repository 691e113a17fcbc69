"""Launch and Jobs: a link fills the form in and starts nothing; what is measured is watched; some have no buttons."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bench.endpoint import Settings
from bench.endpoint.serving import running
from bench.plain_text import WORD_JOINER
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.plan import Plan
from tests.benchmarks._server import free_port
from tests.pages.drawn import Open, headline, text_of
from tests.sweep.played import playing

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("at_this_machine", "own_library")]

TOKEN = "a-token-of-16-characters"
STATED = {
    "model": "fake-model",
    "isl": "8",
    "osl": "4",
    "concurrency": "2",
    "point.warmup_requests": "1",
    "requests": "20",
}


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def said(page: AppTest) -> str:
    """What the page says, without the escapes of Markdown and the joints of addresses."""
    return text_of(page).replace("\\", "").replace(WORD_JOINER, "")


def title(page: AppTest) -> str:
    return headline(page).replace("\\", "")


def test_a_cold_page_begins_with_a_profile_and_asks_for_an_endpoint(opened: Open) -> None:
    page = opened("launch")
    assert title(page).startswith("Pick an endpoint")
    assert page.selectbox(key="plan.profile").value == "quick"
    assert "Start the sweep" not in labels(page)
    assert {"chat-gpu", "batch-tpu", "saturating"} <= set(labels(page))


def test_a_link_fills_the_form_in_and_starts_nothing(opened: Open, own_library: Path) -> None:
    page = opened("launch", url="http://127.0.0.1:9", **STATED)
    assert title(page).startswith("1 point of fake-model at 127.0.0.1:9: ISL 8 with OSL 4 at concurrency 2")
    assert page.text_input(key="plan.workloads.isl").value == "8"
    assert "Start the sweep" in labels(page)
    assert any("python -m bench sweep" in code.value and "--requests 20" in code.value for code in page.code)
    assert not own_library.exists() or not listed(own_library)


def test_what_is_wrong_in_a_link_is_said_at_its_field(opened: Open) -> None:
    page = opened("launch", url="http://127.0.0.1:9", **{**STATED, "concurrency": "1, x"}, nonsense="1")
    assert "whole numbers from 1 to 8192" in said(page)
    assert "nonsense" in said(page)
    assert "Start the sweep" not in labels(page)


@pytest.mark.parametrize(
    ("url", "why"), [("http://gpu.example:8000", "endpoints.toml"), ("http://127.0.0.1:22", "system")]
)
def test_a_page_measures_only_this_machine(opened: Open, own_library: Path, url: str, why: str) -> None:
    page = opened("launch", url=url, **STATED)
    if "Start the sweep" in labels(page):
        page.button(key="start").click().run()
    assert why in said(page)
    assert not own_library.exists() or not listed(own_library)


def test_a_token_opens_the_start_and_stays_out_of_the_address(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", TOKEN)
    page = opened("launch", url="http://127.0.0.1:9", **STATED)
    assert "Start the sweep" not in labels(page)
    page.text_input(key="token.typed").set_value("another-of-16-characters").run()
    assert "not the server's token" in said(page)
    assert "Start the sweep" not in labels(page)
    page.text_input(key="token.typed").set_value(TOKEN).run()
    assert "Start the sweep" in labels(page)
    assert "token" not in str(dict(page.query_params))


def test_the_way_in_is_there_before_there_is_a_plan(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", TOKEN)
    page = opened("launch")
    assert page.button(key="practice.chat-gpu").disabled
    page.text_input(key="token.typed").set_value(TOKEN).run()
    assert not page.button(key="practice.chat-gpu").disabled


def test_what_is_run_again_or_changed_has_prompts_the_endpoint_has_not_seen(opened: Open, own_library: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    plan = Plan.from_fields({"endpoint.url": url, "endpoint.model": "fake-model", "profile": "quick", "seed": "5"})
    first = Folder.create(own_library, plan)
    page = opened("jobs", job=first.id)
    (change,) = [link for link in page.get("page_link") if link.proto.label == "Change it and run"]
    assert "profile=quick" in change.proto.query_string
    assert "seed" not in change.proto.query_string
    page.button(key="again").click().run()
    (again,) = [folder for folder in listed(own_library) if folder != first]
    assert again.plan.seed not in (None, 5)
    assert again.plan.unseeded() == plan.unseeded()


def test_in_read_only_mode_endpoints_are_seen_and_none_of_them_is_asked(
    opened: Open, own_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    own_library.mkdir(parents=True)
    with playing() as played:
        (own_library / "endpoints.toml").write_text(
            f'[endpoints.lab]\nbase_url = "{played.url}"\nmodel = "fake-model"\n'
        )
        page = opened("launch", profile="quick", endpoint="lab")
        (row,) = page.dataframe[0].value.to_dict("records")
        assert row == {"name": "lab", "model": "fake-model", "base_url": played.url}
        assert "Start the sweep" not in labels(page)
        assert page.button(key="check").disabled
        assert "read-only" in said(page)
        assert played.asked == []


def test_a_job_that_is_not_there_is_told(opened: Open) -> None:
    page = opened("jobs", job="../../etc")
    assert "There is no sweep" in said(page)
    assert title(page) == "Nothing has been measured in this library yet."


def test_endpoints_of_the_library_are_listed_with_what_they_say(opened: Open, own_library: Path) -> None:
    with running(Settings(model="fake-model", engine_version="0.9.9")) as url:
        own_library.mkdir(parents=True)
        (own_library / "endpoints.toml").write_text(
            f'[endpoints.lab]\nbase_url = "{url}"\nmodel = "fake-model"\nfacts = {{ accelerators = 2 }}\n'
            '[endpoints.gone]\nbase_url = "http://127.0.0.1:9"\nmodel = "m"\n'
        )
        page = opened("launch", profile="quick", endpoint="lab")
        assert title(page).startswith("4 points of fake-model at lab")
        seen = page.dataframe[0].value.set_index("name")
        assert seen["reachable"].tolist() == ["● yes", "✕ no"]
        assert (seen.loc["lab", "engine"], seen.loc["lab", "version"]) == ("vllm", "0.9.9")
        assert "Start the sweep" in labels(page)
        assert any("accelerators = 2" in code.value for code in page.code)
    unknown = opened("launch", profile="quick", endpoint="elsewhere")
    assert "There is no endpoint named" in said(unknown)
    assert "Start the sweep" not in labels(unknown)


def test_an_address_without_a_scheme_lists_its_models_and_the_one_it_serves_is_chosen(
    opened: Open, own_library: Path
) -> None:
    with playing() as played:
        page = opened("launch")
        address = played.url.removeprefix("http://")
        page.text_input(key="plan.endpoint.url").set_value(f" {address}/v1 ").run()
        assert played.asked == []
        assert title(page).startswith("Pick the model")
        assert f"Understood as http://{address}/v1" in said(page)
        page.button(key="models").click().run()
        assert played.asked == ["GET /v1/models"]
        assert page.selectbox(key="plan.endpoint.model").value == "fake-model"
        assert title(page).startswith(f"4 points of fake-model at {address}")
        assert "Start the sweep" in labels(page)
    assert not own_library.exists() or not listed(own_library)


@pytest.mark.parametrize(
    ("url", "why"),
    [("gpu.example:8000", "endpoints.toml"), ("gpu.example", "Start the address with http:// or https://")],
)
def test_models_are_listed_only_where_a_page_may_ask(opened: Open, url: str, why: str) -> None:
    page = opened("launch", profile="quick", url=url)
    page.button(key="models").click().run()
    assert why in said(page)


def test_what_an_endpoint_before_was_said_to_be_goes_with_it(opened: Open) -> None:
    facts = {"facts.accelerator": "H100", "facts.engine": "enginex"}
    page = opened("launch", profile="quick", url="127.0.0.1:9", model="fake-model", isl="8", **facts)
    assert page.selectbox(key="plan.facts.accelerator").value == "h100-sxm"
    assert "enginex is no known engine" in said(page)
    page.text_input(key="plan.endpoint.url").set_value("127.0.0.1:9/v1").run()
    assert page.selectbox(key="plan.endpoint.model").value == "fake-model"
    page.text_input(key="plan.endpoint.url").set_value("127.0.0.1:10").run()
    assert page.selectbox(key="plan.endpoint.model").value is None
    assert page.selectbox(key="plan.facts.accelerator").value is None
    assert page.text_input(key="plan.workloads.isl").value == "8"
