"""What is found out before the load, on every dialect; every bad case is one sentence."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager

import pytest

from bench.endpoint import Settings, counting, running
from bench.sweep.checks import endpoint_probe
from bench.sweep.checks.endpoint_probe import proxy_for
from bench.sweep.checks.preflight import preflight
from bench.sweep.generator.calibration import text
from bench.sweep.generator.prompts import lengths_to_calibrate
from bench.sweep.pauses import Pauses
from bench.sweep.planning import searches
from bench.sweep.planning.plan import Plan
from bench.sweep.session.setup import looked_at
from bench.sweep.wire.bodies import RequestStyle
from bench.sweep.wire.exchange import Target
from tests.endpoint.odd import Odd, serving
from tests.sweep.played import Played, playing, reserved
from tests.thorough import some

pytestmark = pytest.mark.long

WANTED = RequestStyle("fake-model", ignore_eos=True, min_tokens=True)
SHORT = Pauses(limited_first_s=0.001, limited_longest_s=0.01, limited_for_s=0.1)


def look(url, manner=WANTED, *, headers=None, ca_file=None, **more):
    target = Target.at(url, api=manner.api, streaming=manner.streaming, headers=headers, ca_file=ca_file)
    return preflight(target, manner, pauses=SHORT, **more)


def said(found, name):
    return next(check.said for check in found.checks if check.name == name)


def one_sentence(problem):
    assert problem
    assert problem.endswith((".", "?"))
    assert "\n" not in problem
    assert len(problem) < 500
    return problem


@pytest.mark.parametrize(
    ("dialect", "engine", "version", "fields"),
    some(
        [
            ("vllm", "vllm", "0.11.0", True),
            ("sglang", "sglang", "0.5.4", True),
            ("llama.cpp", "llama.cpp", "b6900", True),
            ("tgi", "tgi", "3.3.6", True),
            ("transformers", "hf-transformers", None, False),
            ("openai", None, None, False),
        ],
        3,
    ),
)
def test_every_engine_as_it_tells_itself(dialect, engine, version, fields):
    settings = Settings(dialect=dialect, ttft_ms=30, itl_ms=2, context_tokens=4096, simulates="a chat model")
    with running(settings) as url:
        found = look(url, isls=[128], osls=[32], longest=4096)
    assert found.problem is None
    known = found.engine
    assert (known.name, known.version, known.context_tokens) == (engine, version, 4096)
    assert known.simulates == "a chat model"
    assert found.counts_by == ("/tokenize" if fields else "usage")
    assert (found.manner.ignore_eos, found.manner.min_tokens) == (fields, fields)
    assert (found.manner.streaming, found.manner.usage) == (True, True)
    assert found.target.address == "127.0.0.1"
    assert found.timed_osl == 32
    # It may come late, never early.
    assert found.ttft_ms > 29
    assert found.e2el_ms > 29 + 31 * 2
    assert found.calibration.misses() == ()
    for check in found.checks:
        one_sentence(check.said)


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_calibrated_prompts_count_what_was_asked(api):
    with running(Settings(ttft_ms=1, itl_ms=1)) as url:
        found = look(url, RequestStyle("fake-model", api=api), isls=[400], osls=[4])
    prompt = text(found.calibration, 400, "another")
    messages = [{"role": "user", "content": prompt}]
    counted = counting.chat_tokens(messages) if api == "chat" else counting.count(prompt)
    assert counted == pytest.approx(400, rel=0.02)


def test_answers_in_one_piece_are_found_out():
    with running(Settings(stream=False, ttft_ms=10, itl_ms=1)) as url:
        found = look(url, isls=[64], osls=[8])
    assert found.problem is None
    assert (found.manner.streaming, found.target.streaming, found.ttft_ms) == (False, False, None)
    assert found.e2el_ms > 10
    assert found.counts_by


def test_an_unknown_model_is_told_with_those_there_are_where_they_are_listed():
    with running(Settings(model="gemma")) as url:
        assert "named 'gema'; did you mean gemma?" in one_sentence(look(url, RequestStyle("gema")).problem)
    unknown = (404, {"error": "The model llama does not exist"})
    with playing(Played(told={"/v1/models": (500, {}), "/v1/chat/completions": unknown})) as played:
        assert "llama" in one_sentence(look(played.url, RequestStyle("llama")).problem)


def test_a_server_of_http2_alone_is_told_as_that_and_not_as_one_that_asks_for_a_key():
    refused = (403, "Missing ALPN Protocol, expected `h2` to be available.")
    with playing(Played(told={"/v1/models": refused, "/v1/chat/completions": refused})) as played:
        assert "refuses HTTP/1.1 (HTTP 403)" in one_sentence(look(played.url, RequestStyle("llama")).problem)


NGINX = "<html>\r\n<head><title>403 Forbidden</title></head></html>"


@pytest.mark.parametrize("route", some(["/v1/chat/completions", "/v1/models"], 1))
@pytest.mark.parametrize(
    ("told", "words", "of_a_key"),
    [
        ({"error": {"message": "This region is not supported"}}, "This region is not supported", False),
        (NGINX, "403 Forbidden", False),
        ("You used all tokens of today", "You used all tokens of today", False),
        ({"detail": "Missing X-API-KEY header"}, "Missing X-API-KEY header", True),
        ({"message": "Invalid token"}, "Invalid token", True),
    ],
)
def test_a_refusal_is_quoted_and_of_a_key_where_it_says_so(route, told, words, of_a_key):
    with playing(Played(told={"/v1/models": (404, {}), route: (403, told)})) as played:
        said = one_sentence(look(played.url, RequestStyle("llama")).problem)
        keyed = look(played.url, RequestStyle("llama"), headers={"Authorization": "Bearer k-12345678"}).problem
    assert words in said
    assert ("asks for a key" in said, "refuses the key" in one_sentence(keyed)) == (of_a_key, of_a_key)
    assert ("key" in said.lower()) is of_a_key


def test_a_head_that_asks_for_a_key_does_so_whatever_the_body_says():
    with playing(Played(told={"/v1/models": (403, "no")}, more={"WWW-Authenticate": "Bearer"})) as played:
        assert "asks for a key" in one_sentence(look(played.url, RequestStyle("llama")).problem)


@pytest.mark.parametrize(
    ("headers", "words"),
    [(None, "asks for a key (HTTP 401"), ({"Authorization": "Bearer wrong-secret-key"}, "refuses the key (HTTP 401")],
)
def test_a_wrong_key_is_told_and_never_repeated(headers, words):
    with running(Settings(api_key="right-secret-key")) as url:
        found = look(url, headers=headers, key_env="MY_KEY")
        assert look(url, headers={"Authorization": "Bearer right-secret-key"}, osls=[4]).problem is None
    assert words in one_sentence(found.problem)
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:{closed}", "Nothing listens at 127.0.0.1:{closed} (connection refused)"),
        ("https://127.0.0.1:{plain}", "write http:// if it is plain http"),
        ("http://no-such-host.invalid:8000", "no host named no-such-host.invalid"),
        ("http://169.254.169.254:8000", "which no load is sent to"),
        ("http://[fe80::1]:8000", "which no load is sent to"),
        ("http://[::ffff:169.254.169.254]:8000", "which no load is sent to"),
    ],
)
def test_an_address_that_cannot_be_asked(url, words):
    with reserved() as closed, playing() as played:
        ports = {"closed": closed, "plain": played.port}
        assert words.format(**ports) in one_sentence(look(url.format(**ports)).problem)


def test_http_against_https_and_a_certificate_nobody_trusts(certificate):
    with serving({"secure": Odd(tls=True)}, certificate) as servers:
        url = servers.url("secure")
        assert "https://" in one_sentence(look(url.replace("https:", "http:")).problem)
        untrusted = one_sentence(look(url).problem)
        assert "is not trusted" in untrusted
        assert "endpoint.ca_file" in untrusted
        assert look(url, RequestStyle("odd-model"), ca_file=str(certificate), osls=[4]).problem is None


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi", "HTML page (HTTP 200)"),
        (
            b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\ncontent-length: 48\r\n\r\n"
            b"Client sent an HTTP request to an HTTPS server.\n",
            "write https:// instead of http://",
        ),
        (
            b"HTTP/1.1 302 Found\r\nlocation: http://other:1/\r\ncontent-length: 0\r\n\r\n",
            "redirects to http://other:1/",
        ),
        (b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\nhi", "compressed"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1_200_000, "longer than 1,000,000 bytes"),
        (b"HTTP/1.1 200 OK\r\n" + b"x-a: b\r\n" * 300 + b"\r\n", "Too many headers"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "did not answer in HTTP"),
        (b"", "closed the connection"),
    ],
)
def test_what_is_no_endpoint(answer, words):
    with answering(answer) as url:
        assert words in one_sentence(look(url).problem)


def test_a_server_that_drips_is_given_up_at_the_deadline(monkeypatch):
    monkeypatch.setattr(endpoint_probe.EndpointProbe.__init__, "__defaults__", (0.4,))
    with answering(b"HTTP/1.1 200 OK\r\n", drip=True) as url:
        problem = one_sentence(look(url).problem)
    assert "did not answer within 0.4 s" in problem


def test_an_endpoint_is_asked_beside_a_loop_that_runs():
    async def models() -> int:
        with running(Settings()) as url:
            site = endpoint_probe.EndpointProbe(Target.at(url))
            try:
                return site.get("/v1/models").status
            finally:
                site.close()

    assert asyncio.run(models()) == 200


def test_a_plan_beyond_the_context_is_stopped_before_any_load():
    with running(Settings(context_tokens=4096)) as url:
        found = look(url, isls=[4000], osls=[128], longest=4128)
    problem = one_sentence(found.problem)
    assert "4,128" in problem
    assert "4,096" in problem
    assert [check.name for check in found.checks][-1] == "context"


def test_a_context_search_is_calibrated_by_lengths_that_have_room():
    plan = Plan.from_fields({"profile": "context_scaling", "endpoint.model": "fake-model", "endpoint.url": "http://h"})
    assert lengths_to_calibrate({point.shape for point in searches.possible(plan)})[-1] > 3000
    with running(Settings(dialect="vllm", context_tokens=3000, ttft_ms=1, itl_ms=0)) as url:
        stated = {**plan.document(), "endpoint": {"url": url, "model": "fake-model"}}
        found = looked_at(Plan.from_mapping(stated))
    assert found.problem is None
    assert [seen.isl for seen in found.calibration.seen] == [128, 256, 512, 1024, 2048]
    assert found.calibration.misses() == ()


@pytest.mark.parametrize(
    "failure",
    ["500", "429", *(pytest.param(one, marks=pytest.mark.exhaustive) for one in ("cut", "html", "malformed", "reset"))],
)
def test_an_endpoint_that_fails_now_and_then_is_looked_at_all_the_same(failure):
    """Of each four requests the first two fail: fields are taken, streams come, and one request is timed."""
    ill = {number: failure for number in range(400) if number % 4 < 2}
    with running(Settings(ttft_ms=2, itl_ms=0, fail_at=ill, retry_after_s=0)) as url:
        found = look(url, osls=[8])
    assert found.problem is None
    assert (found.manner.streaming, found.manner.ignore_eos, found.manner.min_tokens) == (True, True, True)
    assert found.timed_osl == 8


def test_a_connection_that_is_reset_once_is_made_again():
    with running(Settings(ttft_ms=2, itl_ms=0, fail_at={0: "refused"})) as url:
        assert look(url, osls=[8]).problem is None


@pytest.mark.parametrize(
    ("failure", "words"),
    [("500", "http_5xx"), ("429", "too busy"), ("redirect", "redirects"), ("error_body", "fails as asked for")],
)
def test_an_endpoint_that_answers_no_request(failure, words):
    with running(Settings(fail={failure: 1.0}, retry_after_s=0)) as url:
        assert words in one_sentence(look(url).problem)


def test_an_endpoint_that_never_answers():
    with running(Settings(ttft_ms=60_000)) as url:
        assert "does not answer it" in one_sentence(look(url, first_s=0.3).problem)


@contextmanager
def answering(answer, drip=False):
    """A port that gives these bytes to whoever asks; then it closes, or drips headers without end."""
    listener = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve():
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65_536)
                try:
                    connection.sendall(answer)
                    while drip and not over.wait(0.05):
                        connection.sendall(b"x: y\r\n"[:1])
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize(
    ("url", "environ", "found"),
    [
        ("http://lab:8000", {"HTTP_PROXY": "http://p:1"}, "HTTP_PROXY"),
        ("http://lab:8000", {"http_proxy": "http://p:1", "HTTP_PROXY": "http://q:1"}, "http_proxy"),
        ("http://lab:8000", {"HTTPS_PROXY": "http://p:1"}, None),
        ("http://lab:8000", {"HTTP_PROXY": ""}, None),
        ("http://lab:8000", {"HTTP_PROXY": "http://p:1", "NO_PROXY": "lab,other"}, None),
        ("http://gpu.lab:8000", {"HTTP_PROXY": "http://p:1", "no_proxy": ".lab"}, None),
        ("http://lab:8000", {"HTTP_PROXY": "http://p:1", "no_proxy": "*"}, None),
        ("http://[::1]:8000", {"HTTP_PROXY": "http://p:1"}, None),
    ],
)
def test_which_proxy_others_would_use_is_known(url, environ, found):
    assert proxy_for(Target.at(url), environ) == found


def test_no_load_goes_through_a_proxy_and_the_preflight_says_so(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.setblocking(False)
        named = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, named)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setattr(socket, "getaddrinfo", resolving("endpoint.lab", socket.getaddrinfo))
        with running(Settings(ttft_ms=1, itl_ms=1)) as url:
            found = look(url.replace("127.0.0.1", "endpoint.lab"), isls=[64], osls=[8])
        assert found.problem is None
        assert "http_proxy is set and not used" in said(found, "proxy")
        gone = look("http://nowhere.invalid:8000", isls=[64], osls=[8])
        assert "http_proxy" in gone.problem
        with pytest.raises(BlockingIOError):
            proxy.accept()


def resolving(name, ask):
    """What looks names up, this one among them: it is at 127.0.0.1."""
    return lambda host, *rest, **more: ask("127.0.0.1" if host == name else host, *rest, **more)
