//! From a clip to a document that all readers interpret alike.

use super::document::{Channel, Document, Node, NodeKind, Origin};
use super::motion::{BLOCK, FrameTime, Motion, Rows};
use super::positions::{position_mode, voters};
use super::reading::{Found, PositionMode};
use super::straight_rest::{only_roots_are_turned, without_rest_rotations};
use super::write::Lines;
use super::written_names::NameStyle;
use crate::names::Unique;
use crate::{Content, Finding, number};
use mocap_model::{
    Angles, Axis, Clip, EulerOrder, FrameRate, JointId, JointTracks, Skeleton, Track, Vector3,
};
use std::borrow::Cow;
use std::convert::Infallible;
use std::io::{self, Write};

/// How a clip is written as BVH.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteOptions {
    /// The rotation order of all joints. Default: that of each joint.
    pub euler: Option<EulerOrder>,
    /// How far in metres any joint, or a point 0.1 m from it, may be moved by the rounding of numbers; above 0.
    /// Where the unit is not known, the longest way from a root to a leaf counts as one metre. Default: 1e-6.
    pub tolerance: f64,
    /// How names are written. Default: as they are.
    pub names: NameStyle,
    /// What the positions of joints below the root mean, which have an OFFSET: readers do either. Default: they
    /// replace it.
    pub positions: PositionMode,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions {
            euler: None,
            tolerance: 1e-6,
            names: NameStyle::default(),
            positions: PositionMode::default(),
        }
    }
}

/// The document of a clip.
///
/// Roots have six channels, absolute positions and OFFSET 0 0 0, so readers agree on where the body is
/// whether positions replace OFFSET or add to it; other joints have position channels only where their
/// translation changes. Angles are continuous over time. Names are unique, end sites lose theirs.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let document = mocap_formats::bvh::from_clip(&clip, &Default::default())?;
/// // Euler angles that are continuous over time, in the order of the joint.
/// assert_eq!(document.nodes()[0].channels.len(), 6);
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// Where names are kept and one cannot be written in BVH, such as one with a bracket.
pub fn from_clip(clip: &Clip, options: &WriteOptions) -> Result<Document, Finding> {
    Ok(Plan::new(Cow::Borrowed(clip), options)?.document())
}

/// The content of the document of [`from_clip`]; where possible, its numbers are computed while it is written.
pub(super) fn written<'c>(clip: Cow<'c, Clip>, options: &WriteOptions) -> Result<Content<'c>, Finding> {
    let plan = Plan::new(clip, options)?;
    Ok(match voters(&plan.nodes).is_empty() {
        true => Content::stream(move |out| plan.write_to(out)),
        // Whether positions would be misread depends on all of them.
        false => {
            let document = plan.document();
            Content::stream(move |out| document.write_to(out))
        }
    })
}

/// How a clip becomes a file.
struct Plan<'c> {
    clip: Cow<'c, Clip>,
    positions: PositionMode,
    nodes: Vec<Node>,
    /// The joint of each node, and the order of its angles.
    joints: Vec<(JointId, EulerOrder)>,
    digits: Digits,
}

