"""What somebody means who types "h200 mi355x deepseek fp8": the names of the vocabulary in free text.

No model is asked: a word is a name or an alias of data/*.csv, a precision, a length, a limit, a page or a connective;
what is none of these is given back by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations

from bench import catalogue, names
from bench.basis import limits
from bench.catalogue import Metric
from bench.errors import BenchError
from bench.library import Library
from bench.questions import questions
from bench.view import View

LONGEST, MOST = 300, 40
"""Characters and words that are read; nobody types more into a box."""

SPAN = 5
"""A name has at most so many words: "Dynamo with TensorRT-LLM", "H100 SXM 80GB"."""

WordGroups = tuple[tuple[str, ...], ...]

KINDS = ("precision", "accelerator", "model", "engine")
GPU_VENDORS = ("NVIDIA", "AMD")

PAGES: Mapping[str, str] = {
    "pareto": "pareto frontier front tradeoff trade-off knee throughput",
    "heatmap": "heatmap heat map grid",
    "cost": "cost costs price prices pricing priced usd dollar dollars $ money cheap cheaper cheapest million"
    " per-million tco",
    "crossover": "crossover cross overtakes overtake against vs versus than",
    "compare": "compare compared comparison better baseline candidate significant noise",
    "scaling": "scaling scale scales efficiency replicas",
    "history": "history timeline trend trends regression regressions regressed faster slower changed",
    "roofline": "roofline rooflines mbu mfu ceiling ceilings utilisation utilization bottleneck bound",
    "capacity": "capacity size sizing plan planning instances fleet users demand many",
    "memory": "memory fit fits vram hbm kv",
    "data": "data points table csv sources source files file results import imports importing upload uploads add",
    "launch": "launch measure measuring benchmark sweep sweeps",
    "jobs": "jobs job progress",
    "sql": "sql query select",
    "overview": "overview home start matrix loaded",
}
"""By what else than its name a page is asked for."""

WORD = re.compile(r"[^\s,;&?!|]+|[,&]")
METRICS: Mapping[str, str] = {
    # None that has no better end: "1,024 input tokens" are a length.
    **{" ".join(WORD.findall(one.label.lower())): one.key for one in catalogue.METRICS if one.direction != "neutral"},
    "e2e": "e2el_ms",
    "latency": "e2el_ms",
    "ntpot": "ntpot_ms",
    "energy": "joules_per_output_token",
    "joules": "joules_per_output_token",
    "power": "power_w_per_accelerator",
}
"""The words that name a metric besides its key, without what it is limited to."""

HELP = frozenset("help docs doc documentation manual guide tutorial howto how-to readme ?".split())
ALONE = {**dict.fromkeys(("run", "runs"), ("launch", "jobs", "run")), **dict.fromkeys(HELP, ("data", "launch", "sql"))}
"""Among other words "run" and "help" say nothing; alone they ask for the pages that start, follow and tell a run, or
for those where one begins."""

NOISE = frozenset(
    "a all also an and any are as at be best between both by can compare do does fast faster fastest find for from give"
    " gpu/tpu go goes has have how i in is it its large many me model models much my number of on one open or out page"
    " per please run running runs see show than that the their then there these this to token tokens two under us use"
    " using what when where which while who why will with within you instruct chat it".split()
)
APART = frozenset("vs versus against and or , & than compare".split())
"""Between two names these words say that two are meant; without one the second may narrow the first."""

COUNTS = {
    "isl": "isl",
    "input": "isl",
    "prompt": "isl",
    "osl": "osl",
    "output": "osl",
    "concurrency": "concurrency",
    "conc": "concurrency",
    "users": "concurrency",
    "batch": "batch",
    "tp": "tp",
    "chips": "accelerators",
    "gpus": "accelerators",
    "tpus": "accelerators",
    "accelerators": "accelerators",
}

NUMBER = r"\d{1,7}(?:\.\d{1,3})?"
LENGTH = r"\d{1,3}(?:,\d{3})+|\d{1,7}k?"
PAIR = re.compile(rf"(?<![\w.,])({LENGTH})\s*/\s*({LENGTH})(?![\w.])")
BEFORE = re.compile(rf"(?<![\w.])({'|'.join(COUNTS)})\s*[=:]?\s*(\d{{1,7}}k?)(?![\w.])")
COUNTED = "in|out|chips|gpus|tpus|accelerators|users"
AFTER = re.compile(rf"(?<![\w.])(\d{{1,7}}k?)\s*(?:tokens?\s+)?({COUNTED})(?![\w.])")
TIMES = re.compile(r"(?<![\w.])(\d{1,4})\s*x(?=\s+\D)")
STAT, KEY = r"p\d\d|median|mean", r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?!\w)"
NAMED = "|".join([*(re.escape(one).replace("\\ ", r"\s*") for one in sorted(METRICS, key=len, reverse=True)), KEY])
LEAST = (">=", ">", "at least", "over", "above")
SIGN = "|".join(("<=", *LEAST, "<", "=", "at most", "under", "below", "within"))
UNIT = r"ms|s|%|tokens/s(?:/\w+)?"
LIMITED = re.compile(
    rf"(?<![\w.])(?:(?P<stat>{STAT})?\s*(?P<what>{NAMED})\s*(?P<after>{STAT})?\s*(?P<sign>{SIGN})?\s*"
    rf"(?P<value>{NUMBER})\s*(?P<unit>{UNIT})?"
    rf"|(?P<sign_>{SIGN})?\s*(?P<value_>{NUMBER})\s*(?P<unit_>{UNIT})"
    rf"\s*(?P<stat_>{STAT})?\s*(?P<what_>{NAMED})(?:\s*(?P<after_>{STAT}))?)(?![\w.]|\s*(?:/|(?:x|{COUNTED})\b))"
)
"""A limit with its number behind what it is on, "ttft under 2s", or before it: "under 2s ttft"."""
STATISTIC = re.compile(STAT)
WRITTEN = re.compile(r"[a-z][a-z0-9_]{3,60}(?:<=|>=)[0-9.]{1,12}%?")


@dataclass
class Meaning:
    """What a text asks for: groups of values for each filter, lengths that may be several, limits, pages.

    A filter with two groups or more is a comparison of them. `lengths` are pairs of alternatives for input and output,
    as "1k" may be 1,024 or 1,000. `unknown` are the words that mean nothing here, as they were typed.
    """

    groups: dict[str, WordGroups] = field(default_factory=dict)
    lengths: dict[str, tuple[str, ...]] = field(default_factory=dict)
    slo: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    typed: dict[tuple[str, ...], str] = field(default_factory=dict)
    metrics: tuple[Metric, ...] = ()
    is_help: bool = False

    @property
    def is_named(self) -> bool:
        """Whether the text names what points have: a model, a chip, a length."""
        return bool(self.groups or self.lengths)

    @property
    def is_of_something(self) -> bool:
        """Whether anything of the text was understood."""
        return bool(self.is_named or self.slo or self.pages or self.metrics)

    @property
    def parts(self) -> int:
        """How many names were typed, lengths being one."""
        return len(self._parts)

    @property
    def _parts(self) -> list[tuple[str, tuple[str, ...]]]:
        """The filters and groups that can be left out one by one; the lengths go together."""
        each = [(key, group) for key, groups in self.groups.items() for group in groups]
        return [*each, *([("", ())] if self.lengths else [])]

    def without(self, many: int) -> Iterator[tuple[Meaning, list[dict[str, tuple[str, ...]]]]]:
        """What is meant without so many of the names, and the filters that each name that is left out was."""
        for gone in combinations(self._parts, many):
            groups = {
                key: kept
                for key, every in self.groups.items()
                if (kept := tuple(group for group in every if (key, group) not in gone))
            }
            lengths = {} if ("", ()) in gone else self.lengths
            left = [
                {key: group} if key else {one: values[:1] for one, values in self.lengths.items()}
                for key, group in gone
            ]
            yield replace(self, groups=groups, lengths=lengths), left


def meaning(library: Library, text: str) -> Meaning:
    """What this text asks for, by what is loaded before what is only known; never raises for any text."""
    meant = Meaning()
    rest = _without_numbers(library, text[:LONGEST].lower(), meant)
    words = [part for word in WORD.findall(rest)[:MOST] for part in _split(word)]
    held = {kind: loaded(library, kind) for kind in KINDS}
    at, last, spelled = 0, "", ""
    unknown: list[str] = []
    while at < len(words):
        if many := _metric(library, words[at:], meant):
            at += many
            continue
        read = _longest(words[at:], held)
        if read is None:
            last = _single(library, words[at], meant, unknown, last)
            at += 1
            continue
        kind, values, many = read
        _add(meant, kind, values, narrows=last == kind)
        spelled = " ".join([*([spelled] if last == kind else []), *words[at : at + many]])
        meant.typed.setdefault(meant.groups[kind][-1], spelled.upper())
        last, at = kind, at + many
    if stated := [word for word in unknown if STATISTIC.fullmatch(word)] if meant.metrics else []:
        meant.metrics = tuple(_stated(library, one.base, stated[0]) or one for one in meant.metrics)
        unknown = [word for word in unknown if word not in stated]
    if not (meant.is_of_something or unknown) and (alone := [word for word in words if word in ALONE]):
        meant.pages, meant.is_help = ALONE[alone[0]], alone[0] in HELP
    meant.unknown = tuple(dict.fromkeys(unknown))
    return meant


def _split(word: str) -> list[str]:
    """The word, in its parts where it is two names with a slash between them and not a checkpoint's."""
    is_checkpoint = any(slug != names.slugified(word) for slug in names.matching("model", word))
    return [word] if is_checkpoint or "/" not in word else word.replace("/", " , ").split()


