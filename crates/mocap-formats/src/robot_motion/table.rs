//! Tables of a robot's motion: a row per frame.

use std::sync::Arc;

use mocap_model::{FrameRate, Isometry3, Robot, RobotMotion, RobotPose, UnitQuaternion, Vector3};
use nalgebra::Quaternion;

use super::columns::{BASE, TIME, has_header, in_order, named};
use super::sidecar::Stated;
use super::times::in_times;
use super::{Order, Problem};
use crate::gaps::fill;
use crate::{Finding, LimitExceeded, Limits, Parsed, text};

/// Frames per second where nothing states them.
const USUAL: f64 = 30.0;
/// Numbers whose length differs more from 1 are not a quaternion.
const LENGTH: f64 = 1e-2;

/// Whether a line holds as many numbers as a pose of a robot has at least: no other table has numbers in its first line.
pub(super) fn is_pose(line: &[u8]) -> bool {
    let cells = std::str::from_utf8(line).unwrap_or("").split(',');
    let numbers: Option<Vec<f64>> = cells.map(|cell| cell.trim().parse().ok()).collect();
    numbers.is_some_and(|numbers| numbers.len() > BASE.len())
}

/// Writes x y z, the quaternion x y z w and the joints; with a header, the time \[s\] comes first.
pub(super) fn write(motion: &RobotMotion, robot: &Robot, order: Order, header: bool) -> Vec<u8> {
    let joints = order.joints(robot);
    let mut out = String::new();
    if header {
        let mut names = vec![TIME.to_owned()];
        names.extend(BASE.map(str::to_owned));
        names.extend(joints.iter().map(|joint| cell(&robot.joints()[*joint].name)));
        out.push_str(&names.join(","));
        out.push('\n');
    }
    for (frame, pose) in motion.poses.iter().enumerate() {
        let time = header.then(|| frame as f64 / motion.fps.fps());
        let base = pose.base.translation.vector;
        let q = pose.base.rotation.coords;
        let values = joints.iter().map(|joint| pose.values[*joint]);
        let row = time.into_iter().chain(base.iter().copied()).chain(q.iter().copied()).chain(values);
        for (column, value) in row.enumerate() {
            if column > 0 {
                out.push(',');
            }
            out.push_str(&(value + 0.0).to_string());
        }
        out.push('\n');
    }
    out.into_bytes()
}

/// A name as a cell. A spreadsheet takes what starts with one of `=+-@` for a formula: it is quoted as text.
fn cell(name: &str) -> String {
    let formula = name.starts_with(['=', '+', '-', '@', '\t']);
    let name = if formula { format!("'{name}") } else { name.to_owned() };
    match name.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name,
    }
}

/// Reads a table, with or without a header, at `fps` if stated, else at the rate of its times, else at that of the file
/// beside it.
pub(super) fn read(
    bytes: &[u8],
    robot: &Arc<Robot>,
    (fps, sidecar): (Option<f64>, Option<Result<Stated, String>>),
    repair: bool,
    limits: &Limits,
) -> Result<Parsed<RobotMotion>, Finding> {
    let text = text::open(bytes, limits)?;
    let mut rows = Rows { text: &text, at: 0 };
    let header = has_header(&text);
    let columns = match rows.next_row().filter(|_| header) {
        Some(first) => named(&text, &first, robot)?,
        None => in_order(robot),
    };
    if !header {
        rows.at = 0;
    }
    let width = BASE.len() + robot.joints().len();
    let (mut numbers, mut spans, mut times) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(row) = rows.next_row() {
        let whole = row[0].start..row[row.len() - 1].end;
        let expected = columns.len();
        if row.len() != expected {
            let problem = Problem::Columns { found: row.len(), expected };
            return Err(Finding::new(problem).at(&text, whole).in_frame(spans.len()));
        }
        if spans.len() >= limits.frames {
            let (found, limit) = (spans.len() + 1, limits.frames);
            return Err(Finding::new(LimitExceeded { what: "frames", found, limit }));
        }
        let start = numbers.len();
        numbers.resize(start + width, 0.0);
        for (column, span) in columns.iter().zip(&row) {
            let cell = std::str::from_utf8(&text[span.clone()]).unwrap_or("").trim();
            let is_number = |number: &f64| number.is_finite() || (repair && column.is_some());
            let number = cell.parse().ok().filter(is_number).ok_or_else(|| {
                let problem = Problem::Number { text: text::quote(cell.as_bytes()) };
                Finding::new(problem).at(&text, span.clone()).in_frame(spans.len())
            })?;
            match column {
                None => times.push(number),
                Some(place) => numbers[start + place] = number,
            }
        }
        spans.push(whole);
    }
    if spans.is_empty() {
        return Err(Finding::new(Problem::NoFrames));
    }
    let mended = mend(&mut numbers, width);
    let joints: Vec<usize> = (0..robot.joints().len()).collect();
    let mut poses = Vec::with_capacity(spans.len());
    for (numbers, span) in numbers.chunks_exact(width).zip(&spans) {
        let pose = pose(numbers, &joints)
            .map_err(|problem| Finding::new(problem).at(&text, span.clone()).in_frame(poses.len()))?;
        poses.push(pose);
    }
    let in_times = in_times(&times).filter(|_| fps.is_none());
    let fitting = sidecar.map(|sidecar| fitting(sidecar?, &poses, robot, header)).transpose();
    let (beside, mut warnings) = match fitting {
        Ok(beside) => (beside, Vec::new()),
        Err(reason) => (None, vec![Finding::new(Problem::Sidecar { reason })]),
    };
    warnings.extend(mended);
    let known = fps.or(in_times.as_ref().map(|found| found.fps)).or(beside);
    if header && !columns.contains(&None) && known.is_none() {
        warnings.push(Finding::new(Problem::NoRate { fps: USUAL }));
    }
    if let Some((count, frame, problem)) = in_times.and_then(|found| found.uneven) {
        let finding = Finding { count, ..Finding::new(problem) };
        warnings.push(finding.at(&text, spans[frame].clone()).in_frame(frame));
    }
    let fps = FrameRate::new(known.unwrap_or(USUAL));
    let fps = fps.ok_or_else(|| Finding::new(Problem::Times))?;
    // The times are rounded: snap to a usual rate.
    let fps = FrameRate::from_frame_time(1.0 / fps.fps()).unwrap_or(fps);
    Ok(Parsed { value: RobotMotion { fps, poses }, warnings })
}

