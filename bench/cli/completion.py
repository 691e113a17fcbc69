"""The command `completion`: a script that completes commands, options and names in bash or zsh.

A shell completes by the first word, here `python`; so the script looks whether `-m bench` follows and leaves every
other use of Python as it was.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from bench.cli import output, progress
from bench.cli.arguments import Commands, Parser

ALONE = "kneepoint"
"""What the script completes besides `python -m bench`, for who has such an alias."""

TO_FPATH = re.compile(r"\A(#[^\n]*\n|\n)+|^if \[\[ \$zsh_eval_context.*", re.MULTILINE | re.DOTALL)
"""What shtab writes for a script that lies in zsh's fpath; this one is read by `source`."""

ONE_WORD = re.compile(r"[\w./+=-]+")
"""What both shells take for one word as it stands; the sides of a pair, joined by &, are none."""

AFTER_PYTHON = {
    "bash": r"""
_kneepoint_python() {
  [[ "${COMP_WORDS[*]:1:2}" == "-m bench" && COMP_CWORD -gt 2 ]] || return
  local words=(kneepoint "${COMP_WORDS[@]:3}")
  local COMP_CWORD=$((COMP_CWORD - 2)) COMP_WORDS
  COMP_WORDS=("${words[@]}")
  _shtab_kneepoint
  [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *= ]] && compopt -o nospace
}
complete -o bashdefault -o default -F _kneepoint_python python python3
""",
    "zsh": r"""
_kneepoint_python() {
  if [[ "$words[2,3]" == "-m bench" ]] && (( CURRENT > 3 )); then
    words=(kneepoint "${(@)words[4,-1]}")
    (( CURRENT -= 2 ))
    _shtab_kneepoint
  else
    (( $+functions[_python] )) && _python "$@" || _default
  fi
}
compdef _shtab_kneepoint kneepoint
compdef _kneepoint_python python python3
""",
}


def add_to(commands: Commands, every_command: Callable[[], Parser]) -> None:
    """Describe this command to the parser; `every_command` gives the parser of all of them with all their options."""
    does = "print the completion script for bash or zsh"
    parser = commands.add_parser("completion", help=does, description=f"{does[:1].upper()}{does[1:]}.")
    parser.more = "Read it in ~/.bashrc, or in ~/.zshrc after compinit: `source ~/.kneepoint.bash` (or .zsh)."
    parser.add_argument("shell", choices=tuple(AFTER_PYTHON), help="the shell")
    parser.set_defaults(run=_completion, every_command=every_command)


def _completion(arguments: argparse.Namespace) -> int:
    import shtab

    tree = arguments.every_command()
    with progress.bar("Looking what can be chosen"):
        _offer(tree, _names(), _chosen())
    tree.prog = ALONE
    script = shtab.complete(tree, arguments.shell)
    output.text(TO_FPATH.sub("", script) + AFTER_PYTHON[arguments.shell])
    return 0


def _names() -> Mapping[str, Iterable[str]]:
    """What can be given for an option or an argument, by its spelling."""
    from bench import catalogue, export
    from bench.endpoint.settings import PRESETS
    from bench.library.facts import COLUMNS
    from bench.sweep.planning.arguments import OPTIONS
    from bench.sweep.planning.form import fields
    from bench.view import FILTERS

    return {
        "format": export.formats(),
        "--where": [f"{row.key}=" for row in FILTERS],
        "--set": [f"{key}=" for key in COLUMNS],
        "--slo": catalogue.keys(),
        "--metric": catalogue.keys(),
        "--preset": PRESETS,
        **{one.flag: fields()[one.field].choices for one in OPTIONS if one.field in fields()},
    }


def _chosen() -> Mapping[str, Mapping[str, Iterable[str]]]:
    """What each question's options may be, those included that depend on what is loaded."""
    from bench.basis import prices
    from bench.library import Library
    from bench.questions import options, questions
    from bench.view import View

    library, nothing = Library.open(), View()
    of_prices = prices.choices(library, nothing)
    chosen = {}
    for name, module in questions().items():
        loaded = {**of_prices, **module.choices(library, nothing)}
        words = {
            row.key: row.values or [value for value, _ in loaded.get(row.key, ()) if ONE_WORD.fullmatch(value)]
            for row in options(name)
        }
        chosen[name] = {f"option_{key}": values for key, values in words.items()}
    return chosen


def _offer(
    parser: Parser,
    names: Mapping[str, Iterable[str]],
    chosen: Mapping[str, Mapping[str, Iterable[str]]],
    question: str = "",
) -> None:
    """Give every action of this parser, and of those below it, the words that complete it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                _offer(below, names, chosen, name if action.dest == "question" else "")
        elif action.choices is None:
            spelled = next(iter(action.option_strings), action.dest)
            words = chosen.get(question, {}).get(action.dest) or names.get(spelled) or _alternatives(action.metavar)
            if words:
                action.choices = list(words)
            elif action.type is Path or action.metavar == "FILE":
                action.complete = "directory" if spelled == "--library" else "file"  # type: ignore[attr-defined]


def _alternatives(metavar: object) -> list[str]:
    """The words of `vllm|sglang`; none of what is no such list, as `N|TIME` is none."""
    return metavar.split("|") if isinstance(metavar, str) and "|" in metavar and metavar.islower() else []
