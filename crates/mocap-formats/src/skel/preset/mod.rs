//! Skeletons of common rigs: their hierarchies and names with usual human proportions in a T-pose. They serve as
//! targets, and can be edited where a rig has other lengths.
//!
//! Joint frames are aligned with the axes of the space, although real rigs align them with their bones. Retargeting
//! does not depend on the frames.

mod body;
mod capture;
mod engines;
mod rigs;

use crate::smpl::mean_offset;
use body::{Mark, end_of, mark, on_side};
use mocap_model::{
    Axis, Dofs, EulerOrder, Joint, JointId, Limit, Pose, Role, Side, SignedAxis, Skeleton, Space, Unit,
    UnitSource, Vector3,
};
use rigs::RIGS;

/// A rig that a skeleton can be made of.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    /// The name of the rig as users know it.
    pub title: &'static str,
    /// The usual unit of such files, by its name.
    pub unit: &'static str,
    /// Up and forward.
    axes: [&'static str; 2],
    /// The replacements of `@` in names, left and right; `#` is replaced by their first letter.
    sides: [&'static str; 2],
    /// One joint per line, `name: mark`, indented by one blank per level; a line with `@` or `#` starts a branch that
    /// exists on both sides.
    joints: &'static str,
}

/// The range of knees and elbows \[deg\]: slight hyperextension to full flexion.
const BEND: [f64; 2] = [-10.0, 155.0];

/// All presets, in the order in which they are listed.
pub fn presets() -> &'static [Preset] {
    RIGS
}

/// The preset of a name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    RIGS.iter().find(|preset| preset.name == name)
}

/// A line of a table.
struct Line {
    level: usize,
    name: String,
    side: Option<Side>,
    mark: Mark,
    trunk: Option<&'static str>,
}

impl Preset {
    /// The skeleton, with roles, unit, and limits of knees and elbows.
    pub fn skeleton(&self) -> Skeleton {
        let lines = self.lines();
        let roles = roles(&lines);
        let mut joints: Vec<Joint> = Vec::with_capacity(lines.len());
        let mut places: Vec<Vector3<f64>> = Vec::with_capacity(lines.len());
        let mut above: Vec<JointId> = Vec::new();
        for (i, (line, role)) in lines.iter().zip(&roles).enumerate() {
            above.truncate(line.level);
            let parent = above.last().copied();
            above.push(JointId::from(joints.len()));
            let place = on_side(line.mark.place, line.side);
            let from = |parent: Option<JointId>| parent.map_or(Vector3::zeros(), |id| places[id.index()]);
            let mut joint = Joint::new(&line.name, parent, place - from(parent));
            joint.role = *role;
            joint.dofs = dofs(*role);
            if parent.is_none() || *role == Some(Role::Hips) {
                joint.dofs.translation = [true; 3];
            }
            let id = JointId::from(joints.len());
            joints.push(joint);
            places.push(place);
            let is_leaf = lines.get(i + 1).is_none_or(|next| next.level <= line.level);
            if let Some(end) = role.and_then(end_of).and_then(mark).filter(|_| is_leaf) {
                let end_place = on_side(end.place, line.side);
                let mut end = Joint::new(format!("{}_End", line.name), Some(id), end_place - place);
                end.end_site = true;
                end.dofs = Dofs::locked(EulerOrder::ZXY);
                joints.push(end);
                places.push(end_place);
            }
        }
        let metres = Space { unit: Some(Unit { metres: 1.0, source: UnitSource::File }), ..Space::default() };
        let skeleton =
            Skeleton::new(self.name, metres, joints).expect("tables name joints once, parents first");
        let skeleton = skeleton.in_space(self.space()).expect("tables name axes that differ");
        // Removes the rounding noise of sums, and negative zeros.
        let exact = |value: f64| (value * 1e6).round() / 1e6 + 0.0;
        let bones = skeleton.with_joints(|joint| {
            // Motions of SMPL are read on its mean body, whose sides differ.
            let mean = (self.name == "smpl").then(|| mean_offset(&joint.name)).flatten();
            joint.offset = mean.unwrap_or_else(|| joint.offset.map(exact));
        });
        let bones = bones.expect("lengths change no tree");
        if self.name == "smpl" { standing(&bones) } else { bones }
    }

