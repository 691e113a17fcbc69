"""Whether an endpoint is there: its address, its models, its engine and who answers in the engine's place.

Nothing here asks for an answer of the model, so nothing costs a token.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bench.errors import UnknownName
from bench.plain_text import visible
from bench.sweep.checks import proxies
from bench.sweep.checks.endpoint_probe import EndpointProbe, NotReached, ProbeReply, pinned, proxy_for
from bench.sweep.checks.engines import ServingEngine, engine
from bench.sweep.generator.calibration import Calibration
from bench.sweep.planning.endpoint_access import SECRET_NAME
from bench.sweep.wire.bodies import RequestStyle
from bench.sweep.wire.exchange import Target
from bench.sweep.wire.redaction import LONGEST_HEARD, redacted
from bench.sweep.wire.stream import error_text
from bench.wording import joined


@dataclass(frozen=True)
class EndpointCheck:
    """One thing that was looked at. `passed` is None where it could not be told; `said` is one sentence."""

    name: str
    passed: bool | None
    said: str


@dataclass
class Preflight:
    """What was found. `target` has its address pinned and `manner` says how to ask; both are for all that follows.

    `problem` is the sentence that stops the sweep, None when nothing does. `serves` are the models the endpoint lists,
    none where it lists none. `proxy` is what answers in the engine's place. `calibration` is None where no input
    length was to be met. `usage_is_constant`: its usage states the same input for every text. `ttft_ms` and `e2el_ms`
    are of one request for `timed_osl` tokens on an idle endpoint, and so is `together`, the share of its chunks that
    came with the one before.
    """

    target: Target
    manner: RequestStyle
    checks: list[EndpointCheck] = field(default_factory=list)
    engine: ServingEngine = field(default_factory=ServingEngine)
    serves: tuple[str, ...] = ()
    proxy: str | None = None
    calibration: Calibration | None = None
    counts_by: str | None = None
    usage_is_constant: bool = False
    ttft_ms: float | None = None
    e2el_ms: float | None = None
    timed_osl: int | None = None
    together: float | None = None

    @property
    def problem(self) -> str | None:
        """The first check that failed, as a sentence."""
        return next((check.said for check in self.checks if check.passed is False), None)


ONLY_HTTP2 = re.compile(rb"\balpn\b|http/2|expected `h2`", re.IGNORECASE)
"""What servers of HTTP/2 alone answer a client that did not ask for it by ALPN, such as Node's."""
OF_A_KEY = re.compile(
    r"api.?key|(?:\b|_)keys?\b|authenticat|unauthori[sz]ed|credential|bearer"
    r"|(?:access|api|auth|security|expired|invalid|missing)[ _-]tokens?\b",
    re.IGNORECASE,
)
"""How an answer that refuses speaks of a key, by whatever name."""
TAG = re.compile(r"<[^<>]*>")
MOST_QUOTED = 200
NAME_THE_KEY = "put it in a variable and name that in endpoint.key_env"


class Failed(Exception):
    """A check failed for good; what follows would only repeat it."""


def glance(
    target: Target,
    manner: RequestStyle,
    *,
    key_env: str | None = None,
    until: float | None = None,
    models_only: bool = False,
) -> Preflight:
    """The part of the preflight that sends no request for an answer: is it there, its models, its engine.

    The manner's model may be empty; then any will do. `until` is when all of it has to be over. `models_only` asks with
    one GET which models there are, and for nothing else.
    """
    checked = Preflight(target, manner)
    with contextlib.suppress(Failed), contextlib.closing(AccessChecks(checked, key_env, until)) as run:
        run.reach()
        with contextlib.suppress(Failed):  # which engine it is can be told all the same
            run.models()
        if not models_only:
            run.read_info(None)
            run.around()
    return checked


