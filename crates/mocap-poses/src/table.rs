//! Tables of points and trackers: `frame,joint,x,y,z,qw,qx,qy,qz`, a row per point and frame.
//!
//! Columns are found by their names, in any order; `time` and others may be there. An unknown point or orientation has
//! empty cells or no row. Tables of positions, as other tools write them, have no orientations.

use crate::goals::Goals;
use crate::{PosesError, Quat, Vec3};
use mocap_model::{FrameRate, last_digit};
use nalgebra::Quaternion;
use std::collections::HashMap;

/// Options for reading a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableOptions {
    /// Frames per second; by default as the column `time` has it, else 30.
    pub fps: Option<FrameRate>,
    /// Most frames × points.
    pub samples: usize,
}

impl Default for TableOptions {
    fn default() -> TableOptions {
        TableOptions { fps: None, samples: 64 << 20 }
    }
}

/// The most cells (frames × points) per row: cells without a row take memory too.
const SPARSE: usize = 100;

/// The places of the columns.
struct Columns {
    frame: usize,
    joint: usize,
    position: [usize; 3],
    orientation: Option<[usize; 4]>,
    time: Option<usize>,
}

/// A row that was read.
struct Row {
    /// From 1.
    line: usize,
    frame: u64,
    point: usize,
    position: Option<Vec3>,
    orientation: Option<Quat>,
}

fn wrong(line: usize, reason: impl Into<String>) -> PosesError {
    PosesError::Table { line, reason: reason.into() }
}

/// Whether a file is a table of points: its first line names the columns.
pub fn is_table(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Ok(first) = std::str::from_utf8(&first[..first.len().min(4096)]) else { return false };
    let names = cells(first);
    let has = |name: &&str| names.iter().any(|cell| cell.trim().eq_ignore_ascii_case(name));
    // One that lacks a column is a table as well: reading it names the column.
    has(&"joint") && ["frame", "time", "x", "y", "z"].iter().filter(|name| has(name)).count() > 1
}

/// Reads a table held in memory. The least frame number in it becomes frame 0.
///
/// ```
/// use mocap_poses::read_table;
///
/// let table = "frame,joint,x,y,z,qw,qx,qy,qz\n0,Hips,0,90,0,1,0,0,0\n0,Head,0,160,2,,,,\n1,Hips,0,90,1,1,0,0,0\n";
/// let goals = read_table(table.as_bytes(), &Default::default())?;
/// assert_eq!((goals.frames(), goals.names.len()), (2, 2));
/// assert!(goals.orientations[0].is_some() && goals.orientations[1].is_none() && goals.positions[3].is_none());
/// # Ok::<(), mocap_poses::PosesError>(())
/// ```
///
/// # Errors
/// [`PosesError::Table`] with the line: missing columns, cells that are not numbers, orientations
/// of length 0, two rows for one point and frame, far more frames than rows.
pub fn read_table(bytes: &[u8], options: &TableOptions) -> Result<Goals, PosesError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        wrong(
            1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count(),
            "not UTF-8 text",
        )
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines =
        text.lines().enumerate().map(|(at, line)| (at + 1, line)).filter(|(_, line)| !line.trim().is_empty());
    let (line, header) = lines.next().ok_or_else(|| wrong(1, "the table is empty"))?;
    let columns = Columns::of(&cells(header)).map_err(|reason| wrong(line, reason))?;
    let mut names: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    let mut times: Vec<(u64, f64)> = Vec::new();
    let mut unit = 1.0f64;
    for (line, text) in lines {
        let cells = cells(text);
        let point = columns.joint(&cells).map_err(|reason| wrong(line, reason))?;
        let point = *places.entry(point.clone()).or_insert_with(|| {
            names.push(point);
            names.len() - 1
        });
        let (row, time) = columns.row(&cells, line, point).map_err(|reason| wrong(line, reason))?;
        if let Some(time) = time.filter(|_| times.last().is_none_or(|(frame, _)| *frame != row.frame)) {
            times.push((row.frame, time));
            unit = unit.min(columns.time.and_then(|at| cells.get(at)).map_or(1.0, |time| last_digit(time)));
        }
        rows.push(row);
    }
    let (Some(first), Some(furthest)) =
        (rows.iter().map(|row| row.frame).min(), rows.iter().max_by_key(|row| row.frame))
    else {
        return Err(wrong(line, "the table has no rows below its header"));
    };
    let last = furthest.frame;
    let frames = usize::try_from(last - first).unwrap_or(usize::MAX).saturating_add(1);
    let size = frames.saturating_mul(names.len());
    if size > rows.len().saturating_mul(SPARSE) || size > options.samples {
        let reason = format!(
            "frames {first} to {last} of {} points are too many for {} rows",
            names.len(),
            rows.len()
        );
        return Err(wrong(furthest.line, reason));
    }
    let rate = options.fps.or_else(|| FrameRate::of_times(&times, unit)).or_else(|| FrameRate::new(30.0));
    let rate = rate.expect("30 is a rate");
    let count = names.len();
    let (mut positions, mut orientations) = (vec![None; size], vec![None; size]);
    let mut filled = vec![false; size];
    for row in rows {
        let at = (row.frame - first) as usize * count + row.point;
        if std::mem::replace(&mut filled[at], true) {
            let reason = format!("'{}' has two rows of frame {}", names[row.point], row.frame);
            return Err(wrong(row.line, reason));
        }
        (positions[at], orientations[at]) = (row.position, row.orientation);
    }
    Ok(Goals { rate, names, positions, orientations, unit: None })
}

