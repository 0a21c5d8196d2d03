//! From a document to the clip it means.

use super::channels::{rotation, translation};
use super::document::{Channel, Document, Node, NodeKind};
use super::motion::{BLOCK, Motion};
use super::positions::{PositionChannels, position_mode};
use super::reading::PositionMode;
use super::repair::finite;
use super::rest_frame::rest_first_frame;
use super::{Problem, names};
use crate::{Finding, Parsed, ReadError, Warnings};
use mocap_model::{
    Clip, Dofs, EulerOrder, FrameRate, Joint, JointId, JointTracks, ModelError, Skeleton, Space, Track,
    UnitQuaternion, Vector3,
};
use std::sync::Arc;

/// How a document becomes a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipOptions {
    /// How position channels and OFFSET combine. Default: as the file suggests.
    pub position_channels: PositionChannels,
    /// Frames per second, finite and above 0, in place of what the file says. Default: as the file says.
    pub fps: Option<f64>,
    /// Whether values that are not finite are interpolated. Default: they are an error.
    pub repair: bool,
}

/// Frames per second of a file that does not say.
const DEFAULT_FPS: f64 = 30.0;

/// The motion of a document, with Y up and Z forward as is usual for the format, and the unit unknown.
///
/// Names are made unique, end sites without one are called `<parent>_End`.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"));
/// use mocap_formats::bvh::{parse, to_clip};
///
/// let document = parse(bytes, &Default::default())?.value;
/// assert!(to_clip(&document, &Default::default())?.value.skeleton().find("Hips").is_some());
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// Where a value is not finite and is not to be repaired, or finite values overflow.
pub fn to_clip(document: &Document, options: &ClipOptions) -> Result<Parsed<Clip>, ReadError> {
    convert(document, options, usize::MAX)
}

/// As [`to_clip`]. The text of a long motion is freed as the clip grows, if nothing else shares it, so both are never
/// whole in memory. Afterwards the document has its hierarchy and first frame only.
///
/// # Errors
/// As [`to_clip`].
pub(super) fn take_clip(document: &mut Document, options: &ClipOptions) -> Result<Parsed<Clip>, ReadError> {
    if !document.motion().is_some_and(Motion::is_long_text) {
        return to_clip(document, options);
    }
    let mut warnings = Warnings::default();
    match taken(document, options, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings: warnings.into_vec() }),
        Err(failed) => Err(failed.behind(warnings.into_vec())),
    }
}

fn taken(document: &mut Document, options: &ClipOptions, warnings: &mut Warnings) -> Result<Clip, ReadError> {
    let frames = document.frames();
    let head = head(document, options, warnings)?;
    let mut motion = document.motion.take().expect("a long motion");
    let tracks = tracks_of_freed(document.nodes(), &mut motion, frames, &head);
    document.motion = Some(motion);
    clip_of(document, head, frames, tracks, warnings)
}

/// The first `frames` frames of the motion, with all warnings and errors of [`to_clip`] for the whole motion: a summary
/// of a file needs no more, and this saves computing all rotations.
///
/// # Errors
/// As [`to_clip`].
pub fn to_clip_start(
    document: &Document,
    options: &ClipOptions,
    frames: usize,
) -> Result<Parsed<Clip>, ReadError> {
    convert(document, options, frames.max(ENOUGH))
}

/// Frames that [`rest_first_frame`] needs at any frame rate.
const ENOUGH: usize = 1003;

fn convert(document: &Document, options: &ClipOptions, frames: usize) -> Result<Parsed<Clip>, ReadError> {
    let mut warnings = Warnings::default();
    match clip(document, options, frames, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings: warnings.into_vec() }),
        Err(failed) => Err(failed.behind(warnings.into_vec())),
    }
}

fn clip(
    document: &Document,
    options: &ClipOptions,
    frames: usize,
    warnings: &mut Warnings,
) -> Result<Clip, ReadError> {
    let head = head(document, options, warnings)?;
    let frames = document.frames().min(frames);
    let tracks = match document.motion() {
        Some(motion) if frames > 0 => {
            let motion = finite(document, motion, head.mode, options.repair, warnings)?;
            tracks(document.nodes(), &motion, frames, &head)
        }
        _ => head.skeleton.joints().iter().map(JointTracks::at_rest).collect(),
    };
    clip_of(document, head, frames, tracks, warnings)
}

