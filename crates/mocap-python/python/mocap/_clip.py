"""Motions."""

from __future__ import annotations

import html
import inspect
import json
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _mocap
from ._arrays import floats
from ._errors import OptionError, warn
from ._report import Report
from ._skeleton import Floats, Path, Skeleton

if TYPE_CHECKING:
    from typing import TypedDict

    from typing_extensions import Unpack

    class Edits(TypedDict, total=False):
        drop_first_frame: bool
        trim: Union[str, Tuple[int, int], slice]
        fps: Union[str, float]
        scale: float
        denoise: Union[bool, str]
        bands: str
        mirror: bool
        loop: Union[bool, str, Tuple[int, int]]
        repeat: int
        speed: float
        duration: float
        time_map: npt.ArrayLike
        sync: "Clip"
        fix_feet: bool
        turn: float
        along: npt.ArrayLike
        add: Union["Clip", Tuple["Clip", Dict[str, Any]]]
        strip: str
        join: Union["Clip", Tuple["Clip", Dict[str, Any]]]
        in_place: Union[bool, str]
        apply_root: "RootCurve"
        root_joint: Union[bool, str]
        heading: str
        start_at_origin: bool
        ground: bool


__all__ = ["Clip", "RootCurve"]

Frames = Union[str, Tuple[int, int], slice]


def frames_text(value: Any) -> Any:
    """A range of frames as the library reads it: ``"10:20"`` of a tuple or slice."""
    if isinstance(value, slice):
        if value.step not in (None, 1):
            raise OptionError("usage::value", "a range of frames has no step")
        value = (value.start, value.stop)
    if isinstance(value, tuple) and len(value) == 2:
        start, stop = ("" if side is None else str(int(side)) for side in value)
        return f"{start}:{stop}"
    return value


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


