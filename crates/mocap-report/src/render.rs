//! Films and strobe pictures of motions: GIF, APNG and PNG, drawn without a graphics card or another program.
//!
//! The same motions give the same bytes for any number of threads.
//!
//! ```
//! use mocap_report::render::{self, RenderInput, RenderOptions};
//! # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
//! let input = RenderInput { clip: &clip };
//! let options = RenderOptions { size: [120, 90], fps: 10.0, ..RenderOptions::default() };
//! assert!(render::gif(&[input], &options)?.starts_with(b"GIF89a"));
//! # Ok::<(), render::TooManyPictures>(())
//! ```

use crate::View;
use crate::body::{Solid, body};
use crate::drawing::Theme;
use crate::mesh::mesh;
use crate::paint::{Canvas, Eye, Paints};
use crate::palette::Histogram;
use crate::stage::{FAR, Place, Stage, spread};
use crate::ticks::nice_step;
use mocap_model::{Clip, Vector3};
use std::num::NonZeroUsize;

/// A motion in a film; several stand side by side with their roots aligned.
#[derive(Clone, Copy, Debug)]
pub struct RenderInput<'a> {
    /// The motion; the roles of its joints give the body, sides and facing.
    pub clip: &'a Clip,
}

/// How a film looks.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderOptions {
    /// Width and height \[px\], at least 16. Default 854 × 480.
    pub size: [usize; 2],
    /// Pictures per second, above 0. A GIF rounds times to 1/100 s. Default 25.
    pub fps: f64,
    /// The part of the motion \[s\]: from, to. Default: all of it.
    pub range: [Option<f64>; 2],
    /// Default [`View::Perspective`].
    pub view: View,
    /// Default [`Theme::Light`].
    pub theme: Theme,
    /// Threads that draw; the result does not depend on it. Default: one per processor core.
    pub threads: Option<NonZeroUsize>,
}

impl Default for RenderOptions {
    fn default() -> RenderOptions {
        RenderOptions {
            size: [854, 480],
            fps: 25.0,
            range: [None; 2],
            view: View::Perspective,
            theme: Theme::Light,
            threads: None,
        }
    }
}

/// A film is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the film would have {found} pictures, more than the limit of {MOST_PICTURES}")]
pub struct TooManyPictures {
    /// The number of pictures.
    pub found: usize,
}

/// Pictures of a film, at most: 13 minutes at the default rate.
pub const MOST_PICTURES: usize = 20_000;

/// A picture, row by row.
type Picture = Vec<[u8; 3]>;

/// What all pictures of a film share.
struct Film<'a> {
    stages: Vec<(Stage<'a>, Vec<Solid>)>,
    options: &'a RenderOptions,
    size: f64,
    floor: f64,
    heading: f64,
    grid: f64,
}

