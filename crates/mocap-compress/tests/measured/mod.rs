//! The error of what was written, measured by what knows nothing of how it was made.

use mocap_analysis::object_error;
use mocap_compress::{CompressOptions, Compressed, OpenLimits, compress};
use mocap_model::Clip;

/// The largest error \[m\] of a clip that went through bytes.
pub(crate) fn error_of(clip: &Clip, options: &CompressOptions) -> f64 {
    let done = compress(clip, options).unwrap_or_else(|error| panic!("{options:?}: {error}"));
    let opened = Compressed::open(done.bytes, &OpenLimits::default()).expect("what was written is read");
    let decoded = opened.to_clip();
    assert_eq!(decoded.skeleton(), clip.skeleton());
    assert_eq!((decoded.frames(), decoded.rate()), (clip.frames(), clip.rate()));
    // A clip keeps offsets in double precision, a pose in single: they differ by rounding.
    let measured = object_error(clip, &decoded, options.shell).expect("the same skeleton");
    assert!((measured.max - done.report.max).abs() < 2e-7, "the report says otherwise");
    assert!((measured.rms - done.report.rms).abs() < 2e-7, "the report says otherwise");
    measured.max
}
