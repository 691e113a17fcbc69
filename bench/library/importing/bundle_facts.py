"""What bundles say of their sources, as an import takes it over.

A bundle is a stranger's. It has a say only of the sources that lie in it with the very bytes of their ids, and of the
points and scores in them; and only where nothing was ever said of the same thing here, taken back or not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.library import ledger
from bench.library.importing.bundles import NAME, Bundle, Bundled, Remark
from bench.library.importing.report import HiddenByBundle, TakenOver
from bench.library.ledger import Ledgers
from bench.library.store import Root
from bench.records import Refusal
from bench.wording import counted

SourceOf = Callable[[Collection[str]], Mapping[str, str]]
"""The sources of points and scores of the library, by id; others are left out."""

KINDS = {"annotate": "note", "tag": "tag", "retract": "retract"}


class BundleFacts:
    """What the bundles of one import say, and what of it is taken over."""

    def __init__(self, ledgers: Ledgers, bundles: Iterable[Bundle]) -> None:
        self._ever = ledgers.ever
        self._vouched: dict[str, set[str]] = {}
        self._first: dict[str, Bundle] = {}
        self._inside: dict[str, str] = {}
        self._new: list[Remark] = []
        self._sought: dict[tuple[str, str], set[str]] = {}
        for bundle in bundles:
            for remark in bundle.said:
                self._sought.setdefault((bundle.shown, remark.source_id), set()).add(remark.id)

    def vouch(self, bundled: Bundled) -> None:
        """Count what the bundle says of the source, which lies in it with the bytes of its id."""
        self._vouched.setdefault(bundled.bundle.shown, set()).add(bundled.id)
        self._first.setdefault(bundled.id, bundled.bundle)

    def facts(self, source_id: str) -> dict[str, Any]:
        """The facts of the first bundle with this source, but those that were ever stated or taken back here."""
        bundle = self._first.get(source_id)
        given = {} if bundle is None else bundle.facts.get(source_id, {})
        return {key: value for key, value in given.items() if ("fact", source_id, key) not in self._ever}

    def sought(self, source_id: str) -> Collection[str]:
        """The points and scores that bundles with this source speak of, as lying in it."""
        own = (shown for shown, sources in self._vouched.items() if source_id in sources)
        return set[str]().union(*(self._sought.get((shown, source_id), ()) for shown in own))

    def note_inside(self, source_id: str, ids: Iterable[str]) -> None:
        """Note that these points and scores lie in the source."""
        self._inside.update(dict.fromkeys(ids, source_id))

    def vouched(self, bundle: Bundle) -> Collection[str]:
        """The sources that lie in the bundle with the bytes of their ids."""
        return self._vouched.get(bundle.shown, ())

    def hear(
        self,
        bundle: Bundle,
        held: Collection[str],
        source_of: SourceOf,
        hidden: Sequence[HiddenByBundle],
        stated: Collection[str],
    ) -> tuple[TakenOver | None, Refusal | None]:
        """What the library takes over of a bundle, and the one sentence on what of it concerns others; None for none.

        `held` are the sources that are in the library now, `hidden` what is hidden already because of this bundle, and
        `stated` the facts that whoever imports states himself.
        """
        vouched = self.vouched(bundle)
        self._inside |= source_of({one.id for one in bundle.said if one.id != one.source_id} - self._inside.keys())
        others = sum(len(facts) for id, facts in bundle.facts.items() if id not in vouched)
        others += sum(id not in vouched for id in bundle.sums.values())
        seen: set[tuple[str, ...]] = {("retract", one.id) for one in hidden}
        new: list[Remark] = []
        for said in bundle.said:
            inside = said.id == said.source_id or self._inside.get(said.id) == said.source_id
            if said.source_id not in vouched or (said.source_id in held and not inside):
                others += 1
            elif said.source_id in held and (about := _about(said)) not in self._ever and about not in seen:
                seen.add(about)
                new.append(said)
        self._ever = self._ever | seen
        self._new += new
        taken_over = TakenOver(
            bundle.shown,
            sum(len(self.facts(id).keys() - stated) for id in vouched if id in held and self._first[id] is bundle),
            sum(one.action == "annotate" for one in new),
            sum(one.action == "tag" for one in new),
            (*hidden, *(HiddenByBundle(one.id, one.source_id, one.text) for one in new if one.action == "retract")),
        )
        something = taken_over.facts or taken_over.notes or taken_over.tags or taken_over.hidden
        return (taken_over if something else None), (_of_others(bundle, others) if others else None)

    def write(self, root: Root, who: str, files: Sequence[str]) -> None:
        """Write what is taken over, but facts, to the root's ledgers, in one write for each of them."""
        stamp = {"at": ledger.now(), "who": who}
        notes = [_entry(one, stamp) for one in self._new if one.action != "retract"]
        hidden = [_entry(one, stamp) for one in self._new if one.action == "retract"]
        if notes:
            ledger.write(root, "notes", *notes)
        if hidden:
            ledger.write(root, "retractions", *hidden)
        if self._new:
            ledger.audit(root, who, "bundle", files=[Path(file).name for file in files], notes=len(self._new))


def _about(said: Remark) -> tuple[str, ...]:
    """What is said, as the ledgers name it; of two reasons to hide the same the first counts."""
    kind = KINDS[said.action]
    return (kind, said.id) if kind == "retract" else (kind, said.id, said.text)


def _entry(said: Remark, told: Mapping[str, Any]) -> ledger.Entry:
    word = {"annotate": "text", "tag": "tag", "retract": "reason"}[said.action]
    return {**told, "id": said.id, "source_id": said.source_id, "action": said.action, word: said.text}


def _of_others(bundle: Bundle, many: int) -> Refusal:
    words = counted(many, "fact, note, tag or retraction", "facts, notes, tags and retractions")
    return Refusal(
        f"{bundle.shown}/{NAME}",
        f"{words} of it {'is' if many == 1 else 'are'} about what does not lie in the bundle or was refused, and "
        f"{'is' if many == 1 else 'are'} not taken over: a bundle has a say only of its own sources.",
    )
