//! The unit of a skeleton, guessed from the size of the body.
//!
//! The size is measured on legs and trunk. The other parts of a skeleton (the actor's position in the studio
//! between root and hips, props, tails, long arms) say nothing about its unit.

use mocap_model::{JointId, Role, Skeleton, Unit, UnitSource};

/// Statures and the unit that each suggests: lower end, upper end [units of the skeleton], metres per unit.
///
/// From a child of half a metre to a giant of four metres; less where ranges would overlap.
const STATURES: [(f64, f64, f64); 4] =
    [(0.5, 4.0, 1.0), (14.0, 45.0, Unit::CMU), (50.0, 400.0, 0.01), (500.0, 4000.0, 0.001)];
/// Statures that are adults in inches, within the range of centimetres. In centimetres they would be toddlers
/// or cartoon characters, which have short legs.
const INCHES: std::ops::RangeInclusive<f64> = 60.0..=78.0;
/// Share of the legs in legs and trunk: above it a body is an adult (0.57), below it a toddler (0.45).
const ADULT: f64 = 0.5;

/// The stature over the length of legs (hip joint to ankle) and trunk (hips to head joint) together, and over that of
/// the legs. Based on: R. Drillis, R. Contini, "Body Segment Parameters", 1966.
const OVER_LEGS_AND_TRUNK: f64 = 1.19;
const OVER_LEGS: f64 = 2.06;

/// Tree diameters of a body without roles and the unit that each suggests, as in [`STATURES`].
///
/// From fingertip or heel to the other end of the body is 1.0 to 3.0 m; less where ranges would overlap.
const DIAMETERS: [(f64, f64, f64); 5] = [
    (1.0, 3.0, 1.0),
    (20.0, 45.0, Unit::CMU),
    (45.0, 99.0, 0.0254),
    (100.0, 300.0, 0.01),
    (1000.0, 3000.0, 0.001),
];

/// The lengths of a body [units of the skeleton].
struct Body {
    /// From hip joint to ankle.
    legs: f64,
    /// From the hips to the head joint.
    trunk: Option<f64>,
}

impl Body {
    fn of(skeleton: &Skeleton) -> Option<Body> {
        let length = |top: Role, bottom: Role| {
            let (top, bottom) = (skeleton.with_role(top)?, skeleton.with_role(bottom)?);
            path_length(skeleton, top, bottom)
        };
        // Legs of robots start at the first hinge of the hip; the role may be on one beside the knee.
        let hips = skeleton.limb_roots(Role::LeftUpperLeg, Role::RightUpperLeg)?;
        let leg = |hip, foot| path_length(skeleton, hip, skeleton.with_role(foot)?);
        let legs = (leg(hips[0], Role::LeftFoot)? + leg(hips[1], Role::RightFoot)?) / 2.0;
        let trunk = length(Role::Hips, Role::Head).or_else(|| length(Role::Hips, Role::Neck));
        let trunk = trunk.filter(|trunk| *trunk > 0.0);
        (legs > 0.0 && legs.is_finite()).then_some(Body { legs, trunk })
    }

    fn stature(&self) -> f64 {
        self.trunk.map_or(self.legs * OVER_LEGS, |trunk| (self.legs + trunk) * OVER_LEGS_AND_TRUNK)
    }

    fn is_adult(&self) -> bool {
        self.trunk.is_none_or(|trunk| self.legs >= ADULT * (self.legs + trunk))
    }
}

/// The stature of a body [units of the skeleton], from the lengths of its legs and trunk: independent of the pose.
/// `None` without the roles of both legs, or where these have no length.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // Legs of 88 cm make a person of about 1.8 m.
/// assert!((mocap_analysis::stature(clip.skeleton()).unwrap() - 1.8).abs() < 0.05);
/// ```
pub fn stature(skeleton: &Skeleton) -> Option<f64> {
    Body::of(skeleton).map(|body| body.stature())
}

/// The length of the bones from a joint down to one below it; `None` where it is not below.
pub(crate) fn path_length(skeleton: &Skeleton, top: JointId, bottom: JointId) -> Option<f64> {
    let mut length = 0.0;
    let mut at = bottom;
    while at != top {
        let joint = skeleton.joint(at);
        length += joint.offset.norm();
        at = joint.parent?;
    }
    Some(length)
}

/// The length of the legs from hip joint to ankle, the mean of both [units of the skeleton]; `None` without the roles of
/// both legs, or where these have no length.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// assert!((mocap_analysis::leg_length(clip.skeleton()).unwrap() - 0.88).abs() < 1e-12);
/// ```
pub fn leg_length(skeleton: &Skeleton) -> Option<f64> {
    Body::of(skeleton).map(|body| body.legs)
}

