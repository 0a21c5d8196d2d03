//! Between values of the library and NumPy arrays.

use mocap::formats::arrays::{Arrays, Data};
use mocap::{JointId, Skeleton, UnitQuaternion, Vector3};
use numpy::ndarray::ArrayView2;
use numpy::{Element, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::raise::of_array;

/// A quaternion W, X, Y, Z.
pub(crate) fn wxyz(q: &UnitQuaternion<f64>) -> [f64; 4] {
    [q.w, q.i, q.j, q.k]
}

/// The joints that arrays have rows for: all but end sites.
pub(crate) fn moving(skeleton: &Skeleton) -> Vec<JointId> {
    skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect()
}

/// An array of a shape that takes over the memory of the values.
pub(crate) fn owned<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    PyArray1::from_vec(py, values).reshape(shape)
}

/// The same, read-only: a value that belongs to an object.
pub(crate) fn frozen<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let array = owned(py, values, shape)?;
    array.readwrite().make_nonwriteable();
    Ok(array)
}

/// A value that is a row of numbers in memory.
///
/// # Safety
/// The type consists of [`Row::WIDTH`] numbers and nothing else.
pub(crate) unsafe trait Row {
    const WIDTH: usize;
}

// SAFETY: a unit quaternion is its four coordinates (x, y, z, w).
unsafe impl Row for UnitQuaternion<f64> {
    const WIDTH: usize = 4;
}

// SAFETY: a vector is its three coordinates.
unsafe impl Row for Vector3<f64> {
    const WIDTH: usize = 3;
}

/// A read-only view of values that `owner` keeps: nothing is copied.
///
/// # Safety
/// `owner` keeps the values, and never changes them.
pub(crate) unsafe fn view<'py, R: Row>(
    values: &[R],
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    const { assert!(size_of::<R>() == R::WIDTH * size_of::<f64>()) };
    // SAFETY: the type is a row of numbers, of the size that was checked.
    let numbers = unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len() * R::WIDTH) };
    let view = ArrayView2::from_shape((values.len(), R::WIDTH), numbers).expect("all rows are whole");
    // SAFETY: as the caller says.
    let array = unsafe { PyArray2::borrow_from_array(&view, owner) };
    array.readwrite().make_nonwriteable();
    Ok(array)
}

/// The numbers of an array of a shape; `usize::MAX` stands for any length.
pub(crate) fn numbers<'py>(
    py: Python<'py>,
    name: &str,
    array: &PyReadonlyArrayDyn<'py, f64>,
    shape: &[usize],
) -> PyResult<Vec<f64>> {
    use numpy::PyUntypedArrayMethods;
    let found = array.shape();
    let fits = found.len() == shape.len() && found.iter().zip(shape).all(|(a, b)| *b == usize::MAX || a == b);
    if !fits {
        let shown =
            |length: &usize| if *length == usize::MAX { "any".to_owned() } else { length.to_string() };
        let expected: Vec<String> = shape.iter().map(shown).collect();
        let found: Vec<String> = found.iter().map(usize::to_string).collect();
        let message =
            format!("{name} has the shape ({}), expected ({})", found.join(", "), expected.join(", "));
        return Err(of_array(py, "array::shape", message));
    }
    match array.as_slice() {
        Ok(slice) => Ok(slice.to_vec()),
        Err(_) => Ok(array.as_array().iter().copied().collect()),
    }
}

/// All arrays by name, as a file of arrays has them. Memory is taken over.
pub(crate) fn dictionary<'py>(py: Python<'py>, arrays: Arrays) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for (name, array) in arrays.iter() {
        let shape = &array.shape;
        let value: Bound<'py, PyAny> = match &array.data {
            Data::F32(values) => owned(py, values.clone(), shape)?.into_any(),
            Data::F64(values) => owned(py, values.clone(), shape)?.into_any(),
            Data::I8(values) => owned(py, values.clone(), shape)?.into_any(),
            Data::I32(values) => owned(py, values.clone(), shape)?.into_any(),
            Data::I64(values) => owned(py, values.clone(), shape)?.into_any(),
            Data::Bool(values) => owned(py, values.clone(), shape)?.into_any(),
            Data::Text(texts) if shape.is_empty() => texts[0].clone().into_pyobject(py)?.into_any(),
            Data::Text(texts) => texts.clone().into_pyobject(py)?.into_any(),
        };
        found.set_item(name, value)?;
    }
    Ok(found)
}
