//! Spikes and dropouts that are added to motions are detected and repaired.

use mocap_edit::{Denoise, EditReport, denoise};
use mocap_model::{Clip, JointId, JointTracks, Role, Track, UnitQuaternion, Vector3, angle_between, exp};

use super::{clip, read};

fn joint(clip: &Clip, role: Role) -> JointId {
    let skeleton = mocap_retarget::map_roles_in(clip).certain().apply(clip.skeleton());
    skeleton.with_role(role).unwrap_or_else(|| panic!("{role:?}"))
}

/// The clip with other tracks of one joint.
fn changed(clip: &Clip, joint: JointId, change: impl FnOnce(&mut JointTracks)) -> Clip {
    let mut tracks = clip.tracks().to_vec();
    change(&mut tracks[joint.index()]);
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap()
}

fn rotations(tracks: &JointTracks, frames: usize) -> Vec<UnitQuaternion<f64>> {
    (0..frames).map(|frame| tracks.rotation.at(frame)).collect()
}

fn reported(report: &EditReport, joint: &str) -> bool {
    report.warnings.iter().any(|warning| warning.code == "edit::dropout" && warning.message.contains(joint))
}

fn figure(report: &EditReport, name: &str) -> f64 {
    report.figures.iter().find(|figure| figure.name == name).and_then(|figure| figure.value).unwrap()
}

/// Holds three joints, or sets them to the identity, for a tenth of a second. Returns the number of dropouts that are
/// reported and filled to a third of the error, the number of all, and the missed ones.
fn dropouts(name: &str, clip: &Clip) -> (usize, usize, Vec<String>) {
    let (mut filled, mut count, mut missed) = (0, 0, Vec::new());
    let length = (0.1 * clip.rate().fps()).round() as usize;
    for role in [Role::LeftUpperArm, Role::RightLowerLeg, Role::LeftUpperLeg] {
        let id = joint(clip, role);
        let start = clip.frames() * 2 / 5;
        for held in [true, false] {
            let lost = changed(clip, id, |tracks| {
                let mut values = rotations(tracks, clip.frames());
                let value = if held { values[start - 1] } else { UnitQuaternion::identity() };
                values[start..start + length].fill(value);
                tracks.rotation = Track::Sampled(values);
            });
            let (clean, report) = denoise(&lost, Denoise::Auto).unwrap();
            let off = |other: &Clip| {
                let apart = |frame| {
                    angle_between(&clip.track(id).rotation.at(frame), &other.track(id).rotation.at(frame))
                };
                (start..start + length).map(apart).fold(0.0, f64::max).to_degrees()
            };
            count += 1;
            let (was, is) = (off(&lost), off(&clean));
            let reported = reported(&report, &clip.skeleton().joint(id).name);
            // Dropouts in which the joint moves less than the noise need not be found.
            if (reported && is < (0.34 * was).max(2.0)) || was < 1.0 {
                filled += 1;
            } else {
                missed
                    .push(format!("{name} {role:?} held {held}: {was:.1}° -> {is:.1}°, reported {reported}"));
            }
        }
    }
    (filled, count, missed)
}

