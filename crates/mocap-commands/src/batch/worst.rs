//! The worst clips of a run by figure: a table at the end of a run over many inputs.

use mocap::short;
use mocap_analysis::Gated;

/// A figure of a clip, under the name that gates use. Greater is worse.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) value: f64,
}

impl Figure {
    /// Some figures of a report, in this order, without those that were not measured.
    pub(crate) fn of_report<R: Gated>(report: &R, names: &[&str]) -> Vec<Figure> {
        let metrics = names.iter().filter_map(|name| R::METRICS.iter().find(|metric| metric.name == *name));
        let figure = |metric: &mocap_analysis::Metric<R>| {
            Some(Figure { name: metric.name, unit: metric.unit, value: metric.of(report)? })
        };
        metrics.filter_map(figure).collect()
    }

    fn shown(unit: &str, value: f64) -> String {
        match unit {
            "m" | "m/s" => format!("{} m{unit}", short((value * 1e4).round() / 10.0)),
            "" => short((value * 1e3).round() / 1e3),
            unit => format!("{} {unit}", short((value * 100.0).round() / 100.0)),
        }
    }
}

/// The figures of all clips so far.
#[derive(Debug, Default)]
pub(super) struct Worst {
    columns: Vec<Column>,
}

/// One figure over all clips.
#[derive(Debug)]
struct Column {
    name: &'static str,
    unit: &'static str,
    values: Vec<f64>,
    /// The greatest value, and the first clip that has it.
    worst: (f64, String),
}

impl Worst {
    /// Adds the figures of a clip.
    pub(super) fn add(&mut self, path: &str, figures: &[Figure]) {
        // Two steps may measure the same figure: the greater value counts for the clip.
        let measured = figures.iter().enumerate().filter(|(_, figure)| !figure.value.is_nan());
        let rank = |at: usize, value: f64| (value, usize::MAX - at);
        let is_greatest = |(at, figure): &(usize, &Figure)| {
            let same = figures.iter().enumerate().filter(|(_, other)| other.name == figure.name);
            same.filter(|(_, other)| !other.value.is_nan())
                .all(|(other_at, other)| rank(other_at, other.value) <= rank(*at, figure.value))
        };
        for (_, &Figure { name, unit, value }) in measured.filter(is_greatest) {
            match self.columns.iter_mut().find(|column| column.name == name) {
                Some(column) => {
                    column.values.push(value);
                    if value > column.worst.0 {
                        column.worst = (value, path.to_owned());
                    }
                }
                None => {
                    let worst = (value, path.to_owned());
                    self.columns.push(Column { name, unit, values: vec![value], worst });
                }
            }
        }
    }

    /// One line per figure: worst value, median, and the clip. `None` if fewer than two clips were measured.
    pub(super) fn table(self) -> Option<String> {
        let clips = self.columns.iter().map(|column| column.values.len()).max().filter(|clips| *clips > 1)?;
        let head = ["figure", "worst", "median", "clip"].map(str::to_owned);
        let rows = self.columns.into_iter().map(|mut column| {
            column.values.sort_by(f64::total_cmp);
            let median = column.values[(column.values.len() - 1) / 2];
            let shown = |value| Figure::shown(column.unit, value);
            [column.name.to_owned(), shown(column.worst.0), shown(median), column.worst.1]
        });
        let rows: Vec<[String; 4]> = std::iter::once(head).chain(rows).collect();
        let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let [a, b, c] = [width(0), width(1), width(2)];
        let line = |[figure, worst, median, clip]: &[String; 4]| {
            format!("  {figure:<a$}  {worst:>b$}  {median:>c$}  {clip}")
        };
        let lines: Vec<String> = rows.iter().map(line).collect();
        Some(format!("the worst of {clips} clips:\n{}", lines.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_names_its_worst_clip() {
        let figures = |skate: f64, step: Option<f64>| {
            let skate = Figure { name: "slide", unit: "m/s", value: skate };
            let step = step.map(|value| Figure { name: "step", unit: "deg", value });
            std::iter::once(skate).chain(step).collect::<Vec<_>>()
        };
        let mut worst = Worst::default();
        worst.add("a.bvh", &figures(0.0123, Some(4.5)));
        assert!(Worst { columns: Vec::new() }.table().is_none());
        worst.add("b.bvh", &figures(0.04, None));
        worst.add("c.bvh", &figures(f64::NAN, Some(2.0)));
        worst.add("d.bvh", &figures(0.04, Some(2.0)));
        let expected = "\
the worst of 3 clips:
  figure    worst   median  clip
  slide   40 mm/s  40 mm/s  b.bvh
  step    4.5 deg    2 deg  a.bvh";
        assert_eq!(worst.table().unwrap(), expected);
    }

    #[test]
    fn one_clip_has_no_table() {
        let mut worst = Worst::default();
        worst.add("a.bvh", &[Figure { name: "error", unit: "m", value: 0.001 }]);
        assert!(worst.table().is_none());
    }
}
