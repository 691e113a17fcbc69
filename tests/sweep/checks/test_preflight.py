"""What is found out before the load, on every dialect; every bad case is one sentence."""

from __future__ import annotations

import http.server
import socket
import ssl
import threading
from contextlib import contextmanager

import pytest

from bench.endpoint import Settings, running
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

pytestmark = pytest.mark.long

WANTED = RequestStyle("fake-model", ignore_eos=True, min_tokens=True)
SHORT = Pauses(limited_first_s=0.001, limited_longest_s=0.01, limited_for_s=0.1)


def look(url, manner=WANTED, *, headers=None, context=None, **more):
    target = Target.at(url, api=manner.api, streaming=manner.streaming, headers=headers, context=context)
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
    ("dialect", "engine", "version", "counts_by", "fields"),
    [
        ("vllm", "vllm", "0.11.0", "/tokenize", True),
        ("sglang", "sglang", "0.5.4", "/tokenize", True),
        ("llama.cpp", "llama.cpp", "b6900", "/tokenize", True),
        ("tgi", "tgi", "3.3.6", "/tokenize", True),
        ("transformers", "hf-transformers", None, "usage", False),
        ("openai", None, None, "usage", False),
    ],
)
def test_every_engine_as_it_tells_itself(dialect, engine, version, counts_by, fields):
    settings = Settings(dialect=dialect, ttft_ms=30, itl_ms=2, context_tokens=4096, simulates="a chat model")
    with running(settings) as url:
        found = look(url, isls=[128, 512], osls=[32], longest=4096)
    assert found.problem is None
    assert (found.engine.name, found.engine.version) == (engine, version)
    assert found.engine.context_tokens == 4096
    assert found.engine.simulates == "a chat model"
    assert found.counts_by == counts_by
    assert (found.manner.ignore_eos, found.manner.min_tokens) == (fields, fields)
    assert found.manner.streaming
    assert found.manner.usage
    assert found.target.address == "127.0.0.1"
    assert found.timed_osl == 32
    # It may come late, never early; how late is timed below.
    assert found.ttft_ms > 29
    assert found.e2el_ms > 29 + 31 * 2
    assert found.calibration.misses() == ()
    for check in found.checks:
        one_sentence(check.said)
    if not fields:
        assert "does not accept ignore_eos (HTTP 4" in said(found, "ignore_eos")


@pytest.mark.timed
def test_the_one_timed_request_takes_what_the_endpoint_is_set_to():
    with running(Settings(ttft_ms=30, itl_ms=2)) as url:
        found = look(url, osls=[32])
    assert 29 < found.ttft_ms < 130
    assert 29 + 31 * 2 < found.e2el_ms < 300


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_calibrated_prompts_count_what_was_asked(api):
    from bench.endpoint import counting

    with running(Settings(ttft_ms=1, itl_ms=1)) as url:
        found = look(url, RequestStyle("fake-model", api=api), isls=[100, 1000], osls=[4])
    prompt = text(found.calibration, 1000, "another")
    messages = [{"role": "user", "content": prompt}]
    counted = counting.chat_tokens(messages) if api == "chat" else counting.count(prompt)
    assert counted == pytest.approx(1000, rel=0.02)


def test_answers_in_one_piece_are_found_out():
    with running(Settings(stream=False, ttft_ms=10, itl_ms=1)) as url:
        found = look(url, isls=[64], osls=[8])
    assert found.problem is None
    assert not found.manner.streaming
    assert not found.target.streaming
    assert found.ttft_ms is None
    assert found.e2el_ms > 10
    assert "not TTFT" in said(found, "streaming")
    assert found.counts_by


def test_an_endpoint_that_counts_nothing_is_measured_all_the_same():
    with running(Settings(usage="never", dialect="openai", ttft_ms=5, itl_ms=1)) as url:
        found = look(url, isls=[64], osls=[8])
    assert found.problem is None
    assert found.counts_by is None
    assert "any other one token per chunk" in said(found, "usage")
    assert "isl is left out" in said(found, "isl")


def test_outputs_that_end_early_are_told():
    with running(Settings(stops_early=1.0, dialect="openai", ttft_ms=5, itl_ms=1)) as url:
        found = look(url, osls=[64])
    assert found.problem is None
    assert "since nothing holds it to the length" in said(found, "osl")


