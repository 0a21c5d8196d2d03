//! A motion that is rotated, scaled, mirrored, resampled, trimmed or retargeted is found again.

use mocap_model::{Clip, FrameRate, JointId, Track, Vector3, exp};
use mocap_search::duplicates::{Copied, DuplicateOptions, Fingerprint, InOrder, clusters, copies};
use mocap_search::index::{Index, IndexedClip, IndexedFile, IndexedMotion, Searcher};
use mocap_search::labels::{Label, LabelExpression, LabelQuery, label};
use mocap_search::{Entry, FindOptions, Hit, Motion, Query, SearchError, best, find_in};
use std::path::Path;

fn fixture(name: &str) -> Clip {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/clips").join(name);
    let document =
        mocap_formats::bvh::parse(&std::fs::read(path).unwrap(), &Default::default()).unwrap().value;
    mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap().value
}

fn walk() -> Clip {
    fixture("alex_walk.bvh")
}

/// The whole motion turned about the up axis and moved.
fn turned(clip: &Clip, angle: f64) -> Clip {
    let turn = exp(&(clip.skeleton().space().up.vector() * angle));
    let mut tracks = clip.tracks().to_vec();
    let root = JointId(0);
    let offset = clip.skeleton().joint(root).offset;
    let rotations = (0..clip.frames()).map(|frame| turn * clip.local(root, frame).rotation).collect();
    let places = (0..clip.frames()).map(|frame| {
        let place = clip.track(root).translation.as_ref().map_or(offset, |track| track.at(frame));
        turn * place + Vector3::new(3.0, 0.0, -2.0)
    });
    tracks[0].rotation = Track::Sampled(rotations);
    tracks[0].translation = Some(Track::Sampled(places.collect()));
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap()
}

fn faster(clip: &Clip, factor: f64) -> Clip {
    clip.clone().with_rate(FrameRate::new(clip.rate().fps() * factor).unwrap())
}

/// The best hit of a range of one clip in another.
fn hit(query: &Clip, range: Option<std::ops::Range<f64>>, database: &Clip) -> Hit {
    let query = Query::new(&Motion::of(query).unwrap(), range).unwrap();
    let entry = Entry::new(Motion::of(database).unwrap());
    let hits = find_in(&query, (0, &entry), false, &FindOptions::default());
    best(hits, 1)[0]
}

#[test]
fn place_heading_size_and_rate_change_no_distance() {
    let walk = walk();
    for other in [
        turned(&walk, 2.1),
        walk.scaled(2.5).unwrap(),
        walk.resampled(FrameRate::new(50.0).unwrap()).unwrap(),
    ] {
        let found = hit(&walk, Some(1.0..2.5), &other);
        assert!(found.distance < 0.02 && !found.mirrored, "{found:?}");
        assert!((found.start - 1.0).abs() < 0.1 && (found.end - 2.5).abs() < 0.1, "{found:?}");
    }
}

#[test]
fn a_faster_copy_is_found_with_its_speed() {
    let walk = walk();
    for factor in [0.8, 1.25] {
        let found = hit(&walk, Some(0.5..2.0), &faster(&walk, factor));
        assert!((found.speed / factor - 1.0).abs() < 0.1, "{factor}: {found:?}");
        assert!((found.start - 0.5 / factor).abs() < 0.2, "{factor}: {found:?}");
    }
}

#[test]
fn a_mirror_twice_is_the_motion_and_once_is_another_side() {
    let motion = Motion::of(&walk()).unwrap();
    assert_eq!(motion.mirrored().mirrored(), motion);
    let query = Query::new(&motion, Some(1.0..2.5)).unwrap();
    let mirror = Entry::new(motion.mirrored());
    let found = best(find_in(&query, (0, &mirror), false, &FindOptions::default()), 1)[0];
    assert!(found.mirrored && found.distance < 1e-3, "{found:?}");
}