impl Plan<'_> {
    fn new<'c>(clip: Cow<'c, Clip>, options: &WriteOptions) -> Result<Plan<'c>, Finding> {
        let clip = match clip.skeleton().robot().is_some() || only_roots_are_turned(clip.skeleton()) {
            true => Cow::Owned(without_rest_rotations(&clip)),
            false => clip,
        };
        let skeleton = clip.skeleton();
        let mut unique = Unique::default();
        let mut place = vec![0; skeleton.len()];
        let (mut nodes, mut joints) = (Vec::new(), Vec::new());
        for (i, id) in depth_first(skeleton).into_iter().enumerate() {
            place[id.index()] = i;
            nodes.push(node(&clip, id, &place, options, &mut unique)?);
            joints.push((id, options.euler.unwrap_or(skeleton.joint(id).dofs.order)));
        }
        let digits = Digits::for_clip(&clip, options.tolerance);
        Ok(Plan { clip, positions: options.positions, nodes, joints, digits })
    }

    fn document(self) -> Document {
        let motion = Motion {
            frames: self.clip.frames(),
            frame_time: Some(frame_time(self.clip.rate())),
            rows: Rows::Numbers(self.values(&self.nodes)),
        };
        let mut document = Document::new(self.nodes.clone(), Some(motion), Origin::default());
        // Where a reader would guess the other mode from the numbers, OFFSET is written as 0: then both modes agree.
        let decision = position_mode(&document);
        if decision.mode.is_some_and(|mode| mode != self.positions || decision.weak) {
            document.positions = Found::default();
            for node in document.nodes.iter_mut().filter(|node| node.channels.len() > 3) {
                node.offset = Vector3::zeros();
            }
            if self.positions == PositionMode::Add {
                let rows = Rows::Numbers(self.values(&document.nodes));
                document.motion = document.motion.map(|motion| Motion { rows, ..motion });
            }
        }
        document
    }

    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut lines = Lines::new(out);
        lines.hierarchy(&self.nodes)?;
        lines.motion(self.clip.frames(), Some(&frame_time(self.clip.rate())))?;
        let width = channels_of(&self.nodes);
        self.fill_rows(&self.nodes, |rows| rows.chunks_exact(width).try_for_each(|row| lines.row(row)))?;
        lines.end()
    }

    /// The rows of the motion section.
    fn values(&self, nodes: &[Node]) -> Vec<f64> {
        let mut values = Vec::with_capacity(channels_of(nodes) * self.clip.frames());
        let filled: Result<(), Infallible> = self.fill_rows(nodes, |rows| {
            values.extend_from_slice(rows);
            Ok(())
        });
        let Ok(()) = filled;
        values
    }

    /// Passes all rows to `each`, computed in blocks that fit in the processor's caches.
    fn fill_rows<E>(&self, nodes: &[Node], mut each: impl FnMut(&[f64]) -> Result<(), E>) -> Result<(), E> {
        let (width, frames) = (channels_of(nodes), self.clip.frames());
        if width == 0 || frames == 0 {
            return Ok(());
        }
        let mut first = 0;
        let mut columns = Vec::new();
        for (node, &(id, order)) in nodes.iter().zip(&self.joints) {
            let moves = node.channels.len() > 3;
            let from = moves.then_some(match self.positions {
                PositionMode::Replace => Vector3::zeros(),
                PositionMode::Add => node.offset,
            });
            if !node.channels.is_empty() {
                columns.push(Columns::new(&self.clip, id, order, from, first));
            }
            first += node.channels.len();
        }
        let mut rows = vec![0.0; width * BLOCK.min(frames)];
        for start in (0..frames).step_by(BLOCK) {
            let rows = &mut rows[..width * BLOCK.min(frames - start)];
            columns.iter_mut().for_each(|columns| columns.fill(start, rows, width, &self.digits));
            each(rows)?;
        }
        Ok(())
    }
}

/// Numbers a frame.
fn channels_of(nodes: &[Node]) -> usize {
    nodes.iter().map(|node| node.channels.len()).sum()
}

/// Joints in the order of the file, which is depth first.
fn depth_first(skeleton: &Skeleton) -> Vec<JointId> {
    let mut order = Vec::with_capacity(skeleton.len());
    let mut next: Vec<JointId> = skeleton.roots().collect();
    next.reverse();
    while let Some(id) = next.pop() {
        order.push(id);
        next.extend(skeleton.children(id).iter().rev());
    }
    order
}