/// The start of a film \[s\], and its number of pictures.
fn span(inputs: &[RenderInput<'_>], options: &RenderOptions) -> (f64, usize) {
    let last = inputs.iter().map(|input| input.clip.duration()).fold(0.0, f64::max);
    let [from, to] = options.range;
    let from = from.unwrap_or(0.0).clamp(0.0, last);
    let to = to.unwrap_or(last).clamp(from, last);
    (from, (((to - from) * options.fps + 1e-6).floor() as usize).saturating_add(1))
}

/// The times of the pictures of a film \[s\].
fn times(inputs: &[RenderInput<'_>], options: &RenderOptions) -> Result<Vec<f64>, TooManyPictures> {
    match span(inputs, options) {
        (_, found) if found > MOST_PICTURES => Err(TooManyPictures { found }),
        (from, count) => Ok((0..count).map(|i| from + i as f64 / options.fps).collect()),
    }
}

/// Time over which the camera follows the mean place of the hips, to both sides \[s\].
const CALM: f64 = 0.3;

/// The size of what is shown over its height: that of a human with some air above the head.
const ROOM: f64 = 1.2;

fn frame(stage: &Stage<'_>, time: f64) -> usize {
    ((time * stage.clip.rate().fps()).round() as usize).min(stage.frames() - 1)
}

/// The height that the solids of a body hardly ever exceed: a frame in a hundred may be wrong.
fn highest(stage: &Stage<'_>, solids: &[Solid], times: impl Iterator<Item = f64>) -> f64 {
    let mut heights = Vec::new();
    stage.walk(times.map(|time| frame(stage, time)), |_, pose| {
        let tops = solids
            .iter()
            .flat_map(|solid| [0, 1].map(|end| pose[solid.ends[end]][1] + solid.radii[end] * stage.scale));
        heights.push(tops.fold(f64::MIN, f64::max));
    });
    heights.sort_by(f64::total_cmp);
    heights.len().checked_sub(1).map_or(0.0, |last| heights[last * 99 / 100].clamp(-FAR, FAR))
}

/// From the front of a body to where it is seen from, about the up axis \[rad\].
fn turn(view: View) -> f64 {
    match view {
        View::Perspective => -0.7,
        View::Front => 0.0,
        View::Side => -std::f64::consts::FRAC_PI_2,
    }
}

impl<'a> Film<'a> {
    fn new(inputs: &[RenderInput<'a>], options: &'a RenderOptions) -> Film<'a> {
        let dress = |input: &RenderInput<'a>| {
            let mut stage = Stage::new(input.clip);
            let body = body(&stage);
            stage.sites = body.sites;
            (stage, body.solids)
        };
        let stages: Vec<_> = inputs.iter().map(dress).collect();
        let first = stages.first().map(|(stage, _)| stage);
        let known = first.is_some_and(|stage| stage.unit.is_some());
        let (from, count) = span(inputs, options);
        let times = || spread(count, 100).into_iter().map(|i| from + i as f64 / options.fps);
        let room = |(stage, solids): &(Stage<'a>, Vec<Solid>)| {
            stage.size().max(ROOM * (highest(stage, solids, times()) - stage.floor))
        };
        let size = stages.iter().map(room).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        Film {
            size,
            floor: first.map_or(0.0, |stage| stage.floor),
            heading: first.map_or(0.0, |stage| stage.heading(&stage.pose(0))),
            grid: if known { 0.5 } else { nice_step(size / 4.0) },
            stages,
            options,
        }
    }

    /// Where the hips of the first motion are on the floor around a time.
    fn middle(&self, time: f64) -> [f64; 2] {
        let Some((stage, _)) = self.stages.first() else { return [0.0; 2] };
        let frames = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|at| frame(stage, (time + at * CALM).max(0.0)));
        let mut sum = [0.0; 2];
        stage.walk(frames, |_, pose| {
            let hips = pose[stage.centre];
            sum = [sum[0] + hips[0] / 5.0, sum[1] + hips[2] / 5.0];
        });
        sum
    }

    /// `heading`: where the front is.
    fn eye(&self, heading: f64, [x, z]: [f64; 2], wide: f64) -> Eye {
        let (pitch, parallel) = match self.options.view {
            View::Perspective => (0.2, false),
            View::Front | View::Side => (0.08, true),
        };
        let [w, h] = self.options.size.map(|side| side as f64);
        // A body and its neighbours fit; a wide picture shows more of the sides.
        let reach = (0.92 * self.size).max(wide * w.min(h) / w);
        let target = Vector3::new(x, self.floor + 0.4 * self.size, z);
        Eye::new(target, [heading + turn(self.options.view), pitch], reach, parallel, self.options.size)
    }

    fn add(&self, canvas: &mut Canvas, index: usize, pose: &[Place]) {
        let (stage, solids) = &self.stages[index];
        let paints = Paints::of(self.options.theme);
        for solid in solids {
            let colour = paints.of_side(stage.sides[solid.joint]);
            canvas.add(&mesh(solid, pose, stage.scale), colour);
        }
    }

    /// The picture at a time: motions side by side around the first one.
    fn picture(&self, time: f64) -> Picture {
        let [x, z] = self.middle(time);
        let count = self.stages.len();
        let gap = 0.56 * self.size;
        let eye = self.eye(self.heading, [x, z], gap * (count as f64 + 1.0));
        let (sin, cos) = (self.heading - 0.7).sin_cos();
        let mut canvas = Canvas::new(eye, Paints::of(self.options.theme), self.floor);
        let first = self.stages.first().map(|(stage, _)| stage.pose(frame(stage, time))[stage.centre]);
        for (index, (stage, _)) in self.stages.iter().enumerate() {
            let mut pose = stage.pose(frame(stage, time));
            if let Some(first) = first.filter(|_| count > 1) {
                let far = (index as f64 - (count as f64 - 1.0) / 2.0) * gap;
                let hips = pose[stage.centre];
                let shift = [
                    first[0] - hips[0] + far * cos,
                    self.floor - stage.floor,
                    first[2] - hips[2] - far * sin,
                ];
                for place in &mut pose {
                    *place = [0, 1, 2].map(|axis| place[axis] + shift[axis]);
                }
            }
            self.add(&mut canvas, index, &pose);
        }
        canvas.finish(self.grid)
    }

    /// Calls `each` with what `make` makes of every picture, in order. Several are drawn at a time, the next ones while
    /// `each` works.
    fn each<T: Send>(&self, times: &[f64], make: impl Fn(Picture) -> T + Sync, mut each: impl FnMut(T)) {
        let threads = self.options.threads.or_else(|| std::thread::available_parallelism().ok());
        let make = &make;
        std::thread::scope(|scope| {
            let mut drawn = Vec::new();
            for times in times.chunks(threads.map_or(1, NonZeroUsize::get)).chain([&[][..]]) {
                let draw = |time: &f64| {
                    let time = *time;
                    scope.spawn(move || make(self.picture(time)))
                };
                for one in std::mem::replace(&mut drawn, times.iter().map(draw).collect()) {
                    each(one.join().expect("drawing does not panic"));
                }
            }
        });
    }
}

