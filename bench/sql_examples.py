"""Questions that no page asks, as SQL over the library: to run as they are and to begin from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bench.names import DATA

TO_BEGIN = "SELECT model, accelerator, count(*) AS points FROM points GROUP BY ALL"


@dataclass(frozen=True)
class SqlExample:
    """A question an engineer has, and the SELECT that answers it."""

    question: str
    sql: str


@cache
def examples() -> tuple[SqlExample, ...]:
    """The files of data/sql_examples in the order of their names; the first line of each is its question."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((DATA / "sql_examples").glob("*.sql"))]
    return tuple(SqlExample(*text.removeprefix("-- ").rstrip().split("\n", 1)) for text in texts)