def test_an_unknown_model_names_those_there_are():
    with running(Settings(model="gemma")) as url:
        problem = one_sentence(look(url, RequestStyle("gema")).problem)
    assert problem == f"There is no model at {url.removeprefix('http://')} named 'gema'; did you mean gemma?"


def test_an_unknown_model_where_none_are_listed():
    with running(Settings(model="gemma", dialect="openai")) as url, no_models(url) as hidden:
        problem = one_sentence(look(hidden, RequestStyle("llama")).problem)
    assert "does not know the model or the route" in problem
    assert "llama" in problem


@pytest.mark.parametrize(
    ("headers", "words"),
    [(None, "asks for a key (HTTP 401)"), ({"Authorization": "Bearer wrong-secret-key"}, "refuses the key (HTTP 401)")],
)
def test_a_wrong_key_is_told_and_never_repeated(headers, words):
    with running(Settings(api_key="right-secret-key")) as url:
        found = look(url, headers=headers, key_env="MY_KEY")
        assert look(url, headers={"Authorization": "Bearer right-secret-key"}, osls=[4]).problem is None
    assert words in one_sentence(found.problem)
    assert "secret" not in repr(found)


def test_a_dead_port():
    with running(Settings()) as url:
        pass
    where = url.removeprefix("http://")
    assert one_sentence(look(url).problem) == (
        f"Nothing listens at {where} (connection refused): start the endpoint, or correct host and port."
    )


def test_a_host_that_does_not_exist():
    assert "no host named no-such-host.invalid" in one_sentence(look("http://no-such-host.invalid:8000").problem)


@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]"])
def test_no_load_goes_to_link_local_or_metadata_addresses(host):
    assert "which no load is sent to" in one_sentence(look(f"http://{host}:8000").problem)


def test_https_against_http():
    with running(Settings()) as url:
        problem = one_sentence(look(url.replace("http:", "https:")).problem)
    assert "write http:// if it is plain http" in problem


def test_http_against_https_and_a_certificate_nobody_trusts(certificate):
    with secure(certificate) as (port, trusted):
        problem = one_sentence(look(f"http://127.0.0.1:{port}").problem)
        assert "https://" in problem
        untrusted = one_sentence(look(f"https://127.0.0.1:{port}").problem)
        assert "is not trusted" in untrusted
        assert "endpoint.ca_file" in untrusted
        # Trusted, the TLS holds and what answers is told to be no endpoint.
        assert "HTML page" in one_sentence(look(f"https://127.0.0.1:{port}", context=trusted).problem)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi", "HTML page (HTTP 200)"),
        (b"HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: 2\r\n\r\nhi", "HTML page (HTTP 404)"),
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
        (b"HTTP/1.1 200 OK\r\n" + b"x-a: b\r\n" * 300 + b"\r\n", "got more than 100 headers"),
        (b"HTTP/1.1 200 OK\r\nx-a: " + b"b" * 100_000, "header line"),
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


def test_a_plan_beyond_the_context_is_stopped_before_any_load():
    with running(Settings(context_tokens=4096)) as url:
        found = look(url, isls=[4000], osls=[128], longest=4128)
    assert one_sentence(found.problem) == (
        "The plan asks for isl + osl of 4,128 tokens, and the endpoint takes 4,096: lower isl or osl, or serve with a "
        "longer context."
    )
    assert [check.name for check in found.checks][-1] == "context"


@pytest.mark.parametrize("dialect", ["openai", "vllm"])
def test_a_context_search_is_calibrated_by_lengths_that_have_room(dialect):
    plan = Plan.from_fields({"profile": "context_scaling", "endpoint.model": "fake-model", "endpoint.url": "http://h"})
    assert lengths_to_calibrate({point.shape for point in searches.possible(plan)})[-1] > 3000
    with running(Settings(dialect=dialect, context_tokens=3000, ttft_ms=1, itl_ms=0)) as url:
        stated = {**plan.document(), "endpoint": {"url": url, "model": "fake-model"}}
        found = looked_at(Plan.from_mapping(stated))
    assert found.problem is None
    assert [seen.isl for seen in found.calibration.seen] == [128, 256, 512, 1024, 2048]
    assert found.calibration.misses() == ()