/// A looping film as GIF of 256 colours.
///
/// # Errors
/// Where it has more than [`MOST_PICTURES`].
pub fn gif(inputs: &[RenderInput<'_>], options: &RenderOptions) -> Result<Vec<u8>, TooManyPictures> {
    /// Pictures that the palette is made from.
    const SAMPLES: usize = 6;
    let times = times(inputs, options)?;
    let film = Film::new(inputs, options);
    let mut seen = Histogram::new();
    let samples: Vec<f64> = spread(times.len(), SAMPLES).into_iter().map(|i| times[i]).collect();
    film.each(&samples, std::convert::identity, |picture| seen.add(&picture));
    // The last index leaves a pixel as it was.
    let palette = seen.palette(255);
    let same = palette.colours.len() as u8;
    let [width, height] = options.size.map(|side| side.clamp(16, 8192) as u16);
    let mut bytes = Vec::new();
    let mut colours = palette.colours.clone();
    colours.push([0; 3]);
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, colours.as_flattened())
        .expect("memory takes all bytes, and the palette is small enough");
    encoder.set_repeat(gif::Repeat::Infinite).expect("memory takes all bytes");
    let hundredths = |i: usize| (i as f64 * 100.0 / options.fps).round() as u64;
    let mut i = 0;
    let mut before: Vec<u8> = Vec::new();
    let index =
        |picture: Picture| -> Vec<u8> { picture.iter().map(|colour| palette.index(*colour)).collect() };
    film.each(&times, index, |pixels| {
        let changed = Rect::changed(&before, &pixels, [width, height]);
        let delay = (hundredths(i + 1) - hundredths(i)).clamp(1, 65_535) as u16;
        let mut frame = gif::Frame {
            left: changed.from[0],
            top: changed.from[1],
            width: changed.to[0] - changed.from[0],
            height: changed.to[1] - changed.from[1],
            delay,
            dispose: gif::DisposalMethod::Keep,
            ..gif::Frame::default()
        };
        let mut buffer = Vec::with_capacity(usize::from(frame.width) * usize::from(frame.height));
        for y in changed.from[1]..changed.to[1] {
            let row = usize::from(y) * usize::from(width);
            let row = row + usize::from(changed.from[0])..row + usize::from(changed.to[0]);
            match before.is_empty() {
                true => buffer.extend(&pixels[row]),
                false => {
                    let pairs = before[row.clone()].iter().zip(&pixels[row]);
                    buffer.extend(pairs.map(|(was, is)| if was == is { same } else { *is }));
                }
            }
        }
        frame.transparent = (!before.is_empty()).then_some(same);
        frame.buffer = buffer.into();
        encoder.write_frame(&frame).expect("memory takes all bytes");
        before = pixels;
        i += 1;
    });
    drop(encoder);
    Ok(bytes)
}

