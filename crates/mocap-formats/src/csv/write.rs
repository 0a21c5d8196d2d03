//! Writes tables of positions.

use crate::names::Unique;
use crate::number;
use mocap_model::{Clip, ForwardKinematics, Skeleton};
use std::io::{self, Write};

/// Writes the table of a clip, frame by frame: memory does not grow with the clip.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let mut table = Vec::new();
/// mocap_formats::csv::write(&clip, &mut table)?;
/// assert!(table.starts_with(b"frame,time,joint,x,y,z\n0,0,Hips,"));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of `out`.
pub fn write(clip: &Clip, out: &mut impl Write) -> io::Result<()> {
    let skeleton = clip.skeleton();
    let names: Vec<Vec<u8>> = names(skeleton).iter().map(|name| cell(name)).collect();
    out.write_all(b"frame,time,joint,x,y,z\n")?;
    let mut world = ForwardKinematics::new(clip);
    let (mut rows, mut start) = (Vec::new(), Vec::new());
    for frame in 0..clip.frames() {
        world.place(frame);
        start.clear();
        number::write(&mut start, frame as f64);
        start.push(b',');
        number::write(&mut start, micro(frame as f64 * clip.rate().frame_time()));
        start.push(b',');
        rows.clear();
        for (name, joint) in names.iter().zip(&world.pose().joints) {
            rows.extend_from_slice(&start);
            rows.extend_from_slice(name);
            for value in &joint.translation.vector {
                rows.push(b',');
                number::write(&mut rows, micro(*value));
            }
            rows.push(b'\n');
        }
        out.write_all(&rows)?;
    }
    Ok(())
}

/// A name for each joint and end site. Joints keep theirs.
fn names(skeleton: &Skeleton) -> Vec<String> {
    let mut unique = Unique::default();
    let mut names: Vec<String> = skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
    for (name, _) in names.iter().zip(skeleton.joints()).filter(|(_, joint)| !joint.end_site) {
        unique.claim(name);
    }
    for (id, joint) in skeleton.iter().filter(|(_, joint)| joint.end_site) {
        let name = match joint.parent {
            Some(parent) => format!("{}_End", skeleton.joint(parent).name),
            None => joint.name.clone(),
        };
        names[id.index()] = unique.claim(&name);
    }
    names
}

/// Six decimals, and no negative zero.
pub(super) fn micro(value: f64) -> f64 {
    let scaled = value * 1e6;
    let rounded = if scaled.abs() < 1e15 { number::nearest(scaled) } else { scaled.round() };
    rounded / 1e6 + 0.0
}

/// A text as a cell.
pub(super) fn cell(text: &str) -> Vec<u8> {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into_bytes(),
        false => text.as_bytes().to_vec(),
    }
}
