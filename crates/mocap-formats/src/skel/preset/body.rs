//! Joint positions of a person of 1.75 m in a T-pose \[m\]: X to the left, Y up, Z forward.
//!
//! Based on: D. A. Winter, "Biomechanics and Motor Control of Human Movement", 4th ed., 2009 (segment lengths as
//! shares of the stature, after Drillis and Contini), rounded to centimetres; hands and feet are flat on the axes.

use mocap_model::{Role, Side, Vector3};

/// The landmark of a rig's joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mark {
    pub place: [f64; 3],
    /// The role, that of the left side for paired joints; trunk and neck joints get roles by their order.
    pub role: Option<Role>,
}

/// Heights of the ends of trunk and neck: hips, base of the neck, head.
const HIPS: f64 = 0.95;
const NECK: f64 = 1.46;
const HEAD: f64 = 1.56;
/// Height of the arms.
const ARMS: f64 = 1.42;

/// Named landmarks of the left side.
const PLACES: [(&str, [f64; 3]); 14] = [
    ("Floor", [0.0, 0.0, 0.0]),
    ("Hips", [0.0, HIPS, 0.0]),
    ("Head", [0.0, HEAD, 0.0]),
    ("HeadTop", [0.0, 1.75, 0.0]),
    ("UpperLeg", [0.09, 0.92, 0.0]),
    ("LowerLeg", [0.09, 0.5, 0.0]),
    ("Foot", [0.09, 0.085, 0.0]),
    ("Toes", [0.09, 0.02, 0.13]),
    ("ToeEnd", [0.09, 0.02, 0.2]),
    ("Shoulder", [0.03, ARMS, 0.0]),
    ("UpperArm", [0.18, ARMS, 0.0]),
    ("LowerArm", [0.46, ARMS, 0.0]),
    ("Hand", [0.71, ARMS, 0.0]),
    ("HandEnd", [0.895, ARMS, 0.0]),
];

/// Fingers: their base (X and Z from the wrist), and the lengths of their three bones.
const FINGERS: [(&str, [f64; 2], [f64; 3]); 5] = [
    ("Thumb", [0.03, 0.03], [0.045, 0.035, 0.025]),
    ("Index", [0.09, 0.03], [0.042, 0.026, 0.022]),
    ("Middle", [0.092, 0.008], [0.045, 0.028, 0.02]),
    ("Ring", [0.088, -0.014], [0.041, 0.026, 0.02]),
    ("Little", [0.08, -0.034], [0.033, 0.02, 0.018]),
];

/// The mark that a table names: a place, `Trunk 0.5` or `Neck 0.5` (a share of the way up), `A>B 0.5` (a share of
/// the way from one place to another), `=A` (at a place, without its role), or a finger's joint `Index1` to
/// `Index4`, its end, and `Index0` in the palm.
pub(super) fn mark(name: &str) -> Option<Mark> {
    let (base, share) = match name.split_once(' ') {
        Some((base, share)) => (base, share.parse::<f64>().ok()?),
        None => (name, 0.0),
    };
    let up = |from: f64, to: f64| Some(Mark { place: [0.0, from + share * (to - from), 0.0], role: None });
    if let Some((from, to)) = base.split_once('>') {
        let (from, to) = (place(from)?, place(to)?);
        let place = std::array::from_fn(|axis| from[axis] + share * (to[axis] - from[axis]));
        return Some(Mark { place, role: None });
    }
    match base {
        "Trunk" => up(HIPS, NECK),
        "Neck" => up(NECK, HEAD),
        _ => match base.strip_prefix('=') {
            Some(base) => Some(Mark { place: place(base)?, role: None }),
            None => Some(Mark { place: place(base)?, role: role(base) }),
        },
    }
}

fn place(name: &str) -> Option<[f64; 3]> {
    let known = PLACES.iter().find(|(known, _)| *known == name).map(|(_, place)| *place);
    known.or_else(|| finger(name))
}

fn finger(name: &str) -> Option<[f64; 3]> {
    let (_, [x, z], bones) =
        FINGERS.iter().find(|(finger, ..)| name.strip_suffix(char::is_numeric) == Some(finger))?;
    let joint = name.chars().last()?.to_digit(10)? as usize;
    let [hand, ..] = place("Hand")?;
    if joint == 0 {
        return Some([hand + 0.25 * x, ARMS, 0.6 * z]);
    }
    let along: f64 = bones.get(..joint - 1)?.iter().sum();
    // The thumb points forward and out, the others straight out.
    let direction = if name.starts_with("Thumb") { [0.6, 0.8] } else { [1.0, 0.0] };
    Some([hand + x + along * direction[0], ARMS, z + along * direction[1]])
}

fn role(name: &str) -> Option<Role> {
    name.parse().or_else(|_| format!("Left{name}").parse()).ok()
}

/// The landmark at the end of a bone without a child joint.
pub(super) fn end_of(role: Role) -> Option<&'static str> {
    let left = if role.side() == Some(Side::Right) { role.mirrored() } else { role };
    Some(match left {
        Role::Head => "HeadTop",
        Role::LeftToes => "ToeEnd",
        Role::LeftHand => "HandEnd",
        Role::LeftThumb3 => "Thumb4",
        Role::LeftIndex3 => "Index4",
        Role::LeftMiddle3 => "Middle4",
        Role::LeftRing3 => "Ring4",
        Role::LeftLittle3 => "Little4",
        _ => return None,
    })
}

/// A place on a side of the body.
pub(super) fn on_side(place: [f64; 3], side: Option<Side>) -> Vector3<f64> {
    let [x, y, z] = place;
    Vector3::new(if side == Some(Side::Right) { -x } else { x }, y, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read() {
        assert_eq!(mark("Trunk 0.5").unwrap().place, [0.0, (HIPS + NECK) / 2.0, 0.0]);
        assert_eq!(mark("UpperLeg>LowerLeg 0.5").unwrap().place, [0.09, 0.71, 0.0]);
        assert_eq!(mark("UpperLeg").unwrap().role, Some(Role::LeftUpperLeg));
        assert_eq!(mark("=Foot").unwrap().role, None);
        assert_eq!(mark("Index2").unwrap().role, Some(Role::LeftIndex2));
        assert_eq!(mark("Index4").unwrap().role, None);
        assert!((mark("Middle4").unwrap().place[0] - 0.895).abs() < 1e-9);
        assert_eq!(mark("Tail"), None);
        assert_eq!(mark("Index9"), None);
    }
}