class AccessChecks:
    """The checks that come before a request for an answer, one after another."""

    def __init__(self, checked: Preflight, key_env: str | None, until: float | None) -> None:
        self.checked, self.key_env, self.until = checked, key_env, until
        self.site: EndpointProbe | None = None
        self.listed: Mapping[str, Any] | None = None

    def close(self) -> None:
        """Give up the connection for its questions."""
        if self.site is not None:
            self.site.close()

    def passed(self, name: str, said: str, passed: bool | None = True) -> None:
        """Tell what was looked at, in words that hold no key."""
        self.checked.checks.append(EndpointCheck(name, passed, redacted(said, self.checked.target.secrets)))

    def failed(self, name: str, said: str) -> Failed:
        """What to raise where this stops all."""
        self.passed(name, said, False)
        return Failed()

    @property
    def where(self) -> str:
        """What sentences call the endpoint."""
        return visible(self.checked.target.where)

    def reach(self) -> None:
        """Check that somebody answers in HTTP at the address, which is pinned."""
        proxy = proxy_for(self.checked.target, os.environ)
        try:
            self.checked.target = pinned(self.checked.target)
            self.site = EndpointProbe(self.checked.target, until=self.until)
            self.reply = self.site.get("/v1/models")
        except NotReached as problem:
            unused = f" {proxy} is set, but load never goes through a proxy." if proxy else ""
            raise self.failed("reachable", f"{problem}{unused}") from None
        self._usable("reachable", self.reply)
        self.passed("reachable", f"{self.where} answers, at {self.checked.target.address}.")
        if proxy is not None:
            self.passed("proxy", f"{proxy} is set and not used: through a proxy the proxy would be measured too.", None)

    def _usable(self, name: str, reply: ProbeReply) -> None:
        if 300 <= reply.status < 400:
            to = visible(reply.location[:200]) or "nowhere"
            raise self.failed(
                name, f"{self.where} redirects to {to}, which is not followed: give that URL if it is the right one."
            )
        if reply.status == 403 and ONLY_HTTP2.search(reply.body[:2000]):
            raise self.failed(
                name, f"{self.where} refuses HTTP/1.1 (HTTP 403): let it, or a proxy before it, speak that too."
            )
        if reply.status in (401, 403):
            words = f"{reply.headers.get('www-authenticate', '')} {_in_words(reply)}".strip()
            raise self.failed(name, self.turned_away(reply.status, words))
        if reply.status == 400 and b"https" in reply.body.lower() and not self.checked.target.secure:
            raise self.failed(name, f"{self.where} asks for TLS: write https:// instead of http://.")
        own_route = self.checked.target.path.startswith(f"{self.checked.target.root}/v1/")
        if reply.kind in ("text/html", "application/xhtml+xml") and reply.status < 500 and own_route:
            raise self.failed(
                name,
                f"{self.where} answers /v1/models with an HTML page (HTTP {reply.status}), so it is no "
                "OpenAI-compatible endpoint: correct the URL and its path.",
            )

    def turned_away(self, status: int, words: str) -> str:
        """What to do about HTTP 401 or 403 in these words: 403 is about a key where they speak of one."""
        words = visible(" ".join(TAG.sub(" ", words).split())[:MOST_QUOTED])
        said = f"HTTP {status}, {words!r}" if words else f"HTTP {status}"
        if status == 403 and not OF_A_KEY.search(words):
            return f"{self.where} refuses what Kneepoint asks for ({said}): see there who may, and from where."
        if self.key_sent:
            source = f"the variable {self.key_env}" if self.key_env else "the variable that holds it"
            return f"{self.where} refuses the key ({said}): correct {source}."
        return f"{self.where} asks for a key ({said}), and no key was sent: {NAME_THE_KEY}."

    @property
    def key_sent(self) -> bool:
        """Whether any header may carry a key."""
        return any(SECRET_NAME.search(name.lower()) for name in self.checked.target.headers)

    def models(self) -> None:
        """Check that the model is served, where a list of models says so."""
        entries, model = self.reply.models, self.checked.manner.model
        if not entries:
            self.passed("model", f"{self.where} does not list its models (HTTP {self.reply.status}).", None)
            return
        self.checked.serves = tuple(visible(row["id"][:100]) for row in entries)
        if not model:
            self.listed = entries[0]
            return
        self.listed = next((row for row in entries if row["id"] == model), None)
        if self.listed is None:
            names = [visible(row["id"][:100]) for row in entries]
            raise self.failed("model", str(UnknownName(f"model at {self.where}", model, names, "GET /v1/models")))
        self.passed("model", f"{self.where} serves {visible(model)}.")

    def read_info(self, longest: int | None) -> None:
        """Check that the plan fits into the context, and keep what the info routes tell."""
        assert self.site is not None
        known = engine(self.site, self.listed)
        between = proxies.proxies(self.site)
        if known.context_tokens is None and any(one.name == proxies.LITELLM for one in between):
            known = replace(known, context_tokens=proxies.context_tokens(self.site, self.checked.manner.model))
        self.checked.engine = known
        if between:
            self.checked.proxy = ", ".join(one.title for one in between)
            self.passed("proxy-between", proxies.sentence(between), None)
        if known.name:
            self.passed("engine", f"The engine is {known.name} {known.version or 'of an unknown version'}.")
        else:
            self.passed(
                "engine", "The endpoint does not tell its engine; state engine and engine_version as facts.", None
            )
        if known.simulates:
            self.passed("simulated", f"It simulates {visible(known.simulates)}: what is measured here is simulated.")
        limit = known.context_tokens
        if limit is None:
            self.passed("context", "The endpoint does not tell how many tokens of context it takes.", None)
        elif longest is not None and longest > limit:
            raise self.failed(
                "context",
                f"The plan asks for isl + osl of {longest:,} tokens, and the endpoint takes {limit:,}: "
                "lower isl or osl, or serve with a longer context.",
            )
        else:
            self.passed("context", f"The endpoint takes {limit:,} tokens of context.")

    def around(self) -> None:
        """Check that every further base URL answers, and serves the same model by the same version of one engine."""
        _, *others = self.checked.target.bases
        if not others:
            return
        seen = [glance(one, self.checked.manner, key_env=self.key_env, until=self.until) for one in others]
        for target, other in zip(others, seen, strict=True):
            if other.problem is not None:
                raise self.failed("base URLs", other.problem)
            mine, its = self.checked.engine, other.engine
            if (mine.name, mine.version, mine.simulates) != (its.name, its.version, its.simulates):
                raise self.failed(
                    "base URLs",
                    f"{visible(target.where)} is served by {_served(its)} and {self.where} by {_served(mine)}: give "
                    "base URLs of one deployment.",
                )
        for other in seen:
            if other.proxy is not None and self.checked.proxy is None:
                self.checked.proxy = other.proxy
                self.checked.checks += [check for check in other.checks if check.name == "proxy-between"]
        self.checked.target = replace(self.checked.target, others=tuple(other.target for other in seen))
        places = joined([self.where, *(visible(one.where) for one in others)])
        self.passed("base URLs", f"Requests go round robin over {1 + len(others)} base URLs: {places}.")


def _in_words(reply: ProbeReply) -> str:
    """What an answer says of itself, without what is secret."""
    document = reply.document
    text = reply.body.decode("utf-8", "replace") if document is None else error_text(document)
    return redacted(text[:LONGEST_HEARD], reply.secrets)


def _served(found: ServingEngine) -> str:
    named = f"{found.name or 'an engine that does not tell itself'} {found.version or ''}".strip()
    return f"{named}, which simulates {visible(found.simulates)}," if found.simulates else named
