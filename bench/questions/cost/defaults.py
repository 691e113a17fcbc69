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
from bench.questions.cost.rates import KINDS, rate_sql
from bench.view import View

EVERY = "every"
DEPLOYMENT = "deployment"
GROUPS = ("accelerator", DEPLOYMENT, "model", "precision", "engine", "engine_version", "accelerators", "tp", "variant",
          "speculation", "disaggregated", "source")  # fmt: skip
STORY = ("model", "precision", "isl", "osl")
VOLUME = "100000000"
"""Tokens a day unless the reader says: what the article inferencebench-gemma4-h100 works its bill out for."""

FIRST_LIMITS = ("interactivity_tokens_per_s_per_user", "tpot_ms", "ttft_ms", "e2el_ms")
MANY_PRICED = 0.5
"""On demand is the default of several accelerators where it prices at least this share of them."""


@dataclass(frozen=True)
class Asked:
    """What a complete View asks for.

    `book` and `terms` are empty for every one. `limit` is None for the peak; prices of an API are USD per million
    tokens, None where the reader states none. `usd` is the cost's metric.
    """

    tokens: str
    usd: Metric
    group: str
    utilisation: float
    limit_on: Metric | None
    limit: float | None
    volume: float
    book: str
    terms: str
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
        limit=_positive(view, "slo", "slo=50"),
        volume=_positive(view, "volume", "volume=100000000") or 0.0,
        book=_one(view.option("price_book")),
        terms=_one(view.option("price_terms")),
        api_input=_positive(view, "api_price_input", "api_price_input=0.5"),
        api_output=_positive(view, "api_price_output", "api_price_output=2.5"),
        any_evidence=bool(view.values("evidence")),
    )


def completed(library: Library, view: View) -> View:
    """The View with every option explicit and, when nothing was asked, one model, precision and workload filled in."""
    _check(library, view)
    if not any(rate_sql(kind, library) for kind in KINDS):
        raise NotFound(
            "No loaded point has a throughput, so no token has a cost; import results that have one."
        )
    tokens = view.option("tokens") or _first_kind(library, view)
    if not view.where and not view.whole:
        view = _with_story(library, view, tokens)
    book, terms = view.option("price_book"), view.option("price_terms")
    models, chips = 1, frozenset[str]()
    if not view.option("group") or not (book or terms):
        models, chips = _measured(library, view, tokens)
    view = view.with_options(
        tokens=tokens,
        group=view.option("group") or ("model" if models > 1 else "accelerator"),
        utilisation=view.option("utilisation", "1"),
        volume=view.option("volume", VOLUME),
        slo_metric=view.option("slo_metric") or _first_limit(library, view) or None,
    )
    if view.option("slo") and not view.option("slo_metric"):
        raise UsageError(
            "slo needs a latency or an interactivity, and no selected point has one; leave slo out."
        )
    if not (book or terms):
        book, terms = _prices(library, chips)
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


def _filled(library: Library, view: View, bases: Sequence[str]) -> list[str]:
    """The metrics of these bases that the selected points have, in their order, the commonest statistic first."""
    held = library.metric_columns() | frozenset(catalogue.derivable(library.metric_columns()))
    keys = [f"{base}_{one}" for base in bases for one in catalogue.statistics_of(base, held) if one != "std"]
    if not keys:
        return []
    condition = selection.clause(view)
    counts = ", ".join(f'count("{key}")' for key in keys)
    found = library.fetch(f"SELECT {counts} FROM points WHERE {condition.sql}", condition.params)[0]
    filled = dict(zip(keys, found, strict=True))
    places = {base: place for place, base in enumerate(bases)}
    kept = (key for key in keys if filled[key])
    return sorted(kept, key=lambda key: (places[catalogue.metric(key).base], -filled[key]))


def _first_limit(library: Library, view: View) -> str:
    """The commonest statistic of the first of FIRST_LIMITS that the selected points have, else any other's."""
    for base in FIRST_LIMITS:
        if found := _filled(library, view, [base]):
            return found[0]
    return next(iter(limits(library, view)), "")