/// A part of a picture, from its first pixel to behind its last.
struct Rect {
    from: [u16; 2],
    to: [u16; 2],
}

impl Rect {
    /// The pixels that differ, at least one; all without a picture before.
    fn changed<T: PartialEq>(before: &[T], now: &[T], [width, height]: [u16; 2]) -> Rect {
        if before.is_empty() {
            return Rect { from: [0, 0], to: [width, height] };
        }
        let wide = usize::from(width);
        let rows = || before.chunks(wide).zip(now.chunks(wide)).enumerate().filter(|(_, (a, b))| a != b);
        let Some((top, _)) = rows().next() else { return Rect { from: [0, 0], to: [1, 1] } };
        let bottom = rows().next_back().map_or(top, |(row, _)| row);
        let differs = |(a, b): (&T, &T)| a != b;
        let left = rows().filter_map(|(_, (a, b))| a.iter().zip(b).position(differs)).min().unwrap_or(0);
        let right = rows().filter_map(|(_, (a, b))| a.iter().zip(b).rposition(differs)).max().unwrap_or(left);
        Rect { from: [left as u16, top as u16], to: [right as u16 + 1, bottom as u16 + 1] }
    }
}

/// A film as animated PNG with all its colours, that starts again at its end.
///
/// # Errors
/// Where it has more than [`MOST_PICTURES`].
pub fn apng(inputs: &[RenderInput<'_>], options: &RenderOptions) -> Result<Vec<u8>, TooManyPictures> {
    let times = times(inputs, options)?;
    let film = Film::new(inputs, options);
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, options.size);
    // What did not change is left clear.
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_animated(times.len() as u32, 0).expect("a film has a picture");
    let rate = (options.fps * 1000.0).round().clamp(1.0, 65_535.0);
    let (top, bottom) =
        if options.fps <= 65.0 { (1000, rate as u16) } else { (1, options.fps.round() as u16) };
    encoder.set_frame_delay(top, bottom).expect("the film is animated");
    let mut writer = encoder.write_header().expect("a header of a picture in memory");
    let size = options.size.map(|side| side.min(usize::from(u16::MAX)) as u16);
    let mut before: Picture = Vec::new();
    film.each(&times, std::convert::identity, |picture| {
        let Rect { from, to } = Rect::changed(&before, &picture, size);
        let mut pixels: Vec<[u8; 4]> = Vec::new();
        for y in from[1]..to[1] {
            let row = usize::from(y) * usize::from(size[0]);
            for at in row + usize::from(from[0])..row + usize::from(to[0]) {
                let [r, g, b] = picture[at];
                pixels.push(if before.get(at) == Some(&picture[at]) { [0; 4] } else { [r, g, b, 255] });
            }
        }
        if !before.is_empty() {
            let [[x, y], [right, bottom]] = [from, to].map(|corner| corner.map(u32::from));
            // The last part may be smaller than this place needs.
            writer
                .set_frame_position(0, 0)
                .and_then(|()| writer.set_frame_dimension(right - x, bottom - y))
                .and_then(|()| writer.set_frame_position(x, y))
                .and_then(|()| writer.set_blend_op(png::BlendOp::Over))
                .expect("a part of the picture");
        }
        writer.write_image_data(pixels.as_flattened()).expect("as many bytes as the part has");
        before = picture;
    });
    writer.finish().expect("a picture in memory is written whole");
    Ok(bytes)
}

