"""What Kneepoint's own export says in an llm-d Benchmark Report beside what the schema has places for.

The schema lets a component of kind generic have fields of its own. The one labelled `kneepoint` states facts by their
names in the published table, each as it is read there. What it states counts more than the rest of the report, also a
null, which is that nothing is known: a schema with a checkpoint's name alone cannot say which model that is of.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.formats.reading import Fields
from bench.formats.reading.point_table import POINT_COLUMNS, TEXT, TRUTH
from bench.formats.table.cells import POINT_CELLS, Unexpected
from bench.formats.table.slices import MAX_NUMBER
from bench.records import DEPLOYMENT_FIELDS, LOAD_FIELDS, WORKLOAD_FIELDS

LABEL = "kneepoint"
FACTS = (*DEPLOYMENT_FIELDS, *WORKLOAD_FIELDS, *LOAD_FIELDS, "harness", "harness_version", "repeat")
"""What may be stated beside. Neither evidence nor figures are: a report is of a measurement, and has it."""


def beside(scenario: Fields) -> Mapping[str, Any]:
    """The facts that the component states, None for those it knows to be open; empty without such a component."""
    facts: dict[str, Any] = {}
    for component in scenario.each("stack"):
        if is_beside(component):
            said = component.fields("standardized")
            facts |= {key: _fact(said, key) for key in FACTS if key in said.keys()}  # noqa: SIM118 - null counts
    return facts


def is_beside(component: Fields) -> bool:
    """Whether this component of the stack is the one that states facts beside the schema."""
    kind = component.fields("standardized").raw("kind")
    return bool(kind == "generic" and component.fields("metadata").raw("label") == LABEL)


def _fact(said: Fields, key: str) -> Any:
    kind = POINT_COLUMNS[key]
    value = said.truth(key) if kind == TRUTH else said.text(key) if kind == TEXT else said.number(key)
    if value is None or kind == TRUTH:
        return value
    if key not in POINT_CELLS:
        if isinstance(value, float) and not 0 <= value < MAX_NUMBER:
            raise said.unfit(key, value, "a number of at least 0")
        return value
    try:
        return POINT_CELLS[key][1](str(value))
    except Unexpected as problem:
        raise said.unfit(key, said.raw(key), str(problem)) from None
