"""Windows of packed arrays, for any trainer."""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arguments import Path, flag, path_text, sequence
from ._errors import NotFoundError, OptionError

__all__ = ["Dataset", "Window"]

Array = npt.NDArray[Any]
Sample = Dict[str, Array]

#: Arrays with a row per frame that training usually wants.
KEYS = ("rotations", "root_translation", "positions", "velocities", "heading", "planar_velocity", "contacts")


class Window(NamedTuple):
    """Where a sample comes from: the file, the clip in it, and its first frame in the clip."""

    path: str
    clip: str
    start: int


class _Clip(NamedTuple):
    path: str
    name: str
    first: int
    frames: int


class Dataset(Sequence[Sample]):
    """Windows of frames over NPZ files, as a sequence: ``len(dataset)``, ``dataset[7]``, ``dataset[[3, 5]]``.

    Made by ``mocap.batch.convert(..., to="npz")``, with or without ``pack``. Needs NumPy only; a trainer that takes a
    sequence, such as PyTorch's ``DataLoader``, takes it. Files are opened when needed, and the last few are kept; the
    object can be sent to worker processes.

    Parameters
    ----------
    root : path
        A directory with NPZ files, searched recursively, or one file.
    window : int
        Frames of a sample, above 0.
    stride : int, optional
        Frames from the start of a window to that of the next, above 0. Default: `window`. No window leaves its clip.
    keys : sequence of str, optional
        Arrays of a sample. Default: those of `KEYS` that the files have.
    split : {"train", "val", "test"}, optional
        Only files of this part of a set that was made with ``split``.
    normalise : bool
        Whether floats become ``(x - mean) / std``, by ``normalise.npz`` of the set.
    cache : int
        Files that are kept open in memory, above 0.

    Examples
    --------
    >>> import mocap
    >>> dataset = mocap.Dataset("arrays/", window=64, stride=16)  # doctest: +SKIP
    >>> dataset[0]["rotations"].shape  # doctest: +SKIP
    (64, 24, 4)
    """

    def __init__(
        self,
        root: Path,
        window: int = 64,
        stride: Optional[int] = None,
        *,
        keys: Optional[Sequence[str]] = None,
        split: Optional[str] = None,
        normalise: bool = False,
        cache: int = 8,
    ) -> None:
        self.root: str = path_text(root, "root")
        self.window: int = _above_zero("window", window)
        self.stride: int = self.window if stride is None else _above_zero("stride", stride)
        self._cache = _above_zero("cache", cache)
        self._open: "OrderedDict[str, Dict[str, Array]]" = OrderedDict()
        self._clips = [clip for path in self._files(split) for clip in _clips_of(path)]
        if not self._clips:
            raise NotFoundError("dataset::empty", "no NPZ file with rotations was found", path=self.root)
        have = _frame_arrays(self._clips[0])
        chosen = None if keys is None else [str(key) for key in sequence("keys", keys)]
        unknown = [key for key in chosen or () if key not in have]
        if unknown:
            message = f"'{unknown[0]}' is not an array with a row per frame; the files have {', '.join(sorted(have))}"
            raise OptionError("dataset::key", message, path=self._clips[0].path)
        self.keys: Tuple[str, ...] = tuple(key for key in KEYS if key in have) if chosen is None else tuple(chosen)
        self._moments = self._read_moments() if flag("normalise", normalise) else None
        counts = [max(0, (clip.frames - self.window) // self.stride + 1) for clip in self._clips]
        self._ends = np.cumsum(counts)

    def _files(self, split: Optional[str]) -> List[str]:
        if os.path.isfile(self.root):
            return [self.root]
        if not os.path.isdir(self.root):
            raise NotFoundError("io::not-found", "the directory does not exist", path=self.root)
        top = self.root if split is None else os.path.join(self.root, split)
        if not os.path.isdir(top):
            raise NotFoundError("dataset::split", f"the set has no part '{split}'", path=top)
        found: List[str] = []
        for folder, folders, files in os.walk(top):
            folders.sort()
            named = (name for name in sorted(files) if name.endswith(".npz") and name != "normalise.npz")
            found.extend(os.path.join(folder, name) for name in named)
        return found

    def _read_moments(self) -> Dict[str, Tuple[Array, Array]]:
        path = os.path.join(self.root, "normalise.npz")
        if not os.path.isfile(path):
            hint = "mocap.batch.convert(..., pack=256, normalise=True) writes it"
            raise NotFoundError("dataset::normalise", "the set has no normalise.npz", path=path, hint=hint)
        with np.load(path, allow_pickle=False) as moments:
            names = [key for key in self.keys if f"{key}_mean" in moments]
            return {key: (moments[f"{key}_mean"], np.maximum(moments[f"{key}_std"], 1e-8)) for key in names}

    def __len__(self) -> int:
        return int(self._ends[-1])

    def where(self, index: int) -> Window:
        """Where a sample comes from."""
        clip, start = self._place(index)
        return Window(clip.path, clip.name, start)

    def _place(self, index: int) -> Tuple[_Clip, int]:
        count = len(self)
        at = index + count if index < 0 else index
        if not 0 <= at < count:
            raise IndexError(f"sample {index} of {count}")
        clip = int(np.searchsorted(self._ends, at, side="right"))
        before = int(self._ends[clip - 1]) if clip else 0
        return self._clips[clip], (at - before) * self.stride

    def _arrays(self, path: str) -> Dict[str, Array]:
        if path in self._open:
            self._open.move_to_end(path)
            return self._open[path]
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in self.keys}
        self._open[path] = arrays
        while len(self._open) > self._cache:
            self._open.popitem(last=False)
        return arrays

    def _sample(self, index: int) -> Sample:
        clip, start = self._place(index)
        first = clip.first + start
        found: Sample = {}
        for key, array in self._arrays(clip.path).items():
            part = array[first : first + self.window]
            if self._moments is not None and key in self._moments:
                mean, std = self._moments[key]
                part = ((part - mean) / std).astype(part.dtype)
            found[key] = part
        return found

    # An index gives a sample, several give a batch: both are dictionaries of arrays.
    def __getitem__(self, index: Any) -> Sample:  # type: ignore[override]
        """A sample, or of a slice or list a batch with a leading axis."""
        if isinstance(index, slice):
            return self.batch(range(*index.indices(len(self))))
        if isinstance(index, (list, tuple, range, np.ndarray)):
            return self.batch(index)
        return self._sample(int(index))

    def __iter__(self) -> Iterator[Sample]:
        return (self._sample(index) for index in range(len(self)))

    def batch(self, indices: Union[Sequence[int], npt.NDArray[np.integer[Any]]]) -> Sample:
        """Samples stacked: every array with shape (batch, window, ...)."""
        samples = [self._sample(int(index)) for index in indices]
        if not samples:
            raise OptionError("usage::value", "a batch needs at least one sample")
        return {key: np.stack([sample[key] for sample in samples]) for key in self.keys}

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_open": OrderedDict()}

    def __repr__(self) -> str:
        clips = len(self._clips)
        return f"<dataset {self.root!r}: {len(self)} windows of {self.window} frames, {clips} clips>"


def _above_zero(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise OptionError("usage::value", f"{name} must be a whole number above 0, found {value!r}")
    return int(value)


def _clips_of(path: str) -> Iterator[_Clip]:
    with np.load(path, allow_pickle=False) as file:
        if "rotations" not in file.files:
            return
        if "clip_starts" in file.files:
            starts = file["clip_starts"]
            for name, first, end in zip(file["clip_names"], starts[:-1], starts[1:]):
                yield _Clip(path, str(name), int(first), int(end - first))
        else:
            name = os.path.splitext(os.path.basename(path))[0]
            yield _Clip(path, name, 0, _length(file, "rotations"))


def _length(file: Any, name: str) -> int:
    # Only the header is read: the array may be large.
    with file.zip.open(f"{name}.npy") as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape: Tuple[int, ...] = read(stream)[0]
    return shape[0]


def _frame_arrays(clip: _Clip) -> "set[str]":
    with np.load(clip.path, allow_pickle=False) as file:
        frames = _length(file, "rotations")
        names = set()
        for name in file.files:
            with file.zip.open(f"{name}.npy") as stream:
                version = np.lib.format.read_magic(stream)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, _, dtype = read(stream)
            if shape and shape[0] == frames and dtype.kind in "fb" and not name.startswith(("clip_", "window_", "event_")):
                names.add(name)
        return names


def index_of(root: Path) -> Dict[str, Any]:
    """The content of ``dataset.json`` of a set that was made with ``pack``."""
    with open(os.path.join(os.fspath(root), "dataset.json"), encoding="utf-8") as file:
        index: Dict[str, Any] = json.load(file)
    return index