#[test]
fn hits_do_not_overlap_and_leave_out_the_query() {
    let motion = Motion::of(&walk()).unwrap();
    let query = Query::new(&motion, Some(1.0..1.4)).unwrap();
    let entry = Entry::new(motion);
    let mut hits = find_in(&query, (0, &entry), true, &FindOptions { top: 50, both_sides: true });
    assert!(hits.len() > 1);
    assert!(hits.windows(2).all(|pair| pair[0].score <= pair[1].score));
    assert!(hits.iter().all(|hit| hit.end <= 1.0 + 1e-9 || hit.start >= 1.4 - 1e-9), "{hits:?}");
    hits.sort_by(|a, b| a.start.total_cmp(&b.start));
    assert!(hits.windows(2).all(|pair| pair[0].end < pair[1].start), "{hits:?}");
}

#[test]
fn short_and_outside_queries_are_refused() {
    let motion = Motion::of(&walk()).unwrap();
    let refused = |from: f64, to: f64| Query::new(&motion, Some(from..to)).unwrap_err();
    assert!(matches!(refused(1.0, 1.1), SearchError::ShortQuery { .. }));
    for (from, to) in [(-1.0, 1.0), (2.0, 1.0), (0.0, 1e9), (f64::NAN, 1.0)] {
        assert!(matches!(refused(from, to), SearchError::RangeOutside { .. }), "{from} {to}");
    }
    let one = walk().trimmed(0..1).unwrap();
    assert_eq!(Motion::of(&one), Err(SearchError::TooFewFrames { frames: 1 }));
}

fn copied(clips: &[&Clip]) -> Vec<Copied> {
    let prints: Vec<Fingerprint> = clips.iter().map(|clip| Fingerprint::of(clip).unwrap()).collect();
    copies(&prints.iter().collect::<Vec<_>>(), None, &DuplicateOptions::default(), &InOrder)
        .unwrap_or_else(|never| match never {})
}

#[test]
fn copies_of_a_turn_are_one_cluster() {
    // A walk with two equal sides is its own mirror half a cycle later; a turn is not.
    let take = fixture("alex_turn.bvh");
    let frames = take.frames();
    let others = [
        turned(&take, -1.0),
        take.scaled(0.4).unwrap(),
        take.resampled(FrameRate::new(25.0).unwrap()).unwrap(),
        take.trimmed(frames / 4..frames * 3 / 4).unwrap(),
        faster(&take, 1.05),
    ];
    let clips: Vec<&Clip> = std::iter::once(&take).chain(&others).collect();
    let found = copied(&clips);
    assert_eq!(clusters(&found), [(0..clips.len()).collect::<Vec<_>>()], "{found:?}");
    let trimmed = found.iter().find(|pair| pair.motions == [0, 4]).unwrap();
    assert!((trimmed.ranges[0].start - (frames / 4) as f64 / take.rate().fps()).abs() < 0.02, "{trimmed:?}");
    let fast = found.iter().find(|pair| pair.motions == [0, 5]).unwrap();
    assert!((fast.speed - 1.0 / 1.05).abs() < 0.005, "{fast:?}");
}

/// Noise of a deviation in each rotation of each frame \[rad\].
fn noisy(clip: &Clip, deviation: f64) -> Clip {
    let mut state = 11u64;
    let mut normal = || {
        let mut even = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        ((0..12).map(|_| even()).sum::<f64>() - 6.0) * deviation
    };
    let mut tracks = clip.tracks().to_vec();
    for (joint, track) in tracks.iter_mut().enumerate() {
        let rotations = (0..clip.frames()).map(|frame| {
            let noise = Vector3::new(normal(), normal(), normal());
            clip.local(JointId(joint as u32), frame).rotation * exp(&noise)
        });
        track.rotation = Track::Sampled(rotations.collect());
    }
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap()
}

#[test]
fn a_noisy_copy_of_few_frames_is_found_and_noise_makes_no_others_alike() {
    let slow = FrameRate::new(15.0).unwrap();
    let takes: Vec<Clip> =
        ["alex_turn.bvh", "alex_jump.bvh"].map(|name| fixture(name).resampled(slow).unwrap()).to_vec();
    let mut clips = takes.clone();
    clips.extend(takes.iter().map(|take| noisy(take, 0.0175)));
    let found = copied(&clips.iter().collect::<Vec<_>>());
    assert_eq!(clusters(&found), [vec![0, 2], vec![1, 3]], "{found:?}");
    assert!(found.iter().all(|pair| pair.share <= pair.with_noise), "{found:?}");
}