impl Columns {
    fn of(header: &[String]) -> Result<Columns, String> {
        let find = |name: &str| header.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let need = |name: &str| {
            find(name).ok_or_else(|| format!("the table has no column '{name}'; a table of points has frame, joint, x, y, z, and qw, qx, qy, qz of orientations"))
        };
        let turn = ["qw", "qx", "qy", "qz"].map(find);
        let orientation = match turn {
            [Some(w), Some(x), Some(y), Some(z)] => Some([w, x, y, z]),
            [None, None, None, None] => None,
            _ => return Err("an orientation has four columns: qw, qx, qy, qz".into()),
        };
        let position = [need("x")?, need("y")?, need("z")?];
        Ok(Columns {
            frame: need("frame")?,
            joint: need("joint")?,
            position,
            orientation,
            time: find("time"),
        })
    }

    fn joint(&self, cells: &[String]) -> Result<String, String> {
        let name = cells.get(self.joint).map(|name| name.trim()).filter(|name| !name.is_empty());
        name.map(str::to_owned).ok_or_else(|| "the row has no joint".into())
    }

    fn row(&self, cells: &[String], line: usize, point: usize) -> Result<(Row, Option<f64>), String> {
        let cell = |at: usize| cells.get(at).map_or("", |cell| cell.trim());
        let number = |at: usize| {
            let text = cell(at);
            let value = text.parse::<f64>().map_err(|_| format!("'{}' is not a number", short(text)))?;
            if value.is_finite() { Ok(value) } else { Err(format!("'{text}' is not finite")) }
        };
        let frame = cell(self.frame)
            .parse()
            .map_err(|_| format!("'{}' is not a frame: a whole number from 0", short(cell(self.frame))))?;
        let position = match given(self.position.map(cell)) {
            Given::None => None,
            Given::All => {
                let [x, y, z] = self.position.map(number);
                Some(Vec3::new(x?, y?, z?))
            }
            Given::Some => return Err("a position has three numbers, or three empty cells".into()),
        };
        let orientation = match self.orientation.map(|turn| (turn, given(turn.map(cell)))) {
            None | Some((_, Given::None)) => None,
            Some((turn, Given::All)) => {
                let [w, x, y, z] = turn.map(number);
                let turn = Quat::try_new(Quaternion::new(w?, x?, y?, z?), 1e-6);
                Some(turn.ok_or("an orientation has no length: 0, 0, 0, 0")?)
            }
            Some((_, Given::Some)) => {
                return Err("an orientation has four numbers, or four empty cells".into());
            }
        };
        let time = self.time.filter(|at| !cell(*at).is_empty()).map(number).transpose()?;
        Ok((Row { line, frame, point, position, orientation }, time))
    }
}

enum Given {
    None,
    Some,
    All,
}

