"""Edits: their names, and their values as the library takes them."""

from __future__ import annotations

import inspect
import json
from typing import Any, Callable, Dict, List, Mapping, Optional

import numpy as np

from . import _mocap
from ._arguments import frames_text, number
from ._arrays import Floats, floats

__all__ = ["RootCurve"]


class RootCurve:
    """The root motion of a clip: where its body is on the ground, frame by frame.

    Attributes
    ----------
    fps : float
        Frames per second.
    keep : dict
        What stays in the body: ``height``, ``turn``.
    positions : (frames, 3) ndarray
        Places [unit of the clip].
    headings : (frames,) ndarray
        Angle about the up axis [rad].
    """

    def __init__(self, text: str) -> None:
        fields = json.loads(text)
        self._text = text
        self.fps: float = fields["fps"]
        self.keep: Any = fields["keep"]
        self.positions: Floats = np.asarray(fields["positions"], dtype=np.float64)
        self.headings: Floats = np.asarray(fields["headings"], dtype=np.float64)

    def __repr__(self) -> str:
        return f"<root curve: {len(self.headings)} frames at {self.fps:g} fps>"


def _with_commas(value: Any) -> Any:
    """``(0.17, 0.29)`` as ``"0.17,0.29"``, ``{"high": 0}`` as ``"high=0"``."""
    if isinstance(value, Mapping):
        return ",".join(f"{name}={number(str(name), gain)!r}" for name, gain in value.items())
    return ",".join(repr(number("steps", part)) for part in value) if isinstance(value, (tuple, list)) else value


#: Values that are not taken as they are, by the name of the edit or its option.
_READ: Dict[str, Callable[[Any], Any]] = {
    "trim": frames_text,
    "loop": frames_text,
    "bands": _with_commas,
    "steps": _with_commas,
    "time_map": lambda value: floats("time_map", value),
    "along": lambda value: floats("along", value),
    "mesh": lambda value: floats("mesh", value),
    "terrain_mesh": lambda value: floats("terrain_mesh", value),
    # A hole has no height.
    "heights": lambda value: floats("heights", value, finite=False),
}


def edit_value(name: str, value: Any) -> Any:
    """The value of an edit, or of one of its options."""
    if name in _READ and value is not None:
        return _READ[name](value)
    native = getattr(value, "_native", None)
    if isinstance(native, _mocap.Clip):
        return native
    if isinstance(value, Mapping):
        return {str(key): edit_value(str(key), part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(edit_value("", part) for part in value) if type(value) in (list, tuple) else value
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return value.tolist()
    return value


def signature_of_edits() -> inspect.Signature:
    """The signature of `Clip.edit`, with the name of every edit."""
    parameter = inspect.Parameter
    edits: List[inspect.Parameter] = [parameter(name, parameter.KEYWORD_ONLY, default=None) for name, _ in _mocap.EDITS]
    return inspect.Signature([parameter("self", parameter.POSITIONAL_OR_KEYWORD), *edits])


def documented(text: Optional[str]) -> Optional[str]:
    """The documentation of `Clip.edit`, with what every edit does; ``None`` where Python leaves documentation out."""
    if text is None:
        return None
    edits = [f"        {name}\n            {about[0].upper()}{about[1:]}." for name, about in _mocap.EDITS]
    return text.replace("{edits}", "\n".join(edits))
