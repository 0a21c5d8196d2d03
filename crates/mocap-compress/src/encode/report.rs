//! What is reported about a compressed clip.

use mocap_model::Skeleton;

/// Sizes and errors of a compressed clip. Errors are shell distances in object space \[m\]; one sample is a joint
/// in a frame, end sites left out.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressReport {
    /// Joints without end sites × frames × 40.
    pub raw_bytes: u64,
    /// The size of the file.
    pub bytes: u64,
    /// Of these, the skeleton.
    pub skeleton_bytes: u64,
    /// The largest bound of any joint: what the file states.
    pub limit: f64,
    /// The largest error.
    pub max: f64,
    /// 99 % of samples have at most this error.
    pub p99: f64,
    /// The root of the mean squared error.
    pub rms: f64,
    /// The mean error.
    pub mean: f64,
    /// Joint and frame of the largest error.
    pub worst: Option<(String, usize)>,
    /// The largest error half-way between frames.
    pub between_frames_max: f64,
    /// The largest error of a local rotation \[rad\].
    pub local_rotation_max: f64,
    /// The largest error of a local translation \[m\].
    pub local_translation_max: f64,
    /// The bound and the largest error of each joint without end sites, in the order of the skeleton.
    pub joints: Vec<JointError>,
}

/// The bound and the largest error of one joint \[m\].
#[derive(Clone, Debug, PartialEq)]
pub struct JointError {
    /// Its name.
    pub joint: String,
    /// The tolerance.
    pub limit: f64,
    /// The largest error.
    pub max: f64,
}

impl CompressReport {
    /// How many times smaller the file is than the raw clip.
    pub fn ratio(&self) -> f64 {
        self.raw_bytes as f64 / self.bytes as f64
    }
}

/// Bytes of a clip as the field counts them: joints without end sites × frames × 40 (rotation, translation and
/// scale in single precision).
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // 13 joints.
/// assert_eq!(mocap_compress::raw_bytes(clip.skeleton(), 120), 13 * 120 * 40);
/// ```
pub fn raw_bytes(skeleton: &Skeleton, frames: usize) -> u64 {
    skeleton.joints().iter().filter(|joint| !joint.end_site).count() as u64 * frames as u64 * 40
}
