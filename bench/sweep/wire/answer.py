"""One request and its answer on the way: what is known of it, and the Exchange it becomes."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import orjson

from bench.sweep.wire.exchange import Exchange, Limits, PreparedRequest, RequestOutcome, Target, TokenSource
from bench.sweep.wire.framing import Head
from bench.sweep.wire.redaction import kept
from bench.sweep.wire.stream import Stream, error_text, text_lengths
from bench.sweep.wire.usage import Usage, usage_of

NOT_A_DOCUMENT = "the answer is no JSON"
GIVEN_UP = ("abort", "error")
"""How vLLM and gateways end an answer that the server has given up."""
LONGEST_SAID, LONGEST_NAME = 500, 200
"""How many characters of a sentence are kept, and of a name that the endpoint gives something."""
READ_AT_ONCE, LONGEST_PIECE = 16_384, 4096
"""Bytes read before other connections get their turn, some 100 µs of work, and bytes that need not be read in one."""


class WireAnswer:
    """What has come back for one request; its bytes may wait to be read."""

    __slots__ = ("_at", "_document", "_pieces", "_secrets", "_stream", "_streaming", "_when", "ask", "connect_ns",
                 "connection", "end_ns", "ended", "error", "head", "headers_ns", "intended_ns", "limits", "outcome",
                 "queued", "refusals", "reused", "sent_ns", "waiting")  # fmt: skip

    def __init__(
        self, ask: PreparedRequest, target: Target, limits: Limits, intended_ns: int | None, secrets: Sequence[str] = ()
    ) -> None:
        self.ask = ask
        self.limits = limits
        self.intended_ns = intended_ns
        self.sent_ns = 0
        self.connect_ns: int | None = None
        self.headers_ns: int | None = None
        self.end_ns = 0
        self.head: Head | None = None
        self.outcome: RequestOutcome | None = None  # why it was cut off; None while it is not
        self.error = ""
        self.connection = -1
        self.ended = False
        self.queued = False
        self.refusals = 0  # how often in a row its place was asked for less, this answer included
        self.reused = False  # whether its connection had carried another request before
        self.waiting = 0
        self._streaming = target.streaming
        self._secrets = secrets
        self._stream: Stream | None = None
        self._document: list[bytes] = []
        self._pieces: list[bytes] = []
        self._when: list[int] = []
        self._at = 0

    def begin(self, head: Head, at: int) -> str:
        """Why this answer is not worth its body, from its head; empty when it is."""
        self.head, self.headers_ns = head, at
        if head.encoding not in ("", "identity"):
            return f"the answer is compressed ({head.encoding}), which was not asked for"
        if 200 <= head.status < 300 and head.content_type == "text/event-stream":
            self._stream = Stream(self.limits.line_bytes, self._secrets)
        return ""

    def take(self, pieces: list[bytes], when: list[int]) -> None:
        """Keep pieces of the body until they are read."""
        if pieces and max(map(len, pieces)) > LONGEST_PIECE:
            pieces, when = _cut(pieces, when)
        self._pieces += pieces
        self._when += when
        self.waiting += sum(map(len, pieces))

    def end(self, at: int, outcome: RequestOutcome | None = None, error: str = "") -> None:
        """End the answer: no more will come. `outcome` says why it was cut off."""
        self.end_ns, self.outcome, self.error, self.ended = at, outcome, error, True

    def read(self, most: int) -> int:
        """How many bytes were read, of so many pieces at most, and of fewer where they are long."""
        pieces = self._pieces[self._at : self._at + most]
        read = sum(map(len, pieces))
        if read > READ_AT_ONCE:
            pieces = pieces[: max(1, len(pieces) * READ_AT_ONCE // read)]
            read = sum(map(len, pieces))
        when = self._when[self._at : self._at + len(pieces)]
        self._at += len(pieces)
        if self._at >= len(self._pieces):
            self._pieces, self._when, self._at = [], [], 0
        if self._stream is None:
            self._document += pieces
        else:
            self._stream.read(pieces, when)
        self.waiting -= read
        return read

    @property
    def too_long(self) -> bool:
        """Whether a line was longer than is heard out, as far as has been read."""
        return self._stream is not None and self._stream.too_long

    @property
    def speaking(self) -> bool:
        """Whether a first token has come, as far as has been read."""
        return self._stream is not None and self._stream.first_ns is not None

    def exchange(self) -> Exchange:
        """The record of it, once it has ended and all is read."""
        stream = self._stream
        usage, finish, response_id = Usage(), None, None
        if stream is not None:
            stream.close()
            usage, finish, response_id = stream.usage, stream.finish, stream.response_id
            outcome, error = self._stream_outcome(stream)
        else:
            outcome, error, document = self._document_outcome()
            if outcome == "ok":
                usage, finish, response_id = _read_document(document)
        tokens = array("i")
        source: TokenSource = "chunks" if usage.output is None else "usage"
        counted = usage.output
        if stream is not None and len(stream.stamps):
            tokens = stream.tokens(self.ask.osl)
            promised = stream.promised(self.ask.osl)
            counted = next((one for one in (usage.output, promised) if one is not None), sum(tokens))
            source = source if promised is None else "length"
        return Exchange(
            number=self.ask.number,
            intended_ns=self.intended_ns,
            sent_ns=self.sent_ns,
            connect_ns=self.connect_ns,
            headers_ns=self.headers_ns,
            first_ns=stream.first_ns if stream is not None else None,
            first_content_ns=stream.first_content_ns if stream is not None else None,
            stamps_ns=stream.stamps if stream is not None else array("q"),
            tokens=tokens,
            end_ns=self.end_ns,
            input_tokens=usage.input,
            output_tokens=counted,
            token_source=source,
            finish=self._name(finish),
            outcome=outcome,
            error=kept(error, self._secrets, LONGEST_SAID),
            response_id=self._name(response_id),
            connection=self.connection,
        )

    def _stream_outcome(self, stream: Stream) -> tuple[RequestOutcome, str]:
        if stream.wrong:
            return "malformed", stream.wrong
        if stream.too_long:
            return "too_large", f"a line of the stream is longer than {self.limits.line_bytes:,} bytes"
        if stream.refused:
            return "broken_stream", f"the stream ended in an error: {stream.refused}"
        if self.outcome is not None and not (stream.done and stream.finish):
            return self.outcome, self.error
        if stream.finish in GIVEN_UP:
            return "broken_stream", f"the stream ended with finish_reason {stream.finish}"
        if not (len(stream.stamps) or stream.finish):
            return "broken_stream", "the stream ended before a token came"
        if not stream.finish and (lacking := self._unexplained(stream)):
            return "broken_stream", lacking
        if not self._streaming:
            return "malformed", "a stream came that was not asked for"
        return "ok", ""

    def _unexplained(self, stream: Stream) -> str:
        """Why a stream without finish_reason is not whole; empty where all tokens came, or its last count says so."""
        came = sum(stream.tokens()) if stream.usage.output is None else stream.usage.output
        if came >= self.ask.osl or (stream.done and stream.concluded):
            return ""
        done = "" if stream.done else " and without [DONE]"
        return f"the stream ended after {came:,} of {self.ask.osl:,} tokens, without finish_reason{done}"

    def _document_outcome(self) -> tuple[RequestOutcome, str, Any]:
        """How an answer that is no stream ended, with what it says."""
        if self.head is None or (self.outcome is not None and self.head.status < 300):
            return self.outcome or "broken_stream", self.error, None
        text = b"".join(self._document)
        try:
            document = orjson.loads(text)
        except orjson.JSONDecodeError:
            document = None
        words = error_text(document) if document is not None else text.decode("utf-8", "replace")
        status = self.head.status
        said = f"HTTP {status}" + (f": {words}" if words else "")
        if status == 429:
            after = self.head.retry_after
            return "http_429", said + (f" (retry after {after})" if after else ""), None
        if status >= 500:
            return "http_5xx", said, None
        if status >= 400:
            return "http_4xx", said, None
        if status >= 300:
            return "redirected", f"HTTP {status} to {self.head.location}", None
        if isinstance(document, dict) and (document.get("error") or document.get("object") == "error"):
            return "error_body", f"{said}, which is an error all the same", None
        if self._streaming:
            kind = self.head.content_type or "nothing named"
            return "not_a_stream", f"the answer is {kind}, no event stream", None
        if not isinstance(document, dict) or not document.get("choices"):
            return "malformed", NOT_A_DOCUMENT if document is None else "the answer has no choices", None
        return "ok", "", document

    def _name(self, given: str | None) -> str | None:
        """A name that the endpoint gave, without what only this request may know."""
        return kept(given, self._secrets, LONGEST_NAME) or None if given else None


def _cut(pieces: list[bytes], when: list[int]) -> tuple[list[bytes], list[int]]:
    """The pieces, none of them too long, and when each arrived."""
    parts = [
        (piece[at : at + LONGEST_PIECE], stamp)
        for piece, stamp in zip(pieces, when, strict=True)
        for at in range(0, len(piece), LONGEST_PIECE)
    ]
    return [part for part, _ in parts], [stamp for _, stamp in parts]


def _read_document(document: dict[str, Any]) -> tuple[Usage, str | None, str | None]:
    """Usage, how it finished and its id, from an answer that came in one piece."""
    choices = document["choices"]
    entry = choices[0] if isinstance(choices, list) else None
    first = entry if isinstance(entry, dict) else {}
    message = first.get("message")
    characters = sum(text_lengths(message if isinstance(message, dict) else first))
    finish, name = first.get("finish_reason"), document.get("id")
    return (
        (usage_of(document.get("usage")) or Usage()).of_text(characters),
        finish if isinstance(finish, str) else None,
        name if isinstance(name, str) else None,
    )
