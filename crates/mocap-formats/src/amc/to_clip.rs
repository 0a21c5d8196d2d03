//! What an AMC file means on the skeleton that it moves.

use super::document::FirstNotFinite;
use super::{Document, Irregular, Problem};
use crate::asf::{self, AngleUnit, AsfUnits, BuiltSkeleton, Dof};
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, gaps};
use mocap_model::{Axis, Clip, EulerOrder, FrameRate, JointTracks, Track, UnitQuaternion, Vector3};
use std::collections::HashMap;
use std::sync::Arc;

/// How an AMC file is read as a clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipOptions {
    /// Frames per second, whatever the file says. `None`: what it says, else 120.
    pub fps: Option<f64>,
    /// What the numbers of the skeleton file are.
    pub units: AsfUnits,
    /// Interpolates over values that are not finite, which are an error otherwise.
    pub repair: bool,
}

/// The rate of the CMU database, whose files state none.
const DEFAULT_FPS: f64 = 120.0;

/// The motion of `skeleton` that `motion` describes, in the numbers of the files.
///
/// The world rotation of a bone is that of its parent times `C · M · C⁻¹`, with `C` its axis and `M` its
/// channels, the first turning first.
///
/// ```
/// # let asf = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/robin.asf"));
/// # let amc = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/robin_walk.amc"));
/// use mocap_formats::{amc, asf};
///
/// let skeleton = asf::parse(asf, &Default::default())?.value;
/// let motion = amc::parse(amc, &Default::default())?.value;
/// let clip = amc::to_clip(&skeleton, &motion, &Default::default())?.value;
/// // Files of the database state no rate.
/// assert_eq!(clip.frames(), motion.frame_numbers.len());
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// Where a value is not a finite number (unless [`ClipOptions::repair`]), or the bones do not make a valid skeleton.
pub fn to_clip(
    skeleton: &asf::Document,
    motion: &Document,
    options: &ClipOptions,
) -> Result<Parsed<Clip>, ReadError> {
    let built = asf::build(skeleton, options.units)?;
    let mut reader = Reader::new(skeleton, motion);
    if let Some(first) = motion.not_finite.first.first() {
        if !options.repair {
            return Err(reader.not_finite());
        }
        let count = motion.not_finite.count;
        reader.warnings.push(Finding { count, ..reader.about(first, Problem::Repaired) });
    }
    let fps = options.fps.or(motion.samples_per_second()).unwrap_or(DEFAULT_FPS);
    let rate = FrameRate::new(fps).ok_or_else(|| Finding::new(Problem::Rate { fps }))?;
    bounded_stretch(skeleton, motion, &built)?;
    let tracks = reader.tracks(&built, options.repair);
    match Clip::new(Arc::new(built.skeleton), rate, motion.frame_numbers.len(), tracks) {
        Ok(value) => Ok(Parsed { value, warnings: reader.warnings }),
        Err(error) => Err(ReadError::from(Finding::new(Problem::Clip(error))).behind(reader.warnings)),
    }
}

/// Stretching bones add a translation track to every joint below: memory that the size of the file does not bound, so
/// it is checked against the limits.
fn bounded_stretch(
    skeleton: &asf::Document,
    motion: &Document,
    built: &BuiltSkeleton,
) -> Result<(), Finding> {
    let stretching = skeleton.bones.iter().zip(&built.ends);
    let moved: usize =
        stretching.filter(|(bone, _)| bone.dofs.contains(&Dof::Length)).map(|(_, ends)| ends.len()).sum();
    let found = moved.saturating_mul(motion.frame_numbers.len());
    let limit = Limits::default().frames.max(motion.values.len());
    match found > limit {
        true => Err(Finding::new(LimitExceeded {
            what: "positions of joints below stretching bones",
            found,
            limit,
        })),
        false => Ok(()),
    }
}

struct Reader<'d> {
    skeleton: &'d asf::Document,
    motion: &'d Document,
    /// Values in a frame.
    width: usize,
    angle: AngleUnit,
    warnings: Vec<Finding>,
}

/// Where the values of a bone are in the motion.
struct Source<'d> {
    bone: usize,
    column: usize,
    irregular: Vec<&'d Irregular>,
}

/// The channels of a bone in one frame.
#[derive(Clone, Copy, Default)]
struct Channels {
    translation: Vector3<f64>,
    /// About X, Y, Z \[rad\].
    angles: [f64; 3],
    stretch: f64,
}