/// The length [units of the skeleton] of the longest path along bones between two joints: independent of the
/// rest pose and of the axes. IK handles of a rig (`ik_hand_l`) do not count.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // From the toes of one foot to those of the other.
/// let leg = 0.1 + 0.45 + 0.43 + 0.06f64.hypot(0.13);
/// assert!((mocap_analysis::tree_diameter(clip.skeleton()) - 2.0 * leg).abs() < 1e-12);
/// ```
pub fn tree_diameter(skeleton: &Skeleton) -> f64 {
    // The longest and second longest way down from each joint; children come after their parents.
    let mut down = vec![[0.0f64; 2]; skeleton.len()];
    let mut diameter = 0.0f64;
    for (id, joint) in skeleton.iter().rev() {
        if is_handle(&joint.name) {
            continue;
        }
        let [first, second] = down[id.index()];
        diameter = diameter.max(first + second);
        if let Some(parent) = joint.parent {
            let way = first + joint.offset.norm();
            let best = &mut down[parent.index()];
            if way > best[0] {
                *best = [way, best[0]];
            } else if way > best[1] {
                best[1] = way;
            }
        }
    }
    diameter
}

fn is_handle(name: &str) -> bool {
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("ik"))
}

/// The unit that makes the skeleton as large as a human; `None` where no usual unit does. Measured on the legs and
/// trunk of a skeleton with roles ([`stature`]); without roles, or where these fit no unit, on the whole tree
/// ([`tree_diameter`]).
///
/// ```
/// use mocap_analysis::guess_unit;
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // A body 1.8 units large is probably in metres.
/// assert_eq!(guess_unit(clip.skeleton()).unwrap().metres, 1.0);
/// ```
pub fn guess_unit(skeleton: &Skeleton) -> Option<Unit> {
    unit_guess(skeleton).map(|guess| guess.unit)
}

/// A unit that was guessed from the size of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitGuess {
    /// The unit.
    pub unit: Unit,
    /// Whether legs and trunk have the size of an adult or older child in this unit and in no other usual one.
    pub certain: bool,
}

/// Like [`guess_unit`], with its certainty.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let guess = mocap_analysis::unit_guess(clip.skeleton()).unwrap();
/// assert!(guess.certain && guess.unit.metres == 1.0);
/// ```
pub fn unit_guess(skeleton: &Skeleton) -> Option<UnitGuess> {
    let body = Body::of(skeleton);
    let by_body = body.as_ref().and_then(|body| match body.stature() {
        stature if INCHES.contains(&stature) && body.is_adult() => Some(0.0254),
        stature => in_range(stature, &STATURES),
    });
    let metres = by_body.or_else(|| in_range(tree_diameter(skeleton), &DIAMETERS))?;
    let certain = by_body.is_some() && body.is_some_and(|body| is_certain(body.stature(), metres));
    Some(UnitGuess { unit: Unit { metres, source: UnitSource::Guessed }, certain })
}

/// Statures of people older than toddlers [m].
const GROWN: std::ops::RangeInclusive<f64> = 1.2..=2.6;

/// Whether a stature is that of a grown person in this unit and in no other. Inches are rare, so an adult in
/// inches may as well be a small child in centimetres.
fn is_certain(stature: f64, metres: f64) -> bool {
    let units = [1.0, Unit::CMU, 0.0254, 0.01, 0.001];
    let grown = units.iter().filter(|unit| GROWN.contains(&(stature * **unit)));
    metres != 0.0254 && grown.count() == 1 && GROWN.contains(&(stature * metres))
}

fn in_range(size: f64, ranges: &[(f64, f64, f64)]) -> Option<f64> {
    let range = ranges.iter().find(|(smallest, greatest, _)| (*smallest..=*greatest).contains(&size));
    range.map(|(.., metres)| *metres)
}

