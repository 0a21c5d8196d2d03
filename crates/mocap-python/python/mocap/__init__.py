"""Motion capture: read, retarget, compress, edit, measure and write motions.

>>> import mocap
>>> walk = mocap.read("fixtures/clips/alex_walk.bvh")
>>> robin = mocap.read_skeleton("fixtures/clips/robin.skel")
>>> moved, report = mocap.retarget(walk, robin)
>>> moved.frames == walk.frames
True

Angles are radians, quaternions are W X Y Z, lengths are in the unit of the file where nothing else is said. Repairs and
assumptions are warnings (`MocapWarning`), errors are `MocapError`; both have a stable ``code`` and a place.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import _errors, _mocap, batch
from ._arguments import Path, flag, instance, keywords, mapping, number, path_text
from ._clip import Clip
from ._compressed import Compressed, Pose, open_compressed
from ._dataset import Dataset, Window
from ._edits import RootCurve
from ._errors import *
from ._errors import error_of, fields_of, warn
from ._report import Report
from ._several import BlendSpace, blend, join, play
from ._skeleton import Skeleton

__version__ = _mocap.__version__

__all__ = [
    "BlendSpace",
    "Clip",
    "Compressed",
    "Dataset",
    "Pose",
    "Report",
    "RootCurve",
    "Skeleton",
    "Window",
    "batch",
    "blend",
    "compare",
    "compress",
    "convert",
    "explain",
    "formats",
    "join",
    "open_compressed",
    "play",
    "preset",
    "presets",
    "read",
    "read_all",
    "read_markers",
    "read_skeleton",
    "retarget",
]
__all__ += _errors.__all__


def _reading(given: Mapping[str, Any]) -> Dict[str, Any]:
    """The options of reading among the ``locals()`` of a function."""
    options = keywords(given, "path")
    skeleton, clip, limits = (options.get(name) for name in ("skeleton", "clip", "limits"))
    return {
        **options,
        "skeleton": None if skeleton is None else path_text(skeleton, "skeleton"),
        "clip": None if clip is None else str(clip),
        "limits": None if limits is None else mapping("limits", limits),
    }


def read(
    path: Path,
    *,
    format: Optional[str] = None,
    rate: Union[str, float, None] = None,
    unit: Union[str, float, None] = None,
    up: Optional[str] = None,
    position_channels: str = "auto",
    asf_units: str = "auto",
    skeleton: Optional[Path] = None,
    repair: bool = False,
    strict: bool = False,
    drop_first_frame: bool = False,
    expect_rest_frame: bool = False,
    clip: Union[str, int, None] = None,
    subject: Union[str, int, None] = None,
    limits: Optional[Mapping[str, int]] = None,
) -> Clip:
    """Reads the motion of a file of any format that the command line reads.

    Parameters
    ----------
    path : path
        The file; ``"moves.glb#walk"`` is one clip of a file of several.
    format : str, optional
        The format. Default: by the extension, else by the content.
    rate : float or str, optional
        Frames per second, whatever the file says; no frame changes.
    unit : str or float, optional
        Unit of the file's lengths, whatever it says: ``"m"``, ``"cm"``, ``"mm"``, ``"in"``, ``"ft"``, ``"cmu"`` or
        metres per unit; no number changes.
    up : str, optional
        The axis that points up, whatever the file says, such as ``"Z"``.
    position_channels : {"auto", "replace", "add"}
        How position channels and OFFSET of a BVH combine.
    asf_units : {"auto", "cmu", "spec", "raw"}
        Unit of the lengths of an ASF.
    skeleton : path, optional
        The ASF of an AMC, the body of an SMPL motion, or the model of a robot's motion.
    repair : bool
        Interpolate over values that are not finite; else they are an error.
    strict : bool
        Whether the first warning is an error.
    drop_first_frame : bool
        Drop the first frame: in BVH conversions of the CMU database it is a rest pose.
    expect_rest_frame : bool
        Whether a rest pose in the first frame is expected, and no warning.
    clip : str or int, optional
        Which of several clips, by name or number. Default: the first, with a warning.
    subject : str or int, optional
        Which of several bodies in the file, by its name or its number from 1. Default: all of them in one skeleton.
    limits : mapping, optional
        Bounds on the file and its clip: ``bytes``, ``joints``, ``depth``, ``frames``, ``samples``.

    Returns
    -------
    Clip

    Raises
    ------
    NotFoundError, AccessError, FileError
        Where the file cannot be read.
    FormatError
        Where it cannot be understood, with line, column, joint and frame where known.

    Warns
    -----
    MocapWarning
        For every repair and assumption.

    Examples
    --------
    >>> import mocap
    >>> clip = mocap.read("fixtures/clips/alex_walk.bvh", unit="cm")
    >>> clip.frames, clip.fps
    (301, 120.0)
    """
    native, found = _mocap.read(path_text(path), _reading(locals()))
    warn(found)
    return Clip(native)


def read_all(
    path: Path,
    *,
    format: Optional[str] = None,
    rate: Union[str, float, None] = None,
    unit: Union[str, float, None] = None,
    up: Optional[str] = None,
    repair: bool = False,
    strict: bool = False,
) -> List[Clip]:
    """Reads all motions of a file that may hold several, such as a GLB, an FBX or a pack; parameters as `read`."""
    natives, found = _mocap.read_all(path_text(path), _reading(locals()))
    warn(found)
    return [Clip(native) for native in natives]


def read_skeleton(
    path: Path,
    *,
    format: Optional[str] = None,
    unit: Union[str, float, None] = None,
    up: Optional[str] = None,
    skeleton: Optional[Path] = None,
    strict: bool = False,
) -> Skeleton:
    """Reads the skeleton of a file of any format, or the model of a robot (URDF, MJCF).

    A motion in the file shows how the body stands; `retarget` uses that. Parameters as `read`.
    """
    native, found = _mocap.read_skeleton(path_text(path), _reading(locals()))
    warn(found)
    return Skeleton(native)


def read_markers(path: Path) -> Dict[str, Any]:
    """Reads the markers of a recording, such as a C3D file, as arrays.

    Returns
    -------
    dict
        ``marker_positions`` (frames, markers, 3) [m] with NaN in gaps, ``marker_names``, ``marker_residuals``,
        ``fps`` and ``metres_per_unit``.
    """
    arrays, found = _mocap.read_markers(path_text(path))
    warn(found)
    return arrays


def preset(name: str) -> Skeleton:
    """A common skeleton by name, such as ``"smpl"``: see `presets`."""
    return Skeleton(_mocap.preset(name))


def presets() -> List[str]:
    """Names of the skeletons that come with the package."""
    return _mocap.presets()


def formats() -> Dict[str, Dict[str, bool]]:
    """All formats by name: whether they are read, and whether motions are written in them."""
    return {name: {"read": reads, "write": writes} for name, reads, writes in _mocap.formats()}


def convert(path: Path, output: Path, **options: Any) -> Dict[str, Any]:
    """Converts one file, as ``mocap convert`` does: what the file holds besides the motion stays where it can.

    Parameters
    ----------
    path, output : path
        The input, and the file to write.
    **options
        Flags of ``mocap convert``, such as ``overwrite=True``, ``fps=30``, ``unit="m"``, ``verbatim=True``.

    Returns
    -------
    dict
        The row: ``frames``, ``fps``, ``joints``, ``bytes``, ``unchanged``, ``warnings`` …

    Raises
    ------
    MocapError
        As the row of a failed input says.
    """
    source = path_text(path)
    row: Dict[str, Any] = next(iter(list(batch.convert(source, out=output, **options))), {})
    if "error" in row:
        raise error_of(row["error"], row.get("path"))
    warn([fields_of(warning, source) for warning in row.get("warnings", [])])
    return row


def _map_text(map: Union[Path, Mapping[str, str], bytes, None]) -> Optional[bytes]:
    if map is None or isinstance(map, bytes):
        return map
    if isinstance(map, Mapping):
        raise OptionError("usage::value", "map must be the path of a map file, or its content as bytes")
    path = path_text(map, "map")
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise NotFoundError("io::not-found", "the map does not exist", path=path) from error
    except OSError as error:
        raise FileError("io::read", f"the map cannot be read: {error.strerror}", path=path) from error


def retarget(
    clip: Clip,
    target: Union[Skeleton, Path],
    *,
    method: str = "scale",
    hands: str = "auto",
    foot_lock: str = "auto",
    self_contacts: bool = True,
    solver: str = "auto",
    limits: bool = True,
    floor: Union[str, float] = "auto",
    source_rest: Optional[int] = None,
    map: Union[Path, bytes, None] = None,
    fps: Union[str, float] = 30,
    separate: bool = True,
    limits_from: Optional[Path] = None,
) -> Tuple[Clip, Report]:
    """Puts a motion on another skeleton or on a humanoid robot.

    Parameters
    ----------
    clip : Clip
        The motion.
    target : Skeleton or path
        The body or robot: see `read_skeleton`.
    method : {"scale", "limb-ratio", "copy", "effectors"}
        How to handle different proportions.
    hands : {"auto", "scale", "keep", "off"}
        Goals of the hands.
    foot_lock : {"auto", "on", "off"}
        Whether feet are locked while they are on the floor.
    self_contacts : bool
        Whether contacts of the hands are kept.
    solver : {"auto", "ccd", "fabrik", "two-bone", "dls", "objective"}
        How limbs are solved.
    limits : bool
        Whether joint limits of the target are kept.
    floor : {"auto", "off"} or float
        Height of the target's floor [m].
    source_rest : int, optional
        A frame in which the source stands upright, in place of its rest pose.
    map : path or bytes, optional
        A map file, which says which joint moves which: see `explain`.
    fps : float or str
        Robots: frames per second of the result.
    separate : bool
        Robots: whether their parts are kept out of each other.
    limits_from : path, optional
        Robots: a model of the same robot that states joint speeds.

    Returns
    -------
    clip : Clip
        The motion on the target.
    report : Report
        Its quality: lengths in metres, angles in degrees; of robots radians.

    Raises
    ------
    RetargetError, RobotError
        Where joints of one have no counterparts in the other.
    """
    options = keywords(locals(), "clip", "target", "map")
    if limits_from is not None:
        options["limits_from"] = path_text(limits_from, "limits_from")
    source = instance("clip", clip, Clip)._native
    body = target if isinstance(target, Skeleton) else read_skeleton(target)
    native, report, found = _mocap.retarget(source, body._native, _map_text(map), options)
    warn(found)
    return Clip(native), Report._of(report)


def explain(clip: Clip, target: Skeleton, *, map: Union[Path, bytes, None] = None) -> Tuple[str, str]:
    """Which joint moves which, with reasons and scores.

    Returns
    -------
    text : str
        The map for people.
    file : str
        The map as JSON: edit it, and give it to ``retarget(..., map=...)``.
    """
    source, body = instance("clip", clip, Clip), instance("target", target, Skeleton)
    return _mocap.explain(source._native, body._native, _map_text(map))


def compress(
    clip: Clip,
    error: float = 1e-4,
    *,
    profile: str = "runtime",
    effort: int = 5,
    shell: float = 0.03,
    metres_per_unit: Optional[float] = None,
    joint_tolerances: Optional[Mapping[str, float]] = None,
    local_error: Optional[float] = None,
    track_error: float = 1e-4,
    guard_between: bool = False,
    external_skeleton: bool = False,
    external_scale: float = 1.0,
) -> Compressed:
    """Compresses a motion within a guaranteed error.

    Parameters
    ----------
    clip : Clip
        The motion.
    error : float
        The greatest error of any point at the shell distance, in every frame [m].
    profile : {"runtime", "archive", "keys", "direct"}
        Fast to sample, smallest, or keys of curves.
    effort : int
        Work for fewer bytes, from 0 (fastest) to 9 (smallest).
    shell : float
        Distance from each joint at which the error is measured [m].
    metres_per_unit : float, optional
        Metres in one unit of the clip. Default: as its skeleton says, else guessed with a warning.
    joint_tolerances : mapping, optional
        Errors of joints by glob, ``{"*Finger*": 1e-3}`` [m].
    local_error : float, optional
        The greatest error of local rotations [rad].
    track_error : float
        The greatest error of scales and of numbers over time.
    guard_between : bool
        Whether the error also holds half-way between frames.
    external_skeleton : bool
        Whether the skeleton is left out of the file.
    external_scale : float
        Where it is left out: by how much lengths were multiplied since it was read.

    Returns
    -------
    Compressed
        With ``report``, ``pose(time)``, ``to_clip()``, ``write(path)``.
    """
    options = keywords(locals(), "clip", "error")
    options["effort"] = str(effort)
    if joint_tolerances is not None:
        options["joint_tolerances"] = list(mapping("joint_tolerances", joint_tolerances).items())
    native, report, found = _mocap.compress(instance("clip", clip, Clip)._native, number("error", error), options)
    warn(found)
    return Compressed(native, Report._of(report))


def compare(reference: Clip, other: Clip, *, shell: float = 0.03, resample: bool = False) -> Report:
    """Measures the error between two motions of one skeleton, in object space.

    Parameters
    ----------
    reference, other : Clip
        The motions.
    shell : float
        Distance of the measured points from the joints [m].
    resample : bool
        Whether `other` is sampled at the rate of `reference` first.

    Returns
    -------
    Report
        ``max``, ``p99``, ``rms``, ``mean`` [m], ``worst`` with joint and frame …
    """
    clips = [instance("reference", reference, Clip), instance("other", other, Clip)]
    natives = [clip._native for clip in clips]
    report, found = _mocap.compare(natives[0], natives[1], number("shell", shell), flag("resample", resample))
    warn(found)
    return Report._of(report)