/// Jumps of the whole body for one and two frames, and of joints in the first and last frame.
fn jumps(name: &str, clip: &Clip) -> Vec<String> {
    let mut missed = Vec::new();
    let hips = joint(clip, Role::Hips);
    let root =
        (0..=hips.index()).map(JointId::from).find(|id| clip.track(*id).translation.is_some()).unwrap();
    let size = mocap_analysis::tree_diameter(clip.skeleton());
    let frames = clip.frames();
    for (number, length) in [(1, 1), (2, 2)] {
        for share in [0.04, 0.15, 0.8] {
            for direction in [Vector3::x(), Vector3::y(), Vector3::z()] {
                let start = frames / 2 + number;
                let jumped = changed(clip, root, |tracks| {
                    let track = tracks.translation.as_ref().unwrap();
                    let mut values: Vec<Vector3<f64>> = (0..frames).map(|frame| track.at(frame)).collect();
                    values[start..start + length].iter_mut().for_each(|at| *at += direction * share * size);
                    tracks.translation = Some(Track::Sampled(values));
                });
                let (clean, report) = denoise(&jumped, Denoise::Auto).unwrap();
                let off = |frame: usize| {
                    (clip.local(root, frame).translation.vector - clean.local(root, frame).translation.vector)
                        .norm()
                };
                let left = (start - 1..=start + length).map(off).fold(0.0, f64::max) / (share * size);
                if left > 0.25 || figure(&report, "spikes") < 1.0 {
                    missed
                        .push(format!("{name}: root by {share} of the size for {length}: {left:.2} is left"));
                }
            }
        }
    }
    for role in [Role::LeftUpperArm, Role::RightLowerLeg, Role::LeftUpperLeg] {
        let id = joint(clip, role);
        for frame in [0, frames - 1] {
            let spiked = changed(clip, id, |tracks| {
                let mut values = rotations(tracks, frames);
                values[frame] *= exp(&Vector3::new(0.5, 0.3, 0.0));
                tracks.rotation = Track::Sampled(values);
            });
            let (clean, _) = denoise(&spiked, Denoise::Auto).unwrap();
            let off = |other: &Clip| {
                angle_between(&clip.track(id).rotation.at(frame), &other.track(id).rotation.at(frame))
                    .to_degrees()
            };
            if off(&clean) > 0.25 * off(&spiked) {
                missed.push(format!(
                    "{name}: {role:?} in frame {frame}: {:.1}° of {:.1}°",
                    off(&clean),
                    off(&spiked)
                ));
            }
        }
    }
    missed
}

/// At most so many dropouts and jumps are missed: joints that turn back while they are held, and small jumps and ends of a run
/// of 23 frames.
fn check(clips: &[(&str, Clip)], most: [usize; 2]) {
    let (mut filled, mut count, mut missed, mut jumped) = (0, 0, Vec::new(), Vec::new());
    for (name, clip) in clips {
        let found = dropouts(name, clip);
        (filled, count) = (filled + found.0, count + found.1);
        missed.extend(found.2);
        jumped.extend(jumps(name, clip));
        // Nothing is detected in clean motion, which stays unchanged.
        let (_, report) = denoise(clip, Denoise::Auto).unwrap();
        mocap_corpus::note!(
            "{name}: {} dropouts, {} spikes, {:?}°",
            figure(&report, "dropouts"),
            figure(&report, "spikes"),
            report.rms_deg
        );
        assert_eq!(figure(&report, "dropouts"), 0.0, "{name}: {report} {:?}", report.warnings);
        if name.starts_with("cmu") || !name.ends_with(".bvh") {
            assert!(report.rms_deg.unwrap() < 0.1, "{name}: {report}");
        }
    }
    mocap_corpus::note!("{filled} of {count} dropouts, {} jumps missed", jumped.len());
    missed.iter().chain(&jumped).for_each(|line| mocap_corpus::note!("{line}"));
    assert!(missed.len() <= most[0] && jumped.len() <= most[1], "{missed:#?}\n{jumped:#?}");
}

pub(super) fn spikes_and_dropouts_of_the_fixtures_are_mended() {
    let fixture = |name| read(&mocap_corpus::fixture(&format!("clips/{name}.bvh")));
    check(&["alex_walk", "robin_walk", "alex_jump"].map(|name| (name, fixture(name))), [1, 0]);
}

pub(super) fn spikes_and_dropouts_of_real_motions_are_mended() {
    let names = [
        "bandai/dataset-1_walk_normal_001.bvh",
        "bandai/dataset-1_run_normal_001.bvh",
        "bandai/dataset-1_kick_normal_001.bvh",
        "misc/games105_walk60.bvh",
        "cmu/12_01_walk.bvh",
        "iclone/007_01.bvh",
    ];
    let from = |name: &str| {
        let clip = clip(name);
        clip.trimmed(1..clip.frames().min(600)).unwrap()
    };
    check(&names.map(|name| (name, from(name))), [4, 8]);
}
