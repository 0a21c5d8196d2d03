"""Compressed motions."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _mocap
from ._arguments import Path, flag, instance, number, path_text
from ._arrays import floats
from ._clip import Clip
from ._errors import OptionError
from ._motion import Motion
from ._report import Report
from ._skeleton import Skeleton

__all__ = ["Compressed", "Pose"]

Singles = npt.NDArray[np.float32]


class Pose(NamedTuple):
    """Local transforms of joints.

    Attributes
    ----------
    rotations : (..., joints, 4) ndarray of float32
        W X Y Z.
    translations : (..., joints, 3) ndarray of float32
        [unit of the clip].
    """

    rotations: Singles
    translations: Singles


class Compressed(Motion):
    """A compressed motion: the content of a ``.mocz`` file, ready to be sampled at any time.

    Attributes
    ----------
    report : Report or None
        Sizes and errors; only where this package compressed it.
    """

    __slots__ = ("_native", "report")

    def __init__(self, native: _mocap.Compressed, report: Optional[Report] = None) -> None:
        if not isinstance(native, _mocap.Compressed):
            raise OptionError("usage::value", "use mocap.compress() or mocap.open_compressed()")
        self._native: _mocap.Compressed = native
        self.report: Optional[Report] = report

    @property
    def profile(self) -> str:
        """``"runtime"``, ``"archive"``, ``"keys"`` or ``"direct"``."""
        return self._native.profile

    @property
    def error(self) -> float:
        """The guaranteed error [m]."""
        return self._native.tolerance

    @property
    def size(self) -> int:
        """Size of the file [bytes]."""
        return self._native.size

    @property
    def ratio(self) -> float:
        """How much smaller it is than joints × frames × 40 bytes."""
        return self._native.raw_size / self._native.size

    def pose(self, time: float, *, wrap: bool = False) -> Pose:
        """The local pose at a time, interpolated between frames.

        Parameters
        ----------
        time : float
            From the first frame [s].
        wrap : bool
            Whether the motion starts over beyond its end; else the last frame is held.
        """
        rotations, translations = self._native.poses([number("time", time)], flag("wrap", wrap))
        return Pose(rotations[0], translations[0])

    def poses(self, times: npt.ArrayLike, *, wrap: bool = False) -> Pose:
        """The local poses at some times [s], (times, joints, ...)."""
        flat: Sequence[float] = floats("times", times).ravel().tolist()
        return Pose(*self._native.poses(flat, flag("wrap", wrap)))

    def to_clip(self) -> Clip:
        """All frames."""
        return Clip(self._native.to_clip())

    def to_bytes(self) -> bytes:
        """The content of a ``.mocz`` file."""
        return self._native.to_bytes()

    def write(self, path: Path) -> None:
        """Writes a ``.mocz`` file, atomically. A file that exists is replaced."""
        self._native.write(path_text(path))

    def __reduce__(self) -> Any:
        return _opened, (self.to_bytes(),)

    def __repr__(self) -> str:
        return (
            f"<compressed clip: {self.frames} frames, {self.size} bytes, "
            f"{self.ratio:.1f} times smaller than raw, error {self.error * 1e3:g} mm>"
        )


def _opened(content: bytes) -> Compressed:
    return Compressed(_mocap.open_compressed(None, content, None))


def open_compressed(path: Union[Path, bytes], *, skeleton: Optional[Skeleton] = None) -> Compressed:
    """Opens a ``.mocz`` file without decoding it.

    Parameters
    ----------
    path : path or bytes
        The file, or its content.
    skeleton : Skeleton, optional
        The skeleton of a file that was written without one.

    Raises
    ------
    CompressError
        Where the file is damaged, or needs a skeleton.
    """
    native = None if skeleton is None else instance("skeleton", skeleton, Skeleton)._native
    if isinstance(path, bytes):
        return Compressed(_mocap.open_compressed(None, path, native))
    return Compressed(_mocap.open_compressed(path_text(path), None, native))
