"""What is found out before the first point: whether the endpoint can be measured as planned, and how to ask it."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from math import inf
from time import monotonic, sleep

from bench.errors import BenchError
from bench.plain_text import visible
from bench.records import Load
from bench.sweep.checks import proxies
from bench.sweep.checks.counting import Counter, TokenizerFile
from bench.sweep.checks.endpoint_checks import NAME_THE_KEY, AccessChecks, Failed, Preflight
from bench.sweep.generator import calibration as calibrating
from bench.sweep.generator.calibration import Calibration
from bench.sweep.generator.load import run_point
from bench.sweep.pauses import USUAL, Pauses
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Exchange, Limits, PointRun, PreparedRequest, Target
from bench.wording import counted, joined, number

HELLO = "Say how far it is from here to the sea."
FIRST_S = 300.0
"""How long the first answer may take: engines compile on their first request."""
TIMED_TOKENS = 64
VENDOR_FIELDS = ("ignore_eos", "min_tokens")
JUST_S = 0.2
"""What is cut off so shortly before the end of the time for all checks was cut off by it."""
AT_ONCE = 4
TRIES = 4
"""How often a short request is sent until its failure counts, where it may have failed by chance."""
ABOUT_A_KEY = re.compile(r"api.?key|authenticat|unauthori[sz]ed", re.IGNORECASE)
FOR_GOOD = ("ok", "http_4xx", "redirected", "timeout", "stalled")
"""Outcomes that another attempt would not change, or that took too long for one."""


def preflight(
    target: Target,
    manner: RequestStyle,
    *,
    isls: Sequence[int] = (),
    further: Sequence[int] = (),
    osls: Sequence[int] = (),
    longest: int | None = None,
    key_env: str | None = None,
    tokenizer: TokenizerFile | None = None,
    first_s: float = FIRST_S,
    until: float | None = None,
    pauses: Pauses = USUAL,
) -> Preflight:
    """Everything that is found out before the load, each check in one sentence; sends a few short requests.

    `isls` and `osls` are the lengths of the plan, `further` inputs it only sends where the endpoint's context has room,
    `longest` the most tokens of context one of its requests takes for sure. `key_env` names where the key came from,
    `tokenizer` is a file that counts inputs where the endpoint does not, `until` is when all has to be over, on the
    monotonic clock, `pauses` are those of a limiter. Not to be called inside a running event loop.
    """
    checked = Preflight(target, manner)
    with contextlib.suppress(Failed), contextlib.closing(_Checks(checked, key_env, first_s, until, pauses)) as run:
        run.reach()
        run.models()
        run.read_info(longest)
        run.around()
        run.stream()
        run.each()
        run.fields()
        room = checked.engine.context_tokens or 0
        run.calibrate([*isls, *(isl for isl in further if isl < room)], tokenizer)
        run.timed(isls, osls)
    return checked


class _Checks(AccessChecks):
    """All checks, one after another."""

    def __init__(
        self, found: Preflight, key_env: str | None, first_s: float, until: float | None, pauses: Pauses
    ) -> None:
        super().__init__(found, key_env, until)
        self.first_s = first_s
        self.pauses = pauses

    def stream(self) -> None:
        """Check that one short request gets its answer, as a stream with token counts where the endpoint can."""
        self._tell(self._first_answer())
        manner = self.checked.manner
        if not manner.streaming:
            self.passed("streaming", "Answers come in one piece, so E2EL is measured but not TTFT, TPOT or ITL.", None)

    def _first_answer(self) -> Exchange:
        """The first answer that is well, asking for less where the endpoint takes less."""
        checked = self.checked
        style = replace(checked.manner, ignore_eos=False, min_tokens=False)
        said = answer = self._ask(style, 2)
        if answer.outcome == "not_a_stream":
            style = replace(style, streaming=False)
            answer = self._ask(style, 2)
        if _refused(answer) and "max_completion_tokens" in answer.error:
            style = replace(style, length_field="max_completion_tokens")
            answer = self._ask(style, 2)
        if _refused(answer) and style.streaming and style.usage:
            style = replace(style, usage=False)
            answer = self._ask(style, 2)
        if answer.outcome != "ok":
            raise self.failed("answer", self._not_answered(said))
        wanted = checked.manner
        checked.manner = replace(style, ignore_eos=wanted.ignore_eos, min_tokens=wanted.min_tokens)
        checked.target = checked.target.changed(streaming=style.streaming)
        self.passed("answer", "A short request is answered.")
        return answer

    def _tell(self, answer: Exchange) -> None:
        """Tell what the first answer says about token counts."""
        if answer.token_source == "usage" and answer.input_tokens is not None:
            where = "in the stream" if self.checked.manner.streaming else "with the answer"
            self.passed("usage", f"The endpoint counts input and output tokens {where}.")
        else:
            self.passed(
                "usage",
                "The endpoint reports no token counts: a full-length answer counts as many as asked for, any other one "
                "token per chunk.",
                None,
            )

    def _not_answered(self, answer: Exchange) -> str:
        error = visible(answer.error)
        if answer.outcome == "http_4xx" and error.startswith(("HTTP 401", "HTTP 403")):
            return self.turned_away(int(error[5:8]), error[8:].removeprefix(": "))
        if answer.outcome == "http_4xx" and error.startswith("HTTP 404"):
            return (
                f"{self.where} does not know the model or the route {self.checked.target.path} ({error}): "
                "correct endpoint.model, endpoint.api or endpoint.path."
            )
        if answer.outcome == "http_429":
            return f"{self.where} is too busy or its quota is used up ({error}): try again later."
        if answer.outcome in ("timeout", "stalled"):
            return f"{self.where} accepts a short request but does not answer it ({error}): look at its log."
        if answer.outcome == "redirected":
            return f"{self.where} redirects ({error}), which is not followed: give that URL if it is the right one."
        keyless = proxies.LITELLM in (self.checked.proxy or "") or ABOUT_A_KEY.search(error)
        if answer.outcome == "http_5xx" and keyless and not self.key_sent:
            return f"{self.where} does not answer a short request ({error}), and no key was sent: {NAME_THE_KEY}."
        return f"{self.where} does not answer a short request ({answer.outcome}: {error or 'no reason given'})."

    def each(self) -> None:
        """Check that every further base URL answers a short request too."""
        bases = self.checked.target.bases
        if len(bases) == 1:
            return
        for base, answer in zip(bases, self._exchanges(self.checked.manner, [HELLO] * len(bases), 2), strict=True):
            if answer.outcome != "ok":
                why = visible(answer.error) or answer.outcome
                raise self.failed("base URLs", f"{visible(base.where)} does not answer a short request ({why}).")

    def fields(self) -> None:
        """Find which fields to hold the output to its length are taken."""
        wanted = self.checked.manner
        taken = {name: getattr(wanted, name) and self._takes(name) for name in VENDOR_FIELDS}
        self.checked.manner = replace(wanted, ignore_eos=taken["ignore_eos"], min_tokens=taken["min_tokens"])

    def _takes(self, name: str) -> bool:
        alone = replace(self.checked.manner, ignore_eos=name == "ignore_eos", min_tokens=name == "min_tokens")
        answer = self._ask(alone, 2)
        if answer.outcome == "ok":
            self.passed(name, f"The endpoint accepts {name}.")
            return True
        self.passed(name, f"The endpoint does not accept {name} ({visible(answer.error)}): it is left out.", None)
        return False

    def calibrate(self, isls: Sequence[int], tokenizer: TokenizerFile | None = None) -> None:
        """Find how long a text must be for the server to count what is asked."""
        count = self._counter(tokenizer)
        if not isls:  # prompts come as they are, and usage is only looked at
            return
        if count is None:
            self.passed(
                "isl",
                "The endpoint counts no input tokens: prompts have a word for each, and their isl is left out. Give "
                "--tokenizer to have them counted.",
                None,
            )
            self.checked.calibration = Calibration()
            return
        self.checked.counts_by = count.by
        try:
            self.checked.calibration = calibrating.calibrate(count, isls)
        except BenchError as problem:
            raise self.failed("isl", str(problem)) from None
        misses = self.checked.calibration.misses()
        met = f"isl is met, counted by {count.by}."
        self.passed("isl", " ".join(misses) if misses else met, None if misses else True)

    def _counter(self, tokenizer: TokenizerFile | None) -> Counter | TokenizerFile | None:
        """What counts the tokens of a text: the endpoint, else the file; None where neither does."""
        assert self.site is not None
        whole = partial(self._counts, streaming=False) if self.checked.manner.streaming else None
        counter = Counter(self.site, self.checked.manner, self._counts, whole)
        works = counter.works()
        self.checked.usage_is_constant = counter.usage_is_constant
        return counter if works else tokenizer

    def timed(self, isls: Sequence[int], osls: Sequence[int]) -> None:
        """Send one request of the plan's smallest size, on its own, and keep its times."""
        from bench.sweep.generator.samples import share_together  # with numpy, which the first check does not wait for

        osl = min([*osls, TIMED_TOKENS])
        text = HELLO
        if isls and self.checked.calibration is not None:
            text = calibrating.text(self.checked.calibration, min(isls), "preflight")
        answer = self._ask(self.checked.manner, osl, text)
        if answer.outcome != "ok":
            raise self.failed("timed", self._not_answered(answer))
        checked = self.checked
        checked.timed_osl = answer.output_tokens or osl
        last = answer.stamps_ns[-1] if answer.stamps_ns else answer.end_ns
        checked.e2el_ms = (last - answer.sent_ns) / 1e6
        if answer.first_ns is not None:
            checked.ttft_ms = (answer.first_ns - answer.sent_ns) / 1e6
        checked.together = share_together([after - one for one, after in pairwise(answer.stamps_ns)])
        first = f"TTFT {number(checked.ttft_ms)} ms, " if checked.ttft_ms is not None else ""
        tokens = counted(checked.timed_osl, "token")
        self.passed("timed", f"One request alone: {first}E2EL {number(checked.e2el_ms)} ms for {tokens}.")
        if answer.output_tokens is not None and answer.output_tokens != osl:
            self.passed("osl", self._missed(osl, answer.output_tokens), None)

    def _missed(self, osl: int, tokens: int) -> str:
        """What a length that is not met says about the outputs to come."""
        fields = [name for name in VENDOR_FIELDS if getattr(self.checked.manner, name)]
        if tokens > osl:
            return f"It was asked for {osl} tokens and went on to {tokens}: it ignores max_tokens, so no osl is met."
        heard = f"although it accepts {joined(fields)}" if fields else "since nothing holds it to the length"
        return f"It was asked for {osl} tokens and ended after {tokens}, {heard}: outputs may miss their osl."

    def _ask(self, manner: RequestStyle, osl: int, text: str = HELLO) -> Exchange:
        return self._exchanges(manner, [text], osl)[0]

    def _counts(self, texts: Sequence[str], streaming: bool = True) -> list[int | None]:
        """The input tokens of each text, as answers count them."""
        asked = self.checked.manner
        manner = replace(asked, ignore_eos=False, min_tokens=False, streaming=asked.streaming and streaming)
        answers = self._exchanges(manner, texts, 1)
        if (limited := next((one for one in answers if _is_limited(one)), None)) is not None:
            raise self.failed("isl", self._not_answered(limited))
        return [answer.input_tokens for answer in answers]

    def _exchanges(self, manner: RequestStyle, texts: Sequence[str], osl: int) -> list[Exchange]:
        """What became of each text; an endpoint that fails now and then is asked again, a limiter ever more slowly."""
        asks = {place: PreparedRequest(place, body(manner, text, osl), None, osl) for place, text in enumerate(texts)}
        target = self.checked.target.changed(streaming=manner.streaming)
        exchanges: dict[int, Exchange] = {}
        tries, limited_until = TRIES, monotonic() + self.pauses.limited_for_s
        slowed = 0  # 1 once it has asked for less, and more with each round in a row of which it answered nothing
        while asks and tries:
            most = (len(asks), AT_ONCE, 1)[min(slowed, 2)]
            load = Load(load_kind="closed", concurrency=1 if slowed else min(AT_ONCE, len(asks)))
            run = self._run(target, list(asks.values())[:most], load)
            exchanges |= {one.number: one for one in run.exchanges}
            done = [one for one in run.exchanges if one.outcome in FOR_GOOD]
            limited = any(_is_limited(one) for one in run.exchanges) and monotonic() < limited_until
            asks = {
                place: ask
                for place, ask in asks.items()
                if place not in exchanges or exchanges[place].outcome not in FOR_GOOD
            }
            if limited and asks:
                slowed = 1 if done else max(slowed, 1) + 1
                pauses = self.pauses
                pause_s = min(pauses.limited_first_s * 2 ** (slowed - 1), pauses.limited_longest_s)
                sleep(min(pause_s, max(0.0, self._left())))
            elif len(done) < len(run.exchanges):
                tries -= 1
        if self._left() < JUST_S and any(one.outcome == "timeout" for one in exchanges.values()):
            raise self._too_late()
        return [exchanges[place] for place in sorted(exchanges)]

    def _run(self, target: Target, asks: Iterable[PreparedRequest], load: Load) -> PointRun:
        """What became of these requests, within the time that all checks have."""
        left = self._left()
        seconds = max(0.0, min(self.first_s, left))

        async def within() -> PointRun:
            async with asyncio.timeout(None if left == inf else left):
                return await run_point(target, iter(asks), load, Limits(timeout_s=seconds, stall_s=seconds))

        try:
            return asyncio.run(within())
        except TimeoutError:
            raise self._too_late() from None

    def _left(self) -> float:
        """Seconds until all checks have to be over."""
        return inf if self.until is None else self.until - monotonic()

    def _too_late(self) -> Failed:
        return self.failed(
            "time",
            f"{self.where} did not answer within the time caps.minutes leaves: look at its log, or raise caps.minutes.",
        )


def _is_limited(answer: Exchange) -> bool:
    """Whether the endpoint asked for fewer requests."""
    return answer.outcome == "http_429" or (answer.outcome == "http_5xx" and answer.error.startswith("HTTP 503"))


def _refused(answer: Exchange) -> bool:
    """Whether the endpoint did not like a field; a wrong key or route is no matter of fields."""
    return answer.outcome == "http_4xx" and answer.error.startswith(("HTTP 400", "HTTP 422"))
