//! Many frames at once, in flat arrays: two-bone limbs and chains of free joints, as a yardstick for the
//! solvers.
//!
//! A block holds the same quantity of `N` frames side by side (eight is a good number), in `f32` or `f64`,
//! and every loop runs over the frames without a branch, so compilers turn it into vector instructions.
//! Object space; the frames of a block have nothing to do with one another.
//!
//! Based on: the formulas of `mocap_ik::two_bone` and `mocap_ik::ccd`, on positions.

use nalgebra::RealField;

/// A vector in each of `N` frames.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the coordinates")]
pub struct Vectors<T, const N: usize> {
    pub x: [T; N],
    pub y: [T; N],
    pub z: [T; N],
}

/// A rotation (unit quaternion) in each of `N` frames.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "the coordinates")]
pub struct Rotations<T, const N: usize> {
    pub w: [T; N],
    pub x: [T; N],
    pub y: [T; N],
    pub z: [T; N],
}

/// Two bones in each of `N` frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limbs<T, const N: usize> {
    /// Where the bones meet.
    pub middle: Vectors<T, N>,
    /// Where the second bone ends.
    pub tip: Vectors<T, N>,
    /// How far the end is from its goal: 0 where the goal is within reach.
    pub missing: [T; N],
}

impl<T: RealField + Copy, const N: usize> Vectors<T, N> {
    /// The null vector in all frames.
    pub fn zeros() -> Vectors<T, N> {
        Vectors { x: [T::zero(); N], y: [T::zero(); N], z: [T::zero(); N] }
    }

    /// The vector of one frame.
    ///
    /// # Panics
    /// If the frame does not exist.
    pub fn get(&self, frame: usize) -> [T; 3] {
        [self.x[frame], self.y[frame], self.z[frame]]
    }

    /// Puts the vector of one frame in its place.
    ///
    /// # Panics
    /// If the frame does not exist.
    pub fn set(&mut self, frame: usize, vector: [T; 3]) {
        [self.x[frame], self.y[frame], self.z[frame]] = vector;
    }

    #[inline]
    fn map2(&self, other: &Vectors<T, N>, f: impl Fn([T; 3], [T; 3]) -> [T; 3]) -> Vectors<T, N> {
        let mut out = Vectors::zeros();
        for i in 0..N {
            out.set(i, f(self.get(i), other.get(i)));
        }
        out
    }
}

impl<T: RealField + Copy, const N: usize> Rotations<T, N> {
    /// No rotation in all frames.
    pub fn identity() -> Rotations<T, N> {
        Rotations { w: [T::one(); N], x: [T::zero(); N], y: [T::zero(); N], z: [T::zero(); N] }
    }

    /// The quaternion of one frame: w, x, y, z.
    ///
    /// # Panics
    /// If the frame does not exist.
    pub fn get(&self, frame: usize) -> [T; 4] {
        [self.w[frame], self.x[frame], self.y[frame], self.z[frame]]
    }

    /// `self · other`, frame by frame.
    #[inline]
    pub fn times(&self, other: &Rotations<T, N>) -> Rotations<T, N> {
        let mut out = Rotations::identity();
        for i in 0..N {
            let ([aw, ax, ay, az], [bw, bx, by, bz]) = (self.get(i), other.get(i));
            out.w[i] = aw * bw - ax * bx - ay * by - az * bz;
            out.x[i] = aw * bx + ax * bw + ay * bz - az * by;
            out.y[i] = aw * by - ax * bz + ay * bw + az * bx;
            out.z[i] = aw * bz + ax * by - ay * bx + az * bw;
        }
        out
    }

    /// The vectors turned, frame by frame.
    #[inline]
    pub fn turn(&self, vectors: &Vectors<T, N>) -> Vectors<T, N> {
        let mut out = Vectors::zeros();
        for i in 0..N {
            let ([w, x, y, z], v) = (self.get(i), vectors.get(i));
            let t = cross([x, y, z], v).map(|value| value + value);
            let u = cross([x, y, z], t);
            out.set(i, [v[0] + w * t[0] + u[0], v[1] + w * t[1] + u[1], v[2] + w * t[2] + u[2]]);
        }
        out
    }
}

#[inline]
fn cross<T: RealField + Copy>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
fn dot<T: RealField + Copy>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A length that stands for 0 in divisions.
#[inline]
fn tiny<T: RealField + Copy>() -> T {
    T::default_epsilon() * T::default_epsilon()
}

/// Two bones of the lengths `upper` and `lower` from `root` to `goal`, bent towards the direction `pole`.
///
/// Beyond reach the limb is stretched, nearer than it can fold it is folded, both on the line to the goal.
/// Where `pole` lies on that line, or the goal on the root, the direction of the bend is undefined: the
/// middle is then on the line.
#[inline]
pub fn two_bone<T: RealField + Copy, const N: usize>(
    upper: T,
    lower: T,
    root: &Vectors<T, N>,
    goal: &Vectors<T, N>,
    pole: &Vectors<T, N>,
) -> Limbs<T, N> {
    let mut limbs = Limbs { middle: Vectors::zeros(), tip: Vectors::zeros(), missing: [T::zero(); N] };
    let (longest, shortest) = (upper + lower, (upper - lower).abs());
    let squares = upper * upper - lower * lower;
    let (half, small) = (nalgebra::convert::<f64, T>(0.5), tiny::<T>());
    for i in 0..N {
        let to = [goal.x[i] - root.x[i], goal.y[i] - root.y[i], goal.z[i] - root.z[i]];
        let distance = dot(to, to).sqrt();
        let reached = least(most(distance, shortest), longest);
        let scale = T::one() / most(distance, small);
        let along = to.map(|value| value * scale);
        let foot = (squares + reached * reached) * half / most(reached, small);
        let height = most(upper * upper - foot * foot, T::zero()).sqrt();
        let lean = dot(along, pole.get(i));
        let side = [pole.x[i] - along[0] * lean, pole.y[i] - along[1] * lean, pole.z[i] - along[2] * lean];
        let out = height / most(dot(side, side).sqrt(), small);
        limbs.middle.x[i] = root.x[i] + along[0] * foot + side[0] * out;
        limbs.middle.y[i] = root.y[i] + along[1] * foot + side[1] * out;
        limbs.middle.z[i] = root.z[i] + along[2] * foot + side[2] * out;
        limbs.tip.x[i] = root.x[i] + along[0] * reached;
        limbs.tip.y[i] = root.y[i] + along[1] * reached;
        limbs.tip.z[i] = root.z[i] + along[2] * reached;
        limbs.missing[i] = (distance - reached).abs();
    }
    limbs
}

