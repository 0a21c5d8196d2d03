//! The same FBX scene below other parents: joints are where the matrices of the nodes put them.

use mocap_formats::{Document, Format, Kept, ReadOptions, WriteOptions, read, write};
use mocap_model::{Clip, Vector3};
use nalgebra::{Matrix3, Matrix4};

use crate::fbx_records::File;
use crate::wrapped::{Wrap, apart, lengths, places, wraps};

/// Rate at which files are read and written: what is wrong below a parent is so in every frame.
const FPS: f64 = 10.0;

/// The clip of a file, its document, and the codes of its warnings.
fn clip_of(bytes: &[u8]) -> (Clip, Box<dyn Document>, Vec<&'static str>) {
    let options = ReadOptions { fps: Some(FPS), ..ReadOptions::default() };
    let read = read(bytes, &options).unwrap();
    let clip = read.value.to_clip(&options).unwrap();
    let codes = read.warnings.iter().chain(&clip.warnings).map(|warning| warning.code()).collect();
    (clip.value, read.value, codes)
}

/// Where the joints of a clip are at rest.
fn rest_places(clip: &Clip, count: usize) -> Vec<Vec<Vector3<f64>>> {
    let skeleton = clip.skeleton().clone();
    let rate = clip.rate();
    let still = Clip::at_rest(skeleton, rate);
    let tracks = still.tracks().to_vec();
    let still = Clip::new(still.skeleton().clone(), rate, 1, tracks).unwrap();
    places(&still, count)
}

fn check(name: &str, wrap: &Wrap, file: File, matrix: &Matrix4<f64>, base: &Clip, binds: bool) {
    let bytes = file.write();
    let (clip, document, warnings) = clip_of(&bytes);
    let what = format!("{name}, {} (tracks {}, binds {binds}): {warnings:?}", wrap.name, wrap.tracks);
    let joints = base.skeleton().len();
    assert_eq!(clip.skeleton().len(), joints, "{what}: parents that do not move are not joints");
    let off = apart(&places(&clip, joints), &places(base, joints), matrix);
    assert!(off < 1e-5, "{what}: frames off by {off:e}");
    let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
    assert_eq!(warnings.contains(&"fbx::mirrored"), linear.determinant() < 0.0, "{what}");
    let scale = linear.column(0).norm();
    let even = (0..3).all(|axis| (linear.column(axis).norm() / scale - 1.0).abs() < 1e-5);
    let moves = (0..joints).any(|joint| clip.skeleton().joints()[joint].parent.is_some());
    if even {
        let pairs = lengths(&clip, joints).into_iter().zip(lengths(base, joints));
        let size = lengths(base, joints).into_iter().fold(1e-6, f64::max) * scale;
        let off = pairs.map(|(found, alone)| (found - alone * scale).abs() / size).fold(0.0, f64::max);
        assert!(off < 1e-5, "{what}: lengths at rest off by {off:e}");
        assert!(!warnings.contains(&"fbx::uneven-scale"), "{what}");
        if binds {
            let off = apart(&rest_places(&clip, joints), &rest_places(base, joints), matrix);
            assert!(off < 1e-4, "{what}: the rest pose is off by {off:e}");
        }
    } else if moves {
        assert!(warnings.contains(&"fbx::uneven-scale"), "{what}");
    }
    check_written(&what, &clip, &*document, joints, even);
}

/// The clip goes back into its file, unless a scale there is not the same on all axes, and into a new one.
fn check_written(what: &str, clip: &Clip, document: &dyn Document, joints: usize, even: bool) {
    if clip.has_scale() || clip.frames() == 0 {
        return;
    }
    let kept =
        document.with_clips(std::slice::from_ref(clip), Format::Fbx, &WriteOptions::default()).unwrap();
    let alone = write(clip, Format::Fbx, &WriteOptions::default()).unwrap();
    let kept = match kept {
        Kept::Written(kept) => Some(kept),
        Kept::Not(why) => {
            assert!(!even, "{what}: the file is not kept: {why}");
            None
        }
    };
    for (how, written) in [("kept", kept), ("alone", Some(alone))] {
        let Some(written) = written else { continue };
        let (again, ..) = clip_of(&written.main.into_bytes());
        let metres = |clip: &Clip| clip.skeleton().space().metres().unwrap_or(1.0);
        let back = again.in_space(*clip.skeleton().space()).unwrap();
        assert!(metres(&back) > 0.0);
        let off = apart(&places(&back, joints), &places(clip, joints), &Matrix4::identity());
        assert!(off < 1e-5, "{what}, {how}: written and read again, frames are off by {off:e}");
    }
}

fn check_all(name: &str, bytes: &[u8]) -> usize {
    let Some(file) = File::read(bytes) else { return 0 };
    let (base, ..) = clip_of(&file.write());
    let reversed = File::read(bytes).unwrap().reversed().write();
    let (base_reversed, ..) = clip_of(&reversed);
    let mut count = 0;
    // Nodes that take the scale of their parents axis by axis are not where a product of matrices puts them.
    let by_axis = File::read(bytes).unwrap().inherits_by_axis();
    let fits = |wrap: &&Wrap| !(wrap.as_matrix || by_axis && wrap.is_uneven());
    for wrap in wraps().iter().filter(fits) {
        let file = |bytes: &[u8]| File::read(bytes).unwrap();
        for binds in [true, false] {
            check(name, wrap, file(bytes).below(wrap, binds), &wrap.matrix(), &base, binds);
            let other = file(&reversed).below(wrap, binds).reversed();
            let other = other.reversed();
            check(name, wrap, other, &wrap.matrix(), &base_reversed, binds);
            let above = Wrap { turn: -0.3, scale: [0.5; 3], translation: [0.0, 1.0, 0.0], ..Wrap::NONE };
            let nested = file(bytes).below(wrap, binds).below(&above, binds);
            check(name, wrap, nested, &(above.matrix() * wrap.matrix()), &base, binds);
            count += 3;
        }
    }
    count
}

pub(crate) fn real_files_below_other_parents_keep_their_motion() {
    for (name, bytes) in mocap_corpus::files("fbx") {
        let count = check_all(&name, &bytes);
        mocap_corpus::note!("{name}: {count} ways");
    }
}

pub(crate) fn fixture_files_below_other_parents_keep_their_motion() {
    let read_clip = |path: &str| {
        let bytes = std::fs::read(mocap_corpus::fixture(path)).unwrap();
        let options = ReadOptions::default();
        read(&bytes, &options).unwrap().value.into_clip(&options).unwrap().value
    };
    for path in ["clips/alex_walk.bvh", "gltf/clean.glb", "gltf/other-step.glb"] {
        let clip = read_clip(path);
        let clip = clip.trimmed(0..clip.frames().min(60)).unwrap();
        let written = write(&clip, Format::Fbx, &WriteOptions::default()).unwrap().main.into_bytes();
        assert!(check_all(path, &written) > 0, "{path}");
    }
    for (name, bytes) in mocap_corpus::fixtures("fbx", "fbx") {
        if name.contains("error-") {
            continue;
        }
        check_all(&name, &bytes);
    }
}
