"""Keys taken out of what an endpoint says: some repeat the key they refuse, or the whole head of a request.

Everything an endpoint says passes here before any of it is kept or cut, as text that was decoded. A key is found in
either case, over line ends, and in every spelling texts have inside each other: JSON's and Python's escapes, a URL's,
HTML's, base64 and hexadecimal digits.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

REDACTED = "…"
SURELY = 8
"""So many characters do not stand in a document by chance; a shorter key may be part of a model's name."""
LONGEST_HEARD = 65_536
"""How many characters of a text are looked at, where few of them are kept."""
LONGEST_SPELLING = 24
"""The most characters that one of a key takes in any spelling."""
HTML = {'"': "quot", "'": "apos", "<": "lt", ">": "gt", "&": "amp"}
BACKSLASH = 92
BACKSLASHES = r"\\{0,4}"


def redacted(text: str, secrets: Iterable[str]) -> str:
    """The text with an ellipsis for each secret, in whatever case and spelling."""
    found = _pattern(tuple(secrets))
    return found.sub(REDACTED, text) if found is not None else text


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
def _pattern(secrets: tuple[str, ...]) -> re.Pattern[str] | None:
    """What finds any of them, the longest first: one that holds another is taken out whole; None for none."""
    spelled = [
        way for one in sorted(set(secrets), key=len, reverse=True) if one for way in (_spelled(one), *_encoded(one))
    ]
    return re.compile("|".join(spelled), re.IGNORECASE) if spelled else None


def _spelled(secret: str) -> str:
    parts = re.findall(r"\\+|[^\\]", secret)
    return "[\r\n]*".join(_backslashes(part) if part[0] == "\\" else _character(part) for part in parts)


def _encoded(secret: str) -> list[str]:
    """A key in hexadecimal digits, and what base64 makes of it wherever it stands in the text that is encoded."""
    if len(secret) < SURELY:
        return []
    ways = [secret.encode().hex()]
    for before in range(3):
        digits = base64.b64encode(b"\0" * before + secret.encode()).decode()
        whole = digits[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]
        ways.append(re.escape(whole).replace(r"\+", "[+-]").replace("/", "[/_]"))
    return ways


def _character(character: str) -> str:
    """Every spelling of one character."""
    before = "" if character.isalnum() else BACKSLASHES
    ways = [
        before + re.escape(character),
        *(_escaped(code) for code in {*map(ord, character.lower() + character.upper())}),
    ]
    ways += [f"&(?:amp;){{0,2}}{HTML[character]};"] if character in HTML else []
    return f"(?:{'|'.join(ways)})"


def _backslashes(run: str) -> str:
    many = len(run)
    return rf"(?:\\{{{many},{8 * many}}}|(?:{_escaped(BACKSLASH)}){{{many}}})"


def _escaped(code: int) -> str:
    """A character by its number: as JSON, JavaScript, Python and C spell it, in a URL and in HTML."""
    in_code = rf"\\{{1,4}}(?:(?:u0{{2}}|x){code:x}|u\{{0{{0,4}}{code:x}\}}|{code:03o})"
    return f"{in_code}|%(?:25){{0,3}}{code:x}|&(?:amp;){{0,2}}#(?:0{{0,4}}{code}|x0{{0,4}}{code:x});"
