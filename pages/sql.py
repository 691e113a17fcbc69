"""SQL: what no page asks, asked of the library itself."""

from pages.shared import frame, sql, sql_beside, sql_result

with frame.bare("sql", "SQL", "What do the results say that no page asks?"):
    asked = sql.current()
    told = sql.headline(asked)
    question, beside = sql.halves()
    with question:
        sql.box(asked)
        sql.run(asked)
        sql_result.show(asked)
    with beside:
        sql_beside.examples(asked)
        sql_beside.tables()
    sql.say(asked, told)
