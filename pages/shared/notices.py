"""What a page says when it has nothing to show or something is wrong: what happened, and the one next step."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from bench import flags
from bench.chart import value_label
from bench.plain_text import markdown
from bench.records import Flag
from bench.view import FILTER_BY_KEY, View
from bench.wording import counted, joined
from pages.shared import address, cached, headlines

WAYS = 6


def warn(sentences: Iterable[str]) -> None:
    """Tell what the page lacks, such as what a link asked for or what is damaged of the library; it shows the rest."""
    told = list(sentences)
    if told:
        st.warning("  \n".join(markdown(sentence) for sentence in told))


def failed(sentence: str) -> None:
    """Say why the request could not be met, in this sentence, and what to do."""
    st.warning(markdown(sentence))
    _start_over("This selection cannot be answered.")


def broken() -> None:
    """Say that something went wrong which nobody foresaw; its traceback is in the server's log."""
    st.error("This page could not be drawn; your data are safe. The server's log says why.")
    _start_over("Start over")


def nothing_loaded() -> None:
    """Say that the library is empty, and how to fill it."""
    headlines.headline("Nothing is loaded yet")
    st.markdown("Drop result files on the Data page, or import them in a terminal and reload this page:")
    st.code("python -m bench import results.csv", language="bash")


def nothing_selected(name: str, view: View) -> None:
    """Say that no point has all of the selection; offer to lift each filter that alone is in the way."""
    headlines.headline("No point matches all of these filters")
    left = {key: cached.count(View(view.with_where(**{key: None}).where)) for key, _ in view.where}
    ways = sorted((key for key in left if left[key]), key=lambda key: -left[key])
    st.markdown(
        "Lifting one of these filters is enough:" if ways else "No single filter is in the way; reset them all."
    )
    with st.container(horizontal=True):
        for key in ways[:WAYS]:
            values = joined([value_label(key, value) for value in view.values(key)], "or", at_most=2)
            label = f"Without {FILTER_BY_KEY[key].label.lower()} {values}: {counted(left[key], 'point')}"
            st.button(markdown(label), key=f"lift.{key}", on_click=address.choose, args=(name,), kwargs={key: ()})
        st.button("Reset everything", key="lift", on_click=address.reset)


def flagged(stated: Iterable[Flag]) -> None:
    """Draw each flag's kind and weight, what was seen, why it matters and what to do; nothing where there is none."""
    lines = [
        f"- **{markdown(flags.words(flag.kind))}** ({flags.weight_words(flag.kind)}): "
        + markdown(" ".join(filter(None, (flag.seen, flag.why, flag.do))))
        for flag in stated
    ]
    if lines:
        st.markdown("\n".join(lines))


def _start_over(why: str) -> None:
    st.button("Reset the selection", key="start_over", help=why, on_click=address.reset)
