//! Attachments of markers and lengths of bones, together with the poses of chosen frames.
//!
//! One Gauss-Newton step solves for all of them. The poses are eliminated frame by frame (Schur complement); what is
//! left is as large as attachments and lengths. Priors keep what the motion does not determine.
//!
//! Based on: B. Triggs, P. McLauchlan, R. Hartley, A. Fitzgibbon, "Bundle Adjustment: A Modern Synthesis", 2000.

use mocap_model::Vector3;
use nalgebra::{DMatrix, DVector, Matrix3};

use crate::body::{Body, State};
use crate::frame::{Attached, FrameSolver, Needed, Observed, column};

/// Prior of an attachment.
#[derive(Clone, Debug)]
pub(crate) struct AttachmentPrior {
    /// In the frame of the joint [m].
    pub(crate) place: Vector3<f64>,
    /// In the same frame [1/m²].
    pub(crate) precision: Matrix3<f64>,
}

impl AttachmentPrior {
    /// Standard deviation in the direction that is determined least [m].
    pub(crate) fn sigma(&self) -> f64 {
        self.precision.symmetric_eigenvalues().min().max(1e-12).sqrt().recip()
    }
}

/// An unknown offset of a joint.
#[derive(Clone, Debug)]
pub(crate) struct FreeOffset {
    /// In the body.
    pub(crate) joint: usize,
    pub(crate) prior: Vector3<f64>,
    /// Standard deviations [m].
    pub(crate) sigma: Vector3<f64>,
    /// The same joint on the other side, by its index among the free offsets.
    pub(crate) twin: Option<usize>,
}

/// A chosen frame.
#[derive(Clone, Debug)]
pub(crate) struct CalibrationFrame {
    pub(crate) seen: Vec<Observed>,
    pub(crate) state: State,
}

/// What a calibration starts from and how it is done.
pub(crate) struct CalibrationOptions<'a> {
    pub(crate) priors: &'a [AttachmentPrior],
    pub(crate) offsets: &'a [FreeOffset],
    /// c of the robust loss [m].
    pub(crate) scale: f64,
    pub(crate) steps: usize,
    /// By marker: as how many frames one frame counts, because soft-tissue movement is correlated from frame to
    /// frame. Priors of attachments and lengths count that much more.
    pub(crate) repeated: &'a [f64],
}

impl CalibrationOptions<'_> {
    /// [`CalibrationOptions::repeated`] of an offset: the mean of the markers on both sides of the joint.
    fn repeated_of(&self, body: &Body, markers: &[Attached], free: &FreeOffset) -> f64 {
        let near = [Some(free.joint), body.joints[free.joint].parent];
        let own = markers.iter().zip(self.repeated).filter(|(marker, _)| near.contains(&Some(marker.joint)));
        let (sum, count) = own.fold((0.0, 0usize), |(sum, count), (_, times)| (sum + times, count + 1));
        let all = self.repeated.iter().sum::<f64>() / self.repeated.len().max(1) as f64;
        if count > 0 { sum / count as f64 } else { all }
    }
}

/// How well attachments and lengths are determined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Determined {
    /// By marker: the standard deviation along the direction that is determined worst [m].
    pub(crate) attachments: Vec<f64>,
    /// By free offset, in the same way [m].
    pub(crate) offsets: Vec<f64>,
}

/// Difference between sides: the standard deviation between an offset and the mirrored one [m].
const SIDES_DIFFER: f64 = 0.006;
/// A step of attachments and lengths below this ends the calibration [m].
const SMALL_STEP: f64 = 2e-6;

