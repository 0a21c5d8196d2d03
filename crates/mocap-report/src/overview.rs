//! The report of a run over a database: totals, failures, and for each figure its distribution and worst clips. A
//! page without scripts, beside the index of a gallery.

use crate::entry::{Entry, Failed, Figure, Outcome};
use crate::escape::{uri, xml};
use crate::page::{Scripts, page};
use crate::sheet::decimals;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A clip with the address of its script below the site.
type Clip<'a> = &'a (String, Entry);

/// The page; `clips` in the order of their paths.
pub(crate) fn html(title: &str, clips: &[Clip<'_>], failed: &[Failed]) -> Vec<u8> {
    let done: Vec<(Clip<'_>, &Outcome)> =
        clips.iter().filter_map(|clip| Some((*clip, clip.1.outcome.as_ref()?))).collect();
    page(
        Scripts::None,
        &xml(&format!("{title}: report")),
        include_str!("page/report.css"),
        include_str!("page/report.html"),
        &[
            ("heading", &xml(title)),
            ("totals", &totals(&done, failed)),
            ("failures", &failures(failed)),
            ("missed", &missed(&done)),
            ("figures", &figures(&done)),
        ],
    )
}

fn totals(done: &[(Clip<'_>, &Outcome)], failed: &[Failed]) -> String {
    let sum = |of: fn(&Outcome) -> u64| done.iter().map(|(_, outcome)| of(outcome)).sum::<u64>();
    let (bytes_in, bytes_out) = (sum(|it| it.bytes_in), sum(|it| it.bytes_out));
    let seconds: f64 = done.iter().map(|((_, entry), _)| entry.seconds).sum();
    let frames: usize = done.iter().map(|((_, entry), _)| entry.frames).sum();
    let missed = done.iter().filter(|(_, outcome)| !outcome.missed.is_empty()).count();
    let mut tiles = vec![
        ("clips", done.len().to_string()),
        ("motion", duration(seconds)),
        ("frames", frames.to_string()),
        ("read", size(bytes_in)),
        ("written", size(bytes_out)),
        ("failed", failed.len().to_string()),
        ("missed a gate", missed.to_string()),
    ];
    if bytes_out == 0 {
        tiles.remove(4);
    }
    let tile = |(name, value): &(&str, String)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>");
    tiles.iter().map(tile).collect()
}

fn failures(failed: &[Failed]) -> String {
    let row = |it: &Failed| format!("<tr><td>{}</td><td>{}</td></tr>", xml(&it.path), xml(&it.message));
    table("Failures", ["input", "error"], failed.iter().map(row).collect())
}

fn missed(done: &[(Clip<'_>, &Outcome)]) -> String {
    let rows = done.iter().filter(|(_, outcome)| !outcome.missed.is_empty());
    let row = |(clip, outcome): &(Clip<'_>, &Outcome)| {
        format!("<tr><td>{}</td><td>{}</td></tr>", link(clip, None), xml(&outcome.missed.join("; ")))
    };
    table("Missed gates", ["clip", "gate"], rows.map(row).collect())
}

fn table(heading: &str, [first, second]: [&str; 2], rows: String) -> String {
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<section><h2>{heading}</h2><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{heading}\"><table><thead><tr><th>{first}</th><th>{second}</th></tr></thead><tbody>{rows}</tbody></table></div></section>"
    )
}

/// A link to the page of a clip at the time of a frame (source and result may have other rates). The path of its
/// script starts with the folder of the database.
fn link((script, entry): Clip<'_>, frame: Option<usize>) -> String {
    let time = |frame: usize| format!("&amp;t={}", decimals(frame as f64 / entry.fps, 4));
    let moment = frame.map(time).unwrap_or_default();
    let below = script.strip_prefix("clips/").and_then(|path| path.strip_suffix(".js")).unwrap_or(script);
    let path = xml(&entry.path);
    format!("<a href=\"view.html#clip={}{moment}\" title=\"{path}\">{}</a>", uri(script), xml(below))
}

/// The values of a figure over all clips.
struct Measured<'a> {
    figure: &'a Figure,
    values: Vec<(Clip<'a>, &'a Figure)>,
}

fn figures(done: &[(Clip<'_>, &Outcome)]) -> String {
    let mut all: Vec<Measured<'_>> = Vec::new();
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (clip, outcome) in done {
        for figure in outcome.figures.iter().filter(|figure| figure.value.is_finite()) {
            let at = *places.entry((&figure.step, &figure.name)).or_insert(all.len());
            if at == all.len() {
                all.push(Measured { figure, values: Vec::new() });
            }
            all[at].values.push((clip, figure));
        }
    }
    // The worst first; equal ones in the order of their paths.
    for measured in &mut all {
        let sign = if measured.figure.greater_is_better { 1.0 } else { -1.0 };
        measured.values.sort_by(|a, b| (sign * a.1.value).total_cmp(&(sign * b.1.value)));
    }
    let (zero, reported): (Vec<_>, Vec<_>) =
        all.iter().partition(|it| it.values.iter().all(|(_, figure)| is_zero(figure)));
    // Figures with a gate come first.
    let (gated, others): (Vec<_>, Vec<_>) = reported.into_iter().partition(|it| it.figure.limit.is_some());
    let mut cards = String::new();
    for (heading, group) in [("Figures with a limit", &gated), ("Further figures", &others)] {
        if group.is_empty() {
            continue;
        }
        let heading = if gated.is_empty() { "Figures" } else { heading };
        let _ = write!(cards, "<h2>{heading}</h2><div class=\"cards\">");
        group.iter().for_each(|measured| card(&mut cards, measured));
        cards.push_str("</div>");
    }
    let zero: Vec<String> = zero.iter().map(|it| xml(&name(it.figure))).collect();
    if !zero.is_empty() {
        let _ = write!(cards, "<p class=\"note\">0 in every clip: {}</p>", zero.join(", "));
    }
    cards
}

fn name(figure: &Figure) -> String {
    format!("{}: {}", figure.step, figure.name)
}

/// Whether it is 0 in the digits shown.
fn is_zero(figure: &Figure) -> bool {
    quantity(figure.value, shown_unit(figure.value, &figure.unit))
        == quantity(0.0, shown_unit(0.0, &figure.unit))
}

/// Clips listed under a distribution.
const WORST: usize = 5;

fn card(page: &mut String, measured: &Measured<'_>) {
    let Measured { figure, values } = measured;
    let mut sorted: Vec<f64> = values.iter().map(|(_, figure)| figure.value).collect();
    sorted.sort_by(f64::total_cmp);
    // Nearest rank.
    let at = |share: f64| sorted[((share * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len()) - 1];
    let (low, middle, high) = (at(0.0), at(0.5), at(1.0));
    // One unit for the whole card.
    let unit = shown_unit(high.abs().max(low.abs()), &figure.unit);
    let show = |value: f64| quantity(value, unit);
    let _ = write!(page, "<section><h3>{}</h3>", xml(&name(figure)));
    if !figure.about.is_empty() {
        let _ = write!(page, "<p>{}</p>", xml(&figure.about));
    }
    let mut facts = vec![format!("median {}", show(middle))];
    facts.push(match figure.greater_is_better {
        true => format!("5 % below {}, least {}", show(at(0.05)), show(low)),
        false => format!("95 % up to {}, greatest {}", show(at(0.95)), show(high)),
    });
    facts.push(format!("{} clip{}", values.len(), if values.len() == 1 { "" } else { "s" }));
    if let Some(limit) = figure.limit {
        let beyond = sorted.iter().filter(|value| **value > limit).count();
        facts.push(format!("{beyond} above the limit of {}", show(limit)));
    }
    let _ = write!(page, "<p>{}</p>", xml(&facts.join(" · ")));
    if low < high {
        histogram(page, (figure.limit, unit), &sorted, &format!("{}: {}", name(figure), facts.join(", ")));
    }
    page.push_str("<ol>");
    for (clip, figure) in values.iter().take(WORST).filter(|(_, figure)| !is_zero(figure)) {
        let _ = write!(page, "<li>{} <b>{}</b></li>", link(clip, figure.frame), xml(&show(figure.value)));
    }
    page.push_str("</ol></section>");
}

const BINS: usize = 30;

/// A histogram over the range of most values; the last bar counts everything beyond.
fn histogram(page: &mut String, (limit, unit): (Option<f64>, &str), sorted: &[f64], label: &str) {
    const WIDE: f64 = 300.0;
    const HIGH: f64 = 70.0;
    let (low, greatest) = (sorted[0], sorted[sorted.len() - 1]);
    let most = sorted[sorted.len() * 98 / 100];
    // A few distant clips must not compress all others into one bar.
    let cut = most > low && greatest - low > 2.0 * (most - low);
    let high = if cut { most } else { greatest };
    let high = limit.filter(|limit| *limit < greatest).map_or(high, |limit| high.max(limit));
    let x = |value: f64| ((value - low) / (high - low)).clamp(0.0, 1.0);
    let mut bins = [0usize; BINS];
    for value in sorted {
        bins[((x(*value) * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    let tallest = bins.iter().copied().max().unwrap_or(1).max(1) as f64;
    let _ = write!(page, "<svg viewBox=\"0 0 300 88\" role=\"img\" aria-label=\"{}\">", xml(label));
    for (i, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        // A single clip must remain visible.
        let high = (*count as f64 / tallest * HIGH).max(1.5);
        let wide = WIDE / BINS as f64;
        let _ = write!(
            page,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{high:.1}\"/>",
            i as f64 * wide + 0.5,
            HIGH - high,
            wide - 1.0
        );
    }
    if let Some(limit) = limit.filter(|limit| (low..=high).contains(limit)) {
        let at = x(limit) * WIDE;
        let _ = write!(page, "<path d=\"M{at:.1} 0v{HIGH}\"/>");
    }
    let beyond = if cut { " and more" } else { "" };
    let _ = write!(
        page,
        "<text x=\"0\" y=\"84\">{}</text><text x=\"300\" y=\"84\" text-anchor=\"end\">{}{beyond}</text></svg>",
        xml(&quantity(low, unit)),
        xml(&quantity(high, unit))
    );
}

/// The unit in which values up to `value` are shown.
fn shown_unit(value: f64, unit: &str) -> &str {
    if unit == "m" && value.abs() < 0.1 { "mm" } else { unit }
}

/// A value with three digits and its unit; lengths are given in metres.
fn quantity(value: f64, unit: &str) -> String {
    let value = if unit == "mm" { 1e3 * value } else { value };
    let digits = if value == 0.0 { 0.0 } else { 2.0 - value.abs().log10().floor() };
    let number = decimals(value, digits.clamp(0.0, 4.0) as usize);
    match unit {
        "" => number,
        "deg" => format!("{number}°"),
        "frames" if number == "1" => "1 frame".into(),
        unit => format!("{number} {unit}"),
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), (s % 60.0).floor()),
        s => format!("{:.0} h {:.0} min", (s / 3600.0).floor(), (s / 60.0 % 60.0).floor()),
    }
}

fn size(bytes: u64) -> String {
    let kilobytes = bytes as f64 / 1e3;
    match kilobytes {
        k if k < 1e3 => format!("{} kB", decimals(k, 1)),
        k if k < 1e6 => format!("{} MB", decimals(k / 1e3, 1)),
        k => format!("{} GB", decimals(k / 1e6, 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(path: &str, skate: f64, missed: &[&str]) -> (String, Entry) {
        let script = br#"/*{"path":"","joints":9,"frames":30,"fps":30.0,"seconds":1.0,"unit":"file","height":null,"speed":null,"travel":null,"styles":[],"findings":0,"worst":null,"same":"","strip":["","","",""]}*/"#;
        let entry = crate::gallery::entry_of(script).unwrap();
        let skate = Figure {
            step: "retarget".into(),
            name: "skate".into(),
            unit: "m/s".into(),
            value: skate,
            limit: Some(0.5),
            frame: Some(7),
            ..Figure::default()
        };
        let ratio = Figure {
            step: "compress".into(),
            name: "ratio".into(),
            value: 10.0 + skate.value,
            greater_is_better: true,
            ..Figure::default()
        };
        let zero = Figure { step: "retarget".into(), name: "angle".into(), ..Figure::default() };
        let missed = missed.iter().map(|gate| (*gate).to_owned()).collect();
        let outcome = Outcome { bytes_in: 2000, bytes_out: 100, figures: vec![skate, ratio, zero], missed };
        (format!("clips/{path}.js"), Entry { path: path.into(), outcome: Some(outcome), ..entry })
    }

    #[test]
    fn the_worst_come_first_and_failures_are_all_there() {
        let mut clips: Vec<_> =
            (0..40).map(|i| clip(&format!("a{i:02}.bvh"), f64::from(i) / 100.0, &[])).collect();
        clips.push(clip("<b>&.bvh", 0.9, &["skate is 0.9 m/s"]));
        let failed: Vec<Failed> = (0..12)
            .map(|i| Failed { path: format!("broken{i}.bvh"), message: "line 1: <no> motion".into() })
            .collect();
        let clips: Vec<_> = clips.iter().collect();
        let page = String::from_utf8(html("t", &clips, &failed)).unwrap();
        assert!(page.contains("script-src 'none'") && !page.contains("<b>&"));
        assert_eq!(page.matches("line 1: &lt;no&gt; motion").count(), 12);
        let skate = page.split_once("retarget: skate").unwrap().1;
        let first = skate.split("<li>").nth(1).unwrap();
        assert!(
            first.contains("clip=clips%2F%3Cb%3E%26.bvh.js&amp;t=0.2333") && first.contains("0.9 m/s"),
            "{first}"
        );
        assert!(skate.contains("1 above the limit of 0.5 m/s"));
        // The worst ratio is the least.
        let ratio = page.split_once("compress: ratio").unwrap().1.split("<li>").nth(1).unwrap();
        assert!(ratio.contains("a00.bvh") && ratio.contains("<b>10</b>"), "{ratio}");
        assert!(page.contains("0 in every clip: retarget: angle") && page.contains("<dd>41</dd>"));
        assert!(page.contains("<dt>missed a gate</dt><dd>1</dd>"));
    }

    #[test]
    fn quantities_have_three_digits() {
        let said =
            [(0.0, ""), (12.345, ""), (1234.5, "m/s"), (0.0012345, ""), (0.0421, "m"), (7.1234, "deg")];
        let said = said.map(|(value, unit)| quantity(value, shown_unit(value, unit)));
        assert_eq!(said, ["0", "12.3", "1234 m/s", "0.0012", "42.1 mm", "7.12°"]);
    }
}
