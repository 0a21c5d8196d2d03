//! Encodes films: GIF, animated PNG, one PNG per picture.

use std::ops::ControlFlow;

use crate::film::{Film, RenderInput, RenderOptions, TooManyPictures, times};
use crate::palette::Histogram;
use crate::picture::{Picture, encoder, png};
use crate::stage::evenly_spaced;

/// A looping film as GIF of 256 colours.
///
/// # Errors
/// Where it has more than [`crate::film::MOST_PICTURES`].
pub fn gif(inputs: &[RenderInput<'_>], options: &RenderOptions) -> Result<Vec<u8>, TooManyPictures> {
    /// Number of pictures from which the palette is made.
    const SAMPLES: usize = 6;
    let times = times(inputs, options)?;
    let film = Film::new(inputs, options);
    let mut seen = Histogram::new();
    let samples: Vec<f64> = evenly_spaced(times.len(), SAMPLES).into_iter().map(|i| times[i]).collect();
    film.each(&samples, std::convert::identity, |picture| seen.add(&picture));
    // The last palette index is transparent: it leaves a pixel as it was.
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

/// A rectangle of pixels; the second corner is excluded.
struct Rect {
    from: [u16; 2],
    to: [u16; 2],
}

impl Rect {
    /// The rectangle of changed pixels, at least one pixel; the whole picture if there is no previous one.
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

/// A film as animated PNG in full colour that loops.
///
/// # Errors
/// Where it has more than [`crate::film::MOST_PICTURES`].
pub fn apng(inputs: &[RenderInput<'_>], options: &RenderOptions) -> Result<Vec<u8>, TooManyPictures> {
    let times = times(inputs, options)?;
    let film = Film::new(inputs, options);
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, options.size);
    // Unchanged pixels are transparent.
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
            // The size of the last rectangle may differ from the one announced.
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

/// Passes the pictures of a film to `each` in order, for another program: rows from the top, pixels
/// from the left, a red, a green and a blue byte each. Drawing stops when `each` asks for it.
///
/// # Errors
/// Where it has more than [`crate::film::MOST_PICTURES`].
pub fn pictures(
    inputs: &[RenderInput<'_>],
    options: &RenderOptions,
    mut each: impl FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<(), TooManyPictures> {
    /// Number of pictures drawn before the program is asked whether it needs more.
    const AT_ONCE: usize = 64;
    let times = times(inputs, options)?;
    let film = Film::new(inputs, options);
    let mut goes_on = true;
    for times in times.chunks(AT_ONCE) {
        film.each(times, std::convert::identity, |picture| {
            goes_on = goes_on && each(picture.as_flattened()).is_continue();
        });
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// The pictures of a film as PNG files, in order.
///
/// # Errors
/// Where it has more than [`crate::film::MOST_PICTURES`].
pub fn frames(
    inputs: &[RenderInput<'_>],
    options: &RenderOptions,
    each: impl FnMut(Vec<u8>),
) -> Result<(), TooManyPictures> {
    let times = times(inputs, options)?;
    Film::new(inputs, options).each(&times, |picture| png(&picture, options.size), each);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::{half_a_second as options, wave};
    use std::num::NonZeroUsize;

    #[test]
    fn films_have_their_pictures_at_their_times_on_any_number_of_threads() {
        let clip = wave();
        let film = gif(&[RenderInput::of(&clip)], &options()).unwrap();
        let mut decoder = gif::DecodeOptions::new().read_info(&film[..]).unwrap();
        let mut delays = Vec::new();
        // Composes pictures like a viewer: transparent pixels keep the previous picture.
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
        let drawn = Film::new(&[RenderInput::of(&clip)], &options);
        let palette = decoder.global_palette().unwrap().to_vec();
        let last = drawn.picture(1.0);
        let far = last.iter().zip(&shown).map(|(colour, pixel)| {
            let kept = &palette[usize::from(*pixel) * 3..][..3];
            (0..3).map(|i| colour[i].abs_diff(kept[i])).max().unwrap_or(0)
        });
        assert!(far.max() <= Some(40), "the last picture is whole");
        for threads in [1, 3] {
            let options = RenderOptions { threads: NonZeroUsize::new(threads), ..options.clone() };
            assert!(gif(&[RenderInput::of(&clip)], &options).unwrap() == film);
        }
        let animated = apng(&[RenderInput::of(&clip)], &options).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(animated)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 6);
        let mut raw = Vec::new();
        pictures(&[RenderInput::of(&clip)], &options, |pixels| {
            raw.push(pixels.to_vec());
            if raw.len() < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
        assert_eq!(raw.len(), 4, "no picture follows where none is wanted");
        assert!(raw[0] == drawn.picture(0.5).as_flattened() && raw[3] != raw[0]);
        let mut count = 0;
        frames(&[RenderInput::of(&clip)], &options, |file| {
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
        let file = apng(&[RenderInput::of(&clip)], &options).unwrap();
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
            let drawn = Film::new(&[RenderInput::of(&clip)], &options).picture(time);
            assert!(
                shown.iter().zip(&drawn).all(|(shown, drawn)| shown[..3] == drawn[..] && shown[3] == 255)
            );
        }
    }
}
