"""What is found out before the first point: whether the endpoint can be measured as planned, and how to ask it."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from bench.errors import BenchError, UnknownName
from bench.plain_text import visible
from bench.records import Load
from bench.sweep.checks.counting import Counter
from bench.sweep.checks.engines import Engine, engine
from bench.sweep.checks.site import NotReached, Reply, Site, pinned, proxy_for
from bench.sweep.checks.tokenizer_file import TokenizerFile
from bench.sweep.generator import calibration as calibrating
from bench.sweep.generator.calibration import Calibration
from bench.sweep.generator.load import run_point
from bench.sweep.wire.bodies import Manner, body
from bench.sweep.wire.exchange import Ask, Exchange, Limits, Target
from bench.sweep.wire.redaction import redacted
from bench.wording import counted, joined, number

HELLO = "Say how far it is from here to the sea."
FIRST_S = 300.0
"""How long the first answer may take: engines compile on their first request."""
TIMED_TOKENS = 64
VENDOR_FIELDS = ("ignore_eos", "min_tokens")
TRIES = 4
"""How often a short request is sent until its failure counts, where it may have failed by chance."""
FOR_GOOD = ("ok", "http_4xx", "redirected", "timeout", "stalled")
"""Outcomes that another attempt would not change, or that took too long for one."""


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. `passed` is None where it could not be told; `said` is one sentence."""

    name: str
    passed: bool | None
    said: str


@dataclass
class Preflight:
    """What was found. `target` has its address pinned and `manner` says how to ask; both are for all that follows.

    `problem` is the sentence that stops the sweep, None when nothing does. `serves` are the models the endpoint lists,
    none where it lists none. `calibration` is None where no input
    length was to be met. `ttft_ms` and `e2el_ms` are of one request for `timed_osl` tokens on an idle endpoint.
    """

    target: Target
    manner: Manner
    checks: list[Check] = field(default_factory=list)
    engine: Engine = field(default_factory=Engine)
    serves: tuple[str, ...] = ()
    calibration: Calibration | None = None
    counts_by: str | None = None
    ttft_ms: float | None = None
    e2el_ms: float | None = None
    timed_osl: int | None = None

    @property
    def problem(self) -> str | None:
        """The first check that failed, as a sentence."""
        return next((check.said for check in self.checks if check.passed is False), None)


class _Failed(Exception):
    """A check failed for good; what follows would only repeat it."""


def preflight(
    target: Target,
    manner: Manner,
    *,
    isls: Sequence[int] = (),
    further: Sequence[int] = (),
    osls: Sequence[int] = (),
    longest: int | None = None,
    key_env: str | None = None,
    tokenizer: Path | None = None,
    first_s: float = FIRST_S,
) -> Preflight:
    """Everything that is found out before the load, each check in one sentence; sends a few short requests.

    `isls` and `osls` are the lengths of the plan, `further` inputs it only sends where the endpoint's context has room,
    `longest` the most tokens of context one of its requests takes for sure.
    `key_env` names where the key came from, `tokenizer` is a file that counts inputs where the endpoint does not. Not
    to be called inside a running event loop.
    """
    found = Preflight(target, manner)
    with contextlib.suppress(_Failed), contextlib.closing(_Run(found, key_env, first_s)) as run:
        run.reach()
        run.models()
        run.told(longest)
        run.stream()
        run.fields()
        room = found.engine.context_tokens or 0
        run.calibrate([*isls, *(isl for isl in further if isl < room)], tokenizer)
        run.timed(isls, osls)
    return found


def glance(target: Target, manner: Manner, *, key_env: str | None = None) -> Preflight:
    """The part of the preflight that sends no request for an answer: is it there, its models, its engine.

    The manner's model may be empty; then any will do.
    """
    found = Preflight(target, manner)
    with contextlib.suppress(_Failed), contextlib.closing(_Run(found, key_env, FIRST_S)) as run:
        run.reach()
        with contextlib.suppress(_Failed):  # which engine it is can be told all the same
            run.models()
        run.told(None)
    return found


