"""What a point's hover box says: names from files are letters in it, whatever they look like."""

from __future__ import annotations

from html.parser import HTMLParser

from bench.chart import hover_lines

ACTING = "<img src=x onerror=alert(1)>"


class Tags(HTMLParser):
    """The tags of a text, and what it says without them."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.said = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.said += data


def test_names_from_a_file_are_text() -> None:
    named = (
        "model",
        "engine",
        "engine_version",
        "variant",
        "speculation",
        "scenario",
        "source",
        "evidence",
        "passport",
    )
    row = {**dict.fromkeys(named, ACTING), "load_kind": "scenario", "precision": "<b>", "ttft_ms_p50": 38.0}
    box = Tags(hover_lines(row, ["ttft_ms_p50"]))
    assert box.tags == {"b", "br"}
    assert box.said.lower().count(ACTING) == len(named)
    assert "<B>" in box.said
