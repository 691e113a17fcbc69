"""Text from files, links and endpoints, made harmless for the place that shows it.

Such text is data: it must appear letter for letter and never act as markup, a formula or a terminal command.
"""

from __future__ import annotations

import html as html_entities
import re
import unicodedata

MARKDOWN_ACTIVE = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&])")
# Streamlit's Markdown turns ":name:" and ":red[text]" into icons and colours, "$" into mathematics and bare
# addresses into links; escaping every ASCII punctuation mark with a backslash is what CommonMark 0.31, 2.4 allows.

BARE_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
QUOTED_FORMULA = r"^'('*[=+\-@\t\r\n])"
"""What a cell with such a quote matches; the group is what it holds without it."""

WORD_JOINER = "\N{WORD JOINER}"
# Bare addresses become links after escapes are read, so only a character between their parts keeps them text.


def visible(text: object) -> str:
    """The text with control, direction and other invisible characters written out as U+XXXX."""
    written = str(text)
    if written.isprintable():
        return written
    return "".join(_shown(character) for character in written)


def _shown(character: str) -> str:
    if character in "\n\t\r":
        return " "
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return f"\N{WHITE MEDIUM SMALL SQUARE}U+{ord(character):04X}"
    return character


def markdown(text: object) -> str:
    """The text as Markdown source that renders as these characters; an address gets an invisible joint, not a link."""
    return MARKDOWN_ACTIVE.sub(r"\\\1", BARE_ADDRESS.sub(WORD_JOINER, visible(text)))


def html(text: object) -> str:
    """The text for plotly's pseudo-HTML labels and hover boxes, which know no entity for a quotation mark."""
    return html_entities.escape(visible(text), quote=False).replace("%{", "%&#123;")


def terminal(text: object) -> str:
    """The text for a terminal: no control sequence reaches it."""
    return visible(text)


def csv_cell(value: object) -> object:
    """The value for a CSV cell: text a spreadsheet would run as a formula gets a leading quote.

    Numbers stay numbers, a negative one included. Source of the list: OWASP, "CSV Injection". What has such a quote
    gets one more, so that a reader that takes it away, as by QUOTED_FORMULA, has every text.
    """
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) and not _is_number(value) else value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def file_name(text: str) -> str:
    """The text as the name of a file to save: letters, digits, dots, hyphens and underscores, at most 120 of them.

    What else it holds becomes an underscore; a name that would be hidden or empty begins with "file".
    """
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", text.replace("\\", "/").rsplit("/", 1)[-1])[-120:]
    return name if name[:1].isalnum() else f"file{name}"