impl<'d> Reader<'d> {
    fn new(skeleton: &'d asf::Document, motion: &'d Document) -> Reader<'d> {
        let angle = motion.angle().or(skeleton.units.angle).unwrap_or(AngleUnit::Degrees);
        Reader { skeleton, motion, width: motion.width(), angle, warnings: Vec::new() }
    }

    /// The errors about all values that are not finite, one a frame.
    fn not_finite(&self) -> ReadError {
        let found = &self.motion.not_finite;
        let mut all = found
            .first
            .iter()
            .map(|first| self.about(first, Problem::NotFinite { found: first.found.clone() }));
        let error = all.next().expect("there is one");
        let unlisted = found.frames - found.first.len();
        ReadError { more: all.collect(), unlisted, ..ReadError::from(error) }
    }

    /// A finding about the first value of a frame that is not finite.
    fn about(&self, found: &FirstNotFinite, problem: Problem) -> Finding {
        let name = &self.motion.bones[found.bone].name;
        let mut finding = Finding::new(problem).in_joint(name).in_frame(found.frame);
        let bone = self.skeleton.bones.iter().find(|bone| bone.name.eq_ignore_ascii_case(name));
        let dofs = match bone {
            Some(bone) => &bone.dofs,
            None => &self.skeleton.root.order,
        };
        if let Some(dof) = dofs.get(found.value) {
            finding = finding.in_channel(dof.to_string());
        }
        Finding { place: Some(found.place.clone()), count: found.count, ..finding }
    }

    fn warn(&mut self, problem: Problem, bone: usize, count: usize) {
        let bone = &self.motion.bones[bone];
        let finding = Finding::new(problem).in_joint(bone.name.clone());
        self.warnings.push(Finding { place: bone.place.clone(), count, ..finding });
    }

    /// Where the values of the root and of each bone are. Names match in any case if not exactly.
    fn sources(&mut self) -> (Option<Source<'d>>, Vec<Option<Source<'d>>>) {
        let mut irregular = vec![Vec::new(); self.motion.bones.len()];
        for line in &self.motion.irregular {
            irregular[line.bone].push(line);
        }
        let mut exact: HashMap<&str, usize> = HashMap::new();
        let mut lower: HashMap<String, usize> = HashMap::new();
        for (i, bone) in self.skeleton.bones.iter().enumerate() {
            exact.insert(&bone.name, i);
            lower.entry(bone.name.to_lowercase()).or_insert(i);
        }
        let mut root = None;
        let mut bones: Vec<Option<Source>> = Vec::new();
        bones.resize_with(self.skeleton.bones.len(), || None);
        let mut column = 0;
        for (i, bone) in self.motion.bones.iter().enumerate() {
            let place = exact.get(bone.name.as_str()).or_else(|| lower.get(&bone.name.to_lowercase()));
            let slot = match place {
                Some(&place) => Some(&mut bones[place]),
                None if bone.name.eq_ignore_ascii_case("root") => Some(&mut root),
                None => None,
            };
            let source = Source { bone: i, column, irregular: std::mem::take(&mut irregular[i]) };
            match slot {
                Some(slot @ None) => *slot = Some(source),
                _ => self.warn(Problem::UnknownBone, i, 1),
            }
            column += bone.width;
        }
        (root, bones)
    }

    /// The values of a bone, `frames × channels`, as many as the skeleton gives it.
    fn values(&mut self, source: &Source, channels: usize) -> Vec<f64> {
        let width = self.motion.bones[source.bone].width;
        let row_width = self.width;
        let frames = self.motion.frame_numbers.len();
        let mut values = vec![0.0; frames * channels];
        // Lines whose number of values is not that of the channels, by the number found.
        let mut odd: Option<(usize, usize)> = None;
        let mut count = |found: usize| {
            if found != channels {
                odd = Some((odd.map_or(found, |(first, _)| first), odd.map_or(1, |(_, count)| count + 1)));
            }
        };
        let mut irregular = source.irregular.iter().peekable();
        let late = self.motion.bones[source.bone].late;
        for frame in 0..frames {
            let line = irregular.next_if(|line| line.frame == frame).map(|line| line.values.as_deref());
            let found = match line {
                Some(Some(values)) => values,
                Some(None) => continue,
                None if late => continue,
                None => &self.motion.values[frame * row_width + source.column..][..width],
            };
            // The parser has warned of lines that differ from the first frame.
            if line.is_none() || late {
                count(found.len());
            }
            let common = channels.min(found.len());
            values[frame * channels..][..common].copy_from_slice(&found[..common]);
        }
        if let Some((found, count)) = odd {
            let repair =
                if found > channels { "the last ones are skipped" } else { "the missing ones are 0" };
            self.warn(Problem::ChannelCount { found, expected: channels, repair }, source.bone, count);
        }
        values
    }

    fn channels(&mut self, dofs: &[Dof], source: Option<&Source>, name: &str, repair: bool) -> Vec<Channels> {
        let Some(source) = source else {
            if !dofs.is_empty() && !self.motion.frame_numbers.is_empty() {
                let problem = Problem::BoneWithoutMotion { channels: dofs.len() };
                self.warnings.push(Finding::new(problem).in_joint(name));
            }
            return Vec::new();
        };
        let mut values = self.values(source, dofs.len());
        if repair {
            for (i, dof) in dofs.iter().enumerate() {
                let turn = match dof {
                    Dof::Rotation(_) => Some(std::f64::consts::TAU / self.angle.radians()),
                    _ => None,
                };
                gaps::fill(&mut values[i..], dofs.len(), turn, 0.0);
            }
        }
        if dofs.is_empty() {
            return Vec::new();
        }
        // Of a channel that is listed twice, the first counts.
        let first = |dof: Dof| dofs.iter().position(|&other| other == dof);
        let turning = Axis::ALL.map(|axis| first(Dof::Rotation(axis)));
        let moving = Axis::ALL.map(|axis| first(Dof::Translation(axis)));
        let stretch = first(Dof::Length);
        let rows = values.chunks_exact(dofs.len());
        rows.map(|row| Channels {
            translation: Vector3::from(moving.map(|at| at.map_or(0.0, |at| row[at]))),
            angles: turning.map(|at| at.map_or(0.0, |at| row[at] * self.angle.radians())),
            stretch: stretch.map_or(0.0, |at| row[at]),
        })
        .collect()
    }

    fn tracks(&mut self, built: &BuiltSkeleton, repair: bool) -> Vec<JointTracks> {
        let (root_source, sources) = self.sources();
        let joints = built.skeleton.joints();
        let mut tracks: Vec<JointTracks> = joints.iter().map(JointTracks::at_rest).collect();
        let root = &self.skeleton.root;
        let channels = self.channels(&root.order, root_source.as_ref(), "root", repair);
        if let Some(rotation) = rotations(&joints[0].dofs, &channels) {
            tracks[0].rotation = rotation;
        }
        if root.order.iter().any(|dof| matches!(dof, Dof::Translation(_))) {
            let position = joints[0].offset;
            tracks[0].translation =
                Track::from_samples(channels.iter().map(|frame| position + frame.translation).collect());
        }
        // Joints below a bone that stretches move even if they have no channels themselves.
        let mut starts: Vec<Option<Vec<Vector3<f64>>>> = vec![None; joints.len()];
        let mut order: Vec<usize> = (0..sources.len()).collect();
        order.sort_by_key(|&bone| built.joints[bone]);
        for bone in order {
            let asf::Bone { name, dofs, direction, .. } = &self.skeleton.bones[bone];
            let id = built.joints[bone].index();
            let channels = self.channels(dofs, sources[bone].as_ref(), name, repair);
            if let Some(rotation) = rotations(&joints[id].dofs, &channels) {
                tracks[id].rotation = rotation;
            }
            if dofs.contains(&Dof::Length) && !channels.is_empty() {
                for end in &built.ends[bone] {
                    let offset = joints[end.index()].offset;
                    let grown = |frame: &Channels| offset + Vector3::from(*direction) * frame.stretch;
                    starts[end.index()] = Some(channels.iter().map(grown).collect());
                }
            }
            if dofs.iter().any(|dof| matches!(dof, Dof::Translation(_))) && !channels.is_empty() {
                let offset = joints[id].offset;
                let frame_axes = joints[id].dofs.frame;
                let start = starts[id].get_or_insert_with(|| vec![offset; channels.len()]);
                // Along the bone's own axes, before it turns.
                for (start, frame) in start.iter_mut().zip(&channels) {
                    *start += frame_axes * frame.translation;
                }
            }
        }
        for (tracks, start) in tracks.iter_mut().zip(starts) {
            if let Some(track) = start.and_then(Track::from_samples) {
                tracks.translation = Some(track);
            }
        }
        tracks
    }
}

/// `C · M · C⁻¹` in every frame; `None` where nothing turns.
fn rotations(dofs: &mocap_model::Dofs, channels: &[Channels]) -> Option<Track<UnitQuaternion<f64>>> {
    if channels.is_empty() || dofs.rotation == [false; 3] {
        return None;
    }
    let order: EulerOrder = dofs.order;
    let (frame, back) = (dofs.frame, dofs.frame.inverse());
    let still = frame == UnitQuaternion::identity();
    let turned = channels.iter().map(|channels| {
        let turned = order.rotation(order.axes().map(|axis| channels.angles[axis.index()]));
        if still { turned } else { frame * turned * back }
    });
    Track::from_samples(turned.collect())
}
