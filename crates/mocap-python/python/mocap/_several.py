"""Several motions become one."""

from __future__ import annotations

import csv
import os
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy.typing as npt

from . import _mocap, batch
from ._arguments import Path, flag, instance, keywords, mapping, number, path_text, sequence
from ._arrays import floats
from ._clip import Clip
from ._errors import OptionError, error_of
from ._report import Report

__all__ = ["BlendSpace", "blend", "join", "play"]

#: Parameters of a blend space that are measured where no value is stated: [m/s], [deg/s].
_MEASURED = ("speed", "turn")


def _natives(clips: Sequence[Clip]) -> List[_mocap.Clip]:
    return [instance("clips", clip, Clip)._native for clip in sequence("clips", clips)]


def blend(
    clips: Sequence[Clip],
    weights: Union[float, Sequence[float], None] = None,
    *,
    timing: str = "phase",
    repeat: bool = True,
    lock_feet: bool = True,
    duration: Optional[float] = None,
) -> Clip:
    """Blends motions of one skeleton by weight, as ``mocap blend`` does.

    Parameters
    ----------
    clips : sequence of Clip
        The motions.
    weights : float or sequence of float, optional
        The weight of the second of two motions, 0 to 1, or one weight for each. Default: equal weights.
    timing : {"phase", "registration", "stretch", "seconds"}
        How frames are paired: by foot strikes; by time warping; from start to end; by the time since the start.
    repeat : bool
        Whether motions with fewer strides than the longest repeat their best cycle.
    lock_feet : bool
        Whether feet are locked while the motions agree that they stand.
    duration : float, optional
        Length of the blend: cycles are repeated to fill it [s]. Default: that of the motion with the most strides.

    Returns
    -------
    Clip
        With one of ``reports``.

    Raises
    ------
    EditError
        Where skeletons differ or motions have no strides in common.

    Examples
    --------
    >>> import mocap
    >>> walk = mocap.read("fixtures/clips/alex_walk.bvh", unit="cm")
    >>> both = mocap.blend([walk, walk.edit(speed=1.2)], 0.5)
    """
    options = keywords(locals(), "clips", "weights")
    natives = _natives(clips)
    if weights is None:
        shares = [1.0] * len(natives)
    elif isinstance(weights, Sequence):
        shares = [number("weights", weight) for weight in weights]
    else:
        second = number("weights", weights)
        if len(natives) != 2 or not 0 <= second <= 1:
            message = "one weight is that of the second of two motions, 0 to 1; else each motion has a weight"
            raise OptionError("usage::weight", message)
        shares = [1.0 - second, second]
    return Clip._of(_mocap.blend(natives, shares, options))


class BlendSpace:
    """Motions at places of a space of parameters, such as speed and turn.

    Parameters
    ----------
    clips : sequence of Clip
        The samples.
    params : mapping
        Values of each parameter, one for each clip: ``{"speed": [1.2, 3.1]}``; ``None`` in place of the values of
        ``speed`` [m/s] and ``turn`` [deg/s, to the left] measures them.
    kind : {"1d", "2d", "gradient", "polar"}
        How weights are found: between two neighbours; in triangles; by gradient bands; by these over size and direction
        of a velocity.

    Examples
    --------
    >>> import mocap
    >>> walk = mocap.read("fixtures/clips/alex_walk.bvh", unit="cm")
    >>> space = mocap.BlendSpace([walk, walk.edit(speed=1.5)], {"speed": [1.0, 1.5]})
    >>> space.weights(speed=1.25)
    [0.5, 0.5]
    """

    def __init__(
        self, clips: Sequence[Clip], params: Mapping[str, Optional[Sequence[float]]], kind: str = "1d"
    ) -> None:
        self.clips: Tuple[Clip, ...] = tuple(instance("clips", clip, Clip) for clip in sequence("clips", clips))
        columns = {str(name): self._values(str(name), values) for name, values in mapping("params", params).items()}
        self.kind: str = str(kind)
        self.params: Dict[str, List[float]] = columns
        self._samples = [list(row) for row in zip(*columns.values())]
        # An impossible space is refused now.
        _mocap.space_weights(self.kind, self._samples, [0.0] * len(columns))

    def _values(self, name: str, values: Optional[Sequence[float]]) -> List[float]:
        if values is not None:
            found = floats(name, values).ravel().tolist()
            if len(found) != len(self.clips):
                raise OptionError("usage::value", f"{name} has {len(found)} values for {len(self.clips)} clips")
            return found
        if name not in _MEASURED:
            raise OptionError("usage::value", f"{name} needs a value for each clip; only speed and turn are measured")
        measured = [_mocap.speed_and_turn(clip._native) for clip in self.clips]
        if None in measured:
            hint = "read(..., unit='cm') states the unit"
            raise OptionError("unit::unknown", f"{name} cannot be measured: the unit is unknown", hint=hint)
        return [each[_MEASURED.index(name)] for each in measured if each is not None]

    def _place(self, values: Mapping[str, float]) -> List[float]:
        missing = [name for name in self.params if name not in values]
        unknown = [name for name in values if name not in self.params]
        if missing or unknown:
            named = ", ".join(self.params)
            raise OptionError("blend::param", f"give a value for each of {named}; found {', '.join(values) or 'none'}")
        return [number(name, values[name]) for name in self.params]

    def weights(self, **values: float) -> List[float]:
        """The weight of each clip at the values of all parameters."""
        return _mocap.space_weights(self.kind, self._samples, self._place(values))

    def blend(
        self,
        values: Mapping[str, float],
        *,
        timing: str = "phase",
        repeat: bool = True,
        lock_feet: bool = True,
        duration: Optional[float] = None,
    ) -> Clip:
        """Blends the clips at the values of all parameters, as ``mocap blend --space`` does; options as `blend`.

        A parameter ``speed`` is met within 2 % where the motions reach it.
        """
        options = keywords(locals(), "self", "values")
        place = self._place(mapping("values", values))
        speed = list(self.params).index("speed") if "speed" in self.params else None
        natives = [clip._native for clip in self.clips]
        return Clip._of(_mocap.blend_at(natives, (self.kind, self._samples), place, speed, options))

    def __repr__(self) -> str:
        return f"<blend space of {len(self.clips)} clips: {', '.join(self.params)}>"