/// The pictures of a film as PNG files, in order.
///
/// # Errors
/// Where it has more than [`MOST_PICTURES`].
pub fn frames(
    inputs: &[RenderInput<'_>],
    options: &RenderOptions,
    each: impl FnMut(Vec<u8>),
) -> Result<(), TooManyPictures> {
    let times = times(inputs, options)?;
    Film::new(inputs, options).each(&times, |picture| png(&picture, options.size), each);
    Ok(())
}

/// One PNG of a motion at several times along its path, like a chronophotograph. Poses are spread over the range. Where
/// the path is shorter than half of what they need beside each other, they stand in a row from left to right.
pub fn strobe(input: RenderInput<'_>, poses: usize, options: &RenderOptions) -> Vec<u8> {
    let (from, count) = span(&[input], options);
    let film = Film::new(&[input], options);
    let (stage, _) = &film.stages[0];
    let times = spread(count, poses.max(1)).into_iter().map(|i| from + i as f64 / options.fps);
    let mut poses: Vec<Vec<Place>> = times.map(|time| stage.pose(frame(stage, time))).collect();
    let hips = |poses: &[Vec<Place>]| -> Vec<Place> { poses.iter().map(|pose| pose[stage.centre]).collect() };
    let ([from, to], long) = farthest(&hips(&poses));
    let mut heading = film.heading;
    let needed = APART * film.size * (poses.len() as f64 - 1.0);
    if long < 0.5 * needed {
        line_up(&mut poses, heading + turn(options.view), stage.centre);
    } else if options.view == View::Perspective && long > 0.0 {
        // From the side of the path, a little from its end.
        heading = (to[0] - from[0]).atan2(to[2] - from[2]) - 0.5;
    }
    let ([from, to], long) = farthest(&hips(&poses));
    // In perspective the nearest pose is larger than the middle one.
    let room = if options.view == View::Perspective { 1.3 } else { 1.1 };
    let middle = [0, 2].map(|axis| (from[axis] + to[axis]) / 2.0);
    let eye = film.eye(heading, middle, long + room * film.size);
    let mut canvas = Canvas::new(eye, Paints::of(options.theme), film.floor);
    for pose in &poses {
        film.add(&mut canvas, 0, pose);
    }
    png(&canvas.finish(film.grid), options.size)
}

/// From one body to the next in a row, as a share of their size.
const APART: f64 = 0.42;

/// The two of some places that are farthest from each other on the floor, in their order, and how far.
fn farthest(places: &[Place]) -> ([Place; 2], f64) {
    let far = |a: &Place, b: &Place| (a[0] - b[0]).hypot(a[2] - b[2]);
    let mut found = ([places[0]; 2], 0.0);
    for (i, a) in places.iter().enumerate() {
        for b in &places[i + 1..] {
            if far(a, b) > found.1 {
                found = ([*a, *b], far(a, b));
            }
        }
    }
    found
}

/// Puts poses in a row from left to right as seen from a direction, each as far from the next one as their widths need.
fn line_up(poses: &mut [Vec<Place>], yaw: f64, centre: usize) {
    let (sin, cos) = yaw.sin_cos();
    let right = |place: &Place| place[0] * cos - place[2] * sin;
    let Some(first) = poses.first().map(|pose| pose[centre]) else { return };
    let mut end = f64::NAN;
    for pose in poses {
        let hips = pose[centre];
        let reach = |sign: f64| pose.iter().map(|at| sign * (right(at) - right(&hips))).fold(0.0, f64::max);
        let (before, behind) = (reach(-1.0), reach(1.0));
        // A body is wider than its joints.
        let at = if end.is_nan() { right(&first) } else { end + before + 0.3 * (before + behind) };
        end = at + behind;
        let far = at - right(&first);
        let shift = [first[0] - hips[0] + far * cos, 0.0, first[2] - hips[2] - far * sin];
        for place in pose {
            *place = [0, 1, 2].map(|axis| place[axis] + shift[axis]);
        }
    }
}

fn encoder(bytes: &mut Vec<u8>, size: [usize; 2]) -> png::Encoder<'_, &mut Vec<u8>> {
    let mut encoder = png::Encoder::new(bytes, size[0] as u32, size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // Lines and plain ground: differences between pixels take more bytes than the pixels.
    encoder.set_filter(png::Filter::NoFilter);
    encoder
}

fn png(picture: &[[u8; 3]], size: [usize; 2]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = encoder(&mut bytes, size).write_header().expect("a header of a picture in memory");
    writer.write_image_data(picture.as_flattened()).expect("as many bytes as the header says");
    writer.finish().expect("a picture in memory is written whole");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave() -> Clip {
        include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"))
    }

    fn options() -> RenderOptions {
        RenderOptions {
            size: [160, 120],
            fps: 10.0,
            range: [Some(0.5), Some(1.0)],
            ..RenderOptions::default()
        }
    }

    #[test]
    fn films_have_their_pictures_at_their_times_on_any_number_of_threads() {
        let clip = wave();
        let film = gif(&[RenderInput { clip: &clip }], &options()).unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&film[..]).unwrap();
        let mut delays = Vec::new();
        // What a viewer shows: pixels that did not change are left as they are.
        let mut shown = vec![0u8; 160 * 120];
        let mut written = 0;
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            delays.push(frame.delay);
            written += frame.buffer.len();
            for (i, pixel) in
                frame.buffer.iter().enumerate().filter(|(_, pixel)| Some(**pixel) != frame.transparent)
            {
                let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
                shown[(y + usize::from(frame.top)) * 160 + x + usize::from(frame.left)] = *pixel;
            }
        }
        assert_eq!(delays, [10; 6]);
        assert!(written < 6 * 160 * 120, "{written}");
        let options = options();
        let drawn = Film::new(&[RenderInput { clip: &clip }], &options);
        let palette = decoder.global_palette().unwrap().to_vec();
        let last = drawn.picture(1.0);
        let far = last.iter().zip(&shown).map(|(colour, pixel)| {
            let kept = &palette[usize::from(*pixel) * 3..][..3];
            (0..3).map(|i| colour[i].abs_diff(kept[i])).max().unwrap_or(0)
        });
        assert!(far.max() <= Some(40), "the last picture is whole");
        for threads in [1, 3] {
            let options = RenderOptions { threads: NonZeroUsize::new(threads), ..options.clone() };
            assert!(gif(&[RenderInput { clip: &clip }], &options).unwrap() == film);
        }
        let animated = apng(&[RenderInput { clip: &clip }], &options).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(animated)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 6);
        let mut count = 0;
        frames(&[RenderInput { clip: &clip }], &options, |file| {
            assert!(file.starts_with(b"\x89PNG"));
            count += 1;
        })
        .unwrap();
        assert_eq!(count, 6);
    }

    #[test]
    fn pictures_of_an_animated_png_are_whole_though_they_hold_only_what_changed() {
        let clip = wave();
        let options = options();
        let file = apng(&[RenderInput { clip: &clip }], &options).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        let mut shown = vec![[0u8; 4]; 160 * 120];
        let mut part = vec![0; 160 * 120 * 4];
        for time in [0.5, 0.6, 0.7, 0.8, 0.9, 1.0] {
            let bytes = reader.next_frame(&mut part).unwrap().buffer_size();
            let control = *reader.info().frame_control().unwrap();
            for (i, pixel) in part[..bytes].as_chunks::<4>().0.iter().enumerate() {
                let (x, y) = (i as u32 % control.width, i as u32 / control.width);
                if pixel[3] > 0 {
                    shown[((y + control.y_offset) * 160 + x + control.x_offset) as usize] = *pixel;
                }
            }
            let drawn = Film::new(&[RenderInput { clip: &clip }], &options).picture(time);
            assert!(
                shown.iter().zip(&drawn).all(|(shown, drawn)| shown[..3] == drawn[..] && shown[3] == 255)
            );
        }
    }

    #[test]
    fn poses_in_place_stand_in_a_row() {
        let clip = wave();
        let stage = Stage::new(&clip);
        let mut poses: Vec<Vec<Place>> = [0, 30, 60, 90].map(|frame| stage.pose(frame)).to_vec();
        let yaw = 0.4f64;
        line_up(&mut poses, yaw, stage.centre);
        let right = |place: &Place| place[0] * yaw.cos() - place[2] * yaw.sin();
        for pair in poses.windows(2) {
            let end = pair[0].iter().map(right).fold(f64::MIN, f64::max);
            assert!(pair[1].iter().map(right).fold(f64::MAX, f64::min) > end);
        }
        // From the same distance, and as high as before.
        let ahead = |place: &Place| place[0] * yaw.sin() + place[2] * yaw.cos();
        for (pose, frame) in poses.iter().zip([0, 30, 60, 90]) {
            assert!((ahead(&pose[stage.centre]) - ahead(&poses[0][stage.centre])).abs() < 1e-9);
            assert!((pose[stage.centre][1] - stage.pose(frame)[stage.centre][1]).abs() < 1e-12);
        }
    }

    #[test]
    fn what_reaches_high_is_in_the_picture() {
        let clip = crate::made::chain(6, 1.0, 1, mocap_model::Space::default());
        let options = RenderOptions { range: [None; 2], ..options() };
        let film = Film::new(&[RenderInput { clip: &clip }], &options);
        let (stage, solids) = &film.stages[0];
        let high = highest(stage, solids, [0.0].into_iter()) - stage.floor;
        assert!(high > 0.0 && film.size >= 1.1 * high);
    }

    #[test]
    fn left_is_orange_right_is_blue_and_both_throw_shadows() {
        let clip = wave();
        let options = options();
        let film = Film::new(&[RenderInput { clip: &clip }], &options);
        let picture = film.picture(0.6);
        let count = |like: &dyn Fn(&[u8; 3]) -> bool| picture.iter().filter(|c| like(c)).count();
        assert!(count(&|c| c[0] > c[2].saturating_add(60)) > 40, "orange");
        assert!(count(&|c| c[2] > c[0].saturating_add(60)) > 40, "blue");
        // Grey below the background, and not of a body.
        assert!(count(&|c| c[0] < 0xd0 && c[0] > 0x90 && c[0].abs_diff(c[2]) < 16) > 40, "shadow");
    }

    #[test]
    fn a_film_of_a_very_slow_motion_is_refused_and_a_strobe_is_not() {
        use crate::made::chain;
        let clip = chain(2, 1.0, 5, mocap_model::Space::default())
            .with_rate(mocap_model::FrameRate::new(1e-9).unwrap());
        let input = RenderInput { clip: &clip };
        let options = RenderOptions { size: [64, 48], ..RenderOptions::default() };
        // The duration is rounded: the last picture may fall behind the end.
        let found = gif(&[input], &options).unwrap_err().found;
        assert!((100_000_000_000..=100_000_000_001).contains(&found), "{found}");
        assert!(apng(&[input], &options).is_err() && frames(&[input], &options, |_| ()).is_err());
        assert!(strobe(input, 3, &options).starts_with(b"\x89PNG"));
    }

    #[test]
    fn every_motion_gives_a_film() {
        use crate::made::chain;
        use mocap_model::Space;
        for (joints, length, frames) in [(1, 1.0, 1), (1, 1.0, 0), (3, 0.0, 5), (3, 1e150, 3), (20, 0.1, 4)] {
            let clip = chain(joints, length, frames, Space::default());
            let input = RenderInput { clip: &clip };
            let options = RenderOptions { size: [64, 48], ..RenderOptions::default() };
            assert_eq!(gif(&[input], &options), gif(&[input], &options));
            assert!(strobe(input, 4, &options).starts_with(b"\x89PNG"));
            assert!(gif(&[input, input], &options).unwrap().starts_with(b"GIF"));
        }
        assert!(
            gif(&[], &RenderOptions { size: [64, 48], ..RenderOptions::default() })
                .unwrap()
                .starts_with(b"GIF")
        );
    }
}
