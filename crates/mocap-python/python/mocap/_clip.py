"""Motions."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _mocap
from ._arguments import Frames, Path, frames_text, instance, keywords, number, path_text, sequence
from ._arrays import Floats, floats, pairs
from ._edits import RootCurve, documented, edit_value, signature_of_edits
from ._errors import OptionError, UnitError, warn
from ._motion import Motion
from ._report import Report
from ._skeleton import Skeleton

if TYPE_CHECKING:
    from typing import TypedDict

    from typing_extensions import Unpack

    # Edits: written from the table of edits.
    class Edits(TypedDict, total=False):
        drop_first_frame: bool
        """Drop the first frame: in BVH conversions of the CMU database it is a rest pose."""
        trim: Union[str, Tuple[Optional[int], Optional[int]], slice]
        """Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)."""
        fps: Union[str, float]
        """Resample to a rate [frames per second, above 0]; the duration stays."""
        scale: Union[str, float]
        """Multiply every length [above 0]; the unit stays: the character grows or shrinks."""
        denoise: Union[bool, str, Tuple[str, Mapping[str, Any]], Mapping[str, Any]]
        """Remove jitter and spikes: auto (estimates the noise of every joint), butterworth:HZ, savgol[:SECONDS], gaussian[:SECONDS] or one-euro[:HZ,BETA]."""
        bands: Union[str, Mapping[str, float]]
        """Scale frequency bands, such as high=0,mid=1.5: see `mocap bands --help`."""
        loop: Union[bool, Union[str, Tuple[Optional[int], Optional[int]], slice]]
        """Make a loop: search the best cycle, or close the range A:B (--loop=A:B), and lock planted feet; the last frame has the pose of the first."""
        repeat: int
        """Play a loop several times, each on from where the last one ended [at least 1]."""
        speed: Union[str, float]
        """Play faster (above 1) or slower (below 1) at the same frame rate [factor, above 0]."""
        duration: Union[str, float]
        """Give the motion another duration, such as 2s [s, above 0]."""
        time_map: npt.ArrayLike
        """Retime by a CSV with rows 'time in the output, time in the input' [s]; the first increases, the second never decreases."""
        sync: "Clip"
        """Retime the motion: its feet come down when those of this motion do."""
        join: Union["Clip", Tuple["Clip", Mapping[str, Any]], Mapping[str, Any]]
        """Append a motion: see `mocap join --help`."""
        blend: Union["Clip", Tuple["Clip", Mapping[str, Any]], Mapping[str, Any]]
        """Blend with another motion, half and half or by --weight [0 to 1]: see `mocap blend --help`."""
        warp: Union[Mapping[str, Any], Tuple[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]]
        """Move hands, feet, hips or other joints to the keys in a TOML file: see `mocap warp --help`."""
        fourier: Union[bool, Mapping[str, Any]]
        """Make the best cycle from its Fourier series: see `mocap fourier --help`."""
        terrain: Union[Union[str, Sequence[float]], Tuple[Union[str, Sequence[float]], Mapping[str, Any]], Mapping[str, Any]]
        """Put the feet on steps, RISE,RUN[,COUNT[,FROM]]: see `mocap terrain --help`, which takes height fields and meshes too."""
        fix_feet: bool
        """Lock planted feet: legs are solved anew, the hips follow a little."""
        balance: bool
        """Bring the centre of mass over the soles where the body stands still, and let it fall freely in jumps."""
        turn: Union[str, float]
        """Bend the path: from start to end the motion turns this much more to the left [degrees]."""
        along: npt.ArrayLike
        """Move the motion along a path: a CSV with rows 'x, y, z' in the unit of the motion."""
        add: Union["Clip", Tuple["Clip", Mapping[str, Any]], Mapping[str, Any]]
        """Add a pose (its difference from its rest pose) or a motion (its difference from its first frame)."""
        strip: str
        """Leave joints out: fingers, twist or props; the others stay where they are."""
        mirror: Union[bool, str]
        """Swap left and right: the motion as a mirror shows it; --mirror=retarget places the feet and hands of a body whose sides differ."""
        in_place: Union[bool, str]
        """Take the root motion out: the body moves in place above the origin and faces forward."""
        apply_root: RootCurve
        """Put a root motion in, as --extract-root wrote it (a directory with many inputs)."""
        root_joint: Union[bool, str]
        """Add a joint on the ground that carries the root motion, as engines expect: add."""
        heading: str
        """Turn the motion about the up axis: at its start the body faces this axis (Z, -X …)."""
        start_at_origin: bool
        """Move the start of the motion above the origin: origin."""
        ground: bool
        """Move the motion up or down: the floor under its feet is at height 0."""
        attach: Union[str, Tuple[str, Mapping[str, Any]], Mapping[str, Any]]
        """Bind a prop to a hand, or a rider to a saddle: PROP@POINT=CHARACTER@JOINT, then ,FROM:TO or ,auto; what is carried already is reached for."""
        detach: str
        """Detach a joint: it and all below it become a tree of their own that moves as before."""
        label_events: bool
        """Write the labels of `mocap label` into the motion as events, such as 'kick,left' where it starts and 'kick,left end' where it ends."""
    # End of edits.

__all__ = ["Clip"]


class Clip(Motion):
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
        self._native: _mocap.Clip = native
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
        if translations is not None and root_translation is not None:
            raise OptionError("usage::value", "give translations or root_translation, not both")
        made = _mocap.clip_from_arrays(
            instance("skeleton", skeleton, Skeleton)._native,
            number("fps", fps),
            floats("rotations", rotations),
            None if translations is None else floats("translations", translations),
            None if root_translation is None else floats("root_translation", root_translation),
            str(name),
        )
        return cls(made)

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
            stored = self.skeleton.offsets[self.skeleton.find(joint)][None]
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
        found = self._native.contacts(keywords(locals(), "self"))
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
        arrays, found = self._native.arrays(keywords(locals(), "self"))
        warn(found)
        return arrays

    def pose(self, time: float) -> Tuple[Floats, Floats]:
        """The local pose at a time [s]: rotations (joints, 4) W X Y Z, translations (joints, 3) [unit]."""
        return self._native.pose(number("time", time))

    def edit(self, **edits: "Unpack[Edits]") -> "Clip":
        """Applies edits in the order in which they are given; `reports` of the result says what each changed.

        Edits that are ``None`` or ``False`` are left out. The value of an edit is its main option
        (``trim="0.5s:2s"``, ``repeat=3``, ``join=other``), ``True`` where it needs none (``mirror=True``), a
        dictionary of its options (``fourier={"harmonics": 6}``), or both (``add=(wave, {"weight": 0.5})``). Options
        have the names of ``mocap edit`` and of the steps of pipelines, with underscores. Motions are `Clip`, tables
        and terrains arrays, a root motion a `RootCurve`; frames may be ``(10, 250)``, gains ``{"high": 0}``. The keys
        of ``warp``, and the options of ``fourier`` and ``terrain``, are the keywords of the methods of these names.

        Parameters
        ----------
{edits}

        Returns
        -------
        Clip

        Raises
        ------
        EditError
            That of the first edit that fails.
        """
        given = [(name, edit_value(name, value)) for name, value in edits.items()]
        return Clip._of(_mocap.edit(self._native, given))

    @classmethod
    def _of(cls, made: "_mocap._Edited") -> "Clip":
        """A clip with the reports of what made it; its warnings are given at the place of the user's call."""
        native, reports, found = made
        warn(found, stacklevel=4)
        clip = cls(native)
        clip.reports = [Report._of(report) for report in reports]
        return clip

    def bands(self, gains: Union[str, Mapping[str, float]]) -> "Clip":
        """Scales frequency bands, as ``mocap bands`` does.

        Parameters
        ----------
        gains : str or mapping
            Gain of each band: ``{"high": 0, "mid": 1.5}``, ``"0.5..2hz=0.7"``. Bands are ``high`` (4 Hz and more),
            ``mid`` (1 to 4 Hz), ``low``, ``A..B`` [Hz] or numbers from 0, the fastest. 0 removes a band, 1 leaves it.
        """
        return Clip._of(_mocap.edit(self._native, [("bands", edit_value("bands", gains))]))

    def warp(
        self,
        keys: Sequence[Mapping[str, Any]],
        from_: float,
        to: float,
        *,
        keep_feet: bool = True,
        mode: str = "offset",
        times: Sequence[Tuple[float, float]] = (),
        poses: Optional[Path] = None,
        ik: Optional[str] = None,
    ) -> "Clip":
        """Brings joints to keys; the motion keeps its detail between them, as with ``mocap warp``.

        Parameters
        ----------
        keys : sequence of mapping
            Each has ``time`` [s], ``joint`` (name or role), and one of ``turn`` (degrees about the axes of the joint),
            ``at`` (a place), ``by`` (a shift) and ``look_at`` (a place that the joint points at) [unit of the clip]; or
            ``time`` and ``pose``, a `Clip` whose first frame all joints turn to. Beside ``look_at`` may be ``until`` [s],
            ``direction`` (what points, in the space of the joint), and ``shares`` and ``limits`` [degrees] by joint.
        from_, to : float
            Outside this time nothing changes [s].
        keep_feet : bool
            Whether feet without keys keep their paths where the hips are moved.
        mode : str
            How joints meet their keys: ``"offset"``, or ``"scale-offset"``, which scales the motion since `from_` and
            offsets the rest.
        times : sequence of pair of float
            Times of the motion and the times to which they move [s], both between `from_` and `to`.
        poses : path, optional
            Example poses, as ``mocap poses`` writes them: the whole body follows as they do.
        ik : str, optional
            What brings joints to places: ``"two-bone"`` (their limb), ``"objective"`` or ``"xpbd"`` (the whole body).
            Default: two-bone; the objective with `poses`.

        Examples
        --------
        >>> import mocap
        >>> walk = mocap.read("fixtures/clips/alex_walk.bvh", unit="cm")
        >>> higher = walk.warp([{"time": 1.0, "joint": "RightHand", "by": [0, 10, 0]}], 0.5, 1.5)
        """
        options = {"from": from_, "to": to, "keep_feet": keep_feet, "keys": sequence("keys", keys)}
        options |= {"mode": mode, "times": sequence("times", times)}
        if poses is not None:
            options["poses"] = path_text(poses)
        value = edit_value("warp", options)
        return Clip._of(_mocap.edit(self._native, [("warp", value if ik is None else (value, {"ik": ik}))]))

    def fourier(
        self,
        *,
        harmonics: Optional[int] = None,
        neutral: Optional["Clip"] = None,
        styled: Optional["Clip"] = None,
        gain: float = 1.0,
        lock_feet: bool = True,
    ) -> "Clip":
        """Makes the best cycle of the motion from its Fourier series, as ``mocap fourier`` does.

        Parameters
        ----------
        harmonics : int, optional
            How many are kept, 1 to 128. Default: all.
        neutral, styled : Clip, optional
            A motion without and with a style; what they differ is added.
        gain : float
            How much of the style: above 1 exaggerates, below 0 is the opposite.
        lock_feet : bool
            Whether planted feet are locked where a style is added.
        """
        options = edit_value("fourier", keywords(locals(), "self"))
        return Clip._of(_mocap.edit(self._native, [("fourier", options)]))

    def terrain(
        self,
        *,
        steps: Union[str, Tuple[float, ...], None] = None,
        heights: Optional[npt.ArrayLike] = None,
        cell: float = 0.1,
        mesh: Optional[npt.ArrayLike] = None,
        origin: Optional[str] = None,
    ) -> "Clip":
        """Puts the feet on steps, a height field or a mesh, as ``mocap terrain`` does. Give one of the three.

        Parameters
        ----------
        steps : tuple or str, optional
            Rise and run of steps ahead, how many (default 10), and the distance of the first (default 1) [m]:
            ``(0.17, 0.29, 8)``.
        heights : (rows, columns) array_like of float, optional
            Heights [m]; NaN is a hole. The first row is the farthest ahead, the first column the leftmost, the middle is
            the origin.
        cell : float
            Distance of neighbouring heights [m].
        mesh : (triangles, 3, 3) array_like of float, optional
            Corners X (left), Y (up), Z (ahead) of triangles [m].
        origin : {"world", "start"}, optional
            Where the terrain lies: at the origin of the motion, or below its first frame. Default: ``"start"`` with
            `steps`, else ``"world"``.
        """
        options = edit_value("terrain", keywords(locals(), "self"))
        return Clip._of(_mocap.edit(self._native, [("terrain", options)]))

    def split(
        self,
        *,
        every: Optional[float] = None,
        still: Optional[float] = None,
        ranges: Optional[npt.ArrayLike] = None,
    ) -> "List[Clip]":
        """Cuts the motion into clips, as ``mocap split`` does. Give one of the three.

        Parameters
        ----------
        every : float, optional
            Clips of this length; the last one may be shorter [s].
        still : float, optional
            Cut at pauses of at least this time, and leave them out [s].
        ranges : (clips, 2) array_like of float, optional
            Start and end of each clip, end excluded [s]; they may overlap.
        """
        rows = None if ranges is None else [tuple(row) for row in pairs("ranges", ranges)]
        times = [None if time is None else number(name, time) for name, time in (("every", every), ("still", still))]
        return [Clip(part) for part in _mocap.split(self._native, times[0], times[1], rows)]

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
        options = keywords(locals(), "self")
        made, found = _mocap.convert(self._native, {**options, "trim": frames_text(trim)})
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
        return Report._of(_mocap.quality(self._native, keywords(locals(), "self")))

    def with_name(self, name: str) -> "Clip":
        """The same motion under another name."""
        return Clip(self._native.with_name(name))

    def with_skeleton(self, skeleton: Skeleton) -> "Clip":
        """The same motion on a skeleton with as many joints: other names, roles, limits, or a stated unit."""
        return Clip(self._native.with_skeleton(instance("skeleton", skeleton, Skeleton)._native))

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
        options = keywords(locals(), "self", "path", "format")
        text = path_text(path)
        warn(self._native.write(text, format, options))

    def view(self, *others: "Clip", most_frames: int = 6000) -> str:
        """An HTML page that plays this motion, and others beside it."""
        clips = [self, *(instance("others", other, Clip) for other in others)]
        named = [(clip.name or clip._native.stem or f"clip {at}", clip._native) for at, clip in enumerate(clips)]
        return _mocap.view(named, most_frames)

    def _in_metres(self, lengths: Floats, unit: str) -> Floats:
        if not isinstance(unit, str) or unit != "m":
            raise OptionError("usage::value", f"unit must be None or 'm', found {unit!r}")
        metres = self._native.skeleton.known_unit()
        if metres is None:
            hint = "read(..., unit='cm') states the unit"
            raise UnitError("unit::unknown", "the unit of lengths is unknown", hint=hint)
        in_metres: Floats = lengths * metres
        return in_metres

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


# `help` shows every edit; the order of a call is kept.
setattr(Clip.edit, "__signature__", signature_of_edits())
setattr(Clip.edit, "__doc__", documented(Clip.edit.__doc__))

