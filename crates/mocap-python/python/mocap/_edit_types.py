# Written from the table of edits: UPDATE_DOCUMENTS=1 cargo test -p mocap-cli --test documents.
"""The types of the keywords of `Clip.edit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence, Tuple, Union

if TYPE_CHECKING:
    from typing import TypedDict

    import numpy.typing as npt

    from ._clip import Clip
    from ._edits import RootCurve

    class Edits(TypedDict, total=False):
        drop_first_frame: bool
        """Drop the first frame: in BVH conversions of the CMU database it is a rest pose."""
        trim: Union[str, Tuple[Optional[int], Optional[int]], slice]
        """Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)."""
        fps: Union[str, float]
        """Resample to a rate [frames per second, above 0]; the duration stays."""
        scale: Union[str, float]
        """Multiply every length [above 0]; the unit stays: the character grows or shrinks."""
        denoise: Union[bool, str]
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
        """Retime by a CSV with rows 'time in the output, time in the input' [s]; both increase."""
        sync: Clip
        """Retime the motion: its feet come down when those of this motion do."""
        join: Union[Clip, Tuple[Clip, Mapping[str, Any]], Mapping[str, Any]]
        """Lay a motion onto the end: see `mocap join --help`."""
        blend: Union[Clip, Tuple[Clip, Mapping[str, Any]], Mapping[str, Any]]
        """Blend with another motion, half and half or by --weight [0 to 1]: see `mocap blend --help`."""
        warp: Mapping[str, Any]
        """Move hands, feet, hips or other joints to the keys in a TOML file: see `mocap warp --help`."""
        fourier: Union[bool, Mapping[str, Any]]
        """Make the best cycle from its Fourier series: see `mocap fourier --help`."""
        terrain: Union[Union[str, Sequence[float]], Tuple[Union[str, Sequence[float]], Mapping[str, Any]], Mapping[str, Any]]
        """Put the feet on steps, RISE,RUN[,COUNT[,FROM]]: see `mocap terrain --help`, which takes height fields and meshes too."""
        fix_feet: bool
        """Lock planted feet: legs are solved anew, the hips follow a little."""
        turn: Union[str, float]
        """Bend the path: from start to end the motion turns this much more to the left [degrees]."""
        along: npt.ArrayLike
        """Lay the motion along a path: a CSV with rows 'x, y, z' in the unit of the motion."""
        add: Union[Clip, Tuple[Clip, Mapping[str, Any]], Mapping[str, Any]]
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
