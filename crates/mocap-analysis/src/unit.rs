//! The unit of a skeleton, guessed from the size of the body.

use mocap_model::{Skeleton, Unit, UnitSource};

/// Tree diameters of a human body and the unit that each suggests: lower end, upper end, metres per unit.
///
/// From fingertip or heel to the other end of the body is 1.0 to 3.0 m; less where ranges would overlap.
const DIAMETERS: [(f64, f64, f64); 5] = [
    (1.0, 3.0, 1.0),
    (20.0, 45.0, Unit::CMU),
    (45.0, 99.0, 0.0254),
    (100.0, 300.0, 0.01),
    (1000.0, 3000.0, 0.001),
];

/// The length [units of the skeleton] of the longest path along bones between two joints: independent of the
/// rest pose and of the axes. IK handles of a rig (`ik_hand_l`) do not count.
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

/// The unit that makes the skeleton as large as a human; `None` where no usual unit does.
///
/// ```
/// use mocap_analysis::guess_unit;
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // A body 1.8 units large is probably in metres.
/// assert_eq!(guess_unit(clip.skeleton()).unwrap().metres, 1.0);
/// ```
pub fn guess_unit(skeleton: &Skeleton) -> Option<Unit> {
    let diameter = tree_diameter(skeleton);
    let (.., metres) =
        *DIAMETERS.iter().find(|(smallest, greatest, _)| (*smallest..=*greatest).contains(&diameter))?;
    Some(Unit { metres, source: UnitSource::Guessed })
}

/// Metres per unit of a skeleton: as its space says, else as its size suggests, else 1.
pub fn metres_per_unit(skeleton: &Skeleton) -> f64 {
    let unit = skeleton.space().unit.or_else(|| guess_unit(skeleton));
    unit.map_or(1.0, |unit| unit.metres)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Dofs, EulerOrder, Joint, JointId, Space, UnitQuaternion};

    fn tree(lengths: &[(Option<u32>, f64)]) -> Skeleton {
        let joints = lengths.iter().enumerate().map(|(i, (parent, length))| Joint {
            name: format!("j{i}"),
            parent: parent.map(JointId),
            offset: [0.0, *length, 0.0].into(),
            rest_rotation: UnitQuaternion::identity(),
            dofs: Dofs::ball(EulerOrder::ZXY),
            role: None,
            end_site: false,
        });
        Skeleton::new("tree", Space::default(), joints.collect()).unwrap()
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
