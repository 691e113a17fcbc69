"""endpoints.toml: what a plan takes from it, what is refused, and what a look finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.endpoint import Settings, running
from bench.errors import UnknownName, UsageError
from bench.sweep.checks.budget import budget, demand_within_caps
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.session.setup import target_of
from tests.sweep.sweeping import command, document

pytestmark = pytest.mark.long

LAB = """# our machines
[endpoints.lab-h100]
base_url = "http://10.0.0.7:8000/v1/"
model = "llama-3.1-8b"
api = "completions"
key_env = "LAB_API_KEY"

[endpoints.lab-h100.facts]
accelerator = "H100 SXM"
accelerators = 2
precision = "fp8"
usd_per_accelerator_hour = 2.5

[endpoints.lab-h100.caps]
requests = 5000
minutes = 30
concurrency = 2048

[endpoints.bare]
base_url = "https://example.com"
"""
FIELDS = {"workloads.isl": "128", "workloads.osl": "64", "loads.concurrency": "1,4", "point.requests": "10"}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "endpoints.toml").write_text(LAB)
    return tmp_path


def plan(library: Path, **fields: object) -> Plan:
    stated = {"endpoint.name": "lab-h100", **FIELDS, **{key.replace("__", "."): value for key, value in fields.items()}}
    return Plan.from_fields(stated, endpoints=Endpoints(library))


def test_a_name_brings_everything_the_file_states(library: Path) -> None:
    made = plan(library)
    own = made.endpoint
    assert (own.name, own.url, own.model, own.api, own.key_env) == (
        "lab-h100",
        "http://10.0.0.7:8000/v1",
        "llama-3.1-8b",
        "completions",
        "LAB_API_KEY",
    )
    assert made.facts == {
        "accelerator": "h100-sxm",
        "accelerators": 2,
        "precision": "fp8",
        "usd_per_accelerator_hour": 2.5,
    }
    assert (made.caps.requests, made.caps.minutes, made.caps.tokens) == (5000, 30, 500_000_000)
    assert made.caps.concurrency == 1024  # the plan's own default is narrower
    assert Plan.from_mapping(made.document()) == made  # settled: it is not looked up again
    assert Endpoints(library).vouches_for(made.endpoint)
    unnamed = made.model_copy(update={"endpoint": own.model_copy(update={"name": None})})
    assert made.id == unnamed.id


def test_what_the_plan_states_goes_over_it_and_caps_only_narrow(library: Path) -> None:
    made = plan(
        library,
        endpoint__api="chat",
        facts__accelerators="4",
        caps__requests="90000",
        caps__minutes="5",
        caps__tokens="1000000",
    )
    assert (made.endpoint.api, made.facts["accelerators"]) == ("chat", 4)
    assert (made.caps.requests, made.caps.minutes, made.caps.tokens) == (5000, 5, 1_000_000)
    with pytest.raises(UsageError, match=r"caps\.requests is 'many'"):
        plan(library, caps__requests="many")


def test_what_is_beyond_a_cap_is_told_where_that_cap_may_stand(library: Path) -> None:
    with pytest.raises(UsageError, match=r"is 4,096 and caps\.concurrency 2,048: .* lab-h100 in endpoints\.toml\."):
        plan(library, loads__concurrency="4096", caps__concurrency="8192")
    beyond = plan(library, point__requests="5000", caps__requests="90000")
    with pytest.raises(UsageError, match=r"caps\.requests is 5,000: .* lab-h100 in endpoints\.toml\."):
        demand_within_caps(beyond, budget(beyond))
    with pytest.raises(UsageError, match=r"caps\.concurrency") as problem:
        Plan.from_fields(FIELDS | {"endpoint.url": "http://h", "endpoint.model": "m", "loads.concurrency": "2000"})
    assert "endpoints.toml" not in str(problem.value)


def test_facts_about_its_own_model_are_no_other_models(library: Path) -> None:
    other = plan(library, endpoint__model="qwen3-8b")
    assert other.endpoint.model == "qwen3-8b"
    assert "precision" not in other.facts
    assert other.facts["accelerator"] == "h100-sxm"
    assert plan(library, endpoint__model="llama-3.1-8b").facts["precision"] == "fp8"


def test_an_endpoint_without_a_model_leaves_it_to_the_plan(library: Path) -> None:
    with pytest.raises(UsageError, match=r"endpoint\.model is missing"):
        plan(library, endpoint__name="bare")
    bare = plan(library, endpoint__name="bare", endpoint__model="m")
    assert bare.endpoint.url == "https://example.com"


def test_the_key_goes_to_no_other_url(library: Path) -> None:
    with pytest.raises(UsageError, match=r"lab-h100 is at http://10.0.0.7:8000/v1 .* and not both"):
        plan(library, endpoint__url="http://10.0.0.8:8000")
    same = plan(library, endpoint__url="http://10.0.0.7:8000/v1")
    assert same == plan(library)
    known = Endpoints(library)
    for changed in ({"url": "http://10.0.0.8"}, {"key_env": "OTHER_KEY"}, {"name": "bare"}, {"name": None}):
        assert not known.vouches_for(same.endpoint.model_copy(update=changed))


def test_an_unknown_name_is_told_with_those_there_are(library: Path) -> None:
    with pytest.raises(UnknownName, match="There is no endpoint named 'lab-h10'; did you mean lab-h100"):
        plan(library, endpoint__name="lab-h10")
    with pytest.raises(UnknownName, match="there is none to choose"):
        plan(library / "nowhere")


def test_a_plan_file_names_one_too(library: Path) -> None:
    path = library / "plan.toml"
    path.write_text('profile = "quick"\nendpoint = {name = "lab-h100"}\n')
    made = Plan.from_file(path, {"facts.tp": "2"}, endpoints=Endpoints(library))
    assert (made.endpoint.url, made.facts["tp"], made.based_on) == ("http://10.0.0.7:8000/v1", 2, "quick")
    with pytest.raises(UsageError, match="known by its name only"):
        target_of(Plan.from_mapping({**made.document(), "endpoint": {"name": "lab-h100", "model": "m"}}).endpoint)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[endpoints.lab]\nmodel = "m"', "endpoint 'lab': base_url is missing"),
        ('[endpoints.lab]\nbase_url = "ftp://h"', "endpoint 'lab': base_url is 'ftp://h'"),
        ('[endpoints.lab]\nbase_url = "http://h"\napi = "rest"', "'lab': api is 'rest'"),
        ('[endpoints.lab]\nbase_url = "http://h"\ncaps = {requests = 0}', "'lab': caps.requests is 0"),
        ('[endpoints.lab]\nbase_url = "http://h"\nfacts = {tp = "two"}', "'lab': facts.tp is 'two'"),
        ('[endpoints.lab]\nbase_url = "http://h"\nfacts = {speed = 1}', "named 'speed'"),
        ('[endpoints.lab]\nbase_url = "http://h"\ncolour = "red"', "named 'colour'"),
        ('[endpoints.lab]\nbase_url = "http://169.254.169.254"', "'lab': base_url is 'http://169.254.169.254'"),
        ('[endpoints."a b"]\nbase_url = "http://h"', "endpoint 'a b'"),
        ("[endpoints]\nlab = 3", "endpoint 'lab'"),
        ('[lab]\nbase_url = "http://h"', "'lab' is no endpoint"),
        ("[endpoints.lab", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_told_with_file_endpoint_field_and_value(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "endpoints.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as told:
        _ = Endpoints(tmp_path).named
    assert str(told.value).startswith(str(path))
    assert said in str(told.value)


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "{}"',
        'headers = {{X-Key = "{}"}}',
        'key_env = "{}"',
        'base_url = "http://user:{}@h"',
        'base_url = "http://h?key={}"',
    ],
)
def test_a_key_in_the_file_is_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    stated = line.format("sk-very-secret-1234")
    url = "" if stated.startswith("base_url") else 'base_url = "http://h"\n'
    (tmp_path / "endpoints.toml").write_text(f"[endpoints.lab]\n{url}{stated}\n")
    with pytest.raises(UsageError) as told:
        _ = Endpoints(tmp_path).named
    assert "sk-very" not in str(told.value)
    assert "lab" in str(told.value)


def test_the_command_lists_and_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "sk-very-secret-1234")
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    where = ("--library", str(tmp_path))
    empty = command("endpoints", *where)
    assert (empty.returncode, empty.stdout) == (0, "")
    assert "states no endpoint yet" in empty.stderr
    with running(Settings(dialect="vllm", api_key="sk-very-secret-1234", model="served")) as url:
        stated = {
            "good": f'base_url = "{url}"\nkey_env = "LAB_API_KEY"',
            "other": f'base_url = "{url}"\nkey_env = "LAB_API_KEY"\nmodel = "absent"',
            "keyless": f'base_url = "{url}"',
            "unset": f'base_url = "{url}"\nkey_env = "NO_SUCH_KEY"',
            "dead": 'base_url = "http://127.0.0.1:9"',
            "odd": 'base_url = "https://127.0.0.1:9"\nca_file = "/nowhere.pem"',
        }
        tables = [f"[endpoints.{name}]\n{text}\n" for name, text in stated.items()]
        (tmp_path / "endpoints.toml").write_text("".join(tables))
        listed = command("endpoints", *where, "--json")
        assert [row["name"] for row in document(listed.stdout)] == list(stated)
        looked = command("endpoints", *where, "--check", "--json")
        shown = command("endpoints", *where, "--check")
    assert looked.returncode == 1
    rows = {row["name"]: row for row in document(looked.stdout)}
    good = rows["good"]
    assert (good["reachable"], good["engine"], good["serves"], good["problem"]) == (True, "vllm", ["served"], None)
    assert rows["other"]["engine"] == "vllm"
    for name, said in {
        "other": "There is no model at 127.0.0.1",
        "keyless": "asks for a key",
        "unset": "NO_SUCH_KEY",
        "dead": "connection refused",
        "odd": "endpoint.ca_file /nowhere.pem cannot be read",
    }.items():
        assert said in rows[name]["problem"]
    assert "sk-very" not in looked.stdout + looked.stderr + shown.stdout + shown.stderr
    assert "dead: Nothing listens at 127.0.0.1:9" in shown.stderr


def test_an_address_without_a_scheme_is_understood_in_the_file_and_beside_a_name(tmp_path: Path) -> None:
    (tmp_path / "endpoints.toml").write_text('[endpoints.lab]\nbase_url = " localhost:8701/v1/"\nmodel = "m"\n')
    known = Endpoints(tmp_path)
    assert known.endpoint("lab").base_url == "http://localhost:8701/v1"
    fields = {"profile": "quick", "endpoint.name": "lab"}
    for url in ("localhost:8701/v1", "http://localhost:8701/v1/"):
        plan = Plan.from_fields({**fields, "endpoint.url": url}, files=False, endpoints=known)
        assert plan.endpoint.url == "http://localhost:8701/v1"
    with pytest.raises(UsageError, match="says otherwise"):
        Plan.from_fields({**fields, "endpoint.url": "localhost:8702"}, files=False, endpoints=known)