fn node(
    clip: &Clip,
    id: JointId,
    place: &[usize],
    options: &WriteOptions,
    unique: &mut Unique,
) -> Result<Node, Finding> {
    let joint = clip.skeleton().joint(id);
    let moves = matches!(clip.track(id).translation, Some(Track::Sampled(_)));
    let kind = match joint.parent {
        None => NodeKind::Root,
        // An end site cannot move.
        Some(_) if joint.end_site && !moves => NodeKind::EndSite,
        Some(_) => NodeKind::Joint,
    };
    let order = options.euler.unwrap_or(joint.dofs.order).axes().map(Channel::Rotation);
    let positions = Axis::ALL.map(Channel::Position);
    let channels = match kind {
        NodeKind::EndSite => Vec::new(),
        NodeKind::Joint if !moves => order.to_vec(),
        NodeKind::Root | NodeKind::Joint => [positions, order].concat(),
    };
    let offset = match (kind, &clip.track(id).translation) {
        (NodeKind::Root, _) => Vector3::zeros(),
        (_, Some(Track::Constant(translation))) => *translation,
        _ => joint.offset,
    };
    let name = match kind {
        NodeKind::EndSite => String::new(),
        NodeKind::Root | NodeKind::Joint => unique.claim(&options.names.written(&joint.name)?),
    };
    let parent = joint.parent.map(|parent| place[parent.index()]);
    Ok(Node { kind, name, parent, offset: offset.map(without_noise), channels })
}

/// The number rounded to 15 significant digits: the digits of a file survive, and the noise that a change of unit or
/// size adds in the last bits does not.
pub(super) fn without_noise(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// The columns of one joint among the values of all.
struct Columns<'a> {
    tracks: &'a JointTracks,
    order: EulerOrder,
    /// Where the joint moves: its OFFSET, and the point that its positions start from.
    place: Option<[Vector3<f64>; 2]>,
    first: usize,
    /// The angles in the frame before \[rad\].
    angles: Angles,
}

impl<'a> Columns<'a> {
    fn new(
        clip: &'a Clip,
        id: JointId,
        order: EulerOrder,
        from: Option<Vector3<f64>>,
        first: usize,
    ) -> Columns<'a> {
        let tracks = clip.track(id);
        let place = from.map(|from| [clip.skeleton().joint(id).offset, from]);
        Columns { tracks, order, place, first, angles: order.angles(&tracks.rotation.at(0)) }
    }

    /// Fills positions, where the joint moves, and rotations in the rows from frame `start` on.
    fn fill(&mut self, start: usize, rows: &mut [f64], width: usize, digits: &Digits) {
        let mut first = self.first;
        if let Some([offset, from]) = self.place {
            let at = |frame| self.tracks.translation.as_ref().map_or(offset, |track| track.at(frame)) - from;
            for (row, frame) in rows.chunks_exact_mut(width).zip(start..) {
                row[first..first + 3]
                    .copy_from_slice(at(frame).map(|value| digits.position.round(value)).as_slice());
            }
            first += 3;
        }
        for (row, frame) in rows.chunks_exact_mut(width).zip(start..) {
            if let Track::Sampled(rotations) = &self.tracks.rotation
                && frame > 0
            {
                self.angles = self.order.angles_near(&rotations[frame], self.angles);
            }
            let rounded = self.angles.map(|angle| digits.angle.round(angle.to_degrees()));
            row[first..first + 3].copy_from_slice(&rounded);
        }
    }
}

/// Decimals of a kind of number.
pub(super) struct Decimals(f64);

impl Decimals {
    /// The fewest decimals that round by at most `error`.
    pub(super) fn within(error: f64) -> Decimals {
        let decimals = (0..=12).find(|&decimals| 0.5 * 10f64.powi(-decimals) <= error);
        Decimals(10f64.powi(decimals.unwrap_or(12)))
    }

    pub(super) fn round(&self, value: f64) -> f64 {
        let scaled = value * self.0;
        // Adding 0 takes the sign off a zero.
        if scaled.abs() < 1e15 { number::nearest(scaled) / self.0 + 0.0 } else { value }
    }
}

/// Distance of the skin from a joint \[m\], on which the tolerance is measured.
const SHELL: f64 = 0.1;

/// The decimals that keep a tolerance.
struct Digits {
    /// Of degrees.
    angle: Decimals,
    /// Of lengths.
    position: Decimals,
}

