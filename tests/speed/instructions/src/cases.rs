//! The work that is counted, on the fixtures.

use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, Profile, compress};
use mocap_formats::{Limits, amc, asf, bvh};
use mocap_model::{Clip, Unit, UnitSource};
use mocap_retarget::{RetargetOptions, Retargeter};
use std::hint::black_box;
use std::sync::Arc;

/// Work on inputs that are there.
pub(crate) type Work = Box<dyn FnMut()>;

/// A name, and what makes its inputs.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) prepare: Box<dyn Fn() -> Work>,
}

/// Every case.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = vec![
        case("parse bvh", parse_bvh),
        case("parse amc", parse_amc),
        case("to_clip bvh", bvh_to_clip),
        case("to_clip amc", amc_to_clip),
        case("write bvh", write_bvh),
        case("from_clip bvh", clip_to_bvh),
        case("retarget", || retarget(false)),
        case("retarget with report", || retarget(true)),
        case("retarget without feet", retarget_free),
    ];
    for profile in Profile::ALL {
        cases.push(case(&format!("encode {profile}"), move || encode(profile)));
        cases.push(case(&format!("decode {profile}"), move || decode(profile)));
        cases.push(case(&format!("poses {profile}"), move || poses(profile)));
    }
    cases
}

fn case(name: &str, prepare: impl Fn() -> Work + 'static) -> Case {
    Case { name: name.to_owned(), prepare: Box::new(prepare) }
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(mocap_corpus::fixture("clips").join(name)).expect("a fixture")
}

fn bvh_document(name: &str) -> bvh::Document {
    bvh::parse(&file(name), &Limits::default()).expect("a sound file").value
}

fn amc_documents() -> (asf::Document, amc::Document) {
    let limits = Limits::default();
    let skeleton = asf::parse(&file("alex.asf"), &limits).expect("a sound file").value;
    (skeleton, amc::parse(&file("alex_walk.amc"), &limits).expect("a sound file").value)
}

/// A clip whose unit is stated.
fn clip(name: &str, metres: f64) -> Clip {
    let clip = bvh::to_clip(&bvh_document(name), &bvh::ClipOptions::default()).expect("a sound file").value;
    let mut space = *clip.skeleton().space();
    space.unit = Some(Unit { metres, source: UnitSource::Flag });
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(Arc::new(skeleton)).expect("the same joints")
}

fn parse_bvh() -> Work {
    let bytes = file("alex_walk.bvh");
    Box::new(move || drop(black_box(bvh::parse(&bytes, &Limits::default()))))
}

fn parse_amc() -> Work {
    let bytes = file("alex_walk.amc");
    Box::new(move || drop(black_box(amc::parse(&bytes, &Limits::default()))))
}

fn bvh_to_clip() -> Work {
    let document = bvh_document("alex_walk.bvh");
    Box::new(move || drop(black_box(bvh::to_clip(&document, &bvh::ClipOptions::default()))))
}

fn amc_to_clip() -> Work {
    let (skeleton, motion) = amc_documents();
    Box::new(move || drop(black_box(amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()))))
}

fn write_bvh() -> Work {
    let document = bvh_document("alex_walk.bvh");
    Box::new(move || drop(black_box(document.to_bytes())))
}

fn clip_to_bvh() -> Work {
    let clip = clip("alex_walk.bvh", 0.01);
    Box::new(move || drop(black_box(bvh::from_clip(&clip, &bvh::WriteOptions::default()))))
}

fn retarget(report: bool) -> Work {
    retarget_by(RetargetOptions::default(), report)
}

fn retarget_free() -> Work {
    retarget_by(RetargetOptions { foot_lock: mocap_retarget::FootLock::Off, ..Default::default() }, false)
}

fn retarget_by(options: RetargetOptions, report: bool) -> Work {
    let (walk, robin) = (clip("alex_walk.bvh", 0.01), clip("robin_walk.bvh", 1.0));
    let retargeter = Retargeter::new(walk.skeleton(), robin.skeleton(), &options).expect("two bodies");
    Box::new(move || match report {
        true => drop(black_box(retargeter.retarget(&walk).expect("a motion"))),
        false => drop(black_box(retargeter.retarget_clip(&walk).expect("a motion"))),
    })
}

fn encoded(profile: Profile) -> Vec<u8> {
    let options = CompressOptions { profile, ..CompressOptions::default() };
    compress(&clip("alex_jump.bvh", 0.01), &options).expect("a motion").bytes
}

fn encode(profile: Profile) -> Work {
    let clip = clip("alex_jump.bvh", 0.01);
    let options = CompressOptions { profile, ..CompressOptions::default() };
    Box::new(move || drop(black_box(compress(&clip, &options).expect("a motion"))))
}

/// Opens a file and reads every frame.
fn decode(profile: Profile) -> Work {
    let bytes = encoded(profile);
    Box::new(move || {
        let clip = Compressed::open(&bytes[..], &OpenLimits::default()).expect("a sound file");
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        for frame in 0..clip.info().frames {
            sampler.frame(frame, &mut pose);
            black_box(&pose);
        }
    })
}

/// A hundred poses at times far from each other.
fn poses(profile: Profile) -> Work {
    let clip = Compressed::open(encoded(profile), &OpenLimits::default()).expect("a sound file");
    let duration = clip.info().frames as f64 / clip.info().rate.fps();
    Box::new(move || {
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        for step in 0..100 {
            // Steps by the golden ratio: the times are far from each other and never repeat.
            let time = (f64::from(step) * 0.618_033_988_749_895).fract() * duration;
            sampler.sample(time, Looping::Wrap, &mut pose);
            black_box(&pose);
        }
    })
}