@pytest.mark.parametrize(
    "failure",
    [
        "500",
        "429",
        "cut",
        *(pytest.param(one, marks=pytest.mark.exhaustive) for one in ("html", "malformed", "reset", "error_body")),
    ],
)
def test_an_endpoint_that_fails_now_and_then_is_looked_at_all_the_same(failure):
    """Of each four requests the first two fail: fields are taken, streams come, and lengths are counted."""
    ill = {number: failure for number in range(400) if number % 4 < 2}
    with running(Settings(dialect="openai", ttft_ms=2, itl_ms=0, fail_at=ill, retry_after_s=0)) as url:
        plain = look(url, RequestStyle("fake-model"), isls=[64], osls=[8])
    assert plain.problem is None
    assert plain.manner.streaming
    assert plain.counts_by == "usage"
    assert plain.timed_osl == 8
    with running(Settings(ttft_ms=2, itl_ms=0, fail_at=ill, retry_after_s=0)) as url:
        found = look(url, osls=[8])
    assert (found.manner.ignore_eos, found.manner.min_tokens) == (True, True)


def test_a_connection_that_is_reset_once_is_made_again():
    with running(Settings(ttft_ms=2, itl_ms=0, fail_at={0: "refused"})) as url:
        assert look(url, osls=[8]).problem is None


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        ("500", "http_5xx"),
        ("429", "too busy"),
        ("redirect", "redirects"),
        ("html", "text/html"),
        ("reset", "broken_stream"),
        ("cut", "broken_stream"),
        ("error_body", "This request fails as asked for"),
        ("malformed", "malformed"),
    ],
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


@contextmanager
def no_models(url):
    """The endpoint behind a proxy that has no list of models."""
    host, _, port = url.removeprefix("http://").partition(":")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(500)

        def do_POST(self):
            sent = self.rfile.read(int(self.headers["content-length"]))
            behind = http.client.HTTPConnection(host, int(port))
            behind.request("POST", self.path, sent)
            answer = behind.getresponse()
            given = answer.read()
            behind.close()
            self.send_response(answer.status)
            self.send_header("content-type", answer.headers["content-type"])
            self.send_header("content-length", str(len(given)))
            self.end_headers()
            self.wfile.write(given)

        def log_message(self, *_):
            pass

    with serving(Handler) as server:
        yield f"http://127.0.0.1:{server.server_port}"


@contextmanager
def secure(certificate):
    """A port that speaks TLS with a certificate signed by itself, and a context that trusts it."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving(Handler, context) as server:
        yield server.server_port, ssl.create_default_context(cafile=str(certificate))


@contextmanager
def serving(handler, context=None):
    class Quiet(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):
            """A client that hangs up or does not trust us is what is tested."""

    server = Quiet(("127.0.0.1", 0), handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("url", "environ", "found"),
    [
        ("http://lab:8000", {"HTTP_PROXY": "http://p:1"}, "HTTP_PROXY"),
        ("http://lab:8000", {"http_proxy": "http://p:1", "HTTP_PROXY": "http://q:1"}, "http_proxy"),
        ("http://lab:8000", {"ALL_PROXY": "http://p:1"}, "ALL_PROXY"),
        ("http://lab:8000", {"HTTPS_PROXY": "http://p:1"}, None),
        ("http://lab:8000", {"HTTP_PROXY": ""}, None),
        ("http://lab:8000", {"HTTP_PROXY": "http://p:1", "NO_PROXY": "lab,other"}, None),
        ("http://gpu.lab:8000", {"HTTP_PROXY": "http://p:1", "no_proxy": ".lab"}, None),
        ("http://lab:8000", {"HTTP_PROXY": "http://p:1", "no_proxy": "*"}, None),
        ("http://localhost:8000", {"HTTP_PROXY": "http://p:1"}, None),
        ("http://127.0.0.1:8000", {"HTTP_PROXY": "http://p:1"}, None),
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
        assert said(found, "proxy") == (
            "http_proxy is set and not used: through a proxy the proxy would be measured too."
        )
        gone = look("http://nowhere.invalid:8000", isls=[64], osls=[8])
        assert gone.problem.endswith(" http_proxy is set, but load never goes through a proxy.")
        with pytest.raises(BlockingIOError):
            proxy.accept()


def resolving(name, ask):
    """What looks names up, this one among them: it is at 127.0.0.1."""
    return lambda host, *rest, **more: ask("127.0.0.1" if host == name else host, *rest, **more)