class _Run:
    """The checks, one after another."""

    def __init__(self, found: Preflight, key_env: str | None, first_s: float) -> None:
        self.found, self.key_env, self.first_s = found, key_env, first_s
        self.site: Site | None = None
        self.listed: Mapping[str, Any] | None = None

    def close(self) -> None:
        if self.site is not None:
            self.site.close()

    def passed(self, name: str, said: str, passed: bool | None = True) -> None:
        self.found.checks.append(Check(name, passed, redacted(said, self.found.target.secrets)))

    def failed(self, name: str, said: str) -> _Failed:
        self.passed(name, said, False)
        return _Failed()

    @property
    def where(self) -> str:
        return f"{visible(self.found.target.host)}:{self.found.target.port}"

    def reach(self) -> None:
        """The address is pinned, and somebody answers in HTTP."""
        proxy = proxy_for(self.found.target, os.environ)
        try:
            self.found.target = pinned(self.found.target)
            self.site = Site(self.found.target)
            self.reply = self.site.get("/v1/models")
        except NotReached as problem:
            unused = f" {proxy} is set, but load never goes through a proxy." if proxy else ""
            raise self.failed("reachable", f"{problem}{unused}") from None
        self._usable("reachable", self.reply)
        self.passed("reachable", f"{self.where} answers, at {self.found.target.address}.")
        if proxy is not None:
            self.passed(
                "proxy",
                f"{proxy} is set and not used: through a proxy the proxy would be measured too.",
                None,
            )

    def _usable(self, name: str, reply: Reply) -> None:
        if 300 <= reply.status < 400:
            to = visible(reply.location[:200]) or "nowhere"
            raise self.failed(
                name,
                f"{self.where} redirects to {to}, which is not followed: give that URL if it is the right one.",
            )
        if reply.status in (401, 403):
            raise self.failed(name, self._key(reply.status))
        if reply.status == 400 and b"https" in reply.body.lower() and self.found.target.ssl is None:
            raise self.failed(name, f"{self.where} asks for TLS: write https:// instead of http://.")
        if reply.kind in ("text/html", "application/xhtml+xml") and reply.status < 500:
            raise self.failed(
                name,
                f"{self.where} answers /v1/models with an HTML page (HTTP {reply.status}), so it is no "
                "OpenAI-compatible endpoint: correct the URL and its path.",
            )

    def _key(self, status: int) -> str:
        given = any(
            name.lower() in ("authorization", "api-key", "x-api-key") for name in self.found.target.headers
        )
        source = f"the variable {self.key_env}" if self.key_env else "the variable named in endpoint.key_env"
        if given:
            return f"{self.where} refuses the key (HTTP {status}): correct {source}."
        return f"{self.where} asks for a key (HTTP {status}): put it in a variable and name that in endpoint.key_env."

    def models(self) -> None:
        """The model is served, where a list of models says so."""
        document, model = self.reply.document, self.found.manner.model
        rows = document.get("data") if self.reply.status == 200 and isinstance(document, dict) else None
        entries = (
            [row for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str)]
            if isinstance(rows, list)
            else []
        )
        if not entries:
            self.passed("model", f"{self.where} does not list its models (HTTP {self.reply.status}).", None)
            return
        self.found.serves = tuple(visible(row["id"][:100]) for row in entries)
        if not model:
            self.listed = entries[0]
            return
        self.listed = next((row for row in entries if row["id"] == model), None)
        if self.listed is None:
            names = [visible(row["id"][:100]) for row in entries]
            raise self.failed(
                "model", str(UnknownName(f"model at {self.where}", model, names, "GET /v1/models"))
            )
        self.passed("model", f"{self.where} serves {visible(model)}.")

    def told(self, longest: int | None) -> None:
        """What the info routes tell, and whether the plan fits into the context."""
        assert self.site is not None
        known = self.found.engine = engine(self.site, self.listed)
        if known.name:
            self.passed("engine", f"The engine is {known.name} {known.version or 'of an unknown version'}.")
        else:
            self.passed(
                "engine",
                "The endpoint does not tell its engine; state engine and engine_version as facts.",
                None,
            )
        if known.simulates:
            self.passed(
                "simulated", f"It simulates {visible(known.simulates)}: what is measured here is simulated."
            )
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

    def stream(self) -> None:
        """One short request gets its answer, as a stream with token counts where the endpoint can."""
        self._tell(self._first_answer())
        manner = self.found.manner
        if not manner.streaming:
            self.passed(
                "streaming", "Answers come in one piece: there is e2el, but no ttft, tpot or itl.", None
            )

    def _first_answer(self) -> Exchange:
        """The first answer that is well, asking for less where the endpoint takes less."""
        found = self.found
        asked = replace(found.manner, ignore_eos=False, min_tokens=False)
        said = answer = self._ask(asked, 2)
        if answer.outcome == "not_a_stream":
            asked = replace(asked, streaming=False)
            answer = self._ask(asked, 2)
        if _refused(answer) and "max_completion_tokens" in answer.error:
            asked = replace(asked, length_field="max_completion_tokens")
            answer = self._ask(asked, 2)
        if _refused(answer) and asked.streaming and asked.usage:
            asked = replace(asked, usage=False)
            answer = self._ask(asked, 2)
        if answer.outcome != "ok":
            raise self.failed("answer", self._not_answered(said))
        wanted = found.manner
        found.manner = replace(asked, ignore_eos=wanted.ignore_eos, min_tokens=wanted.min_tokens)
        found.target = replace(found.target, streaming=asked.streaming)
        self.passed("answer", "A short request gets its answer.")
        return answer

    def _tell(self, answer: Exchange) -> None:
        """What the first answer says about token counts."""
        if answer.token_source == "usage" and answer.input_tokens is not None:
            where = "in the stream" if self.found.manner.streaming else "with the answer"
            self.passed("usage", f"The endpoint counts input and output tokens {where}.")
        else:
            self.passed(
                "usage",
                "The endpoint does not count tokens in the stream: an answer that fills its length has as many as were "
                "asked for, in any other each chunk counts as one.",
                None,
            )

    def _not_answered(self, answer: Exchange) -> str:
        error = visible(answer.error)
        if answer.outcome == "http_4xx" and error.startswith(("HTTP 401", "HTTP 403")):
            return self._key(int(error[5:8]))
        if answer.outcome == "http_4xx" and error.startswith("HTTP 404"):
            return (
                f"{self.where} does not know the model or the route {self.found.target.path} ({error}): "
                "correct endpoint.model or endpoint.api."
            )
        if answer.outcome == "http_429":
            return f"{self.where} is too busy or its quota is used up ({error}): try again later."
        if answer.outcome in ("timeout", "stalled"):
            return f"{self.where} accepts a short request and does not answer it ({error}): look at its log."
        if answer.outcome == "redirected":
            return f"{self.where} redirects ({error}), which is not followed: give that URL if it is the right one."
        return (
            f"{self.where} does not answer a short request ({answer.outcome}: {error or 'no reason given'})."
        )

    def fields(self) -> None:
        """Which fields that hold the output to its length are taken."""
        wanted = self.found.manner
        taken = {name: getattr(wanted, name) and self._takes(name) for name in VENDOR_FIELDS}
        self.found.manner = replace(wanted, ignore_eos=taken["ignore_eos"], min_tokens=taken["min_tokens"])

    def _takes(self, name: str) -> bool:
        alone = replace(self.found.manner, ignore_eos=name == "ignore_eos", min_tokens=name == "min_tokens")
        answer = self._ask(alone, 2)
        if answer.outcome == "ok":
            self.passed(name, f"The endpoint accepts {name}.")
            return True
        self.passed(
            name, f"The endpoint does not accept {name} ({visible(answer.error)}): it is left out.", None
        )
        return False

    def calibrate(self, isls: Sequence[int], tokenizer: Path | None = None) -> None:
        """How long a text must be for the server to count what is asked."""
        if not isls:
            return
        count = self._counter(tokenizer)
        if count is None:
            self.passed(
                "isl",
                "The endpoint counts no input tokens: prompts have a word for each, and their isl is left out. Give "
                "--tokenizer to have them counted.",
                None,
            )
            self.found.calibration = Calibration()
            return
        self.found.counts_by = count.by
        try:
            self.found.calibration = calibrating.calibrate(count, isls)
        except BenchError as problem:
            raise self.failed("isl", str(problem)) from None
        misses = self.found.calibration.misses()
        met = f"isl is met, counted by {count.by}."
        self.passed("isl", " ".join(misses) if misses else met, None if misses else True)

    def _counter(self, tokenizer: Path | None) -> Counter | TokenizerFile | None:
        """What counts the tokens of a text: the endpoint, else the file; None where neither does."""
        assert self.site is not None
        whole = partial(self._counts, streaming=False) if self.found.manner.streaming else None
        counter = Counter(self.site, self.found.manner, self._counts, whole)
        if counter.works():
            return counter
        if tokenizer is None:
            return None
        try:
            return TokenizerFile(tokenizer)
        except BenchError as problem:
            raise self.failed("isl", str(problem)) from None

    def timed(self, isls: Sequence[int], osls: Sequence[int]) -> None:
        """One request of the plan's smallest size, on its own, with its times."""
        osl = min([*osls, TIMED_TOKENS])
        text = HELLO
        if isls and self.found.calibration is not None:
            text = calibrating.text(self.found.calibration, min(isls), "preflight")
        answer = self._ask(self.found.manner, osl, text)
        if answer.outcome != "ok":
            raise self.failed("timed", self._not_answered(answer))
        found = self.found
        found.timed_osl = answer.output_tokens or osl
        last = answer.stamps_ns[-1] if answer.stamps_ns else answer.end_ns
        found.e2el_ms = (last - answer.sent_ns) / 1e6
        if answer.first_ns is not None:
            found.ttft_ms = (answer.first_ns - answer.sent_ns) / 1e6
        first = f"TTFT {_ms(found.ttft_ms)}, " if found.ttft_ms is not None else ""
        tokens = counted(found.timed_osl, "token")
        self.passed("timed", f"One request alone: {first}E2EL {_ms(found.e2el_ms)} for {tokens}.")
        if answer.output_tokens is not None and answer.output_tokens != osl:
            self.passed("osl", self._missed(osl, answer.output_tokens), None)

    def _missed(self, osl: int, tokens: int) -> str:
        """What a length that is not met says about the outputs to come."""
        fields = [name for name in VENDOR_FIELDS if getattr(self.found.manner, name)]
        if tokens > osl:
            return f"It was asked for {osl} tokens and went on to {tokens}: it ignores max_tokens, so no osl is met."
        heard = f"although it accepts {joined(fields)}" if fields else "since nothing holds it to the length"
        return f"It was asked for {osl} tokens and ended after {tokens}, {heard}: outputs may miss their osl."

    def _ask(self, manner: Manner, osl: int, text: str = HELLO) -> Exchange:
        return self._exchanges(manner, [text], osl)[0]

    def _counts(self, texts: Sequence[str], streaming: bool = True) -> list[int | None]:
        """The input tokens of each text, as answers count them."""
        asked = self.found.manner
        manner = replace(asked, ignore_eos=False, min_tokens=False, streaming=asked.streaming and streaming)
        return [answer.input_tokens for answer in self._exchanges(manner, texts, 1)]

    def _exchanges(self, manner: Manner, texts: Sequence[str], osl: int) -> list[Exchange]:
        """What became of each text; an endpoint that fails now and then is asked again."""
        asks = {place: Ask(place, body(manner, text, osl), None, osl) for place, text in enumerate(texts)}
        target = replace(self.found.target, streaming=manner.streaming)
        limits = Limits(timeout_s=self.first_s, stall_s=self.first_s)
        found: dict[int, Exchange] = {}
        for _ in range(TRIES):
            load = Load(load_kind="closed", concurrency=min(4, len(asks)))
            run = asyncio.run(run_point(target, iter(asks.values()), load, limits))
            found |= {one.number: one for one in run.exchanges}
            asks = {place: ask for place, ask in asks.items() if found[place].outcome not in FOR_GOOD}
            if not asks:
                break
        return [found[place] for place in sorted(found)]


def _refused(answer: Exchange) -> bool:
    """Whether the endpoint did not like a field; a wrong key or route is no matter of fields."""
    return answer.outcome == "http_4xx" and answer.error.startswith(("HTTP 400", "HTTP 422"))


def _ms(value: float) -> str:
    return f"{number(value)} ms"