def _single(library: Library, word: str, meant: Meaning, unknown: list[str], last: str) -> str:
    """Takes one word that is no name; the kind of name that the next may still narrow."""
    page = next((name for name in pages() if word in pages()[name]), None)
    if page is not None:
        meant.pages = tuple(dict.fromkeys((*meant.pages, page)))
    elif word not in NOISE | APART | ALONE.keys():
        unknown.append(word)
    return "" if word in APART else last


def _metric(library: Library, words: Sequence[str], meant: Meaning) -> int:
    """Takes the longest name of a metric that these words begin with; how many they are.

    Of one that no point states, as cost, the page that has a word of its name is asked for.
    """
    spelled = (" ".join(words[:many]) for many in range(len(words), 0, -1))
    name = next((one for one in spelled if one in METRICS), words[0])
    metric = _stated(library, name)
    if metric is None:
        return 0
    of_its_name = [page for page, said in pages().items() if said.intersection(metric.label.lower().split())]
    if of_its_name and not library.has(metric.key):
        meant.pages = tuple(dict.fromkeys((*meant.pages, *of_its_name)))
    else:
        meant.metrics = tuple(dict.fromkeys((*meant.metrics, metric)))
    return name.count(" ") + 1


@cache
def pages() -> dict[str, frozenset[str]]:
    """The words by which each page is asked for."""
    titles = {name: question.TITLE.lower() for name, question in questions().items()}
    return {name: frozenset({name, titles.get(name, name), *PAGES.get(name, "").split()}) for name in [*titles, *PAGES]}