impl Digits {
    /// The error of a position is at most that of its parent, and that of the parent's rotation times the
    /// length between them: both grow down the tree with the rounding of each joint on the way.
    fn for_clip(clip: &Clip, tolerance: f64) -> Digits {
        let skeleton = clip.skeleton();
        // Per joint and unit of rounding: accumulated angle error, position error from angles, position error from
        // positions, and length of the chain.
        let mut grown = vec![[0.0; 4]; skeleton.len()];
        let mut largest = [0.0f64; 4];
        for (id, joint) in skeleton.iter() {
            let length = match &clip.track(id).translation {
                Some(track) => track.values().iter().map(Vector3::norm).fold(0.0, f64::max),
                None => joint.offset.norm(),
            };
            let moves = joint.parent.is_none() || clip.track(id).translation.is_some();
            // The offset of a root is not a lever of any rotation.
            let length = if joint.parent.is_none() { 0.0 } else { length };
            let [angle, by_angle, by_position, way] =
                joint.parent.map_or([0.0; 4], |parent| grown[parent.index()]);
            grown[id.index()] = [
                angle + 3.0,
                by_angle + angle * length,
                by_position + if moves { 3f64.sqrt() } else { 0.0 },
                way + length,
            ];
            for (largest, grown) in largest.iter_mut().zip(grown[id.index()]) {
                *largest = largest.max(grown);
            }
        }
        let [angle, by_angle, by_position, way] = largest;
        let metre = match skeleton.space().metres() {
            Some(metres) => 1.0 / metres,
            None if way > 0.0 => way,
            None => 1.0,
        };
        // Angles and positions get half each, and half of that is a reserve for the error of a guessed unit.
        let share = tolerance * metre / 4.0;
        // The skin of a joint is further from it by [`SHELL`].
        let by_angle = by_angle + angle * SHELL * metre;
        Digits {
            angle: Decimals::within((share / by_angle).to_degrees()),
            position: Decimals::within(share / by_position),
        }
    }
}

/// The frame time in as few decimals as name the rate to a millionth.
fn frame_time(rate: FrameRate) -> FrameTime {
    let exact = rate.frame_time();
    for decimals in 1..=9 {
        let text = format!("{exact:.decimals$}");
        let seconds: f64 = text.parse().expect("a number");
        if (seconds / exact - 1.0).abs() <= 1e-6 && FrameRate::from_frame_time_text(&text) == Some(rate) {
            return FrameTime { text, seconds };
        }
    }
    FrameTime { text: exact.to_string(), seconds: exact }
}

#[cfg(test)]
mod tests {
    use super::super::{ClipOptions, parse, to_clip};
    use super::*;
    use crate::Limits;
    use mocap_model::{
        Dofs, Joint, JointTracks, Pose, Space, Unit, UnitQuaternion, UnitSource, angle_between, exp,
    };
    use proptest::prelude::*;

    fn joint(name: &str, parent: Option<u32>, offset: [f64; 3]) -> Joint {
        Joint {
            name: name.into(),
            parent: parent.map(JointId),
            offset: offset.into(),
            rest_rotation: exp(&Vector3::new(0.3, -0.2, 0.9)),
            dofs: Dofs::ball(EulerOrder::ZXY),
            role: None,
            end_site: false,
        }
    }

    fn at_rest(joints: &[Joint]) -> Vec<JointTracks> {
        joints.iter().map(JointTracks::at_rest).collect()
    }

    fn clip(joints: Vec<Joint>, frames: usize, tracks: Vec<JointTracks>) -> Clip {
        let unit = Some(Unit { metres: 0.01, source: UnitSource::File });
        let skeleton = Skeleton::new("", Space { unit, ..Space::default() }, joints).unwrap();
        Clip::new(skeleton.into(), FrameRate::new(60.0).unwrap(), frames, tracks).unwrap()
    }

    fn text(clip: &Clip, options: &WriteOptions) -> String {
        String::from_utf8(from_clip(clip, options).unwrap().to_bytes()).unwrap()
    }

    #[test]
    fn a_clip_as_every_reader_takes_it() {
        let mut joints = vec![
            joint("the hips", None, [0.0, 90.0, 0.0]),
            joint("arm", Some(0), [1.0, 2.0, 3.0]),
            joint("hips", Some(0), [0.0, 10.0, 0.0]),
            joint("arm_End", Some(1), [0.0, 5.0, 0.0]),
        ];
        joints[3].end_site = true;
        let identity = Track::Constant(UnitQuaternion::identity());
        let mut tracks = at_rest(&joints);
        for tracks in &mut tracks {
            tracks.rotation = identity.clone();
        }
        tracks[1].translation = Some(Track::Constant(Vector3::new(1.5, 2.0, 3.0)));
        tracks[2].translation =
            Some(Track::Sampled(vec![Vector3::new(0.0, 10.5, 0.0), Vector3::new(0.0, 11.0, 1.0 / 3.0)]));
        // The order of the file is depth first, whatever that of the skeleton.
        insta::assert_snapshot!(text(&clip(joints, 2, tracks), &WriteOptions::default()));
    }

