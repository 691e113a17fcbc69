"""Keys taken out of what an endpoint says: some repeat the key they refuse, or the whole head of a request.

Everything an endpoint says passes here before any of it is kept or cut, as text that was decoded. A key is looked for
in what a text decodes to: base64 and hexadecimal digits with whatever stands between them, dumps, and the escapes of
JSON, Python, C, URLs and HTML, one inside the other. All of it is done by what costs a few nanoseconds a byte, and what
decodes to no text is looked at no further; where in the text a key stood is worked out once it is found.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, unhexlify
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

REDACTED = "…"
SURELY = 8
"""So many characters do not stand in a document by chance; a shorter key may be part of a model's name."""
LONGEST_HEARD = 65_536
"""How many characters of a text are looked at, where few of them are kept."""
LONGEST_SPELLING = 512
"""The most characters that one of a key takes in any spelling: three escapes inside each other."""
DEPTH = 3
"""So many times base64 or hexadecimal digits are decoded, one inside the other."""
ESCAPED = 6
"""So many times escapes are taken off between two of these."""
LINE_ENDS, GAPS = b"\r\n", b"\r\n\t\v\f "
BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"
HEX = b"0123456789abcdefABCDEF"
IN_URLS = bytes.maketrans(b"-_", b"+/")
NAMED = {b"quot": 34, b"apos": 39, b"lt": 60, b"gt": 62, b"amp": 38}
CONTROLS = {b"n": 10, b"r": 13, b"t": 9}
ESCAPE = re.compile(
    rb"\\u([0-9a-f]{4})|\\u\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{1,6});"
    rb"|\\([0-3][0-7]{2})|&#([0-9]{1,7});|\\([^0-9a-z]|[nrt])|&(quot|apos|lt|gt|amp);",
    re.IGNORECASE,
)
OCTAL, DECIMAL, ITSELF, BY_NAME = 6, 7, 8, 9
"""Which group of an escape says what it stands for; those before are of hexadecimal digits."""
DUMPS = tuple(
    re.compile(rb"(?<![0-9a-f])([0-9a-f]{4,16}" + line, re.IGNORECASE)
    for line in (
        rb": )((?:[0-9a-f]{2,4} ){1,32})( *)([ -~]{1,64})()",
        rb"  )((?:[0-9a-f]{2} {1,2}){1,32})( *\|)([ -~]{16}|[ -~]{1,15}?)(\|)",
    )
)
"""A line of `xxd` and of `hexdump -C`: where it begins, digits, and the characters they stand for."""

TextSpan = tuple[int, int]


class Decoded(NamedTuple):
    """What bytes decode to, and of each byte of it from where to where it stood in them."""

    data: bytes
    place: Callable[[int], TextSpan]

    def span(self, found: TextSpan) -> TextSpan:
        """Where a part of it stood."""
        return self.place(found[0])[0], self.place(found[1] - 1)[1]