    /// The axes and unit of such files.
    pub fn space(&self) -> Space {
        let axis = |text: &str| text.parse::<SignedAxis>().expect("tables name axes");
        let unit = Unit::NAMED.iter().find(|(name, _)| *name == self.unit).expect("tables name units");
        Space {
            up: axis(self.axes[0]),
            forward: axis(self.axes[1]),
            unit: Some(Unit { metres: unit.1, source: UnitSource::File }),
        }
    }

    /// The lines of the table, branches with two sides written out.
    fn lines(&self) -> Vec<Line> {
        let table: Vec<&str> = self.joints.lines().filter(|line| !line.trim().is_empty()).collect();
        let level = |line: &str| line.len() - line.trim_start().len();
        let mut lines = Vec::new();
        let mut at = 0;
        while at < table.len() {
            let behind = table[at + 1..].iter().position(|line| level(line) <= level(table[at]));
            let end = behind.map_or(table.len(), |behind| at + 1 + behind);
            if table[at].contains(['@', '#']) {
                for (side, word) in [Side::Left, Side::Right].into_iter().zip(self.sides) {
                    lines.extend(
                        table[at..end].iter().map(|line| read(line, level(line), Some((side, word)))),
                    );
                }
                at = end;
            } else {
                lines.push(read(table[at], level(table[at]), None));
                at += 1;
            }
        }
        lines
    }
}

/// The skeleton with its lowest joint on the floor.
fn standing(skeleton: &Skeleton) -> Skeleton {
    let up = skeleton.space().up.vector();
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let heights = rest.joints.iter().map(|joint| joint.translation.vector.dot(&up));
    let lowest = heights.fold(f64::INFINITY, f64::min);
    let raised = skeleton.with_joints(|joint| {
        if joint.parent.is_none() {
            joint.offset -= up * lowest;
        }
    });
    raised.expect("lengths change no tree")
}

fn read(line: &str, level: usize, side: Option<(Side, &str)>) -> Line {
    let (name, place) = line.trim().rsplit_once(": ").expect("tables have a mark a line");
    let name = side.map_or(name.to_owned(), |(_, word)| name.replace('@', word).replace('#', &word[..1]));
    let mark = mark(place).expect("tables name marks that there are");
    let trunk = ["Trunk", "Neck"].into_iter().find(|part| place.starts_with(part));
    Line { level, name, side: side.map(|(side, _)| side), mark, trunk }
}

/// The roles of all lines: trunk and neck by their order, the others by their marks.
fn roles(lines: &[Line]) -> Vec<Option<Role>> {
    let count = lines.iter().filter(|line| line.trunk == Some("Trunk")).count();
    let (mut trunk, mut neck) = (0, 0);
    let role = |line: &Line| match line.trunk {
        Some("Trunk") => {
            trunk += 1;
            match trunk {
                1 => Some(Role::Spine),
                2 => Some(Role::Chest),
                last if last == count => Some(Role::UpperChest),
                _ => None,
            }
        }
        Some(_) => {
            neck += 1;
            (neck == 1).then_some(Role::Neck)
        }
        None => {
            line.mark.role.map(|role| if line.side == Some(Side::Right) { role.mirrored() } else { role })
        }
    };
    lines.iter().map(role).collect()
}

/// Knees and elbows bend one way. The axis of flexion comes first in the order, so that its angle has its full range.
fn dofs(role: Option<Role>) -> Dofs {
    let order = |text: &str| text.parse::<EulerOrder>().expect("an order");
    let [back, bent] = BEND.map(f64::to_radians);
    let (order, axis, range) = match role {
        Some(Role::LeftLowerLeg | Role::RightLowerLeg) => (order("XZY"), Axis::X, [back, bent]),
        Some(Role::LeftLowerArm) => (order("YXZ"), Axis::Y, [-bent, -back]),
        Some(Role::RightLowerArm) => (order("YXZ"), Axis::Y, [back, bent]),
        _ => return Dofs::ball(EulerOrder::ZXY),
    };
    let mut dofs = Dofs::ball(order);
    dofs.limits[axis.index()] = Some(Limit { min: range[0], max: range[1] });
    // These limits exclude no rotation, only the second triple of Euler angles for the same rotation, in which
    // hyperextension would look like flexion.
    let quarter = std::f64::consts::FRAC_PI_2;
    dofs.limits[order.axes()[1].index()] = Some(Limit { min: -quarter, max: quarter });
    dofs
}
