"""The four articles the project grew from: every measurement once, with the other places that print it.

Each module holds one article's rule, `file(cell)`: what becomes of one printed figure.
"""

from __future__ import annotations

from data.recipes.articles import gemma4_h100, short_articles, tpu_v6e_vs_h100
from data.recipes.articles.filing import Cell, Filed, filed, points, scores
from data.recipes.tables import Table, read

RULES = {
    gemma4_h100.CARD.slug: gemma4_h100.file,
    short_articles.CLOUD.slug: short_articles.file_cloud,
    tpu_v6e_vs_h100.CARD.slug: tpu_v6e_vs_h100.file,
    short_articles.OVERVIEW.slug: short_articles.file_overview,
}


def transcription() -> list[Cell]:
    """The 496 figures of the four articles, as transcribed."""
    return read("articles", "articles.csv")


def filings(article: str) -> list[Filed]:
    """Every figure of one article with what becomes of it."""
    return filed((cell for cell in transcription() if cell["article"] == article), RULES[article])


def tables() -> tuple[Table, ...]:
    """The points of each article, and the scores of two."""
    tested, cloud = filings(gemma4_h100.CARD.slug), filings(short_articles.CLOUD.slug)
    compared, overview = filings(tpu_v6e_vs_h100.CARD.slug), filings(short_articles.OVERVIEW.slug)
    return (
        Table(gemma4_h100.CARD.slug, gemma4_h100.CARD, points(tested)),
        Table(f"{gemma4_h100.CARD.slug}-scores", gemma4_h100.CARD, scores(tested)),
        Table(short_articles.CLOUD.slug, short_articles.CLOUD, points(cloud)),
        Table(tpu_v6e_vs_h100.CARD.slug, tpu_v6e_vs_h100.CARD, points(compared)),
        Table(f"{tpu_v6e_vs_h100.CARD.slug}-scores", tpu_v6e_vs_h100.CARD, scores(compared)),
        Table(short_articles.OVERVIEW.slug, short_articles.OVERVIEW, points(overview)),
    )