class SoughtKeys(NamedTuple):
    """What is looked for: keys in small letters, without what may stand between; and how a text begins to be one."""

    keys: tuple[bytes, ...]
    gaps: bytes
    text: re.Pattern[bytes]
    depth: int


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with an ellipsis for each secret, in whatever case and spelling."""
    data, known = text.encode("latin-1", "replace"), tuple(secrets)
    found = sorted(span for wanted in _wanted(known) for span in _spans(data, wanted, wanted.depth))
    parts, at = [], 0
    for start, end in found:
        if start >= at:
            parts += [text[at:start], REDACTED]
        at = max(at, end)
    return "".join((*parts, text[at:]))


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
def _wanted(secrets: tuple[str, ...]) -> tuple[SoughtKeys, ...]:
    """What to look for: short keys as they are and with escapes, of all others every spelling."""
    wanted = []
    for sure, gaps, depth in ((False, LINE_ENDS, 0), (True, GAPS, DEPTH)):
        keys = set()
        for secret in secrets:
            if secret and (len(secret) >= SURELY) is sure:
                forms = _forms(secret.encode("latin-1", "replace"), gaps, gaps)
                own, *bare = (form.data.lower() for form in forms)
                keys |= {own, *(form for form in map(_complete, (own, *bare)) if len(form) >= SURELY)}
        if keys:
            text = re.compile(rb"[\t-\r -~]{%d}" % min(map(len, keys)))
            wanted.append(SoughtKeys(tuple(keys), gaps, text, depth))
    return tuple(wanted)


def _complete(key: bytes) -> bytes:
    """A key up to what may begin an escape with the text behind it."""
    return re.sub(rb"(?:%[0-9a-f]?|[\\&])$", b"", key)


def _spans(data: bytes, wanted: SoughtKeys, depth: int) -> Iterator[TextSpan]:
    """From where to where one of the keys stands in these bytes, encoded up to `depth` times."""
    if not wanted.text.search(data):
        return
    for laid in (Decoded(data, lambda at: (at, at + 1)), *(_dumped(data) if depth else ())):
        for inside in _forms(laid.data, wanted.gaps, wanted.gaps):
            form = Decoded(inside.data, partial(_through, laid, inside))
            small = form.data.lower()
            for key in wanted.keys:
                yield from (form.span(found) for found in _standing(small, key))
        for inner in _digits_decoded(form.data) if depth else ():
            yield from (form.span(inner.span(found)) for found in _spans(inner.data, wanted, depth - 1))


def _standing(data: bytes, key: bytes) -> Iterator[TextSpan]:
    at = data.find(key)
    while at >= 0:
        yield at, at + len(key)
        at = data.find(key, at + len(key))


def _dumped(data: bytes) -> Iterator[Decoded]:
    """The digits, and the characters, that a dump has in columns, all else of its lines being blank."""
    own, *bare = _forms(data, b"", b"")
    for whole, dump in product((own, *bare[-1:]), DUMPS):
        if dump.search(whole.data):
            for column in (2, 4):
                yield Decoded(dump.sub(partial(_only, column), whole.data), whole.place)


def _only(column: int, line: re.Match[bytes]) -> bytes:
    return b"".join(part if number == column else b" " * len(part) for number, part in enumerate(line.groups(), 1))


def _forms(data: bytes, gaps: bytes, escaped_gaps: bytes) -> Iterator[Decoded]:
    """The bytes without gaps, then with escapes taken off once, twice and so on, as long as there are any."""
    form = _kept(data, gaps, keep=False)
    yield form
    for _ in range(ESCAPED):
        bare = _unescaped(form.data, escaped_gaps)
        if bare.data == form.data:
            return
        form = Decoded(bare.data, partial(_through, form, bare))
        yield form


def _through(outer: Decoded, inner: Decoded, at: int) -> TextSpan:
    return outer.span(inner.place(at))


def _kept(data: bytes, some: bytes, *, keep: bool = True) -> Decoded:
    """Only these bytes, or all but these."""
    out = bytes(set(range(256)) - set(some)) if keep else some

    @cache
    def places() -> list[int]:
        return [at for at, byte in enumerate(data) if byte not in out]

    return Decoded(data.translate(None, out), lambda at: (places()[at], places()[at] + 1))


def _unescaped(data: bytes, gaps: bytes) -> Decoded:
    """The bytes with each escape once taken off; one for a gap is none."""

    @cache
    def places() -> tuple[list[int], list[TextSpan]]:
        starts, spans, shift = [-1], [(0, 0)], 0
        for escape in ESCAPE.finditer(data):
            many = len(_character(gaps, escape))
            starts += [escape.start() - shift] * many + [escape.start() - shift + many]
            spans += [escape.span()] * many + [(escape.end(), 0)]
            shift += len(escape[0]) - many
        return starts, spans

    def place(at: int) -> TextSpan:
        starts, spans = places()
        index = bisect_right(starts, at) - 1
        start, end = spans[index]
        if end:
            return start, end
        start += at - max(0, starts[index])
        return start, start + 1

    return Decoded(ESCAPE.sub(partial(_character, gaps), data), place)


def _character(gaps: bytes, escape: re.Match[bytes]) -> bytes:
    """The character that an escape stands for; a question mark for one that no key has."""
    group = escape.lastindex or 0
    digits = escape[group].lower()
    if group == BY_NAME:
        code = NAMED[digits]
    elif group == ITSELF:
        code = CONTROLS.get(digits, digits[0])
    else:
        code = int(digits, {OCTAL: 8, DECIMAL: 10}.get(group, 16))
    return b"?" if code > 255 else b"" if code in gaps else bytes((code,))


def _digits_decoded(data: bytes) -> Iterator[Decoded]:
    """What all digits of base64, and all hexadecimal ones, decode to, wherever the first group of them begins."""
    digits = _kept(data, BASE64)
    one = digits.data.translate(IN_URLS)
    for begin in range(4):
        part = one[begin:]
        yield Decoded(a2b_base64(part + b"A" * (-len(part) % 4)), partial(_in_base64, digits, begin))
    bare = data.lower()
    for text in (bare, bare.replace(b"0x", b"  ")) if b"0x" in bare else (bare,):
        digits = _kept(text, HEX)
        for begin in range(2):
            many = (len(digits.data) - begin) // 2
            yield Decoded(unhexlify(digits.data[begin : begin + 2 * many]), partial(_in_hex, digits, begin))


def _in_base64(digits: Decoded, begin: int, at: int) -> TextSpan:
    last = min(begin + (8 * at + 7) // 6, len(digits.data) - 1)  # what it was filled up with has no place
    return digits.span((min(begin + 8 * at // 6, last), last + 1))


def _in_hex(digits: Decoded, begin: int, at: int) -> TextSpan:
    return digits.span((begin + 2 * at, begin + 2 * at + 2))
