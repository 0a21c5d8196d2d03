//! Pictures of pixels as PNG files.

/// A picture, row by row.
pub(crate) type Picture = Vec<[u8; 3]>;

/// A PNG file of some width and height.
pub(crate) fn encoder(bytes: &mut Vec<u8>, size: [usize; 2]) -> png::Encoder<'_, &mut Vec<u8>> {
    let mut encoder = png::Encoder::new(bytes, size[0] as u32, size[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // Filters make pictures of lines on plain ground larger.
    encoder.set_filter(png::Filter::NoFilter);
    encoder
}

pub(crate) fn png(picture: &[[u8; 3]], size: [usize; 2]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = encoder(&mut bytes, size).write_header().expect("a header of a picture in memory");
    writer.write_image_data(picture.as_flattened()).expect("as many bytes as the header says");
    writer.finish().expect("a picture in memory is written whole");
    bytes
}

/// A PNG file of red, green, blue and opacity.
pub(crate) fn clear_png(picture: &[[u8; 4]], size: [u32; 2]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = encoder(&mut bytes, size.map(|side| side as usize));
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().expect("a header of a picture in memory");
    writer.write_image_data(picture.as_flattened()).expect("as many bytes as the header says");
    writer.finish().expect("a picture in memory is written whole");
    bytes
}
