//! What the columns of a robot's table are.

use std::ops::Range;

use mocap_model::Robot;

use super::{Order, Problem};
use crate::Finding;

/// The columns of the base.
pub(super) const BASE: [&str; 7] = ["root_x", "root_y", "root_z", "root_qx", "root_qy", "root_qz", "root_qw"];
pub(super) const TIME: &str = "time";

/// The start of a table with a header. Tables of markers may have a point called root, but no quaternions.
pub(crate) fn has_header(start: &[u8]) -> bool {
    let line = start.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or(start);
    let mut cells = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let is_turn = |cell: &[u8]| BASE[3..].iter().any(|name| name.as_bytes() == cell);
    line.starts_with(b"time,root_x,") || cells.any(is_turn)
}

/// By column: its place in a row of the base and the joints of the robot; `None` for the time.
pub(super) type Columns = Vec<Option<usize>>;

/// The columns of a table without a header.
pub(super) fn in_order(robot: &Robot) -> Columns {
    let joints = Order::Dfs.joints(robot).into_iter().map(|joint| BASE.len() + joint);
    (0..BASE.len()).chain(joints).map(Some).collect()
}

/// The columns that a header names, in any order: each of the base and of the joints once, the time at most once.
pub(super) fn named(text: &[u8], cells: &[Range<usize>], robot: &Robot) -> Result<Columns, Finding> {
    let mut found = vec![false; BASE.len() + robot.joints().len()];
    let mut columns = Columns::with_capacity(cells.len());
    for span in cells {
        let name = String::from_utf8_lossy(&text[span.clone()]).trim().to_owned();
        let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        let name = quoted.map_or(name.clone(), |name| name.replace("\"\"", "\""));
        let plain = name.strip_prefix('\'').filter(|name| name.starts_with(['=', '+', '-', '@', '\t']));
        let base = BASE.iter().position(|base| *base == name);
        let joint = robot.find_joint(plain.unwrap_or(&name)).map(|joint| BASE.len() + joint);
        // A joint may have the name of a column of the base, which comes first.
        let places = || base.into_iter().chain(joint);
        let column = match places().find(|place| !found[*place]) {
            _ if name == TIME && !columns.contains(&None) => None,
            Some(place) => Some(place),
            None => {
                let is_known = name == TIME || places().next().is_some();
                let problem =
                    if is_known { Problem::RepeatedColumn { name } } else { Problem::UnknownJoint { name } };
                return Err(Finding::new(problem).at(text, span.clone()));
            }
        };
        column.into_iter().for_each(|place: usize| found[place] = true);
        columns.push(column);
    }
    let problem = found.iter().position(|found| !found).map(|place| match BASE.get(place) {
        Some(name) => Problem::MissingColumn { name },
        None => Problem::MissingJoint { name: robot.joints()[place - BASE.len()].name.clone() },
    });
    problem.map_or(Ok(columns), |problem| Err(Finding::new(problem)))
}
