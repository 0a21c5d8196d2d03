//! Drawings as SVG: classes for colours, relative coordinates with one decimal.

use crate::coding::base64;
use crate::drawing::{Align, DASHES, Drawing, INKS, Ink, Point, Shape, Theme};
use crate::escape::xml;
use crate::picture::clear_png;
use std::fmt::Write;

pub(crate) fn write(drawing: &Drawing, theme: Theme, title: &str) -> String {
    let (w, h) = (drawing.width.ceil(), drawing.height.ceil());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\">\n<title>{}</title>\n<style>\npath{{fill:none;stroke-linecap:round;stroke-linejoin:round;stroke-width:{WIDTH}}}text{{font-size:{FONT}px;text-anchor:middle;font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}}\n",
        xml(title)
    );
    let mut used: Vec<Ink> = Vec::new();
    for shape in &drawing.shapes {
        let (Shape::Lines { ink, .. }
        | Shape::Dot { ink, .. }
        | Shape::Area { ink, .. }
        | Shape::Text { ink, .. }) = shape
        else {
            continue;
        };
        if !used.contains(ink) {
            used.push(*ink);
        }
    }
    palette(&mut svg, theme, &used);
    if theme == Theme::Light {
        svg.push_str("@media(prefers-color-scheme:dark){");
        palette(&mut svg, Theme::Dark, &used);
        svg.push('}');
    }
    svg.push_str("</style>\n<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n");
    for shape in &drawing.shapes {
        draw(&mut svg, shape);
    }
    svg.push_str("</svg>\n");
    svg
}

fn palette(svg: &mut String, theme: Theme, used: &[Ink]) {
    let _ = write!(svg, ".b{{fill:#{:06x}}}", theme.background());
    for (ink, class) in INKS.iter().filter(|(ink, _)| used.contains(ink)) {
        let colour = theme.colour(*ink);
        let _ = match ink.fills() {
            true => write!(svg, "path.{class}{{fill:#{colour:06x}}}"),
            false => write!(
                svg,
                "path.{class}{{stroke:#{colour:06x}}}text.{class},circle.{class}{{fill:#{colour:06x}}}"
            ),
        };
    }
    svg.push('\n');
}

fn class(ink: Ink) -> &'static str {
    INKS.iter().find(|(other, _)| *other == ink).map_or("t", |(_, class)| class)
}

/// The style sheet: most shapes need no style of their own.
const WIDTH: f32 = 1.8;
const FONT: f32 = 9.0;

fn draw(svg: &mut String, shape: &Shape) {
    match shape {
        Shape::Lines { lines, ink, width, dash } => {
            let mut style = Vec::new();
            if *width != WIDTH {
                style.push(format!("stroke-width:{}", number(tenths(*width))));
            }
            let dash: Vec<String> = DASHES[usize::from(*dash)].iter().map(f32::to_string).collect();
            if !dash.is_empty() {
                style.push(format!("stroke-dasharray:{}", dash.join(" ")));
            }
            let _ = write!(svg, "<path class=\"{}\"{} d=\"", class(*ink), attribute(&style));
            for line in lines {
                path(svg, line);
            }
            svg.push_str("\"/>\n");
        }
        Shape::Dot { at, radius, ink } => {
            let [x, y, r] = [at[0], at[1], *radius].map(|v| number(tenths(v)));
            let _ = writeln!(svg, "<circle class=\"{}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>", class(*ink));
        }
        Shape::Area { outline, ink } => {
            let _ = write!(svg, "<path class=\"{}\" d=\"", class(*ink));
            path(svg, outline);
            svg.push_str("z\"/>\n");
        }
        Shape::Picture { at, size, pixels, colours } => {
            let [x, y] = at.map(|v| number(tenths(v)));
            let [w, h] = size;
            let bytes = base64(&clear_png(colours, *pixels));
            let _ = writeln!(
                svg,
                "<image x=\"{x}\" y=\"{y}\" width=\"{w:.2}\" height=\"{h:.2}\" href=\"data:image/png;base64,{bytes}\"/>"
            );
        }
        Shape::Text { at, text, size, ink, align } => {
            let [x, y] = at.map(|v| number(tenths(v)));
            let mut style = Vec::new();
            if *size != FONT {
                style.push(format!("font-size:{}px", number(tenths(*size))));
            }
            match align {
                Align::Start => style.push("text-anchor:start".into()),
                Align::Middle => {}
                Align::End => style.push("text-anchor:end".into()),
            }
            let (class, style, text) = (class(*ink), attribute(&style), xml(text));
            let _ = writeln!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{style}>{text}</text>");
        }
    }
}

fn attribute(style: &[String]) -> String {
    if style.is_empty() { String::new() } else { format!(" style=\"{}\"", style.join(";")) }
}

/// Coordinates in tenths of a pixel, so rounding does not add up along a path.
fn path(svg: &mut String, line: &[Point]) {
    let mut at = line[0].map(tenths);
    let _ = write!(svg, "M{}", pair(at));
    // One "l" serves all points that follow; a line that goes nowhere still leaves its dot.
    svg.push('l');
    let mut drawn = false;
    for point in &line[1..] {
        let next = point.map(tenths);
        let step = [next[0] - at[0], next[1] - at[1]];
        if step == [0, 0] {
            continue;
        }
        let text = pair(step);
        let between = if drawn && !text.starts_with('-') { " " } else { "" };
        let _ = write!(svg, "{between}{text}");
        (at, drawn) = (next, true);
    }
    if !drawn {
        svg.push_str("0 0");
    }
}

fn pair([x, y]: [i64; 2]) -> String {
    let (x, y) = (number(x), number(y));
    let between = if y.starts_with('-') { "" } else { " " };
    format!("{x}{between}{y}")
}

fn tenths(value: f32) -> i64 {
    (value * 10.0).round() as i64
}

/// Tenths as a decimal without needless zeros.
fn number(tenths: i64) -> String {
    let sign = if tenths < 0 { "-" } else { "" };
    let (whole, rest) = (tenths.abs() / 10, tenths.abs() % 10);
    match (whole, rest) {
        (0, 0) => "0".into(),
        (whole, 0) => format!("{sign}{whole}"),
        (0, rest) => format!("{sign}.{rest}"),
        (whole, rest) => format!("{sign}{whole}.{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_and_do_not_drift() {
        let mut svg = String::new();
        path(&mut svg, &[[0.04, 10.0], [0.08, 10.0], [0.12, 9.96], [1.0, 0.0], [-1.0, 0.55]]);
        assert_eq!(svg, "M0 10l.1 0 .9-10-2 .6");
    }
}
