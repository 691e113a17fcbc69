"""What is asked of a cost: which tokens, whose prices, which limit, utilisation and volume; and what is filled in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench import catalogue, pricing, selection
from bench.catalogue import Metric
from bench.chart import COLUMN_TITLES
from bench.errors import NotFound, UnknownName, UsageError
from bench.library import Library
from bench.pricing import EVERY
from bench.questions.cost.rates import KINDS, rate_sql
from bench.view import View

DEPLOYMENT = "deployment"
GROUPS = ("accelerator", DEPLOYMENT, "model", "precision", "engine", "engine_version", "accelerators", "tp", "variant",
          "speculation", "disaggregated", "source")  # fmt: skip
STORY = ("model", "precision", "isl", "osl")
VOLUME = "100000000"
"""Tokens a day unless the reader says: what the article inferencebench-gemma4-h100 works its bill out for."""

COLD = {
    "slo_metric": "interactivity_tokens_per_s_per_user_p50",
    "slo": "20",
    "slo_ttft": "5000",
}
"""The limits of a page on which nothing was asked, as serving people calls for them: Kneepoint's choice, to be changed.

The cheapest point of a sweep is its most crowded one, where an answer may begin after minutes. About 20 tokens a
second are what a fast reader takes in, and 5 s are a wait for a long prompt.
"""

NO_LIMIT = "none"
LEAST_SHARE = 0.001
MANY_KEEP = 0.5
"""Those limits are set where at least this share of the accelerators keeps them."""

API_PRICES = {"input": "API price, input", "output": "API price, output"}
"""What the boxes of an API's prices are called."""

FIRST_LIMITS = ("interactivity_tokens_per_s_per_user", "tpot_ms", "ttft_ms", "e2el_ms")


@dataclass(frozen=True)
class Asked:
    """What a complete View asks for.

    `book`, `terms` and `provider` are empty for every one. `limit_on` is what the price of latency is told of;
    `limits` are the metrics with their limits that a point has to keep, none for the peak. Prices of an API are USD
    per million tokens, None where the reader states none. `usd` is the cost's metric.
    """

    tokens: str
    usd: Metric
    group: str
    utilisation: float
    limit_on: Metric | None
    limits: tuple[tuple[Metric, float], ...]
    volume: float
    book: str
    terms: str
    provider: str
    api_input: float | None
    api_output: float | None
    any_evidence: bool


def asked_of(view: View) -> Asked:
    """What a complete View asks for; UsageError for a value that cannot be one."""
    on = view.option("slo_metric")
    tokens = view.option("tokens")
    return Asked(
        tokens=tokens,
        usd=catalogue.metric(KINDS[tokens].usd),
        group=view.option("group"),
        utilisation=_share(view),
        limit_on=catalogue.metric(on) if on else None,
        limits=_limits(view),
        volume=_positive(view, "volume", "volume=100000000") or 0.0,
        book=_one(view.option("price_book")),
        terms=_one(view.option("price_terms")),
        provider=_one(view.option("provider")),
        api_input=_positive(view, "api_price_input", "api_price_input=0.5"),
        api_output=_positive(view, "api_price_output", "api_price_output=2.5"),
        any_evidence=bool(view.values("evidence")),
    )


def _limits(view: View) -> tuple[tuple[Metric, float], ...]:
    """The metrics with the limits the reader sets; a limit on TTFT is on the statistic of the other limit."""
    on = view.option("slo_metric")
    limit, ttft = (
        _positive(view, key, example) for key, example in (("slo", "slo=50"), ("slo_ttft", "slo_ttft=2000"))
    )
    found = [] if limit is None or not on else [(catalogue.metric(on), limit)]
    if ttft is not None:
        found.append((catalogue.metric(ttft_key(view)), ttft))
    return tuple(found)


def ttft_key(view: View) -> str:
    """The TTFT that slo_ttft limits: of the statistic that the other limit is on, else the median."""
    on = view.option("slo_metric")
    return f"ttft_ms_{(catalogue.metric(on).statistic if on else None) or 'p50'}"


