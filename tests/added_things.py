"""What Kneepoint says of what docs/adding.md adds: run in a copy that has it, this prints one JSON document."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from bench import api, catalogue
from bench.cli import main
from bench.endpoint import Settings, running
from bench.export.serving.desk import ExportDesk
from bench.library import Library
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.searches import Stop, next_load
from bench.sweep.planning.stop_rules import Finished
from bench.sweep.session import runner
from pages.parts.data import import_report
from pages.shared import first_paint
from tests.sweep.sweeping import folder_for

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "tests" / "samples" / "plainbench" / "run.json"
TABLE = """\
model,precision,engine,accelerator,accelerators,isl,osl,concurrency,evidence,output_tokens_per_s,{keys}
Example-9B,fp8,vllm,Example X100 96GB,1,1024,256,1,measured,90,{one}
Example-9B,fp8,vllm,X100,1,1024,256,8,measured,400,{two}
Example-9B,fp8,plain-serve,X100,1,2048,256,8,measured,380,{three}
"""
CUT = """\
model,precision,engine,accelerator,accelerators,tp,isl,osl,concurrency,evidence,output_tokens_per_s,flags
Example-9B,fp8,vllm,X100,1,2,4096,256,8,measured,80,
"""
"""One point that more parts of a model are said to be on than there are chips."""
ASKED = ["--where", "model=example-9b", "--json"]
RAMP = {
    "search": "ramp",
    "endpoint.url": "http://127.0.0.1:1",
    "endpoint.model": "m",
    "workloads.isl": "8",
    "workloads.osl": "8",
    "loads.concurrency": "1,2,4,8",
    "stop.least_gain": "0.1",
}


def said(*words: str) -> str:
    """What a command prints, its errors included."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
        main(list(words))
    return out.getvalue()


def drawn(name: str, **query: str) -> AppTest:
    """A page as it is drawn."""
    at = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=300)
    for key, value in query.items():
        at.query_params[key] = value
    at.switch_page(f"{name}.py")
    at.session_state[first_paint.KEY] = True
    return at.run()


def seen(at: AppTest) -> dict[str, Any]:
    """What a page offers, what it says and what its chart and tables hold."""
    return {
        "wrong": [str(one.value) for one in (*at.exception, *at.error)],
        "headline": [str(one.value) for one in at.title],
        "offers": {str(box.key): [str(option) for option in box.options] for box in at.selectbox},
        "fields": [str(box.key) for box in at.text_input],
        "files": [str(button.label) for button in at.get("download_button")],
        "buttons": [str(button.label) for button in at.button],
        "charts": [chart.proto.spec for chart in at.get("plotly_chart")],
        "rows": [str(table.value.head(100).to_numpy().tolist()) for table in at.dataframe],
        "tables": [table.proto.columns for table in at.dataframe],
    }


def imported(keys: list[str], place: Path) -> dict[str, str]:
    """A table with every new metric, one with a share above 1, the sample of the new format, and one that cannot be."""
    values = [[(0.25 if key == "kv_cache_in_use" else 10) * row for key in keys] for row in (1, 2, 3)]
    cells = [",".join(map(str, row)) for row in values]
    written = TABLE.format(keys=",".join(keys), one=cells[0], two=cells[1], three=cells[2])
    (place / "table.csv").write_text(written)
    (place / "beyond.csv").write_text(written.replace("0.75", "1.75"))
    (place / "beyond.json").write_text(SAMPLE.read_text().replace("0.37", "37"))
    (place / "cut.csv").write_text(CUT)
    (place / "log.jsonl").write_text('{"plainbench": "1.0", "answer_ms": 12}\n{"plainbench": "1.0", "answer_ms": 13}\n')
    return {
        name: said("import", str(place / name) if "." in name else str(SAMPLE))
        for name in ("table.csv", "beyond.csv", "sample", "beyond.json", "cut.csv", "log.jsonl")
    }


def sent(place: Path) -> str:
    """What the HTTP API answers with where the new export is asked for."""
    desk = ExportDesk(Library.open(place / "library"))
    status, file = api.exported(lambda: desk, "latex", "model=example-9b")
    assert status == 200, file
    assert isinstance(file, api.SentFile)
    with file.content as content:
        return content.read().decode()


