"""What is wrong with a point, drawn: a line for each of its flags, the same wherever the point is shown."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from bench import flags
from bench.plain_text import markdown
from bench.records import Flag


def listed(stated: Iterable[Flag]) -> None:
    """Each flag's kind and weight, what was seen, why it matters and what to do; nothing where there is none."""
    lines = [
        f"- **{markdown(flags.words(flag.kind))}** ({flags.weight_words(flag.kind)}): "
        + markdown(" ".join(filter(None, (flag.seen, flag.why, flag.do))))
        for flag in stated
    ]
    if lines:
        st.markdown("\n".join(lines))
