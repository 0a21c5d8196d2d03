"""Work over many files, as the command line does it: in parallel, atomically, with manifests to resume from.

Each function runs the command of its name in this process and gives its rows, one dictionary per input in the order of
the inputs. Keywords are the options of the command with ``_`` in place of ``-``: ``resume=True`` is ``--resume``,
``include=["*.bvh"]`` is ``--include '*.bvh'``. ``mocap.toml`` and environment variables count as on the command line.

An input that fails is a row with ``error``; the others are done. Ctrl-C ends a run in order: inputs in flight are
dropped, the manifest is completed, and ``KeyboardInterrupt`` is raised. So does leaving the loop early.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Sequence, Union

from . import _mocap
from ._arguments import Path, path_text
from ._errors import BatchError, MocapError, error_of, fields_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _keywords

__all__ = ["compress", "convert", "decompress", "edit", "info", "retarget", "rows", "run", "validate"]

Paths = Union[Path, Sequence[Path]]
Row = Dict[str, Any]

#: Keywords of this module that the commands call otherwise.
_NAMES = {"out": "output"}


def _named(options: Mapping[str, Any]) -> Dict[str, Any]:
    return {_NAMES.get(name, name).rstrip("_"): value for name, value in options.items()}


def _paths(paths: Paths) -> List[str]:
    if isinstance(paths, Sequence) and not isinstance(paths, (str, bytes)):
        return [path_text(path, "paths") for path in paths]
    return [path_text(paths, "paths")]


def _error(row: Row, code: int) -> MocapError:
    error = row.get("error", {"code": "batch::ended", "message": "the run ended early"})
    return error_of(error) if code == 2 else BatchError(**fields_of(error))


def rows(command: str, paths: Paths, **options: Any) -> Iterator[Row]:
    """Rows of any command that writes or reports.

    Parameters
    ----------
    command : str
        Its name, such as ``"convert"``.
    paths : path or sequence of paths
        Files, directories, globs.
    **options
        Options of the command.

    Yields
    ------
    dict
        A row of ``mocap COMMAND --json``.

    Raises
    ------
    OptionError
        Where the arguments make no sense, before anything is done.
    BatchError
        Where the run ended early: a full disk, ``fail_fast``.
    """
    return _iterate(command, _paths(paths), _named(options))


def _iterate(command: str, paths: List[str], keywords: Dict[str, Any]) -> Iterator[Row]:
    run = _mocap.Rows(command, paths, keywords)
    last: Row = {}
    try:
        while True:
            text = run.next()
            if text is None:
                break
            last = json.loads(text)
            if "error" in last and "path" not in last:
                # It is about the arguments.
                continue
            yield last
    except BaseException:
        run.stop()
        raise
    code = run.exit_code()
    if "error" in last and "path" not in last:
        raise _error(last, code)
    if code == 130:
        raise KeyboardInterrupt


def convert(paths: Paths, *, out: Path, to: Union[str, None] = None, **options: "Unpack[_keywords.Convert]") -> Iterator[Row]:
    """Converts motions.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, directories (searched), globs.
    out : path
        A directory (with a slash at its end, or existing), or the file of one input.
    to : str, optional
        The format, such as ``"npz"``. Default: by the extension of `out`.
    **options
        ``jobs=8``, ``resume=True``, ``overwrite=True``, ``skip_existing=True``, ``include=[...]``,
        ``exclude=[...]``, ``shard="3/16"``, ``fail_fast=True``, ``timeout="60s"``, ``manifest=path``; ``fps``,
        ``trim``, ``unit``, ``up``, ``scale``; ``pack=256``, ``window=64``, ``stride=16``, ``split="8:1:1"``,
        ``normalise=True``, ``dtype="f64"``; all others of ``mocap convert --help``.

    Yields
    ------
    dict
        ``path``, ``output``, ``frames``, ``fps``, ``joints``, ``bytes``, ``warnings``; or ``path``, ``error``. Last,
        with several inputs, the summary: ``jobs``, ``ok``, ``failed``, ``seconds`` …
    """
    return rows("convert", paths, output=out, to=to, **options)


def retarget(paths: Paths, target: Path, *, out: Path, **options: "Unpack[_keywords.Retarget]") -> Iterator[Row]:
    """Puts motions on a skeleton or robot; rows are reports. Options: those of ``mocap retarget --help``."""
    return rows("retarget", [*_paths(paths), path_text(target, "target")], output=out, **options)


def compress(paths: Paths, *, out: Path, **options: "Unpack[_keywords.Compress]") -> Iterator[Row]:
    """Compresses motions: ``error="0.1mm"``, ``profile="archive"``; all others of ``mocap compress --help``."""
    return rows("compress", paths, output=out, **options)


def decompress(paths: Paths, *, out: Path, **options: "Unpack[_keywords.Decompress]") -> Iterator[Row]:
    """Decompresses ``.mocz`` files: ``to="bvh"``; all others of ``mocap decompress --help``."""
    return rows("decompress", paths, output=out, **options)


def edit(paths: Paths, edits: Mapping[str, Any], *, out: Path, **options: "Unpack[_keywords.Edit]") -> Iterator[Row]:
    """Edits motions: `edits` are flags of ``mocap edit`` in their order, such as ``{"denoise": "auto", "mirror": True}``."""
    return rows("edit", paths, **{**edits, "output": out, **options})


def info(paths: Paths, **options: "Unpack[_keywords.Info]") -> Iterator[Row]:
    """Facts about files: ``quality=True`` measures motions; all others of ``mocap info --help``."""
    return rows("info", paths, **options)


def validate(paths: Paths, **options: "Unpack[_keywords.Validate]") -> Iterator[Row]:
    """All errors and warnings of files; options are those of ``mocap validate --help``."""
    return rows("validate", paths, **options)


def run(pipeline: Path, **options: "Unpack[_keywords.Run]") -> Iterator[Row]:
    """Runs the steps of a pipeline file over a database: ``set={"database": "cmu/"}``, ``out="training/"``."""
    return rows("run", pipeline, **options)


