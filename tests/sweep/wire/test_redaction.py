"""A key is taken out of whatever an endpoint says, however it is spelled there."""

from __future__ import annotations

import base64
import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.sweep.wire.redaction import REDACTED, redacted

KEYS = st.text(st.sampled_from("abcXYZ019-_.+/&<="), min_size=8, max_size=40)
SPELLINGS = {
    "as it is": lambda key: key,
    "over a line end": lambda key: f"{key[:4]}\r\n{key[4:]}",
    "hexadecimal digits": lambda key: key.encode().hex().upper(),
    "octal escapes": lambda key: "".join(f"\\{ord(one):03o}" for one in key),
    "escapes in braces": lambda key: "".join(f"\\u{{{ord(one):x}}}" for one in key),
    "percent, four times": lambda key: "".join(f"%252525{ord(one):02x}" for one in key),
    "HTML, three times": lambda key: html.escape(html.escape("".join(f"&#{ord(one)};" for one in key))),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 behind one byte": lambda key: base64.urlsafe_b64encode(f"x{key}".encode()).decode(),
    "base64 behind two bytes": lambda key: base64.b64encode(f"xx{key}yy".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(key=KEYS)
def test_a_key_is_taken_out_in_each_spelling(spelling: str, key: str) -> None:
    said = redacted(f"no entry for {SPELLINGS[spelling](key)}.", [key])
    assert REDACTED in said
    assert key not in said


def test_what_holds_no_key_stays() -> None:
    assert redacted("a key is missing: 73656372", ["another-key-1"]) == "a key is missing: 73656372"