    #[test]
    fn frame_times_name_the_rate() {
        for (fps, expected) in [
            (120.0, "0.00833333"),
            (60.0, "0.01666667"),
            (30.0, "0.0333333"),
            (25.0, "0.04"),
            (24000.0 / 1001.0, "0.0417083"),
            (0.5, "2.0"),
            (29.3, "0.03412969"),
            (62.5, "0.016"),
            (1000.0 / 6.0, "0.006"),
        ] {
            let rate = FrameRate::new(fps).unwrap();
            let time = frame_time(rate);
            let read = FrameRate::from_frame_time_text(&time.text).unwrap().fps();
            assert!((read / fps - 1.0).abs() < 1e-15, "{fps}: {} is {read}", time.text);
            assert!(time.text == expected || fps == 29.3, "{fps}: {}", time.text);
        }
    }

    #[test]
    fn positions_that_look_as_if_they_add_have_no_offset_to_add_to() {
        let joints = vec![joint("a", None, [0.0; 3]), joint("b", Some(0), [0.0, 10.0, 0.0])];
        let mut tracks = at_rest(&joints);
        tracks[1].translation = Some(Track::Sampled(vec![Vector3::zeros(), Vector3::new(0.0, 1.0, 0.0)]));
        let clip = clip(joints, 2, tracks);
        let document = from_clip(&clip, &WriteOptions::default()).unwrap();
        assert_eq!(document.nodes()[1].offset, Vector3::zeros());
        let again = to_clip(&document, &ClipOptions::default()).unwrap();
        assert_eq!(again.value.track(JointId(1)).translation, clip.track(JointId(1)).translation);
    }

    #[test]
    fn joints_that_move_are_written_for_either_kind_of_reader() {
        let joints = vec![
            joint("a", None, [0.0; 3]),
            joint("b", Some(0), [0.0, 10.0, 0.0]),
            joint("c", Some(1), [0.0, 4.0, 0.0]),
        ];
        let mut tracks = at_rest(&joints);
        let near = |offset: f64| {
            Track::Sampled(vec![Vector3::new(0.5, offset, 0.0), Vector3::new(0.0, offset + 0.25, 0.0)])
        };
        tracks[1].translation = Some(near(10.0));
        tracks[2].translation = Some(near(4.0));
        let clip = clip(joints, 2, tracks);
        for (positions, first) in [(PositionMode::Replace, [0.5, 10.0]), (PositionMode::Add, [0.5, 0.0])] {
            let options = WriteOptions { positions, ..WriteOptions::default() };
            let document = from_clip(&clip, &options).unwrap();
            assert_eq!(document.nodes()[1].offset, Vector3::new(0.0, 10.0, 0.0));
            assert_eq!(document.motion().unwrap().values()[6..8], first);
            // Read back without a stated mode.
            let again = to_clip(&document, &ClipOptions::default()).unwrap();
            assert!(again.warnings.is_empty(), "{:?}", again.warnings);
            for id in [JointId(1), JointId(2)] {
                assert_eq!(again.value.track(id).translation, clip.track(id).translation);
            }
        }
        // A joint that moves far away would be misread: it has no OFFSET then.
        let joints = vec![joint("a", None, [0.0; 3]), joint("b", Some(0), [0.0, 10.0, 0.0])];
        let mut tracks = at_rest(&joints);
        tracks[1].translation = Some(near(20.0));
        let clip = self::clip(joints, 2, tracks);
        let options = WriteOptions { positions: PositionMode::Add, ..WriteOptions::default() };
        let document = from_clip(&clip, &options).unwrap();
        let again = to_clip(&document, &ClipOptions::default()).unwrap();
        assert_eq!(again.value.track(JointId(1)).translation, clip.track(JointId(1)).translation);
    }