def completed(library: Library, view: View) -> View:
    """The View with every option explicit and, unless it is whole, one workload filled in; also a model when empty."""
    _check(library, view)
    if not any(rate_sql(kind, library) for kind in KINDS):
        raise NotFound(
            "No loaded point has a throughput, so no token has a cost; import results that have one."
        )
    tokens = view.option("tokens") or _first_kind(library, view)
    if not view.whole:
        view = _with_workload(library, view, tokens) if view.where else _with_story(library, view, tokens)
    book, terms = view.option("price_book"), view.option("price_terms")
    models, chips, limit = 1, frozenset[str](), view.option("slo_metric")
    if not (view.option("group") and (book or terms) and limit):
        models, chips, first = _surveyed(library, view, tokens)
        limit = limit or first
    view = view.with_options(
        tokens=tokens,
        group=view.option("group") or ("model" if models > 1 else "accelerator"),
        utilisation=view.option("utilisation", "1"),
        volume=view.option("volume", VOLUME),
        slo_metric=limit or None,
        provider=view.option("provider", EVERY),
    )
    if view.option("slo", NO_LIMIT) != NO_LIMIT and not view.option("slo_metric"):
        raise UsageError(
            "slo needs a latency or an interactivity, and no selected point has one; leave slo out."
        )
    if view.option("slo_ttft", NO_LIMIT) != NO_LIMIT and not library.has(ttft_key(view)):
        raise UsageError(
            f"slo_ttft needs {ttft_key(view)}, which no loaded point has; leave it out or change slo_metric."
        )
    if not (book or terms):
        book, terms = pricing.comparable(library, chips)
    return view.with_options(price_book=book or EVERY, price_terms=terms or EVERY).made_whole()


def groups(library: Library) -> list[str]:
    """The fields that deployments can be told apart by."""
    return [key for key in GROUPS if key == DEPLOYMENT or library.has(key)]


def group_label(key: str) -> str:
    """The words for a group."""
    return "Deployment and workload" if key == DEPLOYMENT else COLUMN_TITLES[key].split(" (")[0]


def limits(library: Library, view: View) -> list[str]:
    """The latencies and interactivities the selected points have, those people set limits on first."""
    bases = [row.key for row in catalogue.base_metrics() if row.distribution and row.direction != "neutral"]
    return _filled(library, view, [*FIRST_LIMITS, *(base for base in bases if base not in FIRST_LIMITS)])


def _keys(library: Library, bases: Sequence[str]) -> list[str]:
    """The metrics of these bases that some loaded point has."""
    held = library.metric_columns() | frozenset(catalogue.derivable(library.metric_columns()))
    return [f"{base}_{one}" for base in bases for one in catalogue.statistics_of(base, held) if one != "std"]


def _filled(library: Library, view: View, bases: Sequence[str]) -> list[str]:
    """The metrics of these bases that the selected points have, in their order, the commonest statistic first."""
    keys = _keys(library, bases)
    if not keys:
        return []
    condition = selection.clause(view)
    counts = ", ".join(f'count("{key}")' for key in keys)
    found = library.fetch(f"SELECT {counts} FROM points WHERE {condition.sql}", condition.params)[0]
    return _commonest(keys, found, bases)


def _commonest(keys: Sequence[str], counts: Sequence[int], bases: Sequence[str]) -> list[str]:
    filled = dict(zip(keys, counts, strict=True))
    places = {base: place for place, base in enumerate(bases)}
    kept = (key for key in keys if filled[key])
    return sorted(kept, key=lambda key: (places[catalogue.metric(key).base], -filled[key]))


def _first_kind(library: Library, view: View) -> str:
    """Output tokens where a selected point has their throughput, else the first kind that one has."""
    condition = selection.clause(view)
    usable = [kind for kind in KINDS if rate_sql(kind, library)]
    for kind in usable:
        sql = f"SELECT 1 FROM points WHERE {condition.sql} AND {rate_sql(kind, library)} IS NOT NULL LIMIT 1"
        if library.fetch(sql, condition.params):
            return kind
    return usable[0]


