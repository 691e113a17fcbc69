"""Plans to test with: valid ones of every kind, and the smallest ones by hand."""

from __future__ import annotations

from hypothesis import strategies as st

from bench.sweep.planning.plan import Plan
from bench.sweep.planning.searches import Stop, next_load
from bench.sweep.planning.stop_rules import Finished

ENDPOINT = {"url": "http://127.0.0.1:8000", "model": "m"}

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
LENGTHS = st.one_of(
    st.integers(1, 4096),
    st.tuples(st.integers(1, 500), st.integers(0, 500)).map(lambda p: f"uniform:{p[0]}:{p[0] + p[1]}"),
    st.integers(1, 100).flatmap(lambda sd: st.integers(3 * sd + 1, 4096).map(lambda mean: f"normal:{mean}:{sd}")),
)
SIZES = st.one_of(
    st.fixed_dictionaries({"requests": st.integers(1, 5000)}),
    st.fixed_dictionaries({"duration_s": st.floats(0.1, 3600)}),
    st.fixed_dictionaries({"requests": st.integers(1, 5000), "duration_s": st.sampled_from(["30s", "2m", 45])}),
)
STOPS = st.fixed_dictionaries(
    {"falling_levels": st.integers(1, 5)},
    optional={"error_rate": st.floats(0, 1), "limits": st.just({"ttft_ms_p99": 500, "tpot_ms_p50": 20.5})},
)
VENDOR = st.dictionaries(
    st.sampled_from(["temperature", "top_p", "chat_template_kwargs", "weiß nicht", 'a"b', "x.y"]),
    st.recursive(
        st.one_of(st.booleans(), st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False), WORDS),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
        max_leaves=6,
    ),
    max_size=3,
)
FACTS = st.fixed_dictionaries(
    {},
    optional={
        "accelerator": st.sampled_from(["H100", "tpu v6e", "mi355x"]),
        "accelerators": st.integers(1, 64),
        "tp": st.integers(1, 8),
        "precision": st.sampled_from(["FP8", "bf16"]),
        "disaggregated": st.booleans(),
        "usd_per_accelerator_hour": st.floats(0.01, 100),
        "variant": WORDS,
    },
)


@st.composite
def mappings(draw):
    """What a person may state, valid as a whole."""
    stated = {
        "endpoint": {**ENDPOINT, "model": draw(WORDS), "api": draw(st.sampled_from(["chat", "completions"]))},
        "workloads": draw(
            st.lists(
                st.fixed_dictionaries(
                    {
                        "isl": st.lists(LENGTHS, min_size=1, max_size=3),
                        "osl": st.lists(LENGTHS, min_size=1, max_size=3),
                    },
                    optional={"shared_prefix_share": st.floats(0, 1)},
                ),
                min_size=1,
                max_size=3,
            )
        ),
        "loads": {"concurrency": draw(st.lists(st.integers(1, 1024), min_size=1, max_size=5))},
        "point": draw(SIZES),
        "facts": draw(FACTS),
        "vendor": draw(VENDOR),
        "repeats": draw(st.integers(1, 3)),
    }
    if draw(st.booleans()):
        stated["loads"]["request_rate"] = draw(st.lists(st.floats(0.01, 1000), min_size=1, max_size=3))
        stated["loads"]["arrivals"] = draw(st.sampled_from(["constant", "poisson", "burst"]))
    if draw(st.booleans()):
        stated |= {"search": "ramp", "stop": draw(STOPS)}
    if draw(st.booleans()):
        stated["seed"] = draw(st.integers(0, 2**32 - 1))
    return stated


PLANS = mappings().map(Plan.from_mapping)


def ramp(levels: list[int], repeats: int = 1, **stop: object) -> Plan:
    """A ramp of one shape through these concurrencies."""
    return Plan.from_mapping(
        {
            "endpoint": ENDPOINT,
            "search": "ramp",
            "workloads": [{"isl": 512, "osl": 256}],
            "loads": {"concurrency": levels},
            "repeats": repeats,
            "stop": stop,
        }
    )


def of(name: str, **stated: object) -> Plan:
    return Plan.from_mapping({"profile": name, "endpoint": ENDPOINT, **stated})


def measured(point, throughput: float | None = 100.0, failed: int = 0, ok: int = 100, **metrics: float) -> Finished:
    own = {} if throughput is None else {"output_tokens_per_s": throughput}
    return Finished(point.key, ok, failed, own | metrics)


def run(plan: Plan, result, start=()) -> tuple[list, Stop]:
    """Every point asked for after `start`, and the end; `result` measures one point."""
    finished, asked = list(start), []
    for _ in range(10_001):
        following = next_load(plan, finished)
        if isinstance(following, Stop):
            return asked, following
        asked.append(following)
        finished.append(result(following))
    raise AssertionError("it never stops")