/// The greater of two numbers, in the form that is one instruction.
#[inline]
fn most<T: RealField + Copy>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The smaller of two numbers.
#[inline]
fn least<T: RealField + Copy>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// The shortest rotations between the directions of two vectors, frame by frame. Opposite directions, and
/// vectors without a length, give no rotation.
#[inline]
pub fn shortest<T: RealField + Copy, const N: usize>(
    from: &Vectors<T, N>,
    to: &Vectors<T, N>,
) -> Rotations<T, N> {
    let mut out = Rotations::identity();
    let small = tiny::<T>();
    for i in 0..N {
        let (u, v) = (from.get(i), to.get(i));
        let (w, cosine) = (cross(u, v), dot(u, v));
        let square = dot(w, w);
        let length = (square + cosine * cosine).sqrt();
        // Of the two forms of the real part, the one that loses no digits.
        let real =
            if cosine < T::zero() { square / most(length - cosine, small * small) } else { cosine + length };
        let norm = (real * real + square).sqrt();
        let scale = T::one() / most(norm, small * small);
        let turns = norm > T::zero();
        out.w[i] = if turns { real * scale } else { T::one() };
        out.x[i] = w[0] * scale;
        out.y[i] = w[1] * scale;
        out.z[i] = w[2] * scale;
    }
    out
}

/// Chains of free joints in `N` frames, for [`Chains::ccd`].
#[derive(Clone, Debug)]
pub struct Chains<T, const N: usize> {
    /// The joints from the base on, and the effector.
    pub points: Vec<Vectors<T, N>>,
    /// By how much each bone has been turned, in object space: set to the identity by [`Chains::start`].
    pub turns: Vec<Rotations<T, N>>,
    step: Vec<Rotations<T, N>>,
}

impl<T: RealField + Copy, const N: usize> Chains<T, N> {
    /// Chains of so many joints, all at the origin.
    pub fn new(joints: usize) -> Chains<T, N> {
        Chains {
            points: vec![Vectors::zeros(); joints + 1],
            turns: vec![Rotations::identity(); joints],
            step: vec![Rotations::identity(); joints],
        }
    }

    /// Forgets the turns; the points may be set anew.
    pub fn start(&mut self) {
        self.turns.fill(Rotations::identity());
    }

    /// Sweeps of cyclic coordinate descent until the effector is within `near` of `goal` in all frames, at
    /// most `sweeps`. Returns the sweeps used and the distances that are left.
    ///
    /// Without limits, and without an escape from a straight chain whose goal is on its line: the frames that
    /// are left over are for `mocap_ik::Ccd`.
    pub fn ccd(&mut self, goal: &Vectors<T, N>, near: T, sweeps: u32) -> (u32, [T; N]) {
        let mut used = 0;
        loop {
            let missing = self.missing(goal);
            if used == sweeps || missing.iter().all(|missing| *missing <= near) {
                return (used, missing);
            }
            used += 1;
            self.sweep(goal);
        }
    }

    fn missing(&self, goal: &Vectors<T, N>) -> [T; N] {
        let mut out = [T::zero(); N];
        let tip = &self.points[self.points.len() - 1];
        for i in 0..N {
            let off = [goal.x[i] - tip.x[i], goal.y[i] - tip.y[i], goal.z[i] - tip.z[i]];
            out[i] = dot(off, off).sqrt();
        }
        out
    }

    fn sweep(&mut self, goal: &Vectors<T, N>) {
        let n = self.turns.len();
        let minus =
            |a: &Vectors<T, N>, b: &Vectors<T, N>| a.map2(b, |a, b| [a[0] - b[0], a[1] - b[1], a[2] - b[2]]);
        let plus =
            |a: &Vectors<T, N>, b: &Vectors<T, N>| a.map2(b, |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
        let mut tip = self.points[n];
        for k in (0..n).rev() {
            let arm = minus(&tip, &self.points[k]);
            self.step[k] = shortest(&arm, &minus(goal, &self.points[k]));
            tip = plus(&self.points[k], &self.step[k].turn(&arm));
        }
        // A bone is turned by all joints from the base to its own.
        let mut turn = Rotations::identity();
        let mut old = self.points[0];
        for k in 0..n {
            turn = turn.times(&self.step[k]);
            self.turns[k] = turn.times(&self.turns[k]);
            let bone = turn.turn(&minus(&self.points[k + 1], &old));
            old = self.points[k + 1];
            self.points[k + 1] = plus(&self.points[k], &bone);
        }
    }
}
