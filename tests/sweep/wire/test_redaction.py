"""A key is taken out of whatever an endpoint says, however it is spelled there, and nothing else is."""

from __future__ import annotations

import base64
import html
import urllib.parse
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench.sweep.wire import redaction
from bench.sweep.wire.exchange import Target
from bench.sweep.wire.redaction import REDACTED, kept, redacted
from tests.thorough import some, times

KEYS = st.text(st.sampled_from("abcXYZ019-_.+/&<="), min_size=8, max_size=40)
LONG_KEYS = st.text(st.sampled_from("abcdefXYZ01239-_.+/="), min_size=16, max_size=48)
"""What keys are made of; those of escapes' own characters are tried with one encoding at a time."""


def each(spelled: str) -> Callable[[str], str]:
    """Each character of a text by its number, spelled so."""
    return lambda text: "".join(spelled.format(ord(one)) for one in text)


def xxd(text: str) -> str:
    """As `xxd` prints it: 16 bytes a line, in groups of two, and the characters."""
    return _dump(text, "{:08x}: {:<39}  {}", lambda part: part.hex(" ", -2))


def hexdump(text: str) -> str:
    """As `hexdump -C` prints it."""
    return _dump(text, "{:08x}  {:<48}  |{}|", lambda part: f"{part[:8].hex(' ')}  {part[8:].hex(' ')}")


def _dump(text: str, line: str, digits: Callable[[bytes], str]) -> str:
    parts = [text[at : at + 16].encode("ascii", "replace") for at in range(0, len(text), 16)]
    shown = ["".join(chr(one) if 32 <= one < 127 else "." for one in part) for part in parts]
    return "\n".join(line.format(16 * at, digits(part), shown[at]) for at, part in enumerate(parts))


def around(sign: str) -> Callable[[str], str]:
    """What has this between any two of its characters."""
    return sign.join


UTF_16_IN_BASE64, UTF_16_IN_HEX = "base64 of UTF-16", "hexadecimal digits of UTF-16"
SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "with large letters small and small ones large": str.swapcase,
    "over a line end": lambda key: f"{key[:4]}\r\n{key[4:]}",
    "over line separators": around("\u2028"),
    "over paragraph separators": around("\u2029"),
    "over blanks that hold together": around("\xa0"),
    "over lines of a page": around("<br>"),
    "over lines of a page, escaped": around("&lt;BR /&gt;"),
    "over what has no width": around("\u200b\ufeff\u2060"),
    "over hyphens for the end of a line": around("\xad"),
    "over names of what has no width": around("&ZeroWidthSpace;&#8203;&#x200b;"),
    "over escapes of what has no width": around("\\u200b%E2%80%8B"),
    "octal escapes without zeros": each("\\{:o}"),
    "escapes of JavaScript in URLs": each("%u{:04x}"),
    UTF_16_IN_BASE64: lambda key: base64.b64encode(key.encode("utf-16")).decode(),
    UTF_16_IN_HEX: lambda key: key.encode("utf-16-be").hex(),
    "base64 over lines of a page": lambda key: "<br>".join(base64.b64encode(key.encode()).decode()),
    "hexadecimal digits": lambda key: key.encode().hex().upper(),
    "hexadecimal digits with colons": lambda key: key.encode().hex(":"),
    "hexadecimal digits as C has them": lambda key: ", ".join(f"0x{one:02x}" for one in key.encode()),
    "octal escapes": each("\\{:03o}"),
    "escapes of JSON": each("\\u{:04x}"),
    "escapes of Python": each("\\x{:02x}"),
    "escapes in braces": lambda key: "".join(f"\\u{{{ord(one):x}}}" for one in key),
    "percent, four times": each("%252525{:02x}"),
    "percent": each("%{:02X}"),
    "a part of a URL": lambda key: urllib.parse.quote(key, safe=""),
    "HTML": each("&#{};"),
    "HTML, three times": lambda key: html.escape(html.escape(each("&#{};")(key))),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 behind one byte": lambda key: base64.urlsafe_b64encode(f"x{key}".encode()).decode(),
    "base64 behind two bytes": lambda key: base64.b64encode(f"xx{key}yy".encode()).decode(),
    "base64 of MIME": lambda key: base64.encodebytes(key.encode()).decode().replace("\n", "\r\n"),
    "xxd": xxd,
    "hexdump -C": hexdump,
}
DUMPS = ("xxd", "hexdump -C")
ESCAPES = (
    "octal escapes",
    "octal escapes without zeros",
    "escapes of JSON",
    "escapes in braces",
    "percent",
    "a part of a URL",
    "HTML",
)
INSIDE = (*ESCAPES, "hexadecimal digits", "hexadecimal digits with colons", "hexadecimal digits as C has them",
          UTF_16_IN_BASE64, UTF_16_IN_HEX, "base64",
          "base64 behind one byte", "base64 behind two bytes", "base64 of MIME", *DUMPS)  # fmt: skip
REAL = (
    '{"object":"error","message":"The model `meta-llama/Llama-3.1-8B-Instruct` does not exist.","code":404}',
    "This model's maximum context length is 8192 tokens. However, you requested 9216 tokens (9200 in the messages).",
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center>nginx/1.27.3</center></body></html>",
    'data: {"id":"chatcmpl-8f3a5b0c9e7d4f21","choices":[{"delta":{"content":" Gr\\u00f6\\u00dfe &amp; \\"so\\" on"}}]}',
    "CUDA error: an illegal memory access was encountered at 0x7f3a5b0c9e7d, dump:\n" + xxd("no key in here, really"),
    'Traceback (most recent call last):\n  File "C:\\\\vllm\\\\engine.py", line 41, in step\nValueError: 100%25 full',
    base64.encodebytes(bytes(range(256))).decode(),
    " ".join(["größer 模型 🚀 \ud800"] * 40),
)
"""What servers answer."""