def _surveyed(library: Library, view: View, tokens: str) -> tuple[int, frozenset[str], str]:
    """How many models and which accelerators the points with a throughput are of, and the metric to set a limit on.

    That is the commonest statistic of the first of FIRST_LIMITS that the selected points have, else any other's.
    """
    condition = selection.clause(view)
    keys = _keys(library, FIRST_LIMITS[:1])
    evidence = "TRUE" if view.values("evidence") else "evidence = 'measured'"
    usable = f"{rate_sql(tokens, library) or 'NULL'} IS NOT NULL AND accelerators > 0 AND {evidence}"
    told = [f"count(DISTINCT model) FILTER ({usable})", f"list(DISTINCT accelerator) FILTER ({usable})"]
    told += [f'count("{key}")' for key in keys]
    models, chips, *counts = library.fetch(
        f"SELECT {', '.join(told)} FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    first = _commonest(keys, counts, FIRST_LIMITS) or limits(library, view)
    return models, frozenset(chip for chip in chips or () if chip), next(iter(first), "")


def _with_story(library: Library, view: View, tokens: str) -> View:
    """The View narrowed to the model, precision and workload with the most points times priced accelerators."""
    rate = rate_sql(tokens, library)
    if not rate:
        return view
    stated = " AND ".join(f"{key} IS NOT NULL" for key in STORY)
    names = ", ".join(STORY)
    found = library.fetch(
        f"WITH story AS (SELECT {names}, accelerator, count(*) AS points FROM points WHERE evidence = 'measured'"
        f" AND {rate} IS NOT NULL AND {stated} AND accelerators > 0 AND accelerator IN"
        " (SELECT accelerator FROM prices WHERE usd_per_accelerator_hour > 0) GROUP BY ALL)"
        f" SELECT {names} FROM story GROUP BY ALL ORDER BY sum(points) * count(*) DESC, {names} LIMIT 1"
    )
    if not found:
        return view
    story = dict(zip(STORY, found[0], strict=True))
    narrowed = view.with_where(**{key: (selection.written(value),) for key, value in story.items()})
    if any(view.option(key) for key in COLD) or not _kept(library, narrowed, rate):
        return narrowed
    return narrowed.with_options(**COLD)


def _with_workload(library: Library, view: View, tokens: str) -> View:
    """The View narrowed to the input and output length with the most points times accelerators, where it mixes several.

    Lengths that nobody asked for stay open, and so does everything where each deployment and workload is priced.
    """
    rate, absent = rate_sql(tokens, library), [key for key in ("isl", "osl") if not view.values(key)]
    if not rate or not absent or view.option("group") == DEPLOYMENT:
        return view
    lengths = ", ".join(f"{selection.as_asked(key)} AS asked_{key}" for key in absent)
    names = ", ".join(f"asked_{key}" for key in absent)
    condition = selection.clause(selection.ordinary(view))
    found = library.fetch(
        f"SELECT {lengths} FROM points WHERE {condition.sql} AND {rate} IS NOT NULL AND accelerators > 0 GROUP BY ALL"
        f" ORDER BY count(*) * count(DISTINCT accelerator) DESC, {names}",
        condition.params,
    )
    if len(found) < 2:
        return view
    richest = dict(zip(absent, found[0], strict=True))
    return view.with_where(
        **{key: (selection.written(value),) for key, value in richest.items() if value is not None}
    )


def _kept(library: Library, view: View, rate: str) -> bool:
    """Whether MANY_KEEP of the accelerators with a throughput have a point within the limits of COLD."""
    speed, ttft = COLD["slo_metric"], "ttft_ms_p50"
    if not (library.has(speed) and library.has(ttft)):
        return False
    condition = selection.clause(view)
    every, keeping = library.fetch(
        "SELECT count(DISTINCT accelerator), count(DISTINCT accelerator)"
        f' FILTER ("{speed}" >= CAST(? AS DOUBLE) AND {ttft} <= CAST(? AS DOUBLE))'
        f" FROM points WHERE evidence = 'measured' AND {rate} IS NOT NULL AND accelerators > 0 AND {condition.sql}",
        (COLD["slo"], COLD["slo_ttft"], *condition.params),
    )[0]
    return bool(keeping >= MANY_KEEP * every)


def _check(library: Library, view: View) -> None:
    """Nothing; UsageError for what the reader wrote into an option and it cannot be."""
    choices: dict[str, Sequence[str]] = {"tokens": tuple(KINDS), "group": GROUPS}
    if _one(view.option("provider")):
        choices["provider"] = (EVERY, *pricing.providers(library))
    for key, values in choices.items():
        if view.option(key) and view.option(key) not in values:
            raise UnknownName(f"choice for {key}", view.option(key), values)
    pricing.asked(library, view.option("price_book"), view.option("price_terms"))
    on = view.option("slo_metric")
    if on and (catalogue.metric(on).statistic is None or not library.has(on)):
        raise UsageError(
            f"slo_metric={on} is no loaded latency or interactivity; write it as in slo_metric=ttft_ms_p99."
        )
    asked_of(view.with_options(tokens=view.option("tokens", "output")))


def _one(value: str) -> str:
    return "" if value == EVERY else value


def _share(view: View) -> float:
    share = _number(view, "utilisation", "utilisation=0.6")
    if share is None:
        return 1.0
    if not LEAST_SHARE <= share <= 1:
        raise UsageError(
            f"utilisation={view.option('utilisation')[:40]} is no share from {LEAST_SHARE} to 1; write it as in"
            " utilisation=0.6."
        )
    return share


MOST = 1e15
LEAST = 1e-9


def _positive(view: View, key: str, example: str) -> float | None:
    value = _number(view, key, example)
    if value is not None and not LEAST <= value <= MOST:
        raise UsageError(
            f"{key}={view.option(key)[:40]} is no number above 0 that can be meant; write it as in {example}."
        )
    return value


def _number(view: View, key: str, example: str) -> float | None:
    """A number the reader wrote into an option; None when absent."""
    text = view.option(key)
    if not text or (text == NO_LIMIT and key in COLD):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{key}={text[:40]!r} is not a number; write it as in {example}.")
    return value
