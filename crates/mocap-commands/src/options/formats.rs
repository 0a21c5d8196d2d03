//! Formats in help texts, from the table of formats.

use clap::Args as ClapArgs;
use mocap::FileFormat;
use mocap_formats::Format;
use mocap_model::EulerOrder;

/// How a motion is written.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Conversion")]
pub(crate) struct Written {
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help = format!("Output format: {} [default: by the extension of OUT, else that of the input]", writable(Format::has_motion))
    )]
    pub(crate) to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the input]
    #[arg(long, value_name = "ORDER")]
    pub(crate) euler: Option<EulerOrder>,
}

/// The names of all formats that can be read.
pub(crate) fn readable() -> String {
    let readable = FileFormat::all().filter(|format| format.readable().is_ok());
    readable.map(FileFormat::extension).collect::<Vec<_>>().join(", ")
}

/// The names of formats as a list: "a, b and c" for the word "and".
pub(crate) fn listed(which: impl Fn(Format) -> bool, word: &str) -> String {
    let names: Vec<&str> =
        Format::ALL.into_iter().filter(|format| which(*format)).map(Format::extension).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
        None => String::new(),
    }
}

/// The formats that can be written, with the notes that help adds to some names.
pub(crate) fn writable(which: impl Fn(Format) -> bool) -> String {
    let formats = Format::ALL.into_iter().filter(|format| format.is_writable() && which(*format));
    let named = formats.map(|format| match format.note() {
        Some(note) => format!("{format} ({note})"),
        None => format.to_string(),
    });
    named.collect::<Vec<_>>().join(", ")
}
