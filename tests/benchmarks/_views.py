"""The Views the library is measured with: every point of the synthetic library, every option explicit."""

from __future__ import annotations

from bench.questions import question
from bench.view import View

QUESTIONS = {name: question(name) for name in ("heatmap", "pareto", "scaling", "crossover", "cost")}
VIEWS = {
    "heatmap": View.of(
        {},
        {
            "x": "isl",
            "y": "osl",
            "metric": "output_tokens_per_s",
            "panel": "accelerators",
            "load": "best",
            "scale": "auto",
            "ratio_by": "none",
        },
        whole=True,
    ),
    "pareto": View.of(
        {},
        {
            "x": "interactivity_tokens_per_s_per_user_p50",
            "y": "output_tokens_per_s_per_accelerator",
            "group": "accelerator",
            "x_scale": "auto",
        },
        whole=True,
    ),
    "scaling": View.of({}, {"metric": "output_tokens_per_s", "at": "best", "group": "accelerator"}, whole=True),
    "crossover": View.of(
        {},
        {
            "along": "concurrency",
            "metric": "output_tokens_per_s",
            "per": "accelerator",
            "price_book": "list-prices",
            "price_terms": "on_demand",
        },
        whole=True,
    ),
    "cost": View.of(
        {},
        {
            "tokens": "output",
            "group": "accelerator",
            "price_book": "every",
            "price_terms": "every",
            "utilisation": "1",
            "latency": "interactivity_tokens_per_s_per_user_p50",
            "volume": "100000000",
        },
        whole=True,
    ),
}