@pytest.mark.parametrize("spelling", SPELLINGS)
@settings(max_examples=times(100, 8))
@given(key=KEYS)
def test_a_key_is_taken_out_in_each_spelling(spelling: str, key: str) -> None:
    said = redacted(f"no entry for\n{SPELLINGS[spelling](key)}\n.", [key])
    assert REDACTED in said
    assert key.lower() not in said.lower()
    assert (said[:12], said[-1:]) == ("no entry for", ".")


def left_of(key: str, spelled: Sequence[str], width: int, end: str) -> tuple[str, str]:
    """A key spelled so, one way inside the other, wrapped at this width; and what redaction leaves of that."""
    text, is_dump = key, False
    for way in spelled:
        text = SPELLINGS[way](text)
        is_dump = way in DUMPS or (is_dump and way in ESCAPES)
    if width and not is_dump:  # the lines of a dump are its own
        text = end.join(text[at : at + width] for at in range(0, len(text), width))
    said = redacted(f"no entry for\n{text}\nat all", [key])
    assert (said[:12], said[-6:]) == ("no entry for", "at all")
    return "".join(text.split()), "".join(said[12:-6].split())


@given(
    LONG_KEYS,
    st.lists(st.sampled_from(INSIDE), max_size=3),
    st.one_of(st.just(0), st.integers(1, 80)),
    st.sampled_from(["\n", "\r\n", "\n "]),
)
@example("sk-lab-0123456789abcdef0123456789abcdef", ["base64 of MIME", "base64", "base64"], 76, "\r\n")
@example("sk-lab-0123456789abcdef0123456789abcdef", ["hexadecimal digits", "base64", "hexadecimal digits"], 1, "\n")
@example("sk-lab-0123456789abcdef0123456789abcdef", ["xxd", "escapes of JSON"], 0, "\n")
def test_up_to_three_encodings_of_a_key_wrapped_at_any_width_leave_nothing_of_it(
    key: str, spelled: list[str], width: int, end: str
) -> None:
    """No stretch of the encoded text that stands for some six characters is left of it, as often as it holds them."""
    encoded, left = left_of(key, spelled, width, end)
    assert REDACTED in left
    piece = 6 * len(encoded) // len(key)
    if not set(spelled) & set(DUMPS):  # of which a line's number, and the digits of blanks, may stay
        assert not [at for at in range(len(encoded) - piece + 1) if encoded[at : at + piece] in left]
    assert len(left) < 0.5 * len(encoded) + 12


@pytest.mark.parametrize("text", REAL)
def test_what_holds_no_key_stays_as_it_is(text: str) -> None:
    secrets = ("Bearer sk-lab-0123456789abcdef", "sk-lab-0123456789abcdef", "another-key-1", "key4")
    assert redacted(text, secrets) == text
    assert kept(text, secrets, 10_000) == " ".join(text.split())


@pytest.mark.parametrize("secret", ["öäü-ß1ßß", "a       b", "\t\t\t\t\t\t\t\t", "ü1"])
def test_a_secret_of_little_that_is_looked_for_is_taken_out_as_it_is(secret: str) -> None:
    text = "a b and 1-ab, of all"
    assert (redacted(text, [secret]), redacted(f"<{secret}>", [secret])) == (text, "<…>")


def test_the_parts_of_a_basic_credential_are_taken_out_too() -> None:
    pair = base64.b64encode(b"reader:pass:word-1").decode()
    secrets = Target("host", 80, "/v1", headers={"Authorization": f"basic {pair}"}).secrets
    urls = "reader:pass:word-1 http://reader:pass:word-1@host"
    said = f"{pair} {urls} for reader, pass%3Aword-1 {b'pass:word-1'.hex()}"
    assert redacted(said, secrets) == "… … http://…@host for reader, … …"
    assert (
        Target("host", 80, "/v1", headers={"Authorization": "Basic no-pair-at-all"}).secrets[0]
        == "Basic no-pair-at-all"
    )


def test_a_key_as_short_as_a_word_is_taken_out_as_it_is_alone() -> None:
    assert redacted("none: no\nne, no ne, bm9uZQ==", ("none",)) == "…: …, no ne, bm9uZQ=="


HOSTILE = {
    "escaped percent signs": "%" + "25" * 50_000,
    "backslashes": "\\" * 100_000,
    "digits": "3" * 100_000,
    "base64, four times": SPELLINGS["base64"](SPELLINGS["base64"](SPELLINGS["base64"]("tokens and words " * 4000))),
    "dumps": f"{xxd('sixteen letters.')}\n" * 1500,
    "keys": SPELLINGS["base64 of MIME"]("sk-lab-0123456789abcdef " * 3000),
}


@pytest.mark.parametrize("name", some(HOSTILE, 3))
def test_the_work_that_a_hostile_text_makes_grows_with_its_length_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in the bytes that are looked through, which no clock can upset."""

    def looked_through(text: str) -> int:
        looked: list[int] = []
        with monkeypatch.context() as patched:
            patched.setattr(
                redaction, "_unescaped", lambda data, *gaps: (looked.append(len(data)), bare(data, *gaps))[1]
            )
            redacted(text, ("sk-lab-0123456789abcdef",))
        return sum(looked)

    bare = redaction._unescaped
    half, whole = (looked_through(HOSTILE[name][:length]) for length in (20_000, 40_000))
    assert whole < 2.2 * half
    assert whole < 100 * 40_000
