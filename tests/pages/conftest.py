"""Pages run by Streamlit's own test runner, in this process, on the shipped library or one made for the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bench.library import Library
from tests.pages.drawn import MAIN, Open


HOSTILE_TABLE = """\
model,precision,engine,engine_version,accelerator,accelerators,variant,isl,osl,load_kind,concurrency,\
output_tokens_per_s,ttft_ms_p50,tpot_ms_p50,evidence,date,source,note
<b>Model</b> **x**,fp8,vllm,$x$ :red[v],H100,4,"=cmd|' /C calc'!A0 <img src=x onerror=alert(1)>",1024,256,closed,1,70,38,14,measured,2026-03-02,ev\u202eil,_n_
<b>Model</b> **x**,fp8,vllm,$x$ :red[v],H100,4,"=cmd|' /C calc'!A0 <img src=x onerror=alert(1)>",1024,256,closed,16,840,96,18,measured,2026-03-02,ev\u202eil,_n_
<b>Model</b> **x**,fp8,vllm,$x$ :red[v],H200,8,[a](javascript:alert(1)),2048,256,closed,16,1840,80,16,measured,2026-03-02,ev\u202eil,_n_
<b>Model</b> **x**,fp8,vllm,$x$ :red[v],H200,8,[a](javascript:alert(1)),2048,512,closed,64,2840,180,26,measured,2026-03-02,ev\u202eil,_n_
"""
HOSTILE_CARD = """\
title = "<script>alert(1)</script> *bold* :smile: $y$"
licence = "[free](javascript:alert(1))"
attribution = "# not a heading"
"""


@pytest.fixture(autouse=True)
def own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty library of the test's own beside the shipped one; nothing is kept from test to test."""
    place = tmp_path / "library"
    monkeypatch.setenv("KNEEPOINT_LIBRARY", str(place))
    st.cache_resource.clear()
    yield place
    st.cache_resource.clear()


@pytest.fixture
def hostile(own_library: Path, tmp_path: Path) -> Path:
    """A library with names that would act if they were not treated as text."""
    table = tmp_path / "hostile.csv"
    table.write_text(HOSTILE_TABLE, encoding="utf-8")
    table.with_suffix(".source.toml").write_text(HOSTILE_CARD, encoding="utf-8")
    report = Library.open(own_library).add([table])
    assert not report.refused, report.refused
    return own_library


@pytest.fixture
def opened() -> Open:
    """Opens a page by name, with what its address asks for."""

    def run(name: str, **query: str | list[str]) -> AppTest:
        at = AppTest.from_file(str(MAIN), default_timeout=60)
        for key, value in query.items():
            at.query_params[key] = value
        at.switch_page(f"{name}.py")
        return at.run()

    return run