def ramp() -> str:
    """Why a ramp ends whose throughput doubles, and then gains 5 %."""
    plan, finished = Plan.from_fields(RAMP), list[Finished]()
    for throughput in (100.0, 200.0, 210.0, 400.0):
        point = next_load(plan, finished)
        if isinstance(point, Stop):
            return point.reason
        finished.append(Finished(point.key, 10, 0, {"output_tokens_per_s": throughput}))
    return ""


def measured_from_the_new_place() -> str:
    """How a sweep whose load runs from there ends."""
    with tempfile.TemporaryDirectory() as folder, running(Settings(ttft_ms=2, itl_ms=0.5)) as url:
        return runner.run(folder_for(Path(folder), url), place="polite").state


def asked(place: Path, keys: list[str]) -> dict[str, Any]:
    """All that is looked at, by what is asked."""
    library = os.environ["KNEEPOINT_LIBRARY"] = str(place / "library")
    told: dict[str, Any] = {"imported": imported(keys, place)}
    shown: dict[str, Callable[[], str]] = {
        **{
            f"heatmap {key}": lambda key=key: said(
                "ask", "heatmap", *ASKED, "--x", "isl", "--y", "concurrency", "--metric", key
            )
            for key in keys
        },
        **{f"goto {key}": lambda key=key: said("goto", catalogue.metric(key).label, "--json") for key in keys},
        "goto": lambda: said("goto", "kv", "cache", "in", "use", "example-9b"),
        "limited": lambda: said("goto", "example-9b kv_cache_in_use<=50%", "--json"),
        "metrics": lambda: said("metrics"),
        "formats": lambda: said("formats"),
        "read by the Data page": import_report.formats_read,
        "query": lambda: said("query", f"SELECT {', '.join(keys)} FROM points WHERE kv_cache_in_use = 0.75", "--json"),
        "books": lambda: said("query", "SELECT usd_per_accelerator_hour FROM prices WHERE book = 'lab'", "--json"),
        "chips": lambda: said("query", "SELECT name FROM accelerators WHERE slug = 'x100'", "--json"),
        "models": lambda: said("query", "SELECT name FROM models WHERE slug = 'example-9b'", "--json"),
        "csv": lambda: (
            said("export", "published-csv", "--where", "model=example-9b", "-o", str(place / "out.csv"))
            + (place / "out.csv").read_text()
        ),
        "latex": lambda: (
            said("export", "latex", "--where", "model=example-9b", "-o", str(place / "out.tex"))
            + (place / "out.tex").read_text()
        ),
        "exports": lambda: said("export"),
        "sent": lambda: sent(place),
        "audit": lambda: said("audit", "--json"),
        "engines": lambda: said("query", "SELECT engine FROM points WHERE engine = 'plainserve'", "--json"),
        "measured from": measured_from_the_new_place,
        "context": lambda: said("ask", "context", "--where", "model=example-9b", "--json"),
        "cost": lambda: said("ask", "cost", "--where", "model=example-9b", "--price-book", "lab", "--json"),
        "memory": lambda: said(
            "ask", "memory", "--where", "model=example-9b", "precision=fp8", "accelerator=x100", "--json"
        ),
        "sweep": lambda: said("sweep", "--help").partition("--arrivals KIND")[2].partition("--arrivals KIND")[2][:90],
        "completion": lambda: said("completion", "bash"),
        "ramp": ramp,
    }
    told |= {name: look() for name, look in shown.items()}
    told["columns"] = sorted(set(keys) & {row[0] for row in Library.open(Path(library)).fetch("DESCRIBE points")})
    told["pages"] = {
        "heatmap": seen(drawn("heatmap", model="example-9b", x="isl", y="concurrency", metric="kv_cache_in_use")),
        "context": seen(drawn("context", model="example-9b")),
        "cost": seen(drawn("cost", model="example-9b", price_book="lab")),
        "sql": seen(drawn("sql")),
        "points": seen(drawn("data", tab="points", model="example-9b")),
        "audit": seen(drawn("data", tab="audit")),
        "launch": seen(drawn("launch", arrivals="rising", profile="quick", url="http://127.0.0.1:9", model="m")),
        "data": seen(drawn("data")),
    }
    return told


if __name__ == "__main__":
    print(json.dumps(asked(Path(sys.argv[1]), sys.argv[2:])))
