"""Keys taken out of what an endpoint says: some repeat the key they refuse, or the whole head of a request.

Everything an endpoint says passes here before any of it is kept or cut, as text that was decoded. A key is found in
either case and in every spelling texts have inside each other: JSON's and Python's escapes, a URL's, HTML's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

REDACTED = "…"
SURELY = 8
"""So many characters do not stand in a document by chance; a shorter key may be part of a model's name."""
LONGEST_HEARD = 65_536
"""How many characters of a text are looked at, where few of them are kept."""
LONGEST_SPELLING = 16
"""The most characters that one of a key takes in any spelling."""
HTML = {'"': "quot", "'": "apos", "<": "lt", ">": "gt", "&": "amp"}
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
    spelled = [_spelled(secret) for secret in sorted(set(secrets), key=len, reverse=True) if secret]
    return re.compile("|".join(spelled), re.IGNORECASE) if spelled else None


def _spelled(secret: str) -> str:
    parts = re.findall(r"\\+|[^\\]", secret)
    return "".join(_backslashes(part) if part[0] == "\\" else _character(part) for part in parts)


def _character(character: str) -> str:
    """Every spelling of one character."""
    before = "" if character.isalnum() else BACKSLASHES
    ways = [before + re.escape(character)]
    for code in {ord(character.lower()), ord(character.upper())}:
        ways += [rf"\\{{1,4}}(?:u0{{2}}|x){code:x}", f"%(?:25)?{code:x}", f"&#0{{0,4}}{code};", f"&#x0{{0,4}}{code:x};"]
    ways += [f"&{HTML[character]};"] if character in HTML else []
    return f"(?:{'|'.join(ways)})"


def _backslashes(run: str) -> str:
    many = len(run)
    return rf"(?:\\{{{many},{8 * many}}}|(?:\\{{1,4}}(?:u00|x)5c|%(?:25)?5c|&#0{{0,4}}92;){{{many}}})"