/// Improves attachments, offsets and poses together.
pub(crate) fn calibrate(
    body: &mut Body,
    markers: &mut [Attached],
    frames: &mut [CalibrationFrame],
    options: &CalibrationOptions<'_>,
) -> Determined {
    let size = 3 * (markers.len() + options.offsets.len());
    let mut solver = FrameSolver::new(body);
    let mut damping = 1e-6;
    let mut cost = total(body, markers, frames, options, &mut solver);
    let mut system = System::new(body, size);
    for _ in 0..options.steps {
        system.assemble(body, markers, frames, options, &mut solver);
        let mut lowered = false;
        let mut largest = 0.0;
        for _ in 0..6 {
            let mut damped = system.schur.clone();
            for at in 0..size {
                damped[(at, at)] += damping * system.schur[(at, at)] + 1e-6;
            }
            let Some(factor) = damped.cholesky() else {
                damping *= 10.0;
                continue;
            };
            let step = factor.solve(&system.right);
            largest = step.amax();
            let (mut next_body, mut next_markers) = (body.clone(), markers.to_vec());
            for (marker, attached) in next_markers.iter_mut().enumerate() {
                attached.place += Vector3::from(step.fixed_rows::<3>(3 * marker));
            }
            for (at, free) in options.offsets.iter().enumerate() {
                let change = step.fixed_rows::<3>(3 * (markers.len() + at));
                next_body.joints[free.joint].offset += Vector3::from(change);
            }
            let next_frames = system.moved(body, frames, &step);
            let next = total(&next_body, &next_markers, &next_frames, options, &mut solver);
            if next <= cost {
                *body = next_body;
                markers.copy_from_slice(&next_markers);
                frames.clone_from_slice(&next_frames);
                lowered = next < cost * (1.0 - 1e-10);
                cost = next;
                damping = (damping * 0.1).max(1e-9);
                break;
            }
            damping *= 10.0;
        }
        if !lowered || largest < SMALL_STEP {
            break;
        }
    }
    system.assemble(body, markers, frames, options, &mut solver);
    let of_offsets = options.offsets.iter().map(|free| options.repeated_of(body, markers, free));
    let repeated: Vec<f64> = options.repeated.iter().copied().chain(of_offsets).collect();
    system.determined(markers.len(), &repeated)
}

/// The sum that is minimised.
fn total(
    body: &Body,
    markers: &[Attached],
    frames: &[CalibrationFrame],
    options: &CalibrationOptions<'_>,
    solver: &mut FrameSolver,
) -> f64 {
    let mut cost = 0.0;
    for frame in frames {
        body.place(&frame.state, &mut solver.placed);
        cost += solver.cost(body, markers, &frame.seen, None, &frame.state, options.scale);
    }
    for ((attached, prior), times) in markers.iter().zip(options.priors).zip(options.repeated) {
        let off = attached.place - prior.place;
        cost += times * off.dot(&(prior.precision * off));
    }
    for (at, free) in options.offsets.iter().enumerate() {
        let offset = body.joints[free.joint].offset;
        let times = options.repeated_of(body, markers, free);
        cost += times * (offset - free.prior).component_div(&free.sigma).norm_squared();
        if let Some(twin) = free.twin.filter(|twin| *twin > at) {
            let other = body.joints[options.offsets[twin].joint].offset;
            cost += (offset - mirrored(&other)).norm_squared() / SIDES_DIFFER.powi(2);
        }
    }
    cost
}

fn mirrored(offset: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(-offset.x, offset.y, offset.z)
}

/// The linear system of one step.
struct System {
    /// Of attachments, then offsets.
    schur: DMatrix<f64>,
    right: DVector<f64>,
    dofs: usize,
    /// By frame: `size × dofs`, the coupling of global parameters and pose.
    cross: Vec<Vec<f64>>,
    /// By frame: the factored matrix of its pose, and its right-hand side.
    poses: Vec<(crate::tree_matrix::TreeMatrix, Vec<f64>)>,
}

impl System {
    fn new(body: &Body, size: usize) -> System {
        System {
            schur: DMatrix::zeros(size, size),
            right: DVector::zeros(size),
            dofs: body.dofs.len(),
            cross: Vec::new(),
            poses: Vec::new(),
        }
    }

