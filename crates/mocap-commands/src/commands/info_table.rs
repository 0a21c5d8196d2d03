//! The table of `mocap info DIR`: one line per clip.

use clap::ValueEnum;
use mocap::{FileFacts, MarkerFacts, UnitFacts, short};

use super::quality::Measured;
use crate::diagnostic::Diagnostic;

/// One line of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    path: String,
    frames: Option<usize>,
    fps: Option<f64>,
    unit: String,
    /// \[m\]
    height: Option<f64>,
    finding: String,
    /// Sort key: infinite if the file cannot be read, above 1 for a finding about the motion, below 1 for
    /// warnings only.
    badness: f64,
}

impl Line {
    pub(super) fn of(
        path: &str,
        facts: &FileFacts,
        measured: Option<&Measured>,
        warnings: &[Diagnostic],
    ) -> Line {
        let clip = (facts.fps.is_some()).then_some(facts.frames);
        Line {
            height: measured.and_then(|measured| measured.height),
            ..Line::of_file(path, (clip, facts.fps), &facts.unit, measured, warnings)
        }
    }

    /// The line of a recording of markers.
    pub(super) fn of_markers(path: &str, facts: &MarkerFacts, warnings: &[Diagnostic]) -> Line {
        Line::of_file(path, (Some(facts.frames), Some(facts.fps)), &facts.unit, None, warnings)
    }

    fn of_file(
        path: &str,
        (frames, fps): (Option<usize>, Option<f64>),
        unit: &UnitFacts,
        measured: Option<&Measured>,
        warnings: &[Diagnostic],
    ) -> Line {
        let worst = measured.and_then(|measured| measured.worst.clone());
        let more = measured.map_or(0, |measured| measured.findings.len().saturating_sub(1));
        let finding = match (worst, warnings) {
            (Some(worst), _) if more > 0 => format!("{worst} and {more} more"),
            (Some(worst), _) => worst,
            (None, [first, ..]) => first.code.to_owned(),
            (None, []) => "-".to_owned(),
        };
        Line {
            path: path.to_owned(),
            frames,
            fps,
            unit: unit.name.map_or_else(
                || unit.metres.map_or("?".to_owned(), |metres| format!("{} m", short(metres))),
                str::to_owned,
            ),
            height: None,
            finding,
            badness: measured.map_or(0.0, |measured| measured.severity)
                + warnings.len() as f64 / (warnings.len() as f64 + 1.0) / 2.0,
        }
    }

    /// The line of an index or of example poses, which hold no motion.
    pub(super) fn of_database(path: String) -> Line {
        Line { path, unit: "-".into(), finding: "-".into(), ..Line::default() }
    }

    /// The line of a file that cannot be read.
    pub(super) fn failed(path: String, code: &str) -> Line {
        let finding = format!("error[{code}]");
        Line { path, unit: "-".into(), finding, badness: f64::INFINITY, ..Line::default() }
    }

    fn cells(&self) -> [String; 6] {
        let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        [
            shown(self.frames.map(|frames| frames.to_string())),
            shown(self.fps.map(short)),
            self.unit.clone(),
            shown(self.height.map(|height| format!("{height:.2} m"))),
            self.finding.clone(),
            self.path.clone(),
        ]
    }
}

/// The order of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum SortBy {
    /// The order of the inputs
    #[default]
    Path,
    /// The worst first
    Quality,
    /// The most first
    Frames,
    /// The tallest first
    Height,
}

/// The sorted lines, with columns as wide as their widest cell. The path is last because it may be long.
pub(super) fn table(mut lines: Vec<Line>, sort: SortBy) -> String {
    // Equal lines stay in the order of the inputs.
    match sort {
        SortBy::Path => {}
        SortBy::Quality => lines.sort_by(|a, b| b.badness.total_cmp(&a.badness)),
        SortBy::Frames => lines.sort_by_key(|line| std::cmp::Reverse(line.frames)),
        SortBy::Height => {
            lines.sort_by(|a, b| b.height.unwrap_or(-1.0).total_cmp(&a.height.unwrap_or(-1.0)));
        }
    }
    let head = ["frames", "fps", "unit", "height", "worst finding", "path"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(head).chain(lines.iter().map(Line::cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let text = |row: &[String; 6]| {
        let [frames, fps, unit, height, finding, path] = row;
        let [a, b, c, d, e, _] = widths;
        format!("{frames:>a$}  {fps:>b$}  {unit:<c$}  {height:>d$}  {finding:<e$}  {path}")
    };
    rows.iter().map(text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, frames: usize, height: f64, badness: f64) -> Line {
        let finding = if badness > 1.0 { "turn of 90°" } else { "-" };
        Line {
            path: path.into(),
            frames: Some(frames),
            fps: Some(120.0),
            unit: "cm".into(),
            height: Some(height),
            finding: finding.into(),
            badness,
        }
    }

    #[test]
    fn columns_are_aligned_and_the_worst_comes_first() {
        let lines = vec![
            line("a.bvh", 1200, 1.7, 0.0),
            Line::failed("b.bvh".into(), "bvh::row-length"),
            line("c.bvh", 7, 1.8, 1.6),
        ];
        assert_eq!(
            table(lines.clone(), SortBy::Quality),
            "frames  fps  unit  height  worst finding           path\n\
             \x20    -    -  -          -  error[bvh::row-length]  b.bvh\n\
             \x20    7  120  cm    1.80 m  turn of 90°             c.bvh\n\
             \x20 1200  120  cm    1.70 m  -                       a.bvh"
        );
        let order = |sort| {
            let table = table(lines.clone(), sort);
            table
                .lines()
                .skip(1)
                .map(|line| line.split_whitespace().last().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(order(SortBy::Path), ["a.bvh", "b.bvh", "c.bvh"]);
        assert_eq!(order(SortBy::Frames), ["a.bvh", "c.bvh", "b.bvh"]);
        assert_eq!(order(SortBy::Height), ["c.bvh", "a.bvh", "b.bvh"]);
    }
}
