"""Checks of arrays that users give."""

from __future__ import annotations

from typing import Any, List

import numpy as np
import numpy.typing as npt

from ._errors import ArrayError

Floats = npt.NDArray[np.float64]


def floats(name: str, value: Any, *, finite: bool = True) -> Floats:
    """An array of 64-bit floats in C order, finite by default; copied only where it is not one already."""
    try:
        array = np.asarray(value)
    except Exception as error:
        raise ArrayError("array::type", f"{name} is not an array: {error}") from error
    if array.dtype == object or array.dtype.kind not in "fiu":
        message = f"{name} has the dtype {array.dtype}, expected real numbers"
        raise ArrayError("array::dtype", message)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        message = f"{name} has the dtype {array.dtype}, expected at most 64 bits"
        raise ArrayError("array::dtype", message)
    array = np.ascontiguousarray(array, dtype=np.float64).reshape(array.shape)
    whole = np.isfinite(array)
    if finite and not whole.all():
        at = np.unravel_index(int(np.argmin(whole)), array.shape)
        place = ", ".join(str(int(index)) for index in at)
        frame = int(at[0]) if len(at) > 1 else None
        message = f"{name}[{place}] is not a finite number"
        raise ArrayError("array::not-finite", message, frame=frame)
    return array


def pairs(name: str, value: Any) -> List[List[float]]:
    """The rows of an array (rows, 2)."""
    array = floats(name, value)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ArrayError("array::shape", f"{name} has the shape {array.shape}, expected (any, 2)")
    rows: List[List[float]] = array.tolist()
    return rows


def integers(name: str, value: Any) -> npt.NDArray[np.int64]:
    """A list of whole numbers."""
    try:
        array = np.asarray(value)
    except Exception as error:
        raise ArrayError("array::type", f"{name} is not an array: {error}") from error
    if array.dtype.kind not in "iu" or array.ndim != 1:
        message = f"{name} has the dtype {array.dtype} and {array.ndim} axes, expected one axis of integers"
        raise ArrayError("array::dtype", message)
    return array.astype(np.int64)
