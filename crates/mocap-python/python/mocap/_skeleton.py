"""Skeletons and robots."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _mocap
from ._arguments import Path, mapping, path_text, sequence
from ._arrays import Floats, floats, integers
from ._errors import OptionError, warn

__all__ = ["Skeleton"]

Range = Optional[Tuple[float, float]]


class Skeleton:
    """A tree of joints at rest, or the model of a robot. Never changes: edits return another one.

    Joints are counted without end sites, parents before children. Lengths are in `unit`.

    Examples
    --------
    >>> import mocap
    >>> body = mocap.read_skeleton("fixtures/clips/robin.skel")
    >>> body.names[0], int(body.parents[0]), body.offsets.shape
    ('pelvis', -1, (26, 3))
    """

    __slots__ = ("_native",)

    def __init__(self, native: _mocap.Skeleton) -> None:
        if not isinstance(native, _mocap.Skeleton):
            raise OptionError("usage::value", "use mocap.read_skeleton() or Skeleton.from_arrays()")
        self._native = native

    @classmethod
    def from_arrays(
        cls,
        names: Sequence[str],
        parents: npt.ArrayLike,
        offsets: npt.ArrayLike,
        *,
        rest_rotations: Optional[npt.ArrayLike] = None,
        roles: Optional[Sequence[Optional[str]]] = None,
        unit: Union[str, float, None] = "m",
        up: str = "Y",
        forward: Optional[str] = None,
        euler: str = "ZXY",
        name: str = "",
    ) -> "Skeleton":
        """Builds a skeleton.

        Parameters
        ----------
        names : (joints,) sequence of str
            Unique names.
        parents : (joints,) array_like of int
            The joint above each; -1 for a root. Parents come first.
        offsets : (joints, 3) array_like of float
            Translation at rest in the frame of the parent [unit].
        rest_rotations : (joints, 4) array_like of float, optional
            Local rotations at rest, W X Y Z. Default: none.
        roles : sequence of str or None, optional
            What joints are in a body, such as ``"LeftFoot"``. Default: found by names and shape.
        unit : str or float or None
            ``"m"``, ``"cm"``, ``"mm"``, ``"in"``, ``"ft"``, ``"cmu"`` or metres per unit; ``None``: unknown.
        up, forward : str
            Axes such as ``"Y"`` or ``"-Z"``.
        euler : str
            Rotation order of the joints in files of Euler angles.
        name : str
            Name of the skeleton.

        Raises
        ------
        ArrayError
            Where an array has the wrong type, shape, dtype or values.
        ModelError
            Where the joints make no tree.
        """
        options: Dict[str, Any] = {
            "rest_rotations": None if rest_rotations is None else floats("rest_rotations", rest_rotations),
            "roles": None if roles is None else sequence("roles", roles),
            "unit": None if unit is None else str(unit),
            "up": up,
            "forward": forward,
            "euler": euler,
            "name": name,
        }
        tree = [int(parent) for parent in integers("parents", parents)]
        listed = sequence("names", names)
        if not all(isinstance(name, str) for name in listed):
            raise OptionError("usage::value", "names must be a sequence of str")
        return cls(_mocap.skeleton_from_arrays(listed, tree, floats("offsets", offsets), options))

    @property
    def name(self) -> str:
        """Name of the skeleton; may be empty."""
        return self._native.name

    @property
    def names(self) -> List[str]:
        """Names of the joints, (joints,)."""
        return self._native.names

    @property
    def parents(self) -> npt.NDArray[np.int64]:
        """The joint above each, (joints,); -1 for a root. Read-only."""
        return self._native.parents

    @property
    def offsets(self) -> Floats:
        """Translations at rest in the frame of the parent, (joints, 3) [unit]. Read-only."""
        return self._native.offsets

    @property
    def rest_rotations(self) -> Floats:
        """Local rotations at rest, (joints, 4) W X Y Z. Read-only."""
        return self._native.rest_rotations

    @property
    def end_sites(self) -> List[Tuple[str, int, Floats]]:
        """Ends of bones: name, the joint above, offset (3,) [unit]."""
        return [(name, parent, np.asarray(offset)) for name, parent, offset in self._native.end_sites]

    @property
    def roles(self) -> Dict[str, str]:
        """What joints are in a body, by name of the joint: as stated, else as far as it is certain."""
        return dict(self._native.roles())

    @property
    def limits(self) -> Dict[str, Dict[str, Tuple[float, float]]]:
        """Limits of angles about X, Y and Z by name of the joint [rad]."""
        found = {}
        for name, _, ranges in self._native.limits():
            found[name] = {axis: limit for axis, limit in zip("xyz", ranges) if limit is not None}
        return found

    @property
    def unit(self) -> Optional[float]:
        """Metres per unit, as stated; ``None`` where nobody states it."""
        return self._native.unit[0]

    @property
    def metres_per_unit(self) -> Optional[float]:
        """Metres per unit: as stated, else guessed from the size of the body; ``None`` where no usual unit fits."""
        return self._native.known_unit()

    @property
    def up(self) -> str:
        """The axis that points up, such as ``"Y"``."""
        return self._native.up

    @property
    def forward(self) -> str:
        """The axis in which the body faces at rest."""
        return self._native.forward

    @property
    def is_robot(self) -> bool:
        """Whether this is the model of a robot (URDF, MJCF)."""
        return self._native.is_robot

    @property
    def robot_joints(self) -> List[str]:
        """Names of the robot's joints in the order of its model; empty for other skeletons."""
        return self._native.robot_joints

    def find(self, name: str) -> int:
        """The number of a joint by its name or role.

        Raises
        ------
        OptionError
            Where no joint has it, or an end site.
        """
        found = self._native.find(name)
        if found < 0:
            raise OptionError("usage::value", f"'{name}' is an end site, and no joint")
        return found

    def rest_positions(self) -> Floats:
        """Positions at rest in object space, (joints, 3) [unit]."""
        return self._native.rest_positions()

    def with_name(self, name: str) -> "Skeleton":
        """The same skeleton under another name."""
        return Skeleton(self._native.with_name(name))

    def with_names(self, names: Mapping[str, str]) -> "Skeleton":
        """The same skeleton with some joints renamed: ``{old: new}``."""
        return Skeleton(self._native.with_names(list(mapping("names", names).items())))

    def with_roles(self, roles: Optional[Mapping[str, Optional[str]]] = None) -> "Skeleton":
        """The same skeleton with the roles of some joints, ``{joint: role or None}``.

        Without an argument, with the roles that are certain by names and shape.
        """
        if roles is None:
            return Skeleton(self._native.with_found_roles())
        return Skeleton(self._native.with_roles(list(mapping("roles", roles).items())))

    def with_offsets(self, offsets: npt.ArrayLike) -> "Skeleton":
        """The same skeleton with other offsets, (joints, 3) [unit]."""
        return Skeleton(self._native.with_offsets(floats("offsets", offsets)))

    def with_limits(self, limits: Mapping[str, Mapping[str, Tuple[float, float]]]) -> "Skeleton":
        """The same skeleton with other limits of some joints [rad].

        Parameters
        ----------
        limits : mapping
            ``{joint: {"x": (least, greatest), ...}}``; an axis that is not named is open.
        """
        rows: List[Tuple[str, Sequence[Range]]] = []
        for joint, ranges in mapping("limits", limits).items():
            unknown = set(mapping(f"limits of {joint}", ranges)) - set("xyz")
            if unknown:
                raise OptionError("usage::value", f"limits: '{sorted(unknown)[0]}' is not one of x, y, z")
            rows.append((joint, [ranges.get(axis) for axis in "xyz"]))
        return Skeleton(self._native.with_limits(rows))

    def with_space(
        self,
        *,
        unit: Union[str, float, None] = None,
        up: Optional[str] = None,
        forward: Optional[str] = None,
    ) -> "Skeleton":
        """The same numbers read in another unit or other axes; nothing is converted."""
        return Skeleton(self._native.with_space(None if unit is None else str(unit), up, forward))

    def write(self, path: Path) -> None:
        """Writes a ``.skel`` or ``.asf`` file. A file that exists is replaced."""
        warn(self._native.write(path_text(path)))

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Skeleton) and self._native == other._native

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.names)))

    def __repr__(self) -> str:
        kind = f"robot, {len(self.robot_joints)} robot joints" if self.is_robot else "skeleton"
        return f"<{kind} {self.name!r}: {len(self)} joints>"

    def __reduce__(self) -> Any:
        if self.is_robot:
            raise TypeError("the model of a robot is not pickled: read its file again")
        return _of_skel, (self._native.to_skel(),)


def _of_skel(text: str) -> Skeleton:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "pickled.skel")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return Skeleton(_mocap.read_skeleton(path, None)[0])