def _add(meant: Meaning, kind: str, values: tuple[str, ...], *, narrows: bool) -> None:
    """Add a group, or narrow the one before by it where both have something in common."""
    groups = meant.groups.get(kind, ())
    both = tuple(value for value in groups[-1] if value in values) if narrows and groups else ()
    merged = (*groups[:-1], both) if both else (*groups, values)
    meant.groups[kind] = tuple(dict.fromkeys(merged))


def _longest(words: Sequence[str], held: Mapping[str, tuple[str, ...]]) -> tuple[str, tuple[str, ...], int] | None:
    """The longest name that these words begin with: its kind, the values it stands for and how many words it has."""
    for many in range(min(SPAN, len(words)), 0, -1):
        spelled = " ".join(words[:many])
        if many == 1 and (spelled in NOISE or spelled in APART):
            return None
        for kind in KINDS:
            if values := _exactly(kind, spelled, held[kind]):
                return kind, values, many
    if any(words[0] in said for said in pages().values()):
        return None
    for kind in KINDS:
        if values := _in_part(kind, words[0], held[kind]):
            return kind, values, 1
    return None


def _exactly(kind: str, text: str, held: tuple[str, ...]) -> tuple[str, ...]:
    """What is meant by a whole name, alias, family or vendor: what is loaded of it, else what is known."""
    if kind == "precision" or (kind != "model" and "/" in text):
        return (text,) if text in held else ()
    known = {row.slug for row in names.rows(kind)}
    slugs = [slug for slug in names.matching(kind, text) if slug in known or slug in held]
    if kind == "accelerator" and not slugs:
        slugs = [row.slug for row in names.accelerators() if text == (row.vendor or "").lower()]
        if text in ("gpu", "gpus"):
            slugs = [row.slug for row in names.accelerators() if row.vendor in GPU_VENDORS]
    return tuple(slug for slug in slugs if slug in held) or tuple(slugs[:1])


