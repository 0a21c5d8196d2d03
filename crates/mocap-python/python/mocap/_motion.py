"""What clips and compressed clips have in common."""

from __future__ import annotations

from typing import Union

from . import _mocap
from ._skeleton import Skeleton

__all__ = ["Motion"]


class Motion:
    """A skeleton that moves at a constant frame rate."""

    __slots__ = ()
    _native: Union[_mocap.Clip, _mocap.Compressed]

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self._native.frames

    @property
    def fps(self) -> float:
        """Frames per second."""
        return self._native.fps

    @property
    def skeleton(self) -> Skeleton:
        """What moves."""
        return Skeleton(self._native.skeleton)

    def __len__(self) -> int:
        return self.frames