#[test]
fn labels_do_not_depend_on_size_heading_or_rate() {
    let walk = walk();
    let names = |clip: &Clip| -> Vec<(Label, f64)> {
        label(clip).unwrap().into_iter().map(|segment| (segment.label, segment.start)).collect()
    };
    let expected = names(&walk);
    assert!(expected.iter().any(|(label, _)| *label == Label::Walk), "{expected:?}");
    for other in [turned(&walk, 0.7), walk.scaled(3.0).unwrap()] {
        let found = names(&other);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 0.1, "{found:?} {expected:?}");
        }
    }
}

#[test]
fn labels_are_read_as_people_write_them() {
    let query: LabelQuery = "kick,left-foot".parse().unwrap();
    assert_eq!((query.label, query.side), (Label::Kick, Some(mocap_model::Side::Left)));
    let wrong = "wlak".parse::<LabelQuery>().unwrap_err();
    assert_eq!(wrong.to_string(), "'wlak' is not a label; the nearest is 'walk'");
    for label in Label::ALL {
        assert_eq!(label.name().parse(), Ok(*label));
    }
}

fn indexed(clips: &[Clip]) -> Index {
    let of = |(at, clip): (usize, &Clip)| IndexedClip {
        part: None,
        files: vec![IndexedFile { path: format!("{at}.bvh"), bytes: 0, hash: at as u128 }],
        motion: Ok(IndexedMotion::new(&Motion::of(clip).unwrap())),
    };
    Index { clips: clips.iter().enumerate().map(of).collect(), ..Index::default() }
}

#[test]
fn an_index_finds_what_the_exact_search_finds() {
    let (walk, take) = (walk(), fixture("alex_turn.bvh"));
    let clips = [
        faster(&walk, 1.2),
        take.clone(),
        turned(&walk, 1.0).trimmed(10..walk.frames()).unwrap(),
        faster(&take, 0.8),
        walk.trimmed(0..walk.frames() / 5).unwrap(),
    ];
    let index = Index::from_bytes(&indexed(&clips).to_bytes()).unwrap();
    let searcher = Searcher::new(&index);
    let entries: Vec<Entry> = clips.iter().map(|clip| Entry::new(Motion::of(clip).unwrap())).collect();
    let options = FindOptions::default();
    for (clip, own, ranges) in [(&walk, None, [0.4..0.7, 0.5..2.5]), (&take, Some(1), [0.3..0.9, 0.2..1.9])] {
        for range in ranges {
            let query = Query::new(&Motion::of(clip).unwrap(), Some(range)).unwrap();
            let found = searcher.find(&query, own, &options);
            let exact: Vec<Hit> = entries
                .iter()
                .enumerate()
                .flat_map(|(at, entry)| find_in(&query, (at, entry), own == Some(at), &options))
                .collect();
            let exact = best(exact, options.top);
            assert_eq!(found.len(), exact.len());
            let (found, exact) = (found[0], exact[0]);
            assert_eq!((found.entry, found.mirrored), (exact.entry, exact.mirrored), "{found:?} {exact:?}");
            assert!((found.distance - exact.distance).abs() < 0.01, "{found:?} {exact:?}");
            assert!((found.start - exact.start).abs() < 0.1, "{found:?} {exact:?}");
        }
    }
}

#[test]
fn an_empty_index_has_no_hits() {
    let query = Query::new(&Motion::of(&walk()).unwrap(), None).unwrap();
    let index = Index::default();
    assert!(Searcher::new(&index).find(&query, None, &FindOptions::default()).is_empty());
}

#[test]
fn expressions_hold_where_labels_and_measures_do() {
    let walk = walk();
    let ranges = |text: &str| text.parse::<LabelExpression>().unwrap().ranges(&walk).unwrap();
    let walks = ranges("walk");
    assert!(!walks.is_empty());
    let (slow, fast) = (ranges("walk & speed<0.1"), ranges("walk & speed>0.1"));
    let seconds =
        |ranges: &[std::ops::Range<f64>]| ranges.iter().map(|range| range.end - range.start).sum::<f64>();
    assert!((seconds(&fast) + seconds(&slow) - seconds(&walks)).abs() < 0.3, "{fast:?} {slow:?} {walks:?}");
    assert!(ranges("walk & !walk").is_empty() && ranges("kick | speed>50").is_empty());
}
