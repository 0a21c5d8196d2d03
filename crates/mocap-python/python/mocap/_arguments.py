"""Checks of the arguments that users give."""

from __future__ import annotations

import math
import os
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Type, TypeVar, Union

import numpy as np

from ._errors import OptionError

Path = Union[str, "os.PathLike[str]"]
Frames = Union[str, Tuple[int, int], slice]
Kind = TypeVar("Kind")


def keywords(given: Mapping[str, Any], *others: str) -> Dict[str, Any]:
    """The keyword arguments among the ``locals()`` of a function; `others` are the rest."""
    return {name: value for name, value in given.items() if name not in others}


def path_text(path: Any, name: str = "path") -> str:
    """The text of a path."""
    try:
        text = os.fspath(path)
    except TypeError:
        raise OptionError("usage::value", f"{name} must be a path, found {type(path).__name__}") from None
    return os.fsdecode(text)


def number(name: str, value: Any) -> float:
    """A finite number."""
    wrong = OptionError("usage::value", f"{name} must be a finite number, found {value!r}")
    if isinstance(value, (bool, str, bytes)) or (isinstance(value, np.ndarray) and value.ndim > 0):
        raise wrong
    try:
        converted = float(value)
    except (TypeError, ValueError, OverflowError):
        raise wrong from None
    if not math.isfinite(converted):
        raise wrong
    return converted


def flag(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError("usage::value", f"{name} must be True or False, found {type(value).__name__}")
    return bool(value)


def instance(name: str, value: Any, kind: Type[Kind]) -> Kind:
    """A value of a class of the package."""
    if not isinstance(value, kind):
        raise OptionError("usage::value", f"{name} must be a {kind.__name__}, found {type(value).__name__}")
    return value


def mapping(name: str, value: Any) -> Dict[Any, Any]:
    """A dictionary."""
    if not isinstance(value, Mapping):
        raise OptionError("usage::value", f"{name} must be a mapping, found {type(value).__name__}")
    return dict(value)


def sequence(name: str, value: Any) -> List[Any]:
    """A list; a text is one value, and no list."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise OptionError("usage::value", f"{name} must be a sequence, found {type(value).__name__}")
    return list(value)


def frames_text(value: Any) -> Any:
    """A range of frames as the library reads it: ``"10:20"`` of a tuple or slice."""
    if isinstance(value, slice):
        if value.step not in (None, 1):
            raise OptionError("usage::value", "a range of frames has no step")
        value = (value.start, value.stop)
    if isinstance(value, tuple) and len(value) == 2:
        start, stop = ("" if side is None else str(int(number("a frame", side))) for side in value)
        return f"{start}:{stop}"
    return value
