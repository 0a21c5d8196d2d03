//! The error of written bytes, measured independently of the encoder.

use mocap_analysis::object_error;
use mocap_compress::{CompressOptions, Compressed, OpenLimits, compress};
use mocap_model::{Clip, Skeleton, angle_between};

/// The largest error \[m\] of a clip that went through bytes.
pub(crate) fn error_of(clip: &Clip, options: &CompressOptions) -> f64 {
    let done = compress(clip, options).unwrap_or_else(|error| panic!("{options:?}: {error}"));
    let opened = Compressed::open(done.bytes, &OpenLimits::default()).expect("what was written is read");
    let decoded = opened.to_clip();
    compare_skeletons(clip.skeleton(), decoded.skeleton(), options);
    assert_eq!((decoded.frames(), decoded.rate()), (clip.frames(), clip.rate()));
    // A clip keeps offsets in double precision, a pose in single: they differ by rounding.
    let measured = object_error(clip, &decoded, options.shell).expect("the same skeleton");
    assert!((measured.max - done.report.max).abs() < 2e-7, "the report says otherwise");
    assert!((measured.rms - done.report.rms).abs() < 2e-7, "the report says otherwise");
    measured.max
}

/// Offsets are within a fortieth of the least tolerance by axis, rotations nearly exact, everything else unchanged.
fn compare_skeletons(wanted: &Skeleton, found: &Skeleton, options: &CompressOptions) {
    let metres = options.metres_per_unit.or(wanted.space().metres()).expect("a unit");
    let tolerances = options.joint_tolerances.iter().map(|(_, tolerance)| *tolerance);
    let off = tolerances.fold(options.tolerance, f64::min) / metres * 0.0251;
    assert_eq!((wanted.name(), wanted.space(), wanted.len()), (found.name(), found.space(), found.len()));
    assert_eq!(wanted.chains(), found.chains());
    for (a, b) in wanted.joints().iter().zip(found.joints()) {
        assert!((a.offset - b.offset).amax() <= off, "{}: {} {}", a.name, a.offset, b.offset);
        let turns = [(a.rest_rotation, b.rest_rotation), (a.dofs.frame, b.dofs.frame)];
        turns.iter().for_each(|(a, b)| assert!(angle_between(a, b) < 2e-7, "{a} {b}"));
        let mut same = b.clone();
        (same.offset, same.rest_rotation, same.dofs.frame) = (a.offset, a.rest_rotation, a.dofs.frame);
        assert_eq!(*a, same);
    }
}