    fn assemble(
        &mut self,
        body: &Body,
        markers: &[Attached],
        frames: &[CalibrationFrame],
        options: &CalibrationOptions<'_>,
        solver: &mut FrameSolver,
    ) {
        let size = self.schur.nrows();
        self.schur.fill(0.0);
        self.right.fill(0.0);
        self.poses.clear();
        self.cross.resize(frames.len(), Vec::new());
        let offsets = offsets_of_joints(body, options.offsets);
        let c = options.scale * options.scale;
        let mut blocks: Vec<(usize, Matrix3<f64>)> = Vec::new();
        let mut columns: Vec<Vector3<f64>> = Vec::new();
        for (at, frame) in frames.iter().enumerate() {
            body.place(&frame.state, &mut solver.placed);
            solver.linearise(
                body,
                markers,
                &frame.seen,
                None,
                &frame.state,
                (options.scale, Needed::GaussNewton),
            );
            let mut cross = std::mem::take(&mut self.cross[at]);
            cross.clear();
            cross.resize(size * self.dofs, 0.0);
            for (marker, place) in &frame.seen {
                let attached = &markers[*marker];
                let placed = &solver.placed;
                let found =
                    placed.position[attached.joint] + placed.rotation[attached.joint] * attached.place;
                let off = place - found;
                let weight = attached.weight * (c / (c + off.norm_squared())).powi(2);
                blocks.clear();
                blocks.push((3 * marker, placed.rotation[attached.joint]));
                for free in &offsets[attached.joint] {
                    let parent =
                        body.joints[options.offsets[*free].joint].parent.expect("the root is not free");
                    blocks.push((3 * (markers.len() + free), placed.rotation[parent]));
                }
                let chain = &body.chains[attached.joint];
                columns.clear();
                columns.extend(chain.iter().map(|dof| column(body, placed, *dof, &found) * weight));
                for (first, block) in &blocks {
                    let side = block.tr_mul(&off) * weight;
                    for row in 0..3 {
                        self.right[first + row] += side[row];
                    }
                    for (dof, column) in chain.iter().zip(&columns) {
                        let part = block.tr_mul(column);
                        for row in 0..3 {
                            cross[(first + row) * self.dofs + dof] += part[row];
                        }
                    }
                    for (other, right) in &blocks {
                        let part = block.tr_mul(right) * weight;
                        for row in 0..3 {
                            for col in 0..3 {
                                self.schur[(first + row, other + col)] += part[(row, col)];
                            }
                        }
                    }
                }
            }
            let mut matrix = solver.hessian.clone();
            for dof in 0..self.dofs {
                matrix.add(dof, dof, 1e-6 * matrix.diagonal(dof) + 1e-6);
            }
            let mut side = solver.gradient.clone();
            // Positive definite because of the damping, unless a number is not finite.
            if matrix.factor() {
                self.eliminate(&matrix, &cross, &mut side);
            } else {
                side.fill(0.0);
                cross.fill(0.0);
            }
            self.cross[at] = cross;
            self.poses.push((matrix, side));
        }
        self.add_priors(body, markers, options);
    }

    /// Eliminates the pose of a frame from the system; leaves `L⁻ᵀ g` in `side`.
    fn eliminate(&mut self, matrix: &crate::tree_matrix::TreeMatrix, cross: &[f64], side: &mut [f64]) {
        matrix.solve_transposed(side);
        let mut rows: Vec<(usize, Vec<f64>)> = Vec::new();
        for (at, row) in cross.chunks_exact(self.dofs).enumerate() {
            if row.iter().any(|value| *value != 0.0) {
                let mut row = row.to_vec();
                matrix.solve_transposed(&mut row);
                rows.push((at, row));
            }
        }
        for (at, left) in &rows {
            let product: f64 = left.iter().zip(side.iter()).map(|(a, b)| a * b).sum();
            self.right[*at] -= product;
            for (other, right) in rows.iter().take_while(|(other, _)| other <= at) {
                let product: f64 = left.iter().zip(right).map(|(a, b)| a * b).sum();
                self.schur[(*at, *other)] -= product;
                if at != other {
                    self.schur[(*other, *at)] -= product;
                }
            }
        }
    }