/// What a clip has besides its tracks, and how positions are read.
struct Head {
    skeleton: Arc<Skeleton>,
    rate: FrameRate,
    mode: PositionMode,
}

fn head(document: &Document, options: &ClipOptions, warnings: &mut Warnings) -> Result<Head, ReadError> {
    let mode = mode(document, options, warnings);
    let skeleton = Arc::new(skeleton(document).map_err(|error| impossible(document, error))?);
    Ok(Head { skeleton, rate: rate(document, options), mode })
}

fn clip_of(
    document: &Document,
    Head { skeleton, rate, .. }: Head,
    frames: usize,
    tracks: Vec<JointTracks>,
    warnings: &mut Warnings,
) -> Result<Clip, ReadError> {
    // Finite values can still overflow: a position plus an offset, or the difference of two positions.
    let clip = Clip::new(skeleton, rate, frames, tracks).map_err(|error| impossible(document, error))?;
    if let Some(mut finding) = rest_first_frame(&clip) {
        finding.place = document.origin.first_row.clone();
        warnings.push(finding);
    }
    Ok(clip)
}

fn mode(document: &Document, options: &ClipOptions, warnings: &mut Warnings) -> PositionMode {
    match options.position_channels {
        PositionChannels::Replace => return PositionMode::Replace,
        PositionChannels::Add => return PositionMode::Add,
        PositionChannels::Auto => {}
    }
    let decision = position_mode(document);
    let mode = decision.mode.unwrap_or(PositionMode::Replace);
    if decision.weak {
        let (replace, add) = (decision.replace, decision.add);
        warnings.push(Finding::new(Problem::PositionMode { mode, replace, add }));
    }
    mode
}

fn rate(document: &Document, options: &ClipOptions) -> FrameRate {
    let of_file = || {
        let time = document.motion()?.frame_time.as_ref()?;
        FrameRate::from_frame_time_text(&time.text).or_else(|| FrameRate::from_frame_time(time.seconds))
    };
    let default = || FrameRate::new(DEFAULT_FPS).expect("a positive rate");
    options.fps.and_then(FrameRate::new).or_else(of_file).unwrap_or_else(default)
}

/// The finding about a clip that cannot be, at the number that is too large.
fn impossible(document: &Document, error: ModelError) -> Finding {
    let at = match &error {
        ModelError::RestTooFar { joint, .. } => Some((joint.clone(), None)),
        ModelError::TooFar { joint, frame, .. } => Some((joint.clone(), Some(*frame))),
        _ => None,
    };
    let finding = Finding::new(Problem::Clip(error));
    let Some((joint, frame)) = at else { return finding };
    let node = names::of_nodes(document.nodes()).into_iter().position(|name| name == joint);
    let finding = finding.in_joint(joint);
    let (Some(node), Some(frame), Some(motion)) = (node, frame, document.motion()) else { return finding };
    let finding = finding.in_frame(frame);
    if !motion.has(frame) {
        return finding;
    }
    let nodes = document.nodes();
    let first: usize = nodes[..node].iter().map(|node| node.channels.len()).sum();
    let width = document.channels();
    let mut buffer = Vec::new();
    let row = motion.values_of(frame..frame + 1, width, &mut buffer);
    // An offset is added to positions: the largest of them is the one that is too far.
    let positions = nodes[node].channels.iter().enumerate();
    let positions = positions.filter(|(_, channel)| matches!(channel, Channel::Position(_)));
    let largest = positions.max_by(|(a, _), (b, _)| row[first + a].abs().total_cmp(&row[first + b].abs()));
    let Some((column, channel)) = largest else { return finding };
    let of_numbers = || {
        let listed = document.origin.far.iter().find(|(index, _)| *index == frame * width + first + column);
        listed.map(|(_, place)| place.clone())
    };
    let place = motion.place(frame, first + column).or_else(of_numbers);
    Finding { place, ..finding.in_channel(channel.name()) }
}

fn skeleton(document: &Document) -> Result<Skeleton, ModelError> {
    let names = names::of_nodes(document.nodes());
    let joints = document.nodes().iter().zip(names).map(|(node, name)| Joint {
        name,
        parent: node.parent.map(JointId::from),
        offset: node.offset,
        rest_rotation: UnitQuaternion::identity(),
        dofs: match node.kind {
            NodeKind::EndSite => Dofs::locked(EulerOrder::ZXY),
            NodeKind::Root | NodeKind::Joint => dofs(&node.channels),
        },
        role: None,
        end_site: node.kind == NodeKind::EndSite,
    });
    Skeleton::new("", Space::default(), joints.collect())
}