class Clip:
    """A motion: a skeleton and the local transforms of its joints at a constant rate.

    Never changes: edits return another one. Joints are counted without end sites. Work releases the interpreter's
    lock, and a clip may be used by several threads.

    Examples
    --------
    >>> import mocap
    >>> walk = mocap.read("fixtures/clips/alex_walk.bvh")
    >>> walk.rotations.shape
    (301, 24, 4)
    """

    __slots__ = ("_native", "_rotations", "_translations", "reports")

    def __init__(self, native: _mocap.Clip) -> None:
        if not isinstance(native, _mocap.Clip):
            raise OptionError("usage::value", "use mocap.read() or Clip.from_arrays()")
        self._native = native
        self._rotations: Optional[Floats] = None
        self._translations: Optional[Floats] = None
        #: Reports of the edits that made this clip.
        self.reports: List[Report] = []

    @classmethod
    def from_arrays(
        cls,
        rotations: npt.ArrayLike,
        skeleton: Skeleton,
        fps: float,
        *,
        translations: Optional[npt.ArrayLike] = None,
        root_translation: Optional[npt.ArrayLike] = None,
        name: str = "",
    ) -> "Clip":
        """Builds a motion.

        Parameters
        ----------
        rotations : (frames, joints, 4) array_like of float
            Local rotations, W X Y Z, the rest rotation included. Lengths within 1 % of 1 are made 1.
        skeleton : Skeleton
            What moves.
        fps : float
            Frames per second, above 0.
        translations : (frames, joints, 3) array_like of float, optional
            Local translations, in place of the offsets [unit of the skeleton].
        root_translation : (frames, 3) array_like of float, optional
            Those of the first joint; the others stay at their offsets.
        name : str
            Name of the clip.

        Notes
        -----
        The numbers are copied once: the library keeps them joint by joint.

        Raises
        ------
        ArrayError
            Where an array has the wrong type, shape, dtype or values.
        """
        if not isinstance(skeleton, Skeleton):
            raise OptionError("usage::value", f"skeleton must be a Skeleton, found {type(skeleton).__name__}")
        if translations is not None and root_translation is not None:
            raise OptionError("usage::value", "give translations or root_translation, not both")
        if isinstance(fps, bool) or not isinstance(fps, (int, float, np.integer, np.floating)):
            raise OptionError("usage::value", f"fps must be a number, found {type(fps).__name__}")
        made = _mocap.clip_from_arrays(
            skeleton._native,
            float(fps),
            floats("rotations", rotations),
            None if translations is None else floats("translations", translations),
            None if root_translation is None else floats("root_translation", root_translation),
            str(name),
        )
        return cls(made)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self._native.frames

    @property
    def fps(self) -> float:
        """Frames per second."""
        return self._native.fps

    @property
    def duration(self) -> float:
        """Time from the first frame to the last [s]."""
        return self._native.duration

    @property
    def name(self) -> str:
        """Name of the clip; may be empty."""
        return self._native.name

    @property
    def lead_in(self) -> int:
        """Frames at the start that are a rest pose and not motion, as BVH conversions of the CMU database have."""
        return self._native.lead_in

    @property
    def skeleton(self) -> Skeleton:
        """What moves."""
        return Skeleton(self._native.skeleton)

    @property
    def names(self) -> List[str]:
        """Names of the joints, (joints,)."""
        return self._native.skeleton.names

    @property
    def rotations(self) -> Floats:
        """Local rotations, (frames, joints, 4) W X Y Z. Read-only.

        Copied once, when first asked for: the library keeps rotations joint by joint. `joint_rotations` copies nothing.
        """
        if self._rotations is None:
            self._rotations = self._native.rotations()
        return self._rotations

    @property
    def translations(self) -> Floats:
        """Local translations, (frames, joints, 3) [unit]; the offset where a joint does not move. Read-only.

        Copied once, when first asked for.
        """
        if self._translations is None:
            self._translations = self._native.translations()
        return self._translations

    @property
    def root_translation(self) -> Floats:
        """Translation of the first joint, (frames, 3) [unit]. Read-only."""
        return self.translations[:, 0]

    def joint_rotations(self, joint: str) -> Floats:
        """Local rotations of one joint, (frames, 4) **X Y Z W**: a read-only view of the library's memory.

        Parameters
        ----------
        joint : str
            Name or role.
        """
        native = self._native
        stored = native.joint_rotations(native.skeleton.index(joint))
        return np.broadcast_to(stored, (self.frames, 4))

    def joint_translations(self, joint: str) -> Floats:
        """Local translations of one joint, (frames, 3) [unit]: a read-only view of the library's memory."""
        native = self._native
        stored = native.joint_translations(native.skeleton.index(joint))
        if stored is None:
            stored = self.skeleton.offsets[native.skeleton.find(joint)][None]
        return np.broadcast_to(stored, (self.frames, 3))

    def positions(self, *, unit: Union[str, None] = None) -> Floats:
        """Positions of the joints in object space.

        Parameters
        ----------
        unit : {None, "m"}
            ``None``: the unit of the clip. ``"m"``: metres; a unit that nobody states is guessed from the size of the
            body.

        Returns
        -------
        (frames, joints, 3) ndarray of float64
            A new array; its memory is the library's.
        """
        positions = self._native.positions()
        return positions if unit is None else self._in_metres(positions, unit)

    def orientations(self) -> Floats:
        """Rotations of the joints in object space, (frames, joints, 4) W X Y Z."""
        return self._native.orientations()

    def velocities(self, *, unit: Union[str, None] = None) -> Floats:
        """Velocities of the joints in object space: central differences, one-sided at both ends.

        Parameters
        ----------
        unit : {None, "m"}
            As `positions`.

        Returns
        -------
        (frames, joints, 3) ndarray of float64
            [unit/s]; NaN in a clip of one frame.
        """
        places = self.positions(unit=unit)
        frames = len(places)
        if frames == 0:
            return places
        at = np.arange(frames)
        before, after = np.maximum(at - 1, 0), np.minimum(at + 1, frames - 1)
        with np.errstate(invalid="ignore"):
            steps: Floats = (places[after] - places[before]) * self.fps / (after - before)[:, None, None]
        return steps

    def contacts(
        self,
        *,
        speed: float = 0.18,
        travel: float = 0.1,
        height: float = 0.06,
        shortest: float = 0.05,
        gap: float = 0.08,
    ) -> npt.NDArray[np.bool_]:
        """Whether the left and the right foot are on the floor: heel or toes.

        Parameters
        ----------
        speed : float
            A point in contact is slower than this [leg lengths/s].
        travel : float
            Or slower than this share of the speed of the hips.
        height : float
            It is lower than this above its usual lowest height [leg lengths].
        shortest : float
            Contacts shorter than this are dropped [s].
        gap : float
            Shorter gaps are closed [s].

        Returns
        -------
        (frames, 2) ndarray of bool

        Raises
        ------
        OptionError
            Where the skeleton has no two feet.
        """
        options = dict(speed=speed, travel=travel, height=height, shortest=shortest, gap=gap)
        found = self._native.contacts(options)
        if found is None:
            raise OptionError("usage::feet", "the skeleton has no left and right foot", hint="name them by roles")
        return found

    def arrays(
        self, *, dtype: str = "f32", rotations: str = "quaternion", window: Optional[int] = None, stride: Optional[int] = None
    ) -> Dict[str, Any]:
        """All arrays of an NPZ file by name, as `write` writes them; lengths in metres where the unit is known.

        Parameters
        ----------
        dtype : {"f32", "f64"}
            Floats.
        rotations : {"quaternion", "6d", "matrix", "axis-angle", "euler"}
            Encoding of local rotations.
        window, stride : int, optional
            Lists the starts of windows of so many frames, `stride` frames apart.
        """
        options = dict(dtype=dtype, rotations=rotations, window=window, stride=stride)
        arrays, found = self._native.arrays(options)
        warn(found)
        return arrays

    def pose(self, time: float) -> Tuple[Floats, Floats]:
        """The local pose at a time [s]: rotations (joints, 4) W X Y Z, translations (joints, 3) [unit]."""
        return self._native.pose(float(time))

    def edit(self, **edits: "Unpack[Edits]") -> "Clip":
        """Applies edits in the order in which they are given; `reports` of the result says what each changed.

        Edits that are ``None`` or ``False`` are left out.

        Parameters
        ----------
        drop_first_frame : bool
            Drop the first frame.
        trim : str or tuple or slice
            Keep these frames: ``(10, 250)``, ``"0.5s:2s"``.
        fps : float or str
            Resample; the duration stays.
        scale : float
            Multiply every length, above 0; the unit stays.
        denoise : bool or str
            Remove jitter and spikes: ``"auto"`` or ``True``, ``"butterworth:6"``, ``"savgol:0.2"``,
            ``"gaussian"``, ``"one-euro"``.
        bands : str
            Scale frequency bands, such as ``"high=0,mid=1.5"``.
        mirror : bool
            Swap left and right.
        loop : bool or str or tuple
            Make a loop: search the best cycle, or close a range of frames.
        repeat : int
            Play a loop this many times.
        speed : float
            Play faster (above 1) or slower.
        duration : float
            Give the motion another duration [s].
        time_map : (rows, 2) array_like
            Retime: time in the output, time in the input [s].
        sync : Clip
            Retime: feet come down when those of this motion do.
        fix_feet : bool
            Lock planted feet.
        turn : float
            Bend the path to the left by this angle from start to end [degrees].
        along : (points, 3) array_like
            Lay the motion along a path [unit].
        add : Clip or (Clip, dict)
            Add a pose or motion; options ``weight``, ``mask``.
        strip : {"fingers", "twist", "props"}
            Leave joints out.
        join : Clip or (Clip, dict)
            Lay a motion onto the end; options ``transition`` [s], ``kind``, ``search`` [s], ``no_overshoot``,
            ``lock_feet`` (default True).
        in_place : bool or str
            Take the root motion out; a text says what stays: ``"height"``, ``"turn"``, both with a comma, ``"none"``.
        apply_root : RootCurve
            Put a root motion in.
        root_joint : bool or str
            Add a joint on the ground that carries the root motion.
        heading : str
            At its start the body faces this axis.
        start_at_origin, ground : bool
            Move the start above the origin; the floor to height 0.

        Returns
        -------
        Clip

        Raises
        ------
        EditError
            That of the first edit that fails.
        """
        given: List[Tuple[str, Any]] = []
        for name, value in edits.items():
            given.append((name, _edit_value(name, value)))
        edited, reports, found = _mocap.edit(self._native, given)
        warn(found)
        clip = Clip(edited)
        clip.reports = [Report._of(report) for report in reports]
        return clip

    def convert(
        self,
        *,
        drop_first_frame: bool = False,
        trim: Optional[Frames] = None,
        rate: Union[str, float, None] = None,
        scale: Optional[float] = None,
        unit: Union[str, float, None] = None,
        up: Optional[str] = None,
    ) -> "Clip":
        """Trims, resamples, scales and converts unit and axes, in this order, as ``mocap convert`` does.

        Parameters
        ----------
        drop_first_frame : bool
            Drop the first frame.
        trim : str or tuple or slice
            Keep these frames.
        rate : float or str
            Resample to this rate [1/s]; the duration stays.
        scale : float
            Multiply every length, above 0; the unit stays.
        unit : str or float
            Convert lengths to this unit; the body keeps its size.
        up : str
            Rotate the axes to this up axis.
        """
        options = dict(
            drop_first_frame=drop_first_frame, trim=frames_text(trim), rate=rate, scale=scale, unit=unit, up=up
        )
        made, found = _mocap.convert(self._native, options)
        warn(found)
        return Clip(made)

    def resample(self, rate: Union[str, float]) -> "Clip":
        """The motion sampled at another rate [1/s]; the duration stays."""
        made, found = _mocap.convert(self._native, {"rate": rate})
        warn(found)
        return Clip(made)

    def trim(self, start: Optional[int] = None, stop: Optional[int] = None) -> "Clip":
        """Frames `start` up to `stop`, which is not included."""
        made, found = _mocap.convert(self._native, {"trim": frames_text((start, stop))})
        warn(found)
        return Clip(made)

    def __getitem__(self, frames: slice) -> "Clip":
        if not isinstance(frames, slice):
            raise TypeError("a clip takes a slice of frames, such as clip[10:20]")
        start, stop, step = frames.indices(self.frames)
        if step != 1:
            raise OptionError("usage::value", "a range of frames has no step")
        return self.trim(start, stop)

    def root_curve(self, keep: str = "height") -> RootCurve:
        """The root motion; the clip stays. ``edit(apply_root=curve)`` puts it in.

        Parameters
        ----------
        keep : str
            What stays in the body: ``"height"``, ``"turn"``, both with a comma, or ``"none"``.
        """
        return RootCurve(_mocap.root_curve(self._native, keep))

    def quality(
        self,
        *,
        speed: float = 0.18,
        travel: float = 0.1,
        height: float = 0.06,
        shortest: float = 0.05,
        gap: float = 0.08,
    ) -> Report:
        """Measures the motion: floor, contacts, foot skate, penetration, jerk, artifacts; parameters as `contacts`."""
        options = dict(speed=speed, travel=travel, height=height, shortest=shortest, gap=gap)
        return Report._of(_mocap.quality(self._native, options))

    def with_name(self, name: str) -> "Clip":
        """The same motion under another name."""
        return Clip(self._native.with_name(name))

    def with_skeleton(self, skeleton: Skeleton) -> "Clip":
        """The same motion on a skeleton with as many joints: other names, roles, limits, or a stated unit."""
        return Clip(self._native.with_skeleton(skeleton._native))

    def with_roles(self) -> "Clip":
        """The same motion with the roles of its joints, as far as names, tree and motion show them with certainty."""
        return Clip(self._native.with_roles())

    def write(
        self,
        path: Path,
        *,
        format: Optional[str] = None,
        euler: Optional[str] = None,
        tolerance: Optional[float] = None,
        names: str = "keep",
        positions: str = "replace",
        dtype: str = "f32",
        rotations: str = "quaternion",
        window: Optional[int] = None,
        stride: Optional[int] = None,
        order: Optional[str] = None,
        mesh: Optional[str] = None,
        key_error: Optional[float] = None,
        short_rotations: bool = False,
    ) -> None:
        """Writes the motion in the format of the path's extension, atomically. A file that exists is replaced.

        Parameters
        ----------
        path : path
            The file, such as ``walk.bvh`` or ``walk.npz``.
        format : str, optional
            The format, whatever the extension. The motion of a robot is written as ``unitree-csv`` where the path ends
            in ``.csv`` and as ``mjlab-npz`` where it ends in ``.npz``, as ``mocap retarget`` does.
        euler : str, optional
            Rotation order of a BVH. Default: that of the skeleton.
        tolerance : float, optional
            How far rounding in a BVH may move a joint [m].
        names : {"keep", "safe"}
            How names are written in a BVH.
        positions : {"replace", "add"}
            What positions of joints below the root of a BVH mean.
        dtype : {"f32", "f64"}
            Floats of arrays. With ``"f64"`` a motion is read back with every bit.
        rotations : str
            Encoding of rotations in arrays: ``"quaternion"``, ``"6d"``, ``"matrix"``, ``"axis-angle"``, ``"euler"``.
        window, stride : int, optional
            Windows of frames listed in arrays.
        order : str, optional
            Order of a robot's joints.
        mesh : str, optional
            What stands for the body in formats that show meshes.
        key_error : float, optional
            How far keys that are left out may move a joint [m].
        short_rotations : bool
            Whether rotations are 16-bit integers in formats that have them.

        Raises
        ------
        OptionError, FormatError, FileError
        """
        if format is None and self._native.skeleton.is_robot:
            format = {".csv": "unitree-csv", ".npz": "mjlab-npz"}.get(os.path.splitext(os.fspath(path))[1].lower())
        options = dict(
            euler=euler,
            tolerance=tolerance,
            names=names,
            positions=positions,
            dtype=dtype,
            rotations=rotations,
            window=window,
            stride=stride,
            order=order,
            mesh=mesh,
            key_error=key_error,
            short_rotations=short_rotations,
        )
        warn(self._native.write(os.fspath(path), format, options))

    def view(self, *others: "Clip", most_frames: int = 6000) -> str:
        """An HTML page that plays this motion, and others beside it."""
        clips = [self, *others]
        named = [(clip.name or clip._native.stem or f"clip {at}", clip._native) for at, clip in enumerate(clips)]
        return _mocap.view(named, most_frames)

    def _in_metres(self, lengths: Floats, unit: str) -> Floats:
        if unit != "m":
            raise OptionError("usage::value", f"unit must be None or 'm', found {unit!r}")
        metres = self._native.skeleton.known_unit()
        if metres is None:
            from ._errors import UnitError

            hint = "read(..., unit='cm') states the unit"
            raise UnitError("unit::unknown", "the unit of lengths is unknown", hint=hint)
        in_metres: Floats = lengths * metres
        return in_metres

    def __len__(self) -> int:
        return self.frames

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Clip) and self._native == other._native

    def __hash__(self) -> int:
        return hash((self.frames, self.fps, self.name))

    def __repr__(self) -> str:
        return f"<clip {self.name or self._native.stem!r}: {self.frames} frames at {self.fps:g} fps, {len(self.names)} joints>"

    def _repr_html_(self) -> str:
        if self.frames == 0:
            return html.escape(repr(self))
        page = html.escape(self.view(most_frames=600), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="480" style="border:0"></iframe>'


def _edit_value(name: str, value: Any) -> Any:
    if name in ("trim", "loop"):
        return frames_text(value)
    if name in ("time_map", "along") and value is not None:
        return floats(name, value)
    if isinstance(value, Clip):
        return value._native
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Clip):
        return (value[0]._native, dict(value[1]))
    if isinstance(value, RootCurve):
        return value._text
    return value


def _signature() -> inspect.Signature:
    parameter = inspect.Parameter
    edits = [parameter(name, parameter.KEYWORD_ONLY, default=None) for name in _mocap.EDITS]
    return inspect.Signature([parameter("self", parameter.POSITIONAL_OR_KEYWORD), *edits])


# `help` shows every edit; the order of a call is kept.
setattr(Clip.edit, "__signature__", _signature())

