//! The table of *Editing*: noise of 1° per axis on local rotations of a BVH, and what `denoise` leaves of it.
//!
//! `cargo run --release -p mocap-edit --example denoise_table -- METHOD SKIP FILE...`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use mocap_edit::{Denoise, denoise};
use mocap_model::{Clip, ForwardKinematics, JointTracks, Track, UnitQuaternion, Vector3, angle_between, exp};

/// Normal numbers, the same on every machine.
struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn next(&mut self) -> f64 {
        (-2.0 * self.uniform().max(1e-300).ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

fn with_rotations(clip: &Clip, mut change: impl FnMut(&UnitQuaternion<f64>) -> UnitQuaternion<f64>) -> Clip {
    let tracks = clip.skeleton().joints().iter().zip(clip.tracks()).map(|(joint, tracks)| {
        let values = (0..clip.frames()).map(|frame| change(&tracks.rotation.at(frame))).collect();
        let rotation = if joint.end_site { tracks.rotation.clone() } else { Track::Sampled(values) };
        JointTracks { rotation, ..tracks.clone() }
    });
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks.collect())
        .expect("finite rotations")
}

/// The median size of third differences of joint positions.
fn jerk(clip: &Clip) -> f64 {
    let mut kinematics = ForwardKinematics::new(clip);
    let joints: Vec<_> =
        clip.skeleton().iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
    let mut frames: Vec<Vec<Vector3<f64>>> = Vec::new();
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        frames.push(joints.iter().map(|id| kinematics.position(*id)).collect());
    }
    let sizes = frames.windows(4).flat_map(|f| {
        let third = |i: usize| (f[3][i] - f[0][i] + (f[1][i] - f[2][i]) * 3.0).norm();
        (0..joints.len()).map(third).collect::<Vec<_>>()
    });
    let mut sizes: Vec<f64> = sizes.collect();
    sizes.sort_by(f64::total_cmp);
    sizes[sizes.len() / 2]
}

/// 0.2 % of the rotations turned by 20°, and what is left of that: the largest error there, and the rms error of what is
/// more than three frames away from every spike of its joint.
fn spikes(clip: &Clip, method: Denoise) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let mut normal = Normal(3);
    let mut spiked: Vec<Vec<usize>> = Vec::new();
    let frames = clip.frames();
    let tracks = clip.skeleton().joints().iter().zip(clip.tracks()).map(|(joint, tracks)| {
        let mut found = Vec::new();
        let values = (0..frames).map(|frame| {
            let value = tracks.rotation.at(frame);
            if frame < 3 || frame + 3 >= frames || joint.end_site || normal.uniform() >= 0.002 {
                return value;
            }
            found.push(frame);
            let axis = Vector3::from_fn(|_, _| normal.next()).normalize();
            value * exp(&(axis * 20f64.to_radians()))
        });
        let rotation = Track::Sampled(values.collect());
        spiked.push(found);
        JointTracks { rotation, ..tracks.clone() }
    });
    let tracks = tracks.collect();
    let noisy = Clip::new(clip.skeleton().clone(), clip.rate(), frames, tracks)?;
    let clean = denoise(&noisy, method)?.0;
    let (mut left, mut squares, mut count) = (0.0f64, 0.0, 0.0);
    for (id, joint) in clip.skeleton().iter().filter(|(_, joint)| !joint.end_site) {
        let found = &spiked[id.index()];
        for frame in 0..frames {
            let (a, b) = (clip.track(id).rotation.at(frame), clean.track(id).rotation.at(frame));
            let angle = angle_between(&a, &b).to_degrees();
            if found.contains(&frame) {
                left = left.max(angle);
            } else if found.iter().all(|spike| spike.abs_diff(frame) > 3) {
                (squares, count) = (squares + angle * angle, count + 1.0);
            }
            if std::env::var_os("SHOW").is_some() && angle > 2.0 {
                println!("  {} {frame} {angle:.1} {}", joint.name, found.contains(&frame));
            }
        }
    }
    Ok((left, f64::sqrt(squares / count)))
}

fn error(a: &Clip, b: &Clip) -> (f64, f64) {
    let (mut squares, mut count, mut most) = (0.0, 0.0, 0.0f64);
    for (id, _) in a.skeleton().iter().filter(|(_, joint)| !joint.end_site) {
        for frame in 0..a.frames() {
            let angle =
                angle_between(&a.track(id).rotation.at(frame), &b.track(id).rotation.at(frame)).to_degrees();
            (squares, count, most) = (squares + angle * angle, count + 1.0, most.max(angle));
        }
    }
    ((squares / count).sqrt(), most)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let method: Denoise = arguments.next().ok_or("METHOD SKIP FILE...")?.parse()?;
    let skip: usize = arguments.next().ok_or("METHOD SKIP FILE...")?.parse()?;
    for path in arguments {
        let document = mocap_formats::bvh::parse(&std::fs::read(&path)?, &Default::default())?.value;
        let clip = mocap_formats::bvh::to_clip(&document, &Default::default())?.value;
        let clip = clip.trimmed(skip..clip.frames().min(skip + 600))?;
        let (mut sums, mut seconds) = ([0.0; 4], 0.0);
        for seed in 1..=5 {
            let mut normal = Normal(seed);
            let size = 1f64.to_radians();
            let noisy = with_rotations(&clip, |q| q * exp(&Vector3::from_fn(|_, _| size * normal.next())));
            let started = Instant::now();
            let (clean, report) = denoise(&noisy, method)?;
            seconds += started.elapsed().as_secs_f64();
            let (rms, most) = error(&clip, &clean);
            let noise = report.figures.first().and_then(|figure| figure.value).unwrap_or(0.0);
            let found = [rms, most, jerk(&clean) / jerk(&clip), noise];
            sums.iter_mut().zip(found).for_each(|(sum, value)| *sum += value / 5.0);
        }
        let (left, elsewhere) = spikes(&clip, method)?;
        let (still, _) = error(&clip, &denoise(&clip, method)?.0);
        if std::env::var_os("SHOW").is_some() {
            let cl = denoise(&clip, method)?.0;
            for (id, joint) in clip.skeleton().iter() {
                for f in 0..clip.frames() {
                    let a = angle_between(&clip.track(id).rotation.at(f), &cl.track(id).rotation.at(f))
                        .to_degrees();
                    if a > 2.0 {
                        println!("  clean {} {f} {a:.1}", joint.name);
                    }
                }
            }
        }
        let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
        let speed = (5 * joints * clip.frames()) as f64 / seconds / 1e6;
        let [rms, most, jerk, noise] = sums;
        println!(
            "{path}: rms {rms:.3}, max {most:.2}, jerk {jerk:.2}, noise {noise:.3}, clean {still:.3}, spikes left {left:.1}, \
             elsewhere {elsewhere:.3}, {speed:.2} M joint-frames/s"
        );
    }
    Ok(())
}
