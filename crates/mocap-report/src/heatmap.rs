//! The object-space error of one motion against another as a picture: joints down, frames across.

use crate::drawing::{Align, Drawing, Ink, Theme};
use crate::ramp::{FLOOR, ramp};
use crate::ticks::ticks;
use crate::view::length;
use crate::{glyphs, raster};
use mocap_analysis::{AnalysisError, ErrorMap, error_map};
use mocap_model::Clip;

/// What a heat map shows.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatmapOptions {
    /// The shell distance: how far from its joint the error is measured \[m\]. Default 0.03.
    pub shell: f64,
    /// The error at the end of the colour scale \[m\]. Default: the largest error, and 0.1 mm where that is less.
    pub max: Option<f64>,
    /// The largest width of the map without its names \[px\], 50 to 10,000; a column shows the largest error of its
    /// frames. Default 960.
    pub width: u32,
    /// Default [`Theme::Light`].
    pub theme: Theme,
    /// Pixels of the PNG per pixel of the map, 0.25 to 8. Default 2.
    pub scale: f32,
}

impl Default for HeatmapOptions {
    fn default() -> HeatmapOptions {
        HeatmapOptions { shell: 0.03, max: None, width: 960, theme: Theme::Light, scale: 2.0 }
    }
}

/// The heat map of `other` against `reference` as a PNG file, the worst cell ringed and named in its title.
///
/// # Errors
/// Where the motions cannot be compared: they differ in joints or in the number of frames.
///
/// ```
/// use mocap_report::heatmap::{HeatmapOptions, png};
/// # let reference = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// # let decoded = reference.clone();
/// let file = png(&reference, &decoded, &HeatmapOptions::default())?;
/// assert!(file.starts_with(b"\x89PNG"));
/// # Ok::<(), mocap_report::AnalysisError>(())
/// ```
pub fn png(reference: &Clip, other: &Clip, options: &HeatmapOptions) -> Result<Vec<u8>, AnalysisError> {
    let map = error_map(reference, other, options.shell)?;
    Ok(draw(reference, &map, options))
}

const MARGIN: f32 = 14.0;
const HEAD: f32 = 30.0;
const FOOT: f32 = 44.0;

fn draw(reference: &Clip, map: &ErrorMap, options: &HeatmapOptions) -> Vec<u8> {
    let (rows, frames) = (map.joints.len(), map.frames);
    let names: Vec<&str> =
        map.joints.iter().map(|joint| reference.skeleton().joint(*joint).name.as_str()).collect();
    let row = (640.0 / rows.max(1) as f32).clamp(5.0, 14.0);
    let text = (row - 1.0).min(10.0);
    let left =
        MARGIN + 6.0 + names.iter().map(|name| glyphs::width(name, text)).fold(0.0, f32::max).min(260.0);
    let columns = frames.clamp(1, options.width.clamp(50, 10_000) as usize);
    let wide = (options.width as f32).min((columns as f32 * 6.0).max(360.0));
    let size = [left + wide + MARGIN, HEAD + MARGIN + rows as f32 * row + FOOT];
    let mut drawing = Drawing { width: size[0], height: size[1], shapes: Vec::new() };
    let top = HEAD + MARGIN;
    let worst = worst(map);
    let metres = map.unit.is_some();
    let floor = if metres { FLOOR } else { 0.0 };
    let max = options.max.unwrap_or_else(|| worst.map_or(0.0, |worst| f64::from(worst.2)).max(floor));

    let title = match worst {
        None => "object-space error: none".to_owned(),
        Some((column, frame, value)) => {
            format!(
                "object-space error: at most {}, at {} in frame {frame}",
                length(f64::from(value), metres),
                names[column]
            )
        }
    };
    drawing.text([MARGIN, MARGIN + 12.0], title, 14.0, Ink::Text, Align::Start);
    // If rows are thin, only every few of them have a name.
    let every = (9.0 / row).ceil() as usize;
    for (i, name) in names.iter().enumerate().step_by(every.max(1)) {
        let y = top + (i as f32 + 0.5) * row + text * 0.36;
        drawing.text([left - 6.0, y], *name, text, Ink::Muted, Align::End);
    }
    let x = |frame: f64| left + (frame / frames.max(1) as f64) as f32 * wide;
    let bottom = top + rows as f32 * row;
    let (marks, _) = ticks(0.0, frames.saturating_sub(1) as f64, 8);
    for mark in marks.into_iter().filter(|mark| mark.fract() == 0.0) {
        drawing.line([x(mark + 0.5), bottom], [x(mark + 0.5), bottom + 4.0], Ink::Muted, 1.0);
        drawing.text([x(mark + 0.5), bottom + 14.0], format!("{mark}"), 9.0, Ink::Muted, Align::Middle);
    }
    drawing.text([left, bottom + 30.0], "frame", 9.0, Ink::Muted, Align::Start);
    let bar = [left + wide - 220.0, bottom + 23.0];
    drawing.text([bar[0] - 5.0, bar[1] + 7.0], "0", 9.0, Ink::Muted, Align::End);
    drawing.text([bar[0] + 125.0, bar[1] + 7.0], length(max, metres), 9.0, Ink::Muted, Align::Start);

    let mut cells = vec![0f32; columns * rows];
    for frame in 0..frames {
        let column = frame * columns / frames;
        for joint in 0..rows {
            let cell = &mut cells[joint * columns + column];
            *cell = cell.max(map.errors[frame * rows + joint]);
        }
    }
    let mut pixmap = raster::render(&drawing, options.theme, options.scale.clamp(0.25, 8.0));
    let scale = pixmap.width() as f32 / drawing.width.ceil();
    let share = |value: f32| if max > 0.0 { f64::from(value) / max } else { 0.0 };
    let mut paint = |from: [f32; 2], to: [f32; 2], rgb: u32| {
        let [x0, y0, x1, y1] = [from[0], from[1], to[0], to[1]].map(|v| (v * scale).round() as u32);
        raster::fill(&mut pixmap, [x0, y0], [x1, y1], rgb);
    };
    for joint in 0..rows {
        for column in 0..columns {
            let at = |column: usize| left + column as f32 / columns as f32 * wide;
            let y = top + joint as f32 * row;
            let colour = ramp(share(cells[joint * columns + column]));
            paint([at(column), y], [at(column + 1), y + row], colour);
        }
    }
    for i in 0..120 {
        let at = bar[0] + i as f32;
        paint([at, bar[1]], [at + 1.0, bar[1] + 8.0], ramp(f64::from(i) / 119.0));
    }
    if let Some((joint, frame, _)) = worst {
        let at = [x(frame as f64 + 0.5), top + (joint as f32 + 0.5) * row];
        raster::ring(&mut pixmap, at, row.max(7.0), scale, options.theme);
    }
    raster::encode(&pixmap)
}

/// Joint, frame and size of the largest error; `None` if none exists.
fn worst(map: &ErrorMap) -> Option<(usize, usize, f32)> {
    let mut worst: Option<(usize, usize, f32)> = None;
    for (i, error) in map.errors.iter().enumerate() {
        if *error > worst.map_or(0.0, |worst| worst.2) {
            worst = Some((i % map.joints.len(), i / map.joints.len(), *error));
        }
    }
    worst
}