fn dofs(channels: &[Channel]) -> Dofs {
    let mut dofs = Dofs::locked(EulerOrder::ZXY);
    let mut axes = Vec::new();
    for channel in channels {
        match channel {
            Channel::Rotation(axis) => {
                dofs.rotation[axis.index()] = true;
                axes.push(*axis);
            }
            Channel::Position(axis) => dofs.translation[axis.index()] = true,
            Channel::Scale(_) => {}
        }
    }
    let order = match *axes.as_slice() {
        [a, b, c] => EulerOrder::new([a, b, c]),
        _ => EulerOrder::completing(&axes),
    };
    dofs.order = order.unwrap_or(dofs.order);
    dofs
}

fn tracks(nodes: &[Node], motion: &Motion, frames: usize, head: &Head) -> Vec<JointTracks> {
    let mut samples = Motions::of(nodes, frames, head);
    let mut buffer = Vec::new();
    for start in (0..frames).step_by(BLOCK) {
        let block = motion.values_of(start..frames.min(start + BLOCK), samples.width, &mut buffer);
        samples.append(block.chunks_exact(samples.width.max(1)));
    }
    samples.into_tracks()
}

/// The numbers whose text is freed at a time.
const FREED: usize = 1 << 17;
/// Text of frames with larger values is not freed: an error about them shows where they stand.
const FAR: f64 = 1e-1 * Space::FARTHEST;

/// As [`tracks`], from the last frame to the first: text can only be freed from its end.
fn tracks_of_freed(nodes: &[Node], motion: &mut Motion, frames: usize, head: &Head) -> Vec<JointTracks> {
    let mut samples = Motions::of(nodes, frames, head);
    let mut buffer = Vec::new();
    let is_far = |value: &f64| value.abs() > FAR;
    let mut frees = !nodes.iter().any(|node| node.offset.iter().any(is_far));
    let at_once = (FREED / samples.width).max(1).next_multiple_of(BLOCK);
    for start in (0..frames).step_by(BLOCK).rev() {
        let block = motion.values_of(start..frames.min(start + BLOCK), samples.width, &mut buffer);
        frees = frees && !block.iter().any(is_far);
        samples.append(block.chunks_exact(samples.width.max(1)).rev());
        if frees && start.is_multiple_of(at_once) {
            motion.free_text(start);
        }
    }
    samples.reverse();
    samples.into_tracks()
}

/// The transforms of all joints over time.
struct Motions<'a> {
    nodes: &'a [Node],
    head: &'a Head,
    /// Numbers of a frame.
    width: usize,
    joints: Vec<Samples>,
}

impl<'a> Motions<'a> {
    /// Without frames yet.
    fn of(nodes: &'a [Node], frames: usize, head: &'a Head) -> Motions<'a> {
        let width = nodes.iter().map(|node| node.channels.len()).sum();
        Motions { nodes, head, width, joints: nodes.iter().map(|node| Samples::of(node, frames)).collect() }
    }

    fn append<'r>(&mut self, rows: impl Iterator<Item = &'r [f64]> + Clone) {
        let Motions { nodes, head, joints, .. } = self;
        let mut first = 0;
        for ((node, joint), samples) in nodes.iter().zip(head.skeleton.joints()).zip(joints) {
            let columns = first..first + node.channels.len();
            first = columns.end;
            let rows = || rows.clone().map(|row| &row[columns.clone()]);
            if let Some(rotations) = &mut samples.rotations {
                rotations.extend(rows().map(|row| rotation(&node.channels, row)));
            }
            if let Some(translations) = &mut samples.translations {
                let (offset, mode) = (joint.offset, head.mode);
                translations.extend(rows().map(|row| translation(&node.channels, row, offset, mode)));
            }
        }
    }

    /// Reverses the order of frames.
    fn reverse(&mut self) {
        for Samples { rotations, translations } in &mut self.joints {
            rotations.iter_mut().for_each(|samples| samples.reverse());
            translations.iter_mut().for_each(|samples| samples.reverse());
        }
    }

    fn into_tracks(self) -> Vec<JointTracks> {
        let joints = self.joints.into_iter().zip(self.head.skeleton.joints());
        joints.map(|(samples, joint)| samples.into_tracks(joint.offset)).collect()
    }
}