/// Interpolates over numbers that are not finite, in rows of `width`, and says where the first is and how many there are.
fn mend(numbers: &mut [f64], width: usize) -> Option<Finding> {
    let wrong = |number: &f64| !number.is_finite();
    let first = numbers.iter().position(wrong)?;
    let count = numbers.iter().filter(|number| wrong(number)).count();
    let turned: Vec<bool> = numbers.chunks_exact(width).map(|row| row[3..7].iter().any(wrong)).collect();
    for column in 0..width {
        fill(&mut numbers[column..], width, None, if column == 6 { 1.0 } else { 0.0 });
    }
    for (row, _) in numbers.chunks_exact_mut(width).zip(turned).filter(|(_, turned)| *turned) {
        let length = row[3..7].iter().map(|part| part * part).sum::<f64>().sqrt();
        row[3..7].iter_mut().for_each(|part| *part /= length);
    }
    Some(Finding { count, ..Finding::new(Problem::Repaired) }.in_frame(first / width))
}

/// The rate in the file beside a table, if it is about this table and this robot.
fn fitting(stated: Stated, poses: &[RobotPose], robot: &Robot, header: bool) -> Result<f64, String> {
    if stated.frames != poses.len() {
        return Err(format!("it is about {} frames, and the table has {}", stated.frames, poses.len()));
    }
    if !header && stated.joints.len() != robot.joints().len() {
        let (stated, own) = (stated.joints.len(), robot.joints().len());
        return Err(format!("it names {stated} joints, and the robot has {own}"));
    }
    let own = robot.joints().iter().map(|joint| &joint.name);
    let other = own.zip(&stated.joints).find(|(own, stated)| own != stated);
    match other.filter(|_| !header) {
        Some((own, stated)) => Err(format!("it names the joint '{stated}' where the robot has '{own}'")),
        None => Ok(stated.fps),
    }
}

/// A pose of the base and the values of joints in an order.
pub(super) fn pose(numbers: &[f64], joints: &[usize]) -> Result<RobotPose, Problem> {
    let q = Quaternion::new(numbers[6], numbers[3], numbers[4], numbers[5]);
    if (q.norm() - 1.0).abs() > LENGTH {
        return Err(Problem::Quaternion { length: q.norm() });
    }
    let mut values = vec![0.0; joints.len()];
    for (joint, value) in joints.iter().zip(&numbers[BASE.len()..]) {
        values[*joint] = *value;
    }
    // A quaternion of length 1 keeps its bits.
    let exact = (q.norm() - 1.0).abs() < 1e-12;
    let rotation = if exact { UnitQuaternion::new_unchecked(q) } else { UnitQuaternion::new_normalize(q) };
    let place = Vector3::new(numbers[0], numbers[1], numbers[2]);
    Ok(RobotPose { base: Isometry3::from_parts(place.into(), rotation), values })
}

/// The cells of a table, row by row; blank lines are left out.
struct Rows<'t> {
    text: &'t [u8],
    at: usize,
}

impl Rows<'_> {
    fn next_row(&mut self) -> Option<Vec<std::ops::Range<usize>>> {
        while self.at < self.text.len() {
            let (mut cells, mut start, mut quoted) = (Vec::new(), self.at, false);
            let mut end = self.at;
            while end < self.text.len() && (quoted || !matches!(self.text[end], b'\n' | b'\r')) {
                match self.text[end] {
                    b'"' => quoted = !quoted,
                    b',' if !quoted => {
                        cells.push(start..end);
                        start = end + 1;
                    }
                    _ => {}
                }
                end += 1;
            }
            cells.push(start..end);
            let blank = cells.len() == 1 && self.text[cells[0].clone()].trim_ascii().is_empty();
            self.at = end + 1;
            if !blank {
                return Some(cells);
            }
        }
        None
    }
}
