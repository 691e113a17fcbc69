"""The cost page: its limits where something can be limited, and price terms as people write them."""

from __future__ import annotations

from tests.pages.drawn import Open


def test_a_limit_is_asked_for_only_where_a_latency_is_stated(opened: Open) -> None:
    without = opened("cost", v="1", source="google-cloud-vs-local")
    assert not without.exception
    assert not {"Limit on", "Limit", "Longest TTFT (ms)"} & {
        box.label for box in (*without.text_input, *without.selectbox)
    }
    cold = opened("cost")
    assert {
        box.label: box.value for box in cold.text_input if box.label.startswith(("Limit", "Longest"))
    } == {
        "Limit": "20",
        "Longest TTFT (ms)": "5000",
    }


def test_a_limit_taken_away_stays_away(opened: Open) -> None:
    page = opened("cost")
    (box,) = [box for box in page.text_input if box.label == "Limit"]
    box.set_value("").run()
    (box,) = [box for box in page.text_input if box.label == "Longest TTFT (ms)"]
    box.set_value("").run()
    assert not page.exception
    assert "whatever the latency" in page.title[0].value


def test_terms_stand_in_the_table_as_words(opened: Open) -> None:
    shown = opened("cost").dataframe[0].value
    assert set(shown["terms"]) == {"on demand"}