def _first_kind(library: Library, view: View) -> str:
    """Output tokens where a selected point has their throughput, else the first kind that one has."""
    condition = selection.clause(view)
    usable = [kind for kind in KINDS if rate_sql(kind, library)]
    counts = ", ".join(f"count({rate_sql(kind, library)})" for kind in usable)
    found = library.fetch(f"SELECT {counts} FROM points WHERE {condition.sql}", condition.params)[0]
    return next((kind for kind, count in zip(usable, found, strict=True) if count), usable[0])


def _measured(library: Library, view: View, tokens: str) -> tuple[int, frozenset[str]]:
    """How many models, and which accelerators, the points with a throughput are of."""
    condition = selection.clause(selection.ordinary(view))
    models, chips = library.fetch(
        "SELECT count(DISTINCT model), list(DISTINCT accelerator) FROM points"
        f" WHERE {rate_sql(tokens, library) or 'NULL'} IS NOT NULL AND accelerators > 0 AND {condition.sql}",
        condition.params,
    )[0]
    return models, frozenset(chip for chip in chips or () if chip)


def _with_story(library: Library, view: View, tokens: str) -> View:
    """The View narrowed to the model, precision and workload with the most points times priced accelerators."""
    rate = rate_sql(tokens, library)
    if not rate:
        return view
    stated = " AND ".join(f"{key} IS NOT NULL" for key in STORY)
    found = library.fetch(
        f"SELECT {', '.join(STORY)} FROM points WHERE evidence = 'measured' AND {rate} IS NOT NULL AND {stated}"
        " AND accelerators > 0 AND accelerator IN (SELECT accelerator FROM prices WHERE usd_per_accelerator_hour > 0)"
        f" GROUP BY ALL ORDER BY count(*) * count(DISTINCT accelerator) DESC, {', '.join(STORY)} LIMIT 1"
    )
    if not found:
        return view
    story = dict(zip(STORY, found[0], strict=True))
    return view.with_where(**{key: (_written(value),) for key, value in story.items()})


def _written(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _prices(library: Library, chips: frozenset[str]) -> tuple[str, str]:
    """The book and terms where the reader names neither: all of them for one accelerator; of several, so that like is
    compared with like, on demand, or the book and terms that price the most of them.
    """
    offered = pricing.books(library)
    if len(chips) < 2 or not offered:
        return EVERY, EVERY
    on_demand = {chip for row in offered if row.terms == pricing.TERMS_FIRST for chip in row.accelerators}
    if len(on_demand & chips) >= MANY_PRICED * len(chips):
        return EVERY, pricing.TERMS_FIRST
    fitting = pricing.fitting_book(offered, chips)
    return (fitting.name, fitting.terms) if fitting else (EVERY, EVERY)


def _check(library: Library, view: View) -> None:
    """Nothing; UsageError for what the reader wrote into an option and it cannot be."""
    choices: dict[str, Sequence[str]] = {"tokens": tuple(KINDS), "group": GROUPS}
    if view.option("price_book") or view.option("price_terms"):
        offered = pricing.books(library)
        choices["price_book"] = (EVERY, *dict.fromkeys(row.name for row in offered))
        choices["price_terms"] = (EVERY, *dict.fromkeys(row.terms for row in offered))
    for key, values in choices.items():
        if view.option(key) and view.option(key) not in values:
            raise UnknownName(f"choice for {key}", view.option(key), values)
    book, terms = _one(view.option("price_book")), _one(view.option("price_terms"))
    if book and terms and not any((row.name, row.terms) == (book, terms) for row in offered):
        raise UsageError(
            f"The price book {book} has no {pricing.terms_in_words(terms)} prices; leave price_book or price_terms out."
        )
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
    if not 0 < share <= 1:
        raise UsageError(
            f"utilisation={view.option('utilisation')[:40]} is no share above 0 and at most 1; write it as in"
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
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{key}={text[:40]!r} is not a number; write it as in {example}.")
    return value