    #[test]
    fn a_name_that_no_file_can_hold_is_refused() {
        let clip = clip(vec![joint("a{b", None, [0.0; 3])], 1, at_rest(&[joint("a{b", None, [0.0; 3])]));
        assert_eq!(from_clip(&clip, &WriteOptions::default()).unwrap_err().code(), "bvh::name");
        let options = WriteOptions { names: NameStyle::Safe, ..WriteOptions::default() };
        assert_eq!(from_clip(&clip, &options).unwrap().nodes()[0].name, "a_b");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Rotations that go anywhere, through degenerate ones, for every order.
        #[test]
        fn positions_and_rotations_come_back(
            turns in prop::collection::vec(prop::array::uniform3(-7.0f64..7.0), 24),
            steps in prop::collection::vec(prop::array::uniform3(-300.0f64..300.0), 8),
            quarter in 0usize..24,
            order in prop::sample::select(vec!["XYZ", "ZXY", "YZX", "ZXZ"]),
        ) {
            let joints = vec![
                joint("a", None, [0.0, 90.0, 0.0]),
                joint("b", Some(0), [10.0, -40.0, 3.0]),
                joint("c", Some(1), [0.0, -45.0, 0.0]),
                joint("d", Some(2), [0.0, -5.0, 12.0]),
            ];
            let mut tracks = at_rest(&joints);
            for (i, tracks) in tracks.iter_mut().take(3).enumerate() {
                let mut rotations: Vec<_> =
                    (0..8).map(|frame| exp(&Vector3::from(turns[i * 8 + frame]))).collect();
                rotations[quarter % 8] = exp(&(Vector3::y() * std::f64::consts::FRAC_PI_2));
                tracks.rotation = Track::Sampled(rotations);
            }
            tracks[0].translation = Some(Track::Sampled(steps.iter().map(|&step| step.into()).collect()));
            let clip = clip(joints, 8, tracks);
            let euler = Some(order.parse().unwrap());
            let bytes = from_clip(&clip, &WriteOptions { euler, ..WriteOptions::default() }).unwrap().to_bytes();
            let parsed = parse(&bytes, &Limits::default()).unwrap();
            let again = to_clip(&parsed.value, &ClipOptions::default()).unwrap().value;
            let (mut local, mut before, mut after) = (Pose::default(), Pose::default(), Pose::default());
            for frame in 0..8 {
                clip.local_pose(frame, &mut local);
                local.to_object(clip.skeleton(), &mut before);
                again.local_pose(frame, &mut local);
                local.to_object(again.skeleton(), &mut after);
                for (before, after) in before.joints.iter().zip(&after.joints) {
                    let metres = (before.translation.vector - after.translation.vector).norm() * 0.01;
                    prop_assert!(metres < 1e-6, "frame {frame}: off by {metres} m");
                    prop_assert!(angle_between(&before.rotation, &after.rotation) < 1e-6);
                }
            }
        }

        /// A joint that keeps turning has angles that grow beyond a whole turn.
        #[test]
        fn angles_are_continuous(speed in 0.1f64..0.5, order in prop::sample::select(vec!["XYZ", "ZXY", "YZX"])) {
            let mut joints = vec![joint("a", None, [0.0; 3])];
            joints[0].dofs.order = order.parse().unwrap();
            let mut tracks = at_rest(&joints);
            let first = joints[0].dofs.order.axes()[0].unit();
            let turn = |frame: usize| UnitQuaternion::from_axis_angle(&first, speed * frame as f64);
            tracks[0].rotation = Track::Sampled((0..100).map(turn).collect());
            let document = from_clip(&clip(joints, 100, tracks), &WriteOptions::default()).unwrap();
            for (frame, row) in document.motion().unwrap().values().chunks_exact(6).enumerate() {
                let expected = (speed * frame as f64).to_degrees();
                prop_assert!((row[3] - expected).abs() < 1e-4 && row[4] == 0.0 && row[5] == 0.0, "{frame}: {row:?}");
            }
        }
    }
}