/// The transforms of a joint over time; `None` where it has no such channels.
struct Samples {
    rotations: Option<Vec<UnitQuaternion<f64>>>,
    translations: Option<Vec<Vector3<f64>>>,
}

impl Samples {
    fn of(node: &Node, frames: usize) -> Samples {
        let has =
            |kind: fn(&Channel) -> bool| node.kind != NodeKind::EndSite && node.channels.iter().any(kind);
        Samples {
            rotations: has(|channel| matches!(channel, Channel::Rotation(_)))
                .then(|| Vec::with_capacity(frames)),
            translations: has(|channel| matches!(channel, Channel::Position(_)))
                .then(|| Vec::with_capacity(frames)),
        }
    }

    fn into_tracks(self, offset: Vector3<f64>) -> JointTracks {
        let rotation = self.rotations.map_or(Track::Constant(UnitQuaternion::identity()), sampled);
        let translation = self.translations.map(sampled).filter(|track| *track != Track::Constant(offset));
        JointTracks::new(rotation, translation)
    }
}

fn sampled<T: Copy + PartialEq>(samples: Vec<T>) -> Track<T> {
    Track::from_samples(samples).expect("there is a frame")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn the_start_of_a_motion_tells_what_the_whole_tells() {
        let rows: String =
            (0..3000).map(|i| format!("0 1 0 {} 0 0\n", if i == 0 { 90 } else { i % 7 })).collect();
        let text = format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
             Yrotation\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: 3000\nFrame Time: 0.008333\n{rows}"
        );
        let document = crate::bvh::parse(text.as_bytes(), &Limits::default()).unwrap().value;
        let options = ClipOptions::default();
        let whole = to_clip(&document, &options).unwrap();
        let start = to_clip_start(&document, &options, 1).unwrap();
        assert_eq!(start.warnings, whole.warnings);
        assert_eq!(whole.warnings.len(), 1);
        assert_eq!(start.value.frames(), ENOUGH);
        assert_eq!(start.value, whole.value.trimmed(0..ENOUGH).unwrap());
    }

    /// A motion whose text is long: one joint that moves.
    fn long(far: Option<usize>) -> Vec<u8> {
        let row = |i: usize| {
            let x = if far == Some(i) { "1e13".to_owned() } else { format!("{}.5", i % 11) };
            format!("{x} 1 0 {} 0 0\n", i % 7)
        };
        let rows: String = (0..20_000).map(row).collect();
        let text = format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
             Yrotation\nEnd Site\n{{\nOFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: 20000\nFrame Time: 0.01\n{rows}"
        );
        text.into_bytes()
    }

    #[test]
    fn the_text_of_a_long_motion_is_freed_as_its_clip_grows() {
        let (bytes, options) = (Arc::new(long(None)), ClipOptions::default());
        let size = bytes.len();
        let mut document = crate::bvh::parse_shared(&bytes, &Limits::default()).unwrap().value;
        let whole = to_clip(&document, &options).unwrap();
        // Shared text stays.
        assert_eq!(take_clip(&mut document.clone(), &options).unwrap(), whole);
        assert_eq!(document.motion().and_then(Motion::text).map(<[u8]>::len), Some(size));
        drop(bytes);
        assert_eq!(take_clip(&mut document, &options).unwrap(), whole);
        let left = document.motion().and_then(Motion::text).unwrap();
        assert!(left.len() < size / 100 && left.starts_with(b"HIERARCHY"), "{} of {size}", left.len());
    }

    #[test]
    fn a_value_that_is_too_far_is_shown_where_it_stands() {
        for frame in [0, 700, 12_345, 19_999] {
            let (bytes, options) = (Arc::new(long(Some(frame))), ClipOptions::default());
            let mut document = crate::bvh::parse_shared(&bytes, &Limits::default()).unwrap().value;
            drop(bytes);
            let expected = to_clip(&document, &options).unwrap_err();
            let found = take_clip(&mut document, &options).unwrap_err();
            assert!(found.error.place.is_some() && found == expected, "{frame}: {found}");
        }
    }
}