fn given<const N: usize>(cells: [&str; N]) -> Given {
    match cells.iter().filter(|cell| !cell.is_empty()).count() {
        0 => Given::None,
        count if count == N => Given::All,
        _ => Given::Some,
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// The cells of a line; quoted ones as RFC 4180 has them.
fn cells(line: &str) -> Vec<String> {
    if !line.contains('"') {
        return line.split(',').map(str::to_owned).collect();
    }
    let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            other => cell.push(other),
        }
    }
    cells.push(cell);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(table: &[u8]) -> String {
        read_table(table, &TableOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_column_that_is_missing_is_named() {
        for (table, column) in
            [("time,joint,x,y,z", "frame"), ("frame,joint,x,y", "z"), ("joint,x,y,z", "frame")]
        {
            assert!(is_table(table.as_bytes()), "{table}");
            let error = read_table(format!("{table}\n0,Hips,1,2,3\n").as_bytes(), &Default::default());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&format!("no column '{column}'")), "{error}");
        }
        assert!(!is_table(b"frame,Hips_x,Hips_y") && !is_table(b"joint,angle"));
    }

    #[test]
    fn columns_stand_in_any_order_and_times_give_the_rate() {
        let table = "joint,z,y,x,time,frame\n\"a,\"\"b\",3,2,1,0,10\n\"a,\"\"b\",3,2,1.5,0.016667,11\n";
        let goals = read_table(table.as_bytes(), &TableOptions::default()).unwrap();
        assert_eq!(goals.names, ["a,\"b"]);
        assert_eq!((goals.frames(), goals.rate.fps()), (2, 60.0));
        assert_eq!(goals.positions[1], Some(Vec3::new(1.5, 2.0, 3.0)));
    }

    #[test]
    fn times_of_any_usual_rate_give_that_rate() {
        for rate in [24000.0 / 1001.0, 24.0, 30000.0 / 1001.0, 30.0, 60000.0 / 1001.0, 60.0, 120.0] {
            for (frames, digits) in [(2, 6), (50, 6), (500, 4), (3000, 3)] {
                let row = |frame: usize| format!("{frame},{:.digits$},a,1,2,3\n", frame as f64 / rate);
                let rows: String = (0..frames).map(row).collect();
                let table = format!("frame,time,joint,x,y,z\n{rows}");
                let found = read_table(table.as_bytes(), &TableOptions::default()).unwrap().rate.fps();
                assert!((found - rate).abs() < 1e-9, "{rate} {frames} {digits}: {found}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let head = "frame,joint,x,y,z,qw,qx,qy,qz\n";
        let cases = [
            ("", "line 1: the table is empty"),
            ("frame,joint,x,y\n", "line 1: the table has no column 'z'"),
            ("0,a,nan,0,0,,,,", "line 2: 'nan' is not finite"),
            ("0,a,one,0,0,,,,", "line 2: 'one' is not a number"),
            ("0,a,1,,0,,,,", "line 2: a position has three numbers"),
            ("0,a,1,1,0,1,,,", "line 2: an orientation has four numbers"),
            ("0,a,1,1,0,0,0,0,0", "line 2: an orientation has no length"),
            ("-1,a,1,1,0,,,,", "line 2: '-1' is not a frame"),
            ("0,,1,1,0,,,,", "line 2: the row has no joint"),
            ("0,a,1,1,0,,,,\n0,a,1,1,0,,,,", "line 3: 'a' has two rows of frame 0"),
            (
                "0,a,1,1,0,,,,\n99999999999,a,1,1,0,,,,",
                "line 3: frames 0 to 99999999999 of 1 points are too many for 2 rows",
            ),
        ];
        for (rows, wanted) in cases {
            let table = if rows.is_empty() || rows.starts_with("frame") {
                rows.into()
            } else {
                format!("{head}{rows}")
            };
            assert!(refused(table.as_bytes()).contains(wanted), "{rows}: {}", refused(table.as_bytes()));
        }
        assert!(refused(b"frame,joint,x,y,z\n0,\xff,1,1,1\n").contains("line 2: not UTF-8"));
        assert!(refused(head.as_bytes()).contains("no rows"));
    }

    #[test]
    fn a_small_table_takes_little_memory() {
        let table = |names: usize, last: usize| {
            let rows: Vec<String> = (1..names).map(|name| format!("0,a{name},1,1,1")).collect();
            format!("frame,joint,x,y,z\n{}\n{last},a0,1,1,1\n", rows.join("\n"))
        };
        let wanted = "line 821: frames 0 to 78000 of 820 points are too many for 820 rows";
        assert!(refused(table(820, 78_000).as_bytes()).contains(wanted));
        // As many cells as the number of rows allows.
        let goals = read_table(table(820, SPARSE - 1).as_bytes(), &TableOptions::default()).unwrap();
        assert_eq!(goals.frames(), SPARSE);
        assert!(refused(table(820, SPARSE).as_bytes()).contains("too many"));
    }
}
