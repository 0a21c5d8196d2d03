//! Motions of SMPL bodies as AMASS has them: NPZ files with `poses` (axis times angle \[rad\]) and `trans` \[m\], Z up.
//!
//! The position of the pelvis is `trans` plus its position in the body at rest. The joints are those of the neutral
//! mean body, or of [`ReadOptions::body`](crate::ReadOptions::body); shape parameters are not applied.
//!
//! Based on: N. Mahmood et al., "AMASS: Archive of Motion Capture as Surface Shapes", 2019.

mod body;
mod format;
mod from_clip;
mod joints;
mod model;
mod problem;
mod to_clip;

pub use from_clip::of_clip;
pub use model::Model;
pub use problem::Problem;

pub(crate) use format::FORMAT;
pub(crate) use joints::mean_offset;
pub(crate) use to_clip::to_clip;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::{Array, Arrays, Data, Source};
    use crate::{Format, Limits, ReadOptions, WriteOptions, npz, read, write};
    use mocap_model::{
        Clip, Isometry3, Joint, JointId, JointTracks, Role, ScalarTrack, SignedAxis, Skeleton, Track,
        UnitQuaternion, Vector3,
    };
    use std::sync::Arc;

    /// A motion of that many joints: the body stands upright and bends its left knee.
    fn file(joints: usize) -> Arrays {
        let frames = 5;
        let mut poses = vec![0.0; frames * joints * 3];
        for frame in 0..frames {
            poses[frame * joints * 3] = std::f64::consts::FRAC_PI_2;
            poses[frame * joints * 3 + 12] = 0.2 * frame as f64;
        }
        let trans = (0..frames).flat_map(|frame| [0.1 * frame as f64, 2.0, 1.2]).collect();
        let mut arrays = Arrays::default();
        arrays.insert("poses", Array::new([frames, joints * 3], Data::F64(poses)));
        arrays.insert("trans", Array::new([frames, 3], Data::F64(trans)));
        arrays.insert("betas", Array::new([3], Data::F64(vec![0.5, -1.25, 0.1])));
        arrays.insert("gender", Array::text("female"));
        arrays.insert("mocap_framerate", Array::scalar(120.0));
        arrays
    }

    #[test]
    fn motions_come_back() {
        for joints in [24, 52, 55] {
            let arrays = file(joints);
            let bytes = npz::to_bytes(&arrays);
            let options = ReadOptions::default();
            let document = read(&bytes, &options).unwrap();
            assert_eq!((document.value.format(), document.warnings.len()), (Format::Smpl, 0));
            let clip = document.value.into_clip(&options).unwrap().value;
            assert_eq!(clip.skeleton().space().up, SignedAxis::Z);
            let pelvis = clip.local(mocap_model::JointId(0), 1).translation.vector;
            let model = Model::of_joints(joints).unwrap();
            assert!((pelvis - model.pelvis() - Vector3::new(0.1, 2.0, 1.2)).norm() < 1e-12);
            let knee = clip.skeleton().with_role(Role::LeftLowerLeg).unwrap();
            assert!((clip.local(knee, 4).rotation.angle() - 0.8).abs() < 1e-12);
            let again = write(&clip, Format::Smpl, &WriteOptions::default()).unwrap().main.into_bytes();
            let again = npz::Archive::open(&again, &Limits::default()).unwrap().read(|_| true).unwrap();
            for name in ["poses", "trans", "betas", "gender"] {
                let (a, b) = (arrays.get(name).unwrap(), again.get(name).unwrap());
                assert_eq!(a.shape, b.shape, "{name}");
                for at in 0..a.data.len() {
                    match (a.data.number(at), b.data.number(at)) {
                        (Some(a), Some(b)) => assert!((a - b).abs() < 1e-12, "{name} {at}: {a} {b}"),
                        _ => assert_eq!(a, b),
                    }
                }
            }
        }
    }

    #[test]
    fn a_bvh_stands_at_rest_and_gives_the_same_poses() {
        let arrays = file(52);
        let options = ReadOptions::default();
        let clip = read(&npz::to_bytes(&arrays), &options).unwrap().value.into_clip(&options).unwrap().value;
        for up in [SignedAxis::Z, SignedAxis::Y] {
            let forward = match up {
                SignedAxis::Z => SignedAxis { negative: true, ..SignedAxis::Y },
                _ => SignedAxis::Z,
            };
            let space = mocap_model::Space { up, forward, ..*clip.skeleton().space() };
            let clip = clip.in_space(space).unwrap();
            let bvh = write(&clip, Format::Bvh, &WriteOptions::default()).unwrap().main.into_bytes();
            let again = read(&bvh, &options).unwrap().value.into_clip(&options).unwrap().value;
            let again = again.clone().with_skeleton(Arc::new(again.skeleton().with_space(space))).unwrap();
            let place = |clip: &Clip, name: &str, frame: Option<usize>| {
                let skeleton = clip.skeleton();
                let (mut pose, mut object) =
                    (mocap_model::Pose::rest(skeleton), mocap_model::Pose::default());
                if let Some(frame) = frame {
                    pose.joints = skeleton.iter().map(|(id, _)| clip.local(id, frame)).collect();
                }
                pose.to_object(skeleton, &mut object);
                object.joints[skeleton.find(name).unwrap().index()].translation.vector
            };
            let trunk = place(&again, "head", None) - place(&again, "pelvis", None);
            assert!(trunk.dot(&up.vector()) > 0.95 * trunk.norm(), "{up}: {trunk}");
            for name in ["head", "left_wrist", "right_foot"] {
                let off = place(&again, name, Some(4)) - place(&clip, name, Some(4));
                assert!(off.norm() < 1e-5, "{up} {name}: {off}");
            }
            let written = of_clip(&again).unwrap();
            for name in ["poses", "trans"] {
                let (a, b) = (arrays.get(name).unwrap(), written.get(name).unwrap());
                for at in 0..a.data.len() {
                    let [a, b] = [a, b].map(|array| array.data.number(at).unwrap());
                    assert!((a - b).abs() < 2e-5, "{up} {name} {at}: {a} {b}");
                }
            }
        }
    }

    #[test]
    fn bodies_of_other_bones_move_the_same_way() {
        let bytes = npz::to_bytes(&file(24));
        let read_on = |body: Option<mocap_model::Skeleton>| {
            let options = ReadOptions { body: body.map(Into::into), ..ReadOptions::default() };
            let document = read(&bytes, &options)?.value;
            document.into_clip(&options).map(|clip| clip.value)
        };
        let mean = read_on(None).unwrap();
        // A tall body with a pelvis of its own, in centimetres.
        let unit = Some(mocap_model::Unit { metres: 0.01, source: mocap_model::UnitSource::File });
        let space = mocap_model::Space { unit, ..*mean.skeleton().space() };
        let tall = mean.skeleton().with_joints(|joint| joint.offset *= 110.0).unwrap().with_space(space);
        let clip = read_on(Some(tall.clone())).unwrap();
        for (joint, (a, b)) in clip.skeleton().joints().iter().zip(mean.skeleton().joints()).enumerate() {
            assert!((a.offset - b.offset * 1.1).norm() < 1e-12, "{}", a.name);
            let id = mocap_model::JointId::from(joint);
            assert_eq!(clip.local(id, 3).rotation, mean.local(id, 3).rotation);
        }
        let again = write(&clip, Format::Smpl, &WriteOptions::default()).unwrap().main.into_bytes();
        let again = npz::Archive::open(&again, &Limits::default()).unwrap().read(|_| true).unwrap();
        let (a, b) = (again.get("trans").unwrap(), file(24));
        let b = b.get("trans").unwrap();
        (0..15)
            .for_each(|at| assert!((a.data.number(at).unwrap() - b.data.number(at).unwrap()).abs() < 1e-12));
        // Skeletons of others, and bodies in another rest pose, are refused.
        let bent = tall.with_joints(|joint| {
            if joint.name == "left_elbow" {
                joint.offset = Vector3::new(0.0, -25.0, 0.0);
            }
        });
        assert_eq!(read_on(bent.ok()).unwrap_err().error.code(), "smpl::other-rest");
        let headless = tall.with_joints(|joint| {
            if joint.name == "head" {
                joint.name = "skull".into();
            }
        });
        assert_eq!(read_on(headless.ok()).unwrap_err().error.code(), "smpl::other-skeleton");
    }

    /// The clip with its pelvis below a new root that moves and turns; joints stay where they are in object space.
    fn below_a_root(clip: &Clip) -> Clip {
        let root = Joint::new("root", None, Vector3::new(0.5, 0.0, 0.0));
        let mut joints = vec![root];
        joints.extend(clip.skeleton().joints().iter().cloned().map(|joint| Joint {
            parent: Some(joint.parent.map_or(JointId(0), |parent| JointId(parent.0 + 1))),
            ..joint
        }));
        let above = joints[0].offset;
        joints[1].offset -= above;
        let place = |frame: usize| {
            let turn = UnitQuaternion::from_euler_angles(0.1 * frame as f64, 0.0, 0.3 + 0.2 * frame as f64);
            Isometry3::from_parts(Vector3::new(0.25 * frame as f64, -1.0, 0.125).into(), turn)
        };
        let mut tracks = vec![JointTracks {
            rotation: Track::Sampled((0..clip.frames()).map(|frame| place(frame).rotation).collect()),
            translation: Some(Track::Sampled(
                (0..clip.frames()).map(|frame| place(frame).translation.vector).collect(),
            )),
            scale: None,
        }];
        tracks.extend(clip.tracks().iter().cloned());
        let pelvis = |frame: usize| place(frame).inverse() * clip.local(JointId(0), frame);
        tracks[1].rotation = Track::Sampled((0..clip.frames()).map(|frame| pelvis(frame).rotation).collect());
        tracks[1].translation =
            Some(Track::Sampled((0..clip.frames()).map(|frame| pelvis(frame).translation.vector).collect()));
        let skeleton = Skeleton::new(clip.skeleton().name(), *clip.skeleton().space(), joints).unwrap();
        let moved = Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks).unwrap();
        moved.with_annotations(clip.annotations().clone()).unwrap()
    }

    fn motion(joints: usize) -> Clip {
        let options = ReadOptions::default();
        read(&npz::to_bytes(&file(joints)), &options).unwrap().value.into_clip(&options).unwrap().value
    }

    /// The largest difference of the numbers of two files.
    fn largest_difference(one: &Arrays, other: &Arrays) -> f64 {
        let numbers = |arrays: &Arrays, name: &str| {
            let data = &arrays.get(name).unwrap().data;
            (0..data.len()).map(|at| data.number(at).unwrap()).collect::<Vec<f64>>()
        };
        let mut worst = 0.0f64;
        for name in ["poses", "trans"] {
            let (a, b) = (numbers(one, name), numbers(other, name));
            assert_eq!(a.len(), b.len());
            worst = a.iter().zip(&b).fold(worst, |worst, (a, b)| worst.max((a - b).abs()));
        }
        worst
    }

    #[test]
    fn what_is_above_the_pelvis_moves_it() {
        for joints in [24, 52, 55] {
            let plain = motion(joints);
            let off = largest_difference(&of_clip(&plain).unwrap(), &of_clip(&below_a_root(&plain)).unwrap());
            assert!(off < 1e-12, "{joints}: {off}");
        }
    }

    #[test]
    fn a_joint_between_two_of_the_body_turns_the_lower_one() {
        let plain = motion(24);
        let knee = plain.skeleton().with_role(Role::LeftLowerLeg).unwrap();
        // Half of the bone, and half of the turn of the knee, are those of a joint above it.
        let mut joints = plain.skeleton().joints().to_vec();
        let half = Joint { name: "twist".into(), role: None, ..joints[knee.index()].clone() };
        let half = Joint { offset: half.offset * 0.5, ..half };
        joints[knee.index()].offset *= 0.5;
        joints[knee.index()].parent = Some(JointId(knee.0));
        joints.insert(knee.index(), half);
        for joint in &mut joints[knee.index() + 2..] {
            joint.parent = joint.parent.map(|parent| JointId(parent.0 + u32::from(parent >= knee)));
        }
        let mut tracks = plain.tracks().to_vec();
        let turns: Vec<_> =
            (0..plain.frames()).map(|frame| plain.local(knee, frame).rotation.powf(0.5)).collect();
        tracks[knee.index()].rotation = Track::Sampled(turns);
        tracks.insert(knee.index(), tracks[knee.index()].clone());
        let skeleton = Skeleton::new("", *plain.skeleton().space(), joints).unwrap();
        let split = Clip::new(Arc::new(skeleton), plain.rate(), plain.frames(), tracks).unwrap();
        let off = largest_difference(&of_clip(&plain).unwrap(), &of_clip(&split).unwrap());
        assert!(off < 1e-12, "{off}");
    }

    #[test]
    fn joints_below_others_than_in_the_models_are_refused() {
        let plain = motion(24);
        let skeleton = plain.skeleton();
        let place = |name: &str| {
            JointId::from(skeleton.joints().iter().position(|joint| joint.name == name).unwrap())
        };
        let mut joints = skeleton.joints().to_vec();
        joints[place("neck").index()].parent = Some(place("spine2"));
        let other = Arc::new(Skeleton::new("", *skeleton.space(), joints).unwrap());
        let tracks = plain.tracks().to_vec();
        let clip = Clip::new(other.clone(), plain.rate(), plain.frames(), tracks).unwrap();
        let refused = of_clip(&clip).unwrap_err();
        assert_eq!(refused.code(), "smpl::other-skeleton");
        assert!(
            refused.to_string().contains("'neck' is below 'spine2', expected below 'spine3'"),
            "{refused}"
        );
        // Nor do such joints state the bones of a body.
        let options = ReadOptions { body: Some(other), ..ReadOptions::default() };
        let refused = read(&npz::to_bytes(&file(24)), &options).err().unwrap();
        assert_eq!(refused.error.code(), "smpl::other-skeleton");
    }

    #[test]
    fn numbers_that_are_no_shape_parameters_are_left_out_with_a_warning() {
        let plain = motion(24);
        let codes = |clip: &Clip| -> Vec<String> {
            let written = write(clip, Format::Smpl, &WriteOptions::default()).unwrap();
            written.warnings.iter().map(|warning| format!("{} {warning}", warning.code())).collect()
        };
        assert_eq!(codes(&plain), Vec::<String>::new());
        let mut annotations = plain.annotations().clone();
        annotations.scalars.push(ScalarTrack { name: "smile".into(), values: Track::Constant(0.5) });
        let smiling = plain.with_annotations(annotations).unwrap();
        let [code] = &codes(&smiling)[..] else { panic!("one warning") };
        assert!(code.starts_with("clip::scalars-left-out 1 scalar track is left out"), "{code}");
    }

    #[test]
    fn broken_files_are_refused_with_their_path() {
        let code = |arrays: &Arrays| {
            let source = Source { arrays, suffix: ".npy" };
            let error = to_clip(&source, &ReadOptions::default()).unwrap_err();
            (error.code(), error.to_string())
        };
        let mut odd = file(24);
        odd.insert("poses", Array::new([5, 71], Data::F64(vec![0.0; 5 * 71])));
        assert_eq!(code(&odd).0, "smpl::joints");
        let mut short = file(24);
        short.insert("trans", Array::new([4, 3], Data::F64(vec![0.0; 12])));
        assert_eq!(code(&short).0, "arrays::shape");
        let mut nan = file(24);
        let Data::F64(poses) = &mut nan.get_mut("poses").unwrap().data else { panic!("floats") };
        poses[72 + 4] = f64::NAN;
        let (nan, text) = code(&nan);
        assert!(nan == "arrays::not-finite" && text.starts_with("poses.npy[1, 4]: NaN"), "{text}");
        assert!(text.contains("left_hip") && text.contains("frame 1"), "{text}");
        let mut without = file(24);
        without.remove("mocap_framerate");
        assert_eq!(code(&without).0, "arrays::missing");
        // Two rates that differ: the first one counts, and both are named.
        let mut two = file(24);
        two.insert("mocap_frame_rate", Array::scalar(120.0));
        two.insert("fps", Array::scalar(30.0));
        let read = |arrays: &Arrays, fps| {
            let source = Source { arrays, suffix: ".npy" };
            to_clip(&source, &ReadOptions { fps, ..ReadOptions::default() }).unwrap()
        };
        let twice = read(&two, None);
        assert_eq!((twice.value.rate().fps(), twice.warnings.len()), (120.0, 1));
        let text = twice.warnings[0].to_string();
        assert!(text.contains("mocap_framerate.npy is 120, fps.npy is 30"), "{text}");
        assert_eq!(read(&two, Some(60.0)).warnings, []);
        // A body that stands along Y is reported.
        let mut lying = file(24);
        let zeros = Array::new([5, 72], Data::F64(vec![0.0; 5 * 72]));
        lying.insert("poses", zeros);
        let source = Source { arrays: &lying, suffix: ".npy" };
        assert_eq!(to_clip(&source, &ReadOptions::default()).unwrap().warnings[0].code(), "smpl::y-up");
    }
}