def join(
    clips: Sequence[Clip],
    *,
    transition: float = 0.33,
    kind: str = "blend",
    search: float = 0.5,
    no_overshoot: bool = False,
    lock_feet: bool = True,
) -> Clip:
    """Joins motions of one skeleton into one, each aligned with the end of the one before, as ``mocap join`` does.

    Parameters
    ----------
    clips : sequence of Clip
        The motions, in their order.
    transition : float
        Time of each transition [s].
    kind : {"blend", "inertial"}
        Both motions are mixed, or what they differ dies away.
    search : float
        How far the best place is searched in the end of one motion and the start of the next [s].
    no_overshoot : bool
        Whether an inertial transition may not overshoot; its speed may jump then.
    lock_feet : bool
        Whether feet are locked in the contacts that a transition touches.

    Returns
    -------
    Clip
        With one of ``reports`` per transition.
    """
    return Clip._of(_mocap.join(_natives(clips), keywords(locals(), "clips")))


def play(
    graph: Path, timeline: Union[Path, Mapping[str, npt.ArrayLike]], *, lock_feet: bool = True
) -> Clip:
    """Plays a graph of motions along a timeline, as ``mocap play`` does.

    Parameters
    ----------
    graph : path
        A TOML file of clips and nodes.
    timeline : path or mapping
        A CSV or TOML file; or columns by name: ``time`` [s], parameters, and perhaps ``event``, a list of texts.
    lock_feet : bool
        Whether planted feet are locked.

    Returns
    -------
    Clip
        As long as the timeline, with one of ``reports``. ``arrays()`` has the states as events.

    Raises
    ------
    EditError, FormatError
        Where the graph or the timeline is wrong, with line and column.
    """
    with tempfile.TemporaryDirectory() as folder:
        take = os.path.join(folder, "take.json")
        if isinstance(timeline, Mapping):
            rows = _rows(timeline)
            timeline = os.path.join(folder, "timeline.csv")
            with open(timeline, "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(rows)
        options = {"timeline": path_text(timeline, "timeline"), "output": take, "no_lock": not flag("lock_feet", lock_feet)}
        [row] = batch.rows("play", path_text(graph, "graph"), **options)
        if "error" in row:
            raise error_of(row["error"], row.get("path"))
        native, _ = _mocap.read(take, {})
    clip = Clip(native)
    clip.reports = [Report(figures) for figures in row["edits"]]
    return clip


def _rows(timeline: Mapping[str, npt.ArrayLike]) -> List[List[Any]]:
    """The head and the rows of a timeline of columns."""
    columns: List[List[Any]] = []
    for name, values in timeline.items():
        if name == "event":
            columns.append([str(event or "") for event in sequence(name, values)])
        else:
            columns.append(floats(name, values).ravel().tolist())
    if len({len(column) for column in columns}) > 1:
        raise OptionError("usage::value", "the columns of the timeline have different lengths")
    return [list(timeline), *(list(row) for row in zip(*columns))]
