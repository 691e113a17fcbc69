"""SQL: what no page asks, asked of the library itself."""

from pages.parts.sql import examples, query, result
from pages.shared import frame

with frame.bare("sql", "SQL", "What do the results say that no page asks?"):
    asked = query.current()
    told = query.headline(asked)
    question, beside = query.halves()
    with question:
        query.box(asked)
        query.run(asked)
        result.show(asked)
    with beside:
        examples.examples(asked)
        examples.tables()
    query.say(asked, told)
