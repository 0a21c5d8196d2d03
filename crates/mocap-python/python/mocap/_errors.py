"""Exceptions and warnings, each with a stable code and a place."""

from __future__ import annotations

import warnings as _warnings
from typing import Any, Dict, List, Mapping, Optional, Type

__all__ = [
    "AccessError",
    "ArrayError",
    "BatchError",
    "CompareError",
    "CompressError",
    "EditError",
    "FileError",
    "Finding",
    "FormatError",
    "MocapError",
    "MocapWarning",
    "ModelError",
    "NotFoundError",
    "OptionError",
    "RetargetError",
    "RobotError",
    "UnitError",
]


def _sentence(
    code: str,
    message: str,
    path: Optional[str],
    line: Optional[int],
    column: Optional[int],
    joint: Optional[str],
    frame: Optional[int],
    hint: Optional[str],
) -> str:
    place = [] if path is None or path in message else [path]
    if line is not None:
        place.append(f"line {line}, column {column}")
    if joint is not None and f"'{joint}'" not in message:
        place.append(f"joint '{joint}'")
    if frame is not None and f"frame {frame}" not in message:
        place.append(f"frame {frame}")
    text = f"{code}: {message}"
    if place:
        text += f" ({', '.join(place)})"
    return text if hint is None else f"{text}\nhint: {hint}"


class Finding(Exception):
    """The fields of errors and warnings.

    Attributes
    ----------
    code : str
        Stable code, such as ``"bvh::not-a-number"``.
    message : str
        One sentence.
    path : str or None
        The file.
    line, column : int or None
        Place in the file, from 1.
    joint, channel : str or None
        The joint and its channel.
    frame : int or None
        The frame, from 0.
    hint : str or None
        What can be done about it.
    """

    def __init__(
        self,
        code: str = "mocap::error",
        message: str = "",
        path: Optional[str] = None,
        line: Optional[int] = None,
        column: Optional[int] = None,
        joint: Optional[str] = None,
        channel: Optional[str] = None,
        frame: Optional[int] = None,
        hint: Optional[str] = None,
    ) -> None:
        super().__init__(_sentence(code, message, path, line, column, joint, frame, hint))
        self.code: str = code
        self.message: str = message
        self.path: Optional[str] = path
        self.line: Optional[int] = line
        self.column: Optional[int] = column
        self.joint: Optional[str] = joint
        self.channel: Optional[str] = channel
        self.frame: Optional[int] = frame
        self.hint: Optional[str] = hint

    def __str__(self) -> str:
        return str(self.args[0])


class MocapError(Finding):
    """Base of all errors of this package; its fields are those of `Finding`.

    Attributes
    ----------
    errors, warnings : list of dict
        Further errors of a file, and the warnings before them, each with the fields of `Finding`.
    """

    def __init__(
        self,
        *fields: Any,
        errors: Optional[List[Dict[str, Any]]] = None,
        warnings: Optional[List[Dict[str, Any]]] = None,
        errno: Optional[int] = None,
        **named: Any,
    ) -> None:
        super().__init__(*fields, **named)
        self.errors: List[Dict[str, Any]] = [] if errors is None else errors
        self.warnings: List[Dict[str, Any]] = [] if warnings is None else warnings
        if errno is not None:
            # Of the operating system: `OSError` has both.
            setattr(self, "errno", errno)
            setattr(self, "filename", self.path)


class FileError(MocapError, OSError):
    """The operating system refused a file."""


class NotFoundError(FileError, FileNotFoundError):
    """A file or directory does not exist."""


class AccessError(FileError, PermissionError):
    """A file may not be read or written."""


class FormatError(MocapError, ValueError):
    """The content of a file is wrong, or its format cannot hold what is to be written."""


class OptionError(MocapError, ValueError):
    """An argument has a value that it cannot have."""


class ArrayError(MocapError, ValueError, TypeError):
    """An array has the wrong type, shape, dtype or values."""


class ModelError(MocapError, ValueError):
    """Parts do not make a skeleton or a motion."""


class UnitError(MocapError, ValueError):
    """The unit of lengths is not known."""


class RetargetError(MocapError, ValueError):
    """A motion cannot be put on a skeleton."""


class RobotError(RetargetError):
    """A motion cannot be put on a robot."""


class CompressError(MocapError, ValueError):
    """A motion cannot be compressed, or a compressed motion cannot be opened."""


class CompareError(MocapError, ValueError):
    """Two motions cannot be compared."""


class EditError(MocapError, ValueError):
    """A motion cannot be edited as asked."""


class BatchError(MocapError, RuntimeError):
    """A run over many files cannot start, or ended early."""


class MocapWarning(Finding, UserWarning):
    """A repair or an assumption; its fields are those of `Finding`.

    The text begins with the code: ``warnings.filterwarnings("ignore", message="unit::guessed")`` leaves one kind out.
    """


def warn(found: List[Dict[str, Any]], stacklevel: int = 3) -> None:
    """Gives warnings of the library to `warnings`, at the place of the user's call."""
    for fields in found:
        _warnings.warn(MocapWarning(**fields), stacklevel=stacklevel)


#: Exceptions by code, or by its first part.
_KINDS: Dict[str, Type[MocapError]] = {
    "usage": OptionError,
    "compare": CompareError,
    "edit": EditError,
    "blend": EditError,
    "play": EditError,
    "warp": EditError,
    "terrain": EditError,
    "compress": CompressError,
    "mocz": CompressError,
    "unit": UnitError,
    "retarget": RetargetError,
    "robot": RobotError,
    "batch": BatchError,
    "io": FileError,
    "io::not-found": NotFoundError,
    "io::permission": AccessError,
    "model": ModelError,
}
_PLACES = ("path", "line", "column", "joint", "channel", "frame")


def fields_of(row: Mapping[str, Any], path: Optional[str] = None) -> Dict[str, Any]:
    """The fields of an error or a warning of a row of the command line."""
    places = {name: row.get(name) for name in _PLACES}
    places["path"] = places["path"] or path
    return {"code": row["code"], "message": row["message"], "hint": row.get("help"), **places}


def error_of(row: Mapping[str, Any], path: Optional[str] = None) -> MocapError:
    """The error of a row of the command line."""
    code: str = row["code"]
    kind = _KINDS.get(code) or _KINDS.get(code.split("::")[0], FormatError)
    return kind(**fields_of(row, path))
