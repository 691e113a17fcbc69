"""A View: everything the reader selected, and its query string.

A link is a View written out whole, so that it never depends on a default: `v=2` marks such a link, and in it a
filter that is absent lets everything through. In a link somebody typed by hand, without `v`, what is absent is
filled in by the question. Keys of links that earlier versions wrote are read as those of today (`old_links`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import parse_qsl, urlencode

from bench import old_links
from bench.errors import UnknownName, UsageError

WHOLE = "v"
VERSION = "2"
LIMIT = "slo"
ANY_VERSION = re.compile(r"[1-9][0-9]{0,5}")

FilterKind = Literal["name", "text", "number", "date"]

KEY = re.compile(r"[a-z][a-z0-9_]{0,63}")
MAX_VALUES = 200
MAX_LENGTH = 400


@dataclass(frozen=True)
class Filter:
    """One thing a selection can be narrowed by: a column of `points`, the word for it and how values compare."""

    key: str
    label: str
    kind: FilterKind
    column: str


FILTERS: tuple[Filter, ...] = (
    Filter("model", "Model", "name", "model"),
    Filter("precision", "Precision", "text", "precision"),
    Filter("accelerator", "Accelerator", "name", "accelerator"),
    Filter("accelerators", "Chips", "number", "accelerators"),
    Filter("engine", "Engine", "name", "engine"),
    Filter("engine_version", "Engine version", "text", "engine_version"),
    Filter("variant", "Variant", "text", "variant"),
    Filter("tp", "Tensor parallel", "number", "tp"),
    Filter("isl", "Input length", "number", "isl"),
    Filter("osl", "Output length", "number", "osl"),
    Filter("load_kind", "Load", "text", "load_kind"),
    Filter("concurrency", "Concurrency", "number", "concurrency"),
    Filter("batch", "Batch", "number", "batch"),
    Filter("request_rate", "Request rate", "number", "request_rate"),
    Filter("scenario", "Scenario", "text", "scenario"),
    Filter("speculation", "Speculation", "text", "speculation"),
    Filter("disaggregated", "Disaggregated", "text", "disaggregated"),
    Filter("harness", "Harness", "text", "harness"),
    Filter("evidence", "Evidence", "text", "evidence"),
    Filter("origin", "Origin", "text", "origin"),
    Filter("source", "Source", "text", "source"),
    Filter("series", "Series", "text", "series_id"),
    Filter("date_from", "From", "date", "date"),
    Filter("date_to", "Until", "date", "date"),
)
FILTER_BY_KEY = {row.key: row for row in FILTERS}

FilterPairs = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class View:
    """The filters and options a reader selected; hashable, so that a cached answer can be keyed by it.

    `where` pairs a filter's key with the values it lets through; `options` pairs an option with its value; `slo` are
    the reader's limits as written, "ttft_ms_p99<=2000". `whole` says that nothing is left to a default.
    """

    where: FilterPairs = ()
    options: tuple[tuple[str, str], ...] = ()
    whole: bool = False
    slo: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        where: Mapping[str, Iterable[object]] | None = None,
        options: Mapping[str, object] | None = None,
        *,
        whole: bool = False,
        slo: Iterable[str] = (),
    ) -> View:
        """A View of these filters and options, in canonical order; UnknownName for a filter that does not exist."""
        return cls(_canonical_where(where or {}), _canonical_options(options or {}), whole, _canonical_slo(slo))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> View:
        """The View in a link's key-value pairs; a key that is no filter is taken as an option.

        A link of a newer version is whole too; `unlike_ours` is what to tell about it. UsageError when there are more
        or longer values than any page writes: a link is hostile until parsed.
        """
        where: dict[str, list[str]] = {}
        options: dict[str, str] = {}
        slo: list[str] = []
        whole = False
        for key, value in old_links.renewed(_bounded(pairs)):
            if not KEY.fullmatch(key):
                continue
            if key == WHOLE:
                whole = ANY_VERSION.fullmatch(value) is not None
            elif key == LIMIT:
                slo.append(value)
            elif key in FILTER_BY_KEY:
                where.setdefault(key, []).append(value)
            else:
                options[key] = value
        return cls.of(where, options, whole=whole, slo=slo)

    @classmethod
    def from_query(cls, query: str) -> View:
        """The View in a query string, with or without its question mark."""
        return cls.from_pairs(parse_qsl(query.removeprefix("?"), keep_blank_values=False, max_num_fields=None))

    def pairs(self) -> list[tuple[str, str]]:
        """The View as key-value pairs, in canonical order; `from_pairs` of them is this View."""
        filters = [(key, value) for key, values in self.where for value in values]
        mark = [(WHOLE, VERSION)] if self.whole else []
        return [*mark, *filters, *((LIMIT, limit) for limit in self.slo), *self.options]

    def query(self) -> str:
        """The View as a query string without its question mark."""
        return urlencode(self.pairs())

    def values(self, key: str) -> tuple[str, ...]:
        """What a filter lets through; empty when it lets everything through."""
        return dict(self.where).get(key, ())

    def option(self, key: str, absent: str = "") -> str:
        """The value of an option, or `absent`."""
        return dict(self.options).get(key, absent)

    def with_where(self, **filters: Iterable[object] | None) -> View:
        """This View with some filters replaced; None or nothing lifts one."""
        merged: dict[str, Iterable[object]] = {**dict(self.where), **{key: v or () for key, v in filters.items()}}
        return replace(self, where=_canonical_where(merged))

    def with_options(self, **options: object) -> View:
        """This View with some options replaced; None lifts one."""
        return replace(self, options=_canonical_options({**dict(self.options), **options}))

    def with_slo(self, limits: Iterable[str]) -> View:
        """This View with these limits instead of its own."""
        return replace(self, slo=_canonical_slo(limits))

    def made_whole(self) -> View:
        """This View marked as written out whole."""
        return replace(self, whole=True)


def unlike_ours(mark: str) -> str:
    """What to tell a reader whose link has this `v`, in one sentence; empty when it is one that we write or wrote."""
    if ANY_VERSION.fullmatch(mark):
        if int(mark) <= int(VERSION):
            return ""
        newer = f"This link was made by a newer version of Kneepoint ({WHOLE}={mark})"
        return f"{newer}; what this one knows of it is shown."
    return f"{WHOLE}={mark[:20]!r} is not the version of a link, so what the link leaves open was filled in."


def _bounded(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs of a link; UsageError when there are more or longer ones than any page writes."""
    bounded: list[tuple[str, str]] = []
    for key, value in pairs:
        if len(bounded) >= MAX_VALUES or len(value) > MAX_LENGTH:
            raise UsageError("This link holds more than a link of ours ever does; open the page and select again.")
        bounded.append((key, value))
    return bounded


def _canonical_slo(limits: Iterable[str]) -> tuple[str, ...]:
    cleaned = ("".join(limit.split()) for limit in limits)
    return tuple(sorted({limit for limit in cleaned if limit}))


def _canonical_where(where: Mapping[str, Iterable[object]]) -> FilterPairs:
    for key in where:
        if key not in FILTER_BY_KEY:
            raise UnknownName("filter", key, FILTER_BY_KEY, "python -m bench ask --help")
    cleaned = {key: tuple(dict.fromkeys(str(value).strip() for value in where[key])) for key in where}
    return tuple(
        (row.key, tuple(value for value in cleaned[row.key] if value))
        for row in FILTERS
        if any(cleaned.get(row.key, ()))
    )


def _canonical_options(options: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, str(value)) for key, value in options.items() if value is not None and str(value)))
