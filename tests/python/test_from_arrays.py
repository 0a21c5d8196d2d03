"""Any array either makes a clip or raises an exception of the package."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

import mocap

BODY = mocap.Skeleton.from_arrays(["hips", "spine", "head"], [-1, 0, 1], np.eye(3))

shapes = some.one_of(
    some.just((5, 3, 4)),
    some.tuples(some.integers(0, 6), some.just(3), some.just(4)),
    arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
)
dtypes = some.sampled_from(
    ["f8", "f4", "f2", ">f8", ">f4", "i4", "u1", "i8", "?", "c16", "U3", "S2", "O", "M8[s]", "m8[s]", "g"]
)
numbers = some.one_of(some.floats(-2, 2), some.just(float("nan")), some.just(float("inf")))


@some.composite
def any_array(draw):
    """An array of any type and shape, laid out in any way."""
    dtype, shape = draw(dtypes), draw(shapes)
    if dtype in ("f8", "f4", ">f8", ">f4") and draw(some.booleans()):
        array = draw(arrays.arrays(dtype, shape, elements=some.floats(-2, 2, width=32)))
        if draw(some.booleans()) and array.size:
            array.flat[draw(some.integers(0, array.size - 1))] = draw(numbers)
    else:
        array = np.zeros(shape, dtype=dtype)
    if array.ndim and draw(some.booleans()):
        array = array[::-1]
    if array.ndim > 1 and draw(some.booleans()):
        array = array.swapaxes(0, 1).copy().swapaxes(0, 1)
    if array.ndim and draw(some.booleans()):
        array = np.repeat(array, 2, axis=0)[::2]
    if draw(some.booleans()):
        array.flags.writeable = False
    return array


anything = some.one_of(
    any_array(),
    some.none(),
    some.text(max_size=3),
    some.integers(),
    some.lists(some.lists(some.floats(), max_size=3), max_size=3),
    some.dictionaries(some.text(max_size=2), some.integers(), max_size=2),
    some.builds(object),
)


@settings(max_examples=400, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(rotations=anything, root=anything, fps=some.one_of(some.floats(), some.integers(-2, 60), some.text(max_size=2)))
def test_no_array_crashes(rotations, root, fps):
    try:
        clip = mocap.Clip.from_arrays(rotations, BODY, fps, root_translation=root)
    except mocap.MocapError as error:
        assert error.code.split("::")[0] in ("array", "usage")
        return
    assert clip.rotations.shape == (clip.frames, 3, 4)
    assert np.isfinite(clip.positions()).all()


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(parents=anything, offsets=anything)
def test_no_skeleton_crashes(parents, offsets):
    with pytest.raises(mocap.MocapError):
        mocap.Skeleton.from_arrays(["a", "b", "c"], parents, offsets)
        # What is a skeleton is one: only then nothing is raised.
        raise mocap.OptionError("usage::none", "it is a skeleton")


def unit(frames=5):
    rotations = np.zeros((frames, 3, 4))
    rotations[..., 0] = 1
    return rotations


@pytest.mark.parametrize(
    "change, code",
    [
        (lambda array: array[:, :2], "array::shape"),
        (lambda array: array[..., :3], "array::shape"),
        (lambda array: array[0], "array::shape"),
        (lambda array: array.astype(complex), "array::dtype"),
        (lambda array: array.astype(object), "array::dtype"),
        (lambda array: array.astype(str), "array::dtype"),
        (lambda array: array * 0, "array::quaternion"),
        (lambda array: array * 2, "array::quaternion"),
        (lambda array: np.where(array == 1, np.nan, array), "array::not-finite"),
        (lambda array: [[1, 2], [3]], "array::type"),
    ],
)
def test_wrong_arrays_say_what_is_wrong(change, code):
    with pytest.raises(mocap.ArrayError) as caught:
        mocap.Clip.from_arrays(change(unit()), BODY, 30)
    assert caught.value.code == code


@pytest.mark.parametrize(
    "layout",
    [
        lambda array: np.asfortranarray(array),
        lambda array: array[::-1][::-1],
        lambda array: np.repeat(array, 2, axis=0)[::2],
        lambda array: array.astype(">f8"),
        lambda array: array.astype("f4"),
        lambda array: array.tolist(),
    ],
)
def test_layouts_give_the_same_clip(layout):
    rotations = unit()
    expected = mocap.Clip.from_arrays(rotations, BODY, 30)
    assert mocap.Clip.from_arrays(layout(rotations), BODY, 30) == expected
    rotations.flags.writeable = False
    assert mocap.Clip.from_arrays(rotations, BODY, 30) == expected


def test_negative_strides_reverse_time():
    angles = np.linspace(0, 1, 7)
    rotations = unit(7)
    rotations[:, 0, 0], rotations[:, 0, 1] = np.cos(angles / 2), np.sin(angles / 2)
    forward = mocap.Clip.from_arrays(rotations, BODY, 30)
    backward = mocap.Clip.from_arrays(rotations[::-1], BODY, 30)
    assert np.array_equal(forward.rotations[::-1], backward.rotations)
