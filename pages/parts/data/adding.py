"""Adding results: files are dropped, looked through, asked about, imported; each state of it, on the Data page.

Nothing is loaded before the reader has seen what an import would do. The import itself runs in a thread of its own:
a reload, Back or a closed tab neither stops nor repeats it, and whoever opens the page meanwhile sees it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from bench import access
from bench.access import Visitor
from bench.errors import BenchError
from bench.library import Library, ledger, report_by_file
from bench.library.importing.jobs import ImportJob
from bench.library.importing.report import ImportReport
from bench.library.importing.sandbox import take_in
from bench.library.importing.uploads import MOST_BYTES, MOST_FILES, UploadFolder
from bench.library.report_by_file import FileLine
from bench.plain_text import markdown
from bench.progress import Progress
from bench.wording import counted, is_or_are
from pages.parts.data import facts as adding_facts
from pages.parts.data import import_report
from pages.server import receiving
from pages.shared import cached
from pages.shared.page import Page
from pages.shared.visitor import admitted, visitor

LOG = logging.getLogger("kneepoint.pages")
KEY = "adding"
QUICK_S = 1.0
"""A look at a few files takes less; a longer one shows how far it is."""

EVERY_S = 0.5
RECENT_S = 120
"""So long a finished import is told to a session that did not start it, such as a page that was reloaded."""

UNFORESEEN = "Reading these files failed, and nothing was imported. The server's log says why."


@dataclass
class PendingImport:
    """What one session is about to add.

    `look` is the dry run of what lies in `spool`; `facts` are what the reader stated about its sources; `arrival` is
    the import this session started. `drops` numbers the box that files are dropped into: a new one is empty.
    """

    spool: UploadFolder | None = None
    look: ImportJob | None = None
    facts: adding_facts.StatedFacts = field(default_factory=adding_facts.StatedFacts)
    arrival: ImportJob | None = None
    closed: set[str] = field(default_factory=set)
    drops: int = 0
    problem: str = ""


def section(page: Page) -> None:
    """Draw the box to drop files into, or say why this visitor has none, and what came of them."""
    state: PendingImport = st.session_state.setdefault(KEY, PendingImport())
    with st.container(key="adding"):
        st.subheader("Add your results", anchor=False)
        if not admitted("import"):
            receiving.refuse()
            return
        arrival = state.arrival or cached.import_jobs().newest(RECENT_S)
        if arrival is not None and arrival.id not in state.closed:
            if arrival.under_way:
                if arrival.wait(QUICK_S):
                    st.rerun()  # what the page shows above is not yet of the library with the new points
                _watched(arrival, "Importing")
                return
            _ended(arrival, page)
        _box(state)
        if state.spool is not None and state.spool.is_gone:
            _discard()
            st.warning("The files dropped here were removed after waiting too long; drop them again.")
        if state.look is not None:
            _looked_through(state.look, page, state)


def _box(state: PendingImport) -> None:
    receiving.expect()
    st.file_uploader(
        "Add more files to these" if state.look else "Drop your result files here, or a zip of them",
        accept_multiple_files=True,
        key=f"adding.drop.{state.drops}",
        on_change=_dropped,
        args=(f"adding.drop.{state.drops}",),
    )
    if state.problem:
        st.warning(markdown(state.problem))
        state.problem = ""
    if state.look is None:
        st.caption(
            "You see what each file holds and what is missing before anything is imported. "
            + markdown(import_report.formats_read())
            + f" Up to {MOST_FILES} files and {MOST_BYTES >> 20} MB at once; put many files in a zip."
        )


def _dropped(key: str) -> None:
    """Take over what the browser sent, and look through all that was dropped so far.

    A browser that is slow to draw tells of the box before this one too, once that is no longer on the page, which
    Streamlit takes for a change of it: what was taken over from it is no UploadedFile any more.
    """
    state: PendingImport = st.session_state[KEY]
    sent = [one for one in st.session_state.get(key) or () if isinstance(one, UploadedFile)]
    if not sent:
        return
    library, dropping = cached.library(), visitor()  # nothing is asked of Streamlit once the box is another
    state.drops += 1
    try:
        access.demand("import", dropping)
        state.spool = state.spool or UploadFolder()
        state.spool.add((one.name, one.getvalue()) for one in sent)
    except BenchError as problem:
        state.problem = str(problem)
    finally:
        receiving.forget([one.file_id for one in sent])
    if state.spool is not None and state.spool.paths:
        state.look = _begun(state.spool, {}, library, dropping, dry_run=True)
        if told := state.arrival or cached.import_jobs().newest(RECENT_S):
            _close(told)


def _looked_through(look: ImportJob, page: Page, state: PendingImport) -> None:
    """Draw what an import would do, what is open, and the two ways on."""
    if look.under_way and not look.wait(QUICK_S):
        _watched(look, "Looking through")
        return
    report = _report(look)
    if report is None:
        _give_up("Clear")
        return
    lines = report_by_file.by_file(report, look.shown)
    models = counted(len(report.models), "model") if report.models else ""
    alone = models and not lines
    said = f"{models} would be added. Nothing is loaded yet." if alone else report_by_file.would_add(lines)
    st.markdown(f"**{markdown(said)}**")
    open_sources = report_by_file.open_sources(lines)
    facts = state.facts.of(open_sources)
    import_report.table_of(lines, open_sources, facts)
    import_report.broken(lines)
    import_report.taken_over(report, look.shown, dry_run=True)
    import_report.aside(report, look.shown, dry_run=True)
    if open_sources:
        adding_facts.boxes(open_sources, state.facts, str(state.drops))
    wrong = adding_facts.wrong(facts)
    loads = [line for line in lines if line.loads]
    with st.container(key="adding.ways", horizontal=True):
        brings = bool(loads or report.taken_over or models)
        if brings:
            st.button(
                f"Import {counted(len(loads), 'file') if loads else models}"
                if loads or models
                else "Take over what the bundle says",
                key="adding.import",
                type="primary",
                icon=":material/download:",
                on_click=_import,
                disabled=bool(wrong),
            )
        _give_up("Discard" if brings else "Clear")
    import_report.refusals(report, look.shown, "refused")


def _import() -> None:
    """Start the import of what was looked through; a second press finds nothing to start.

    That second press ends this run wherever it next asks Streamlit, so all that is asked is asked before the files
    are taken over: cut off there, they still lie where the second press finds them.
    """
    state: PendingImport = st.session_state[KEY]
    library, importing = cached.library(), visitor()
    if state.spool is None or state.look is None or state.look.under_way:
        return
    spool, look, state.spool, state.look = state.spool, state.look, None, None
    spool.hold()
    try:
        access.demand("import", importing)
    except BenchError as problem:
        spool.discard()
        state.problem = str(problem)
        return
    facts = state.facts.of(report_by_file.open_sources(report_by_file.by_file(look.report(), look.shown)))
    state.facts, state.drops = adding_facts.StatedFacts(), state.drops + 1
    state.arrival = _begun(spool, facts, library, importing, dry_run=False)


def _begun(
    spool: UploadFolder, facts: Mapping[str, Mapping[str, Any]], library: Library, importing: Visitor, *, dry_run: bool
) -> ImportJob:
    who, arrivals = ledger.who(importing), cached.import_jobs()

    def work(progress: Progress) -> ImportReport:
        try:
            return take_in(library, spool.paths, facts_of=facts, dry_run=dry_run, who=who, progress=progress)
        finally:
            if not dry_run:
                spool.discard()

    return arrivals.begin(work, shown=spool.shown, listed=not dry_run)


def _give_up(label: str) -> None:
    st.button(label, key="adding.discard", on_click=_discard)


def _discard() -> None:
    state: PendingImport = st.session_state[KEY]
    if state.spool is not None:
        state.spool.discard()
    state.spool = state.look = None
    state.facts, state.drops = adding_facts.StatedFacts(), state.drops + 1


@st.fragment(run_every=EVERY_S)
def _watched(arrival: ImportJob, doing: str) -> None:
    """Draw how far it is; the page is drawn anew when it has ended."""
    if not arrival.under_way:
        st.rerun()
    at = f" {arrival.shown(arrival.file)}, file {arrival.done + 1:,} of {arrival.of:,}" if arrival.file else ""
    st.progress(arrival.share, markdown(f"{doing}{at} …"))
    st.caption("You can leave this page: the import goes on, and nothing is imported twice.")


def _ended(arrival: ImportJob, page: Page) -> None:
    """Draw what came in, and where to look at it."""
    report = _report(arrival)
    with st.container(key="adding.done", border=True):
        if report is not None:
            lines: list[FileLine] = report_by_file.by_file(report, arrival.shown)
            came_in = any(line.loads for line in lines) or bool(report.models)
            models = len(report.models)
            alone = (
                f"{counted(models, 'model')} {is_or_are(models)} in the library now." if models and not lines else ""
            )
            sign = ":green[:material/check_circle:]" if came_in else ":gray[:material/info:]"
            st.markdown(f"{sign} **{markdown(alone or report_by_file.added(lines))}**")
            import_report.broken(lines)
            import_report.taken_over(report, arrival.shown, dry_run=False)
            import_report.aside(report, arrival.shown, dry_run=False)
            import_report.onward([line.source_id for line in lines if line.loads], page)
            import_report.refusals(report, arrival.shown, "import-refused")
        st.button("Close", key="adding.close", type="tertiary", on_click=_close, args=(arrival,))


def _close(arrival: ImportJob) -> None:
    state: PendingImport = st.session_state[KEY]
    state.closed.add(arrival.id)
    state.arrival = None


def _report(arrival: ImportJob) -> ImportReport | None:
    """The report of what ended well; None where it did not, which is told."""
    error = arrival.work.exception()
    if error is None:
        return arrival.report()
    if arrival.problem is None:
        LOG.error("An import ended in an error nobody foresaw.", exc_info=error)
    st.warning(markdown(arrival.problem or UNFORESEEN))
    return None