/// Metres per unit of a skeleton: as its space states, else as its size suggests, else 1.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// assert_eq!(mocap_analysis::metres_per_unit(clip.skeleton()), 1.0);
/// ```
pub fn metres_per_unit(skeleton: &Skeleton) -> f64 {
    let unit = skeleton.space().unit.or_else(|| guess_unit(skeleton));
    unit.map_or(1.0, |unit| unit.metres)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Joint, JointId, Space, Vector3};

    fn tree(lengths: &[(Option<u32>, f64)]) -> Skeleton {
        let joints = lengths.iter().enumerate().map(|(i, (parent, length))| {
            Joint::new(format!("j{i}"), parent.map(JointId), [0.0, *length, 0.0].into())
        });
        Skeleton::new("tree", Space::default(), joints.collect()).unwrap()
    }

    #[test]
    fn legs_of_robots_start_at_the_first_hinge_of_the_hip() {
        let mut joints = vec![Joint { role: Some(Role::Hips), ..Joint::new("base", None, Vector3::zeros()) }];
        for (side, x) in [("left", 0.1), ("right", -0.1)] {
            let of = |role: Role| Some(if side == "left" { role } else { role.mirrored() });
            // The hinge with the role of the thigh is at the knee.
            for (name, down, role) in [
                ("hip_roll", 0.0, None),
                ("hip_yaw", 0.4, of(Role::LeftUpperLeg)),
                ("knee", 0.0, of(Role::LeftLowerLeg)),
                ("ankle", 0.38, of(Role::LeftFoot)),
            ] {
                let parent = if name == "hip_roll" { 0 } else { joints.len() - 1 };
                let at = Vector3::new(if parent == 0 { x } else { 0.0 }, -down, 0.0);
                joints.push(Joint {
                    role,
                    ..Joint::new(format!("{side}_{name}"), Some(JointId::from(parent)), at)
                });
            }
        }
        let robot = Skeleton::new("robot", Space::default(), joints).unwrap();
        assert!((leg_length(&robot).unwrap() - 0.78).abs() < 1e-12);
    }

    #[test]
    fn the_diameter_is_the_longest_path_and_ignores_where_the_root_stands() {
        // root(1000) - a(3) - b(4), and a - c(2), root - d(1)
        let skeleton =
            tree(&[(None, 1000.0), (Some(0), 3.0), (Some(1), 4.0), (Some(1), 2.0), (Some(0), 1.0)]);
        assert_eq!(tree_diameter(&skeleton), 8.0);
        // Handles hang on the root, and their children on them.
        let handles = |joint: &mut Joint| {
            if joint.name == "j3" || joint.name == "j4" {
                joint.name.insert_str(0, "ik_");
            }
        };
        let chain = [(None, 0.0), (Some(0), 3.0), (Some(1), 4.0), (Some(0), 9.0), (Some(3), 9.0)];
        assert_eq!(tree_diameter(&tree(&chain).with_joints(handles).unwrap()), 7.0);
        // The longest path need not pass the root.
        let skeleton = tree(&[(None, 0.0), (Some(0), 1.0), (Some(1), 5.0), (Some(1), 6.0)]);
        assert_eq!(tree_diameter(&skeleton), 11.0);
    }

    #[test]
    fn legs_and_trunk_tell_the_unit_whatever_else_the_tree_holds() {
        let roles = [
            Role::Hips,
            Role::LeftUpperLeg,
            Role::LeftFoot,
            Role::RightUpperLeg,
            Role::RightFoot,
            Role::Head,
        ];
        // A root far from the hips, and a tail.
        let body = |size: f64, far: f64| {
            let [leg, trunk] = [0.84, 0.62].map(|share| share * size);
            let lengths = [
                (None, 0.0),
                (Some(0), far),
                (Some(1), 0.1 * size),
                (Some(2), leg),
                (Some(1), 0.1 * size),
                (Some(4), leg),
                (Some(1), trunk),
                (Some(1), far),
            ];
            let mut at = 0;
            let with_roles = |joint: &mut Joint| {
                joint.role = (at > 0).then(|| roles.get(at - 1).copied()).flatten();
                at += 1;
            };
            tree(&lengths).with_joints(with_roles).unwrap()
        };
        assert!((stature(&body(1.0, 5.0)).unwrap() - 1.7374).abs() < 1e-12);
        let name = |size: f64| guess_unit(&body(size, 20.0 * size)).map(|unit| unit.name().unwrap());
        assert_eq!(name(100.0), Some("cm"));
        // A child of 90 cm, and a giant.
        assert_eq!(name(52.0), Some("cm"));
        assert_eq!(name(178.0), Some("cm"));
        assert_eq!(name(1.78), Some("m"));
        assert_eq!(name(1000.0 / 25.4), Some("in"));
        assert_eq!(name(1.0 / Unit::CMU), Some("cmu"));
        assert_eq!(name(1000.0), Some("mm"));
        assert_eq!(guess_unit(&body(5.0, 0.0)), None);
        // Where two units make a grown person, or none does, the guess is not certain.
        let certain = |size: f64| unit_guess(&body(size, 0.0)).map(|guess| guess.certain);
        assert_eq!([100.0, 1.0, 1000.0, 17.0].map(certain), [Some(true); 4]);
        assert_eq!([52.0, 40.0, 178.0].map(certain), [Some(false); 3]);
        assert_eq!(leg_length(&body(100.0, 50.0)), Some(84.0));
        // A character with short legs is small, not an adult in inches.
        let short = |joint: &mut Joint| {
            if matches!(joint.role, Some(Role::LeftFoot | Role::RightFoot)) {
                joint.offset *= 0.5;
            }
        };
        let cartoon = body(50.0, 0.0).with_joints(short).unwrap();
        assert!((60.0..78.0).contains(&stature(&cartoon).unwrap()));
        assert_eq!(guess_unit(&cartoon).unwrap().name(), Some("cm"));
        // Without a head the legs count.
        let headless =
            body(100.0, 0.0).with_joints(|joint| joint.role = joint.role.filter(|role| *role != Role::Head));
        assert!((stature(&headless.unwrap()).unwrap() - 173.04).abs() < 1e-9);
    }

    #[test]
    fn usual_sizes_have_usual_units_and_others_none() {
        let name = |length| guess_unit(&tree(&[(None, 0.0), (Some(0), length)])).map(|u| u.name().unwrap());
        assert_eq!(name(1.7), Some("m"));
        assert_eq!(name(31.0), Some("cmu"));
        assert_eq!(name(70.0), Some("in"));
        assert_eq!(name(180.0), Some("cm"));
        assert_eq!(name(1800.0), Some("mm"));
        assert_eq!(name(0.0), None);
        assert_eq!(name(8.0), None);
        assert_eq!(name(500.0), None);
    }
}
