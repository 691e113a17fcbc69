"""Keys taken out of what an endpoint says: some repeat the key they refuse, or the whole head of a request.

Everything an endpoint says passes here before any of it is kept or cut, as text that was decoded. A key is looked for
in all that a text decodes to: base64 and hexadecimal digits, dumps, and the escapes of JSON, Python, C, URLs and HTML,
one inside the other, with anything between its letters that is no printable ASCII, and in UTF-16. Where one is found,
the least stretch of the text goes that still holds it. What is kept was looked through once more and holds none.
"""

from __future__ import annotations

import html
import re
from binascii import a2b_base64, unhexlify
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

REDACTED = "…"
SURELY = 8
"""So many characters do not stand in a document by chance; a shorter key may be part of a model's name."""
LONGEST_HEARD = 65_536
"""How many characters of a text are looked at, where few of them are kept."""
LONGEST_SPELLING = 512
"""The most characters that one of a key takes in any spelling: three escapes inside each other."""
STRETCHES = ((2_048, 16), (32_768, 1))
"""In how long stretches the places are sought that hold a key, and at most how many; beyond that no text is kept."""
DEPTH = 3
"""So many times base64 or hexadecimal digits are decoded, one inside the other."""
PASSES = 8
"""What has different escapes inside each other more often than this is as if it held a key."""
PRINTABLE = bytes(range(0x21, 0x7F))
UNSEEN = bytes({*range(256)} - {*PRINTABLE, *b" \t\r\n"})
NOT_BASE64 = bytes({*range(256)} - {*b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"})
NOT_HEX = bytes({*range(256)} - {*b"0123456789abcdef"})
IN_URLS = bytes.maketrans(b"-_", b"+/")
CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"", b"f": b"", b"v": b""}
ESCAPE = re.compile(
    rb"\\\\*u([0-9a-f]{4})|\\\\*u\{([0-9a-f]{1,6})\}|\\\\*x([0-9a-f]{2})|%(?:25)*u([0-9a-f]{4})|%(?:25)*([0-9a-f]{2})"
    rb"|&(?:amp;)*#x([0-9a-f]{1,6});?|\\\\*([01][0-7]{2}|[0-7]{1,2})|&(?:amp;)*#([0-9]{1,7});?"
    rb"|\\\\*([^0-9a-z]|[nrtbfv])|&(?:amp;)*([a-z][0-9a-z]{1,31});",
    re.IGNORECASE,
)
"""Escapes, each as often as it was escaped again in the same way."""
OCTAL, DECIMAL, ITSELF, BY_NAME = 7, 8, 9, 10
"""Which group of an escape says what it stands for; those before are of hexadecimal digits."""
LINE_OF_A_PAGE = re.compile(rb"<w?br *\/?>", re.IGNORECASE)
HALF_ESCAPE = re.compile(rb"(?:%[0-9a-f]?|\\+|&\w{0,8})$", re.IGNORECASE)
"""What may be the beginning of an escape with the text behind it."""
MOST_IN_ROW = 64
TEXT = rb"(?:[\t-\r -~\xa0\xad]|[\xc2-\xf4][\x80-\xbf]{1,3}){%d}"
WIDE = re.compile(rb"(?:[!-~]\0[^\0]{0,6}){4}|(?:\0[!-~][^\0]{0,6}){4}")
DUMPS = tuple(
    re.compile(rb"(?<![0-9a-f])([0-9a-f]{4,16}" + line, re.IGNORECASE)
    for line in (
        rb": )((?:[0-9a-f]{2,4} ){1,32})( *)([ -~]{1,64})()",
        rb"  )((?:[0-9a-f]{2} {1,2}){1,32})( *\|)([ -~]{16}|[ -~]{1,15}?)(\|)",
    )
)
"""A line of `xxd` and of `hexdump -C`: where it begins, digits, and the characters they stand for."""


class SoughtKeys(NamedTuple):
    """What is looked for: keys in small letters, in a text as it is and in what it decodes to up to `depth` times.

    `between` are the bytes that may stand between their characters. What is decoded is looked at where it has `text`
    as long as a key.
    """

    plain: re.Pattern[str]
    keys: tuple[bytes, ...]
    text: re.Pattern[bytes]
    between: bytes
    depth: int

    def in_text(self, text: str) -> bool:
        """Whether the text holds one of the keys."""
        return _holds(text.encode("utf-8", "ignore"), self, self.depth)


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with an ellipsis for each secret, in whatever case and spelling."""
    for sought in _sought(tuple(secrets)):
        text = sought.plain.sub(REDACTED, text)
        if sought.in_text(text):
            text = _cut(text, sought.in_text)
    return text


def kept(text: str, secrets: Iterable[str], most: int) -> str:
    """The text on one line without its secrets, cut at so many characters; no part of a secret is left at the cut."""
    known = tuple(secrets)
    clean = redacted(text[:LONGEST_HEARD], known)
    if len(text) > LONGEST_HEARD and known:  # the last secret may have been cut through
        clean = clean[: -LONGEST_SPELLING * max(map(len, known))]
    return " ".join(clean.split())[:most]


def redacted_document(document: Any, secrets: Iterable[str]) -> Any:
    """The plain values of a document with an ellipsis for each secret that does not stand there by chance."""
    sure = tuple(secret for secret in secrets if len(secret) >= SURELY)
    return _without(document, sure) if sure else document


def _without(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return redacted(value, secrets)
    if isinstance(value, dict):
        return {redacted(key, secrets): _without(part, secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [_without(part, secrets) for part in value]
    return value


@lru_cache(maxsize=64)
def _sought(secrets: tuple[str, ...]) -> tuple[SoughtKeys, ...]:
    """What to look for: short keys as they are and with escapes, of all others every spelling."""
    found = []
    for sure, printable, depth in ((False, b" " + PRINTABLE, 0), (True, PRINTABLE, DEPTH)):
        between = bytes({*range(256)} - {*printable})
        own = [secret for secret in secrets if secret and (len(secret) >= SURELY) is sure]
        whole = ((secret, _joined(secret.encode("ascii", "ignore"), between)) for secret in own)
        keys = {
            key for secret, key in whole if len(key) >= min(SURELY, len(secret))
        }  # else others are like it by chance
        plain = {re.escape(secret) for secret in own} | {
            f"[^{re.escape(printable.decode())}]*".join(map(re.escape, key.decode())) for key in keys
        }
        bare = {HALF_ESCAPE.sub(b"", form) for key in keys for form in _unescaped(key, between)}
        small = tuple({key.lower() for key in keys | {form for form in bare if len(form) >= SURELY}})
        if plain:
            pattern = re.compile("|".join(sorted(plain, key=len, reverse=True)), re.IGNORECASE | re.ASCII)
            text = re.compile(TEXT % min([MOST_IN_ROW, *map(len, small)]))
            found.append(SoughtKeys(pattern, small, text, between, depth))
    return tuple(found)


def _cut(text: str, holds: Callable[[str], bool]) -> str:
    """A text that holds keys with an ellipsis for each stretch that does; for all of it where they are too many."""
    for size, most in STRETCHES:
        at = 0
        while at < len(text):
            part = text[at : at + size]
            if not holds(part):
                at += size // 2
                continue
            if not most:
                break
            most -= 1
            end = bisect_left(range(len(part)), True, key=lambda many: holds(part[:many]))
            beyond = bisect_left(range(end), True, key=lambda start: not holds(part[start:end]))
            text = f"{text[: at + max(0, beyond - 1)]}{REDACTED}{text[at + end :]}"
        if not holds(text):
            return text
    return REDACTED


def _holds(data: bytes, sought: SoughtKeys, depth: int) -> bool:
    """Whether one of the keys stands in these bytes, or in what they decode to so many times."""
    for laid in (data, *(_columns(data) if depth else ())):
        forms = list(_unescaped(_joined(laid, sought.between), sought.between))
        if len(forms) > PASSES:
            return True
        for form in forms:
            small = form.lower()
            if any(key in small for key in sought.keys):
                return True
            inside = filter(sought.text.search, _decoded(form, small)) if depth else ()
            if any(_holds(inner, sought, depth - 1) for inner in inside):
                return True
    return False


def _unescaped(data: bytes, between: bytes = b"") -> Iterator[bytes]:
    """The bytes as they are, and with escapes taken off once, twice and so on, as long as there are any."""
    for _ in range(PASSES + 1):
        yield data
        bare = _joined(ESCAPE.sub(_character, data), between)
        if bare == data:
            return
        data = bare


def _joined(data: bytes, between: bytes) -> bytes:
    """The bytes without these, and where any are left out without the line ends of a page too."""
    return LINE_OF_A_PAGE.sub(b"", data.translate(None, between)) if between else data


def _character(escape: re.Match[bytes]) -> bytes:
    """The character that an escape stands for; nothing for one that no key has."""
    group = escape.lastindex or 0
    if group == BY_NAME:
        return _named(escape[group])
    if group == ITSELF:
        return CONTROLS.get(escape[group].lower(), escape[group])
    code = int(escape[group], {OCTAL: 8, DECIMAL: 10}.get(group, 16))
    return bytes((code,)) if code < 128 else b""


@lru_cache(maxsize=1024)
def _named(name: bytes) -> bytes:
    return html.unescape(f"&{name.decode()};").encode("ascii", "ignore")


def _columns(data: bytes) -> Iterator[bytes]:
    """The digits, and the characters, that a dump has in columns, all else of its lines being blank."""
    lines = data.translate(None, UNSEEN)
    for whole in dict.fromkeys((lines, [*_unescaped(lines)][-1])):
        for dump in DUMPS:
            if dump.search(whole):
                for column in (2, 4):
                    yield dump.sub(partial(_only, column), whole)


def _only(column: int, line: re.Match[bytes]) -> bytes:
    return b"".join(part if number == column else b" " * len(part) for number, part in enumerate(line.groups(), 1))


def _decoded(data: bytes, small: bytes) -> Iterator[bytes]:
    """What all digits of base64, and all hexadecimal ones, decode to, wherever the first group of them begins."""
    digits = data.translate(IN_URLS, NOT_BASE64)
    for begin in range(4):
        part = digits[begin:]
        yield from _texts(a2b_base64(part + b"A" * (-len(part) % 4)))
    for text in dict.fromkeys((small, small.replace(b"0x", b""))):
        digits = text.translate(None, NOT_HEX)
        for begin in range(2):
            yield from _texts(unhexlify(digits[begin : begin + (len(digits) - begin) // 2 * 2]))


def _texts(data: bytes) -> Iterator[bytes]:
    """The bytes, and what they are in UTF-16 where they look like that."""
    yield data
    if WIDE.search(data):
        for begin in range(2):
            for order in ("utf-16-le", "utf-16-be"):
                yield data[begin:].decode(order, "ignore").encode("utf-8", "ignore")
