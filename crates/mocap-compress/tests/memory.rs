//! Allocations of sampling: none once a sampler exists; making one takes the memory of a segment.

mod motion;

use allocation_counter::{AllocationInfo, measure};
use mocap_compress::{
    CompressOptions, Compressed, Effort, Looping, OpenLimits, Profile, compress, raw_bytes,
};
use mocap_model::{Clip, JointId};
use motion::Character;

/// Frames of a segment of the `runtime` profile.
const SEGMENT: usize = 32;

fn opened(clip: &Clip, profile: Profile) -> Compressed {
    let bytes = compress(clip, &CompressOptions { profile, tolerance: 1e-3, ..CompressOptions::default() })
        .unwrap()
        .bytes;
    Compressed::open(bytes, &OpenLimits::default()).unwrap()
}

/// Samples by every method at some times; returns the peak memory \[bytes\]. `all` gets the
/// allocations of sampling only.
fn sample(clip: &Compressed, times: impl Iterator<Item = f64>, all: &mut AllocationInfo) -> usize {
    let mut taken = 0;
    let setup = measure(|| {
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        *all = measure(|| {
            for time in times {
                sampler.sample(time, Looping::Wrap, &mut pose);
                sampler.frame(taken * 7, &mut pose);
                let joint = JointId::from(taken % pose.len());
                pose[0] = sampler.sample_joint(time, Looping::Clamp, joint);
                taken += 1;
            }
        });
    });
    assert!(taken > 0 && setup.count_total > 0, "the counter counts");
    setup.bytes_max as usize
}

#[test]
fn sampling_the_runtime_profile_allocates_nothing() {
    // Three blocks, the last one short: a block has at most 8192 frames.
    let clip = motion::clip(Character::Calm, 2, 8192 * 2 + 40);
    let clip = opened(&clip, Profile::Runtime);
    let duration = clip.info().frames as f64 / clip.info().rate.fps();
    let anywhere = (0..2000).map(|i| (f64::from(i) * 0.618).fract() * duration);
    let mut allocated = AllocationInfo::default();
    sample(&clip, anywhere.chain([0.0, duration, -1.0, f64::NAN, 1e12]), &mut allocated);
    assert_eq!(allocated.count_total, 0);
}

#[test]
fn warm_samples_of_other_profiles_allocate_nothing() {
    for profile in [Profile::Archive, Profile::Keys] {
        let clip = opened(&motion::clip(Character::Calm, 2, 300), profile);
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        sampler.frame(0, &mut pose);
        let allocated = measure(|| {
            for i in 0..300 {
                sampler.sample(f64::from(i) * 0.0161, Looping::Clamp, &mut pose);
            }
        });
        assert_eq!(allocated.count_total, 0, "{profile}");
    }
}

#[test]
fn a_sampler_takes_the_memory_of_a_segment() {
    for bones in [7, 10, 33] {
        let motion = motion::clip(Character::Calm, bones, 1000);
        let clip = opened(&motion, Profile::Runtime);
        let mut allocated = AllocationInfo::default();
        let peak = sample(&clip, [3.3, 9.1].into_iter(), &mut allocated);
        // Beside the bytes of the file, which are shared: a segment twice, as residuals and as poses. However
        // long the clip is.
        let segment = raw_bytes(motion.skeleton(), SEGMENT + 1) as usize;
        assert!(peak <= 2 * segment, "{peak} > 2 × {segment}");
    }
}

#[test]
fn compressing_takes_the_memory_of_a_block() {
    let options = CompressOptions { tolerance: 1e-3, effort: Effort::new(0).unwrap(), ..Default::default() };
    let peak = |frames: usize| {
        let clip = motion::clip(Character::Calm, 12, frames);
        let peak = measure(|| drop(compress(&clip, &options).unwrap())).bytes_max;
        // Of a joint in a frame of a block: transforms before and after, residuals, and values as they are written.
        (peak as usize / (8192 * clip.skeleton().len()), peak)
    };
    let (one, more) = (peak(8192), peak(8192 * 3));
    assert!(one.0 <= 200 && more.0 <= 200, "{one:?} {more:?}");
}

#[test]
fn opening_for_a_pose_allocates_alike_for_few_joints_and_many() {
    let counts = [3, 33].map(|bones| {
        let motion = motion::clip(Character::Calm, bones, 300);
        let like = opened(&motion, Profile::Direct);
        let options =
            CompressOptions { profile: Profile::Direct, tolerance: 1e-3, ..CompressOptions::default() };
        let bytes: std::sync::Arc<[u8]> = compress(&motion, &options).unwrap().bytes.into();
        let allocated = measure(|| {
            let clip = Compressed::open_trusted(bytes.clone(), Some(&like), &OpenLimits::default()).unwrap();
            let mut sampler = clip.sampler();
            let mut pose = sampler.pose();
            sampler.sample(1.234, Looping::Clamp, &mut pose);
        });
        // Another sampler shares the tables, and after two poses all weights are known.
        let mut sampler = like.sampler();
        let mut pose = sampler.pose();
        for time in [1.0, 2.0] {
            sampler.sample(time, Looping::Clamp, &mut pose);
        }
        let further = measure(|| {
            for i in 0..300 {
                sampler.sample(f64::from(i) * 0.0161, Looping::Clamp, &mut pose);
            }
        });
        assert_eq!(further.count_total, 0);
        allocated.count_total
    });
    assert!(counts[0] > 0 && counts[0] + 8 >= counts[1], "{counts:?}");
    assert!(counts[1] < 60, "{counts:?}");
}

#[test]
fn a_small_sampler_takes_a_kilobyte_and_allocates_nothing() {
    // The first has two blocks.
    for (bones, frames) in [(2, 8192 + 40), (33, 300)] {
        let clip = opened(&motion::clip(Character::Calm, bones, frames), Profile::Direct);
        let duration = clip.info().frames as f64 / clip.info().rate.fps();
        let mut sampler = clip.sampler();
        let mut pose = sampler.pose();
        for share in [0.1, 0.2, 0.997, 0.999] {
            sampler.sample(share * duration, Looping::Clamp, &mut pose);
        }
        let mut small = pose.clone();
        let allocated = measure(|| {
            let mut sampler = clip.small_sampler();
            assert!(size_of_val(&sampler) <= 1024, "{}", size_of_val(&sampler));
            for i in 0..2000 {
                let time = (f64::from(i) * 0.618).fract() * duration;
                sampler.sample(time, Looping::Wrap, &mut small);
                sampler.frame(i as usize * 7, &mut small);
                small[0] = sampler.sample_joint(time, Looping::Clamp, JointId::from(i as usize % pose.len()));
            }
        });
        assert_eq!(allocated.count_total, 0, "{bones} bones");
    }
}