    fn add_priors(&mut self, body: &Body, markers: &[Attached], options: &CalibrationOptions<'_>) {
        for (marker, (attached, prior)) in markers.iter().zip(options.priors).enumerate() {
            let weight = prior.precision * options.repeated[marker];
            let pull = weight * (attached.place - prior.place);
            for row in 0..3 {
                self.right[3 * marker + row] -= pull[row];
                for col in 0..3 {
                    self.schur[(3 * marker + row, 3 * marker + col)] += weight[(row, col)];
                }
            }
        }
        for (index, free) in options.offsets.iter().enumerate() {
            let first = 3 * (markers.len() + index);
            let offset = body.joints[free.joint].offset;
            let times = options.repeated_of(body, markers, free);
            for row in 0..3 {
                let weight = times * free.sigma[row].powi(-2);
                self.schur[(first + row, first + row)] += weight;
                self.right[first + row] -= weight * (offset[row] - free.prior[row]);
            }
            if let Some(twin) = free.twin.filter(|twin| *twin > index) {
                let second = 3 * (markers.len() + twin);
                let other = body.joints[options.offsets[twin].joint].offset;
                let off = offset - mirrored(&other);
                let weight = SIDES_DIFFER.powi(-2);
                for row in 0..3 {
                    let sign = if row == 0 { -1.0 } else { 1.0 };
                    self.schur[(first + row, first + row)] += weight;
                    self.schur[(second + row, second + row)] += weight;
                    self.schur[(first + row, second + row)] -= sign * weight;
                    self.schur[(second + row, first + row)] -= sign * weight;
                    self.right[first + row] -= weight * off[row];
                    self.right[second + row] += sign * weight * off[row];
                }
            }
        }
    }

    /// The frames after a step: the steps of their poses follow from the step of the global parameters.
    fn moved(&self, body: &Body, frames: &[CalibrationFrame], step: &DVector<f64>) -> Vec<CalibrationFrame> {
        let mut moved = frames.to_vec();
        for (at, frame) in moved.iter_mut().enumerate() {
            let (matrix, side) = &self.poses[at];
            let mut change = vec![0.0; self.dofs];
            for (row, share) in self.cross[at].chunks_exact(self.dofs).zip(step.iter()) {
                change.iter_mut().zip(row).for_each(|(change, value)| *change -= value * share);
            }
            matrix.solve_transposed(&mut change);
            change.iter_mut().zip(side).for_each(|(change, side)| *change += side);
            matrix.solve_lower(&mut change);
            let largest = change.iter().fold(0.0f64, |most, step| most.max(step.abs()));
            if largest > 1.0 {
                change.iter_mut().for_each(|step| *step /= largest);
            }
            body.step(&frames[at].state, &change, &mut frame.state);
        }
        moved
    }

    /// `repeated` lists markers, then offsets.
    fn determined(&self, markers: usize, repeated: &[f64]) -> Determined {
        let Some(factor) = self.schur.clone().cholesky() else {
            let mut attachments = vec![f64::INFINITY; repeated.len()];
            let offsets = attachments.split_off(markers);
            return Determined { attachments, offsets };
        };
        let covariance = factor.inverse();
        let worst = |(at, times): (usize, &f64)| {
            let block = covariance.fixed_view::<3, 3>(3 * at, 3 * at).into_owned();
            (times * block.symmetric_eigenvalues().max().max(0.0)).sqrt()
        };
        let mut attachments: Vec<f64> = repeated.iter().enumerate().map(worst).collect();
        let offsets = attachments.split_off(markers);
        Determined { attachments, offsets }
    }
}

/// By joint of the body: the free offsets that move it.
fn offsets_of_joints(body: &Body, offsets: &[FreeOffset]) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::with_capacity(body.joints.len());
    for (at, joint) in body.joints.iter().enumerate() {
        let mut own = joint.parent.map_or(Vec::new(), |parent| found[parent].clone());
        own.extend(offsets.iter().position(|free| free.joint == at));
        found.push(own);
    }
    found
}