def _in_part(kind: str, word: str, held: tuple[str, ...]) -> tuple[str, ...]:
    """What has this word in its name, or begins a word of it with: "deepseek", "v6e", "qwen"."""
    if kind == "precision" or len(word) < (4 if word.isdigit() else 2):
        return ()
    if kind == "accelerator" and not (any(map(str.isdigit, word)) or word.rstrip("s") == "tpu"):
        return ()
    word = word.removesuffix("s") if word == "tpus" else word
    for candidates in (held, tuple(row.slug for row in names.rows(kind))):
        for fits in (lambda part: part == word, lambda part: len(word) > 2 and _begins(part, word)):
            found = tuple(slug for slug in candidates if any(map(fits, _parts(kind, slug))))
            if found:
                return found if candidates is held else found[:1]
    return ()


def _begins(part: str, word: str) -> bool:
    """Whether a word of a name begins with this one, and not amid a number: "h20" is no H200."""
    return part.startswith(word) and not (word[-1].isdigit() and part[len(word) :][:1].isdigit())


@cache
def _parts(kind: str, slug: str) -> frozenset[str]:
    """The words of a slug and of the names of its row."""
    row = next((row for row in names.rows(kind) if row.slug == slug), None)
    spellings = (slug, row.name, *row.aliases) if row else (slug,)
    return frozenset(part for one in spellings for part in re.split(r"[^a-z0-9.]+", one.lower()) if part)


def loaded(library: Library, kind: str) -> tuple[str, ...]:
    """The values that loaded points have, those with the most points first."""
    rows = library.fetch(f"SELECT {kind}, count(*) FROM points WHERE {kind} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1")
    return tuple(str(value) for value, _ in rows)


def _without_numbers(library: Library, text: str, meant: Meaning) -> str:
    """The text without its limits, lengths and counts, which go into what was found."""
    slo: list[str] = []

    def taken(pattern: re.Pattern[str], take: Callable[[re.Match[str]], bool]) -> None:
        nonlocal text
        text = pattern.sub(lambda match: " , " if take(match) else match[0], text)

    def limit(written: str) -> bool:
        try:
            slo.extend(one.text for one in limits.read(View.of(slo=[written])))
        except BenchError:
            return False
        return True

    def lengths(match: re.Match[str]) -> bool:
        meant.lengths |= {"isl": _tokens(match[1]), "osl": _tokens(match[2])}
        return True

    taken(WRITTEN, lambda match: limit(match[0]))
    taken(LIMITED, lambda match: any(limit(written) for written in _limit(library, match)))
    taken(PAIR, lengths)
    taken(BEFORE, lambda match: _count(meant, COUNTS[match[1]], match[2]))
    taken(AFTER, lambda match: _count(meant, {"in": "isl", "out": "osl", **COUNTS}[match[2]], match[1]))
    taken(TIMES, lambda match: _count(meant, "accelerators", match[1]))
    meant.slo = tuple(dict.fromkeys(slo))[: limits.MOST]
    return text


def _limit(library: Library, match: re.Match[str]) -> Iterator[str]:
    """A limit as links write it; on the statistic that was named, else on the median or the mean that is loaded."""
    said = dict.fromkeys(("stat", "after", "unit", "sign"), "")
    said |= {name.rstrip("_"): text for name, text in match.groupdict().items() if text}
    metric = _stated(library, " ".join(WORD.findall(said["what"])), said["stat"] or said["after"])
    if metric is None:
        return
    value = float(said["value"]) * (1000 if said["unit"] == "s" and metric.unit == "ms" else 1)
    least = said["sign"] in LEAST or (said["sign"] in ("", "=") and metric.direction == "higher")
    yield f"{metric.key}{'>=' if least else '<='}{value:.12g}{'%' if said['unit'] == '%' else ''}"


def _stated(library: Library, name: str, statistic: str = "") -> Metric | None:
    """A metric with the statistic that was typed, else with the median, the mean or the p99 that is loaded."""
    base = METRICS.get(name, name)
    if catalogue.is_metric(base):
        return catalogue.metric(base)
    typed = statistic.replace("median", "p50")
    keys = [f"{base}_{one}" for one in ([typed] if typed else ["p50", "mean", "p99"])]
    key = next((key for key in keys if library.has(key)), keys[0])
    return catalogue.metric(key) if catalogue.is_metric(key) else None


def _count(meant: Meaning, key: str, text: str) -> bool:
    if key in ("isl", "osl"):
        meant.lengths[key] = _tokens(text)
    else:
        meant.groups[key] = tuple(dict.fromkeys((*meant.groups.get(key, ()), (_tokens(text)[0],))))
    return True


def _tokens(text: str) -> tuple[str, ...]:
    """The lengths that are meant by one written: "1k" is 1,024 or 1,000."""
    if not text.endswith("k"):
        return (str(int(text.replace(",", ""))),)
    return tuple(str(int(text[:-1]) * size) for size in (1024, 1000))
