//! JSON clips: exact round trips, and errors with their place.

use mocap_formats::{LimitExceeded, Limits, json};
use mocap_model::*;
use std::sync::Arc;

fn clip() -> Clip {
    let joint = |name: &str, parent: Option<u32>| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        offset: Vector3::new(0.1, 2.0, -1.0 / 3.0),
        rest_rotation: exp(&Vector3::new(0.1, 0.0, 0.3)),
        dofs: Dofs::ball(EulerOrder::ZXY),
        role: None,
        end_site: false,
    };
    let joints = vec![joint("a", None), joint("b", Some(0)), joint("c", Some(1))];
    let skeleton = Skeleton::new("three", Space::default(), joints).unwrap();
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let turn = |i: i32| exp(&Vector3::new(0.1, 0.7, -0.2).scale(f64::from(i)));
    tracks[0].translation = Some(Track::Sampled((0..4).map(|i| Vector3::x() / f64::from(i + 3)).collect()));
    tracks[0].rotation = Track::Sampled((0..4).map(turn).collect());
    tracks[1].rotation = Track::Constant(turn(2));
    Clip::new(Arc::new(skeleton), FrameRate::new(30000.0 / 1001.0).unwrap(), 4, tracks).unwrap()
}

fn parse(bytes: &[u8]) -> Clip {
    let parsed = json::parse(bytes, &Limits::default()).unwrap();
    assert_eq!(parsed.warnings, []);
    parsed.value
}

#[test]
fn clips_come_back_to_the_last_bit() {
    let clip = clip();
    assert_eq!(parse(&json::to_bytes(&clip)), clip);
    let none = clip.trimmed(0..0).unwrap();
    let back = parse(&json::to_bytes(&none));
    assert_eq!((back.frames(), back.rate(), back.skeleton()), (0, none.rate(), none.skeleton()));
}

#[test]
fn a_person_can_read_the_file() {
    insta::assert_snapshot!(String::from_utf8(json::to_bytes(&clip())).unwrap());
}

#[test]
fn what_is_no_clip_is_told_with_its_place() {
    let good = String::from_utf8(json::to_bytes(&clip())).unwrap();
    let edit = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    let cases = [
        String::new(),
        "[1, 2".into(),
        "<skeleton/>".into(),
        good[..good.len() / 2].into(),
        edit("mocap-clip", "mocap-skel"),
        edit("\"version\": 1", "\"version\": 9"),
        edit("\"fps\"", "\"fsp\""),
        edit("\"fps\": 29.97", "\"fps\": -29.97"),
        edit("\"joint\": \"b\"", "\"joint\": \"x\""),
        edit("\"joint\": \"b\"", "\"joint\": \"a\""),
        edit("\"frames\": 4", "\"frames\": 5"),
        edit("\"frames\": 4", "\"frames\": 4000000000"),
        edit("\"parent\": \"a\"", "\"parent\": \"nobody\""),
        edit("\"rotation\": [[", "\"rotation\": [[null, "),
        edit("\"rotation\": [[1, 0, 0, -0]", "\"rotation\": [[0, 0, 0, 0]"),
        format!("{good}x"),
    ];
    let said: Vec<String> = cases
        .iter()
        .map(|text| {
            let error = json::parse(text.as_bytes(), &Limits::default()).unwrap_err();
            format!("{} - {error}", error.code())
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn frames_without_values_are_bounded_for_all_joints_together() {
    let clip = clip();
    let limits = Limits { samples: 20_000_000, ..Limits::default() };
    let still = clip.skeleton().joints().iter().map(JointTracks::at_rest).collect::<Vec<_>>();
    let read = |frames| {
        let still = Clip::new(clip.skeleton().clone(), clip.rate(), frames, still.clone()).unwrap();
        json::parse(&json::to_bytes(&still), &limits)
    };
    assert_eq!(read(6_666_666).unwrap().value.frames(), 6_666_666);
    let long = Clip::new(clip.skeleton().clone(), clip.rate(), 6_666_667, still.clone()).unwrap();
    assert!(json::writable(&long, &limits).is_err());
    let error = read(6_666_667).unwrap_err().error;
    let limit = LimitExceeded { what: "frames", found: 6_666_667, limit: 6_666_666 };
    assert_eq!(error.problem_as(), Some(&limit));
}

/// A clip with everything that a clip can have.
fn annotated() -> Clip {
    let clip = clip();
    let mut tracks = clip.tracks().to_vec();
    tracks[0].scale =
        Some(Track::Sampled((0..4).map(|i| Vector3::repeat(1.0 + 0.1 * f64::from(i))).collect()));
    let annotations = mocap_model::Annotations {
        name: "walk, slow".into(),
        scalars: vec![mocap_model::ScalarTrack {
            name: "smile".into(),
            values: Track::Sampled(vec![0.1; 4]),
        }],
        events: vec![mocap_model::Event { time: 0.1, name: "left".into() }],
    };
    let clip = Clip::new(clip.skeleton().clone(), clip.rate(), 4, tracks).unwrap();
    clip.with_annotations(annotations).unwrap()
}

#[test]
fn names_events_scalars_and_scales_are_kept() {
    let clip = annotated();
    let again = json::parse(&json::to_bytes(&clip), &Limits::default()).unwrap().value;
    assert_eq!(again, clip);
}

#[test]
fn formats_say_what_they_leave_out() {
    let clip = annotated();
    let codes = |format| {
        let written = mocap_formats::write(&clip, format, &Default::default()).unwrap();
        written.warnings.iter().map(mocap_formats::Finding::code).collect::<Vec<_>>()
    };
    let all = ["clip::scale-left-out", "clip::scalars-left-out", "clip::events-left-out"];
    assert_eq!(codes(mocap_formats::Format::Bvh), all);
    assert!(codes(mocap_formats::Format::Amc).iter().take(3).eq(&all));
    assert!(codes(mocap_formats::Format::Json).is_empty() && codes(mocap_formats::Format::Csv).is_empty());
}
