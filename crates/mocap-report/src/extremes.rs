//! Tests with extreme motions: each must give a sensible picture or page.

use crate::coding::tests::decode;
use crate::heatmap::{self, HeatmapOptions};
use crate::made::chain;
use crate::plot::{self, Channel, PlotInput, PlotOptions};
use crate::sheet::{self, Moment, SheetInput, SheetOptions};
use crate::view::{self, ViewInput, ViewOptions};
use crate::{Theme, View};
use mocap_model::{Clip, SignedAxis, Space, Unit, UnitSource, Vector3};
use serde_json::Value;
use std::sync::Arc;

fn metres() -> Space {
    Space { unit: Some(Unit { metres: 1.0, source: UnitSource::File }), ..Space::default() }
}

fn page(clips: &[&Clip]) -> String {
    let inputs: Vec<ViewInput<'_>> = clips.iter().map(|clip| ViewInput::new("made", clip)).collect();
    String::from_utf8(view::html(&inputs, &ViewOptions::default())).unwrap()
}

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The positions of a clip of a page: samples × joints.
fn positions(clip: &Value) -> Vec<[f64; 3]> {
    let parents: Vec<i64> = clip["parents"].as_array().unwrap().iter().map(|p| p.as_i64().unwrap()).collect();
    let (samples, joints) = (clip["samples"].as_u64().unwrap() as usize, parents.len());
    let bodies = clip["joints"].as_array().unwrap().len();
    let mut found: Vec<[f64; 3]> = Vec::new();
    let values = decode(clip["data"].as_str().unwrap(), joints * 3, samples);
    for (i, chunk) in values.chunks(3).enumerate() {
        let above = match parents[i % joints] {
            -1 => [0.0; 3],
            parent => found[i - i % joints + parent as usize],
        };
        let coarse = if i % joints < bodies { 1.0 } else { 10.0 };
        found.push([0, 1, 2].map(|axis| above[axis] + coarse * f64::from(chunk[axis])));
    }
    let quantum = clip["quantum"].as_f64().unwrap();
    found.into_iter().map(|place| place.map(|x| x * quantum)).collect()
}

fn all_kinds() -> Vec<Clip> {
    let z_up = Space { up: SignedAxis::Z, forward: SignedAxis::Y, ..metres() };
    let lying = chain(20, 0.1, 50, Space { up: SignedAxis::Z, forward: SignedAxis::Y, ..metres() })
        .with_skeleton(Arc::new(chain(20, 0.1, 0, metres()).skeleton().as_ref().clone()))
        .unwrap();
    vec![
        chain(1, 1.0, 1, metres()),
        chain(1, 1.0, 0, metres()),
        chain(2, 1.0, 10, metres()),
        chain(200, 0.01, 30, metres()),
        chain(20, 0.1, 0, metres()),
        chain(20, 0.1, 1, metres()),
        chain(20, 0.5, 40, Space::default()),
        chain(20, 0.1, 40, z_up),
        lying,
        chain(3, 0.0, 5, metres()),
        chain(3, 1e-9, 5, metres()),
        chain(3, 1e9, 5, metres()),
        chain(3, 1e11, 5, metres()),
        chain(3, 1e12, 5, Space::default()),
    ]
}

#[test]
fn every_motion_gives_every_picture_twice_the_same() {
    for clip in all_kinds() {
        let input = [SheetInput::new("made", &clip)];
        for view in [View::Perspective, View::Front, View::Side] {
            let options = SheetOptions { view, poses: 3, scale: 0.5, ..SheetOptions::default() };
            let svg = sheet::svg(&input, &options);
            assert_eq!(svg, sheet::svg(&input, &options));
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert_eq!(sheet::png(&input, &options), sheet::png(&input, &options));
        }
        let page = page(&[&clip]);
        assert!(!page.contains("NaN") && data(&page)["clips"][0]["samples"].as_u64() >= Some(1));
        for channel in [Channel::Rotation, Channel::Position, Channel::Speed] {
            let input = [PlotInput { name: "made", clip: &clip, of: mocap_model::JointId(0).into() }];
            let options = PlotOptions { channel, scale: 0.5, ..PlotOptions::default() };
            let svg = plot::svg(&input, &options);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert_eq!(plot::png(&input, &options), plot::png(&input, &options));
        }
        let options = HeatmapOptions { scale: 0.5, ..HeatmapOptions::default() };
        assert!(heatmap::png(&clip, &clip, &options).unwrap().starts_with(b"\x89PNG"));
    }
}

#[test]
fn no_inputs_are_an_empty_picture() {
    assert!(sheet::svg(&[], &SheetOptions::default()).ends_with("</svg>\n"));
    assert!(sheet::png(&[], &SheetOptions::default()).starts_with(b"\x89PNG"));
    assert!(plot::svg(&[], &PlotOptions::default()).ends_with("</svg>\n"));
    assert_eq!(data(&page(&[]))["clips"].as_array().unwrap().len(), 0);
}

#[test]
fn up_is_up_whatever_axis_it_is() {
    let z_up = Space { up: SignedAxis::Z, forward: SignedAxis::Y, ..metres() };
    for space in [metres(), z_up] {
        let clip = chain(3, 1.0, 1, space);
        let data = data(&page(&[&clip]));
        let top = positions(&data["clips"][0])[2];
        assert!((top[1] - 2.0).abs() < 1e-3, "{top:?}");
    }
}

#[test]
fn page_positions_are_those_of_the_clip() {
    let clip = chain(30, 0.07, 200, metres());
    let found = positions(&data(&page(&[&clip]))["clips"][0]);
    let joints: Vec<_> = clip.skeleton().iter().map(|(id, _)| id).collect();
    for (joint, places) in mocap_analysis::trajectories(&clip, &joints).iter().enumerate() {
        for (frame, place) in places.iter().enumerate() {
            let off = (Vector3::from(found[frame * joints.len() + joint]) - place).norm();
            assert!(off <= 1e-4, "joint {joint} frame {frame}: {off}");
        }
    }
}

#[test]
fn a_long_clip_is_thinned_and_says_so() {
    let clip = chain(12, 0.15, 100_000, metres());
    let page = page(&[&clip]);
    assert!(page.contains("100000 frames") && page.contains("every 17th frame shown"));
    assert!(page.len() < 1_000_000, "{}", page.len());
    let data = data(&page);
    assert_eq!(
        (data["clips"][0]["step"].as_u64(), data["clips"][0]["samples"].as_u64()),
        (Some(17), Some(5883))
    );
    // The worst frame of a difference is found although its frame is not shown.
    let mut tracks = clip.tracks().to_vec();
    if let Some(mocap_model::Track::Sampled(places)) = &mut tracks[0].translation {
        places[54_321].y += 0.5;
    }
    let other = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap();
    let data = self::data(&self::page(&[&clip, &other]));
    let differences = &data["clips"][1]["differences"];
    assert_eq!(differences["worst"]["frame"].as_u64(), Some(54_321));
    let levels = decode(differences["data"].as_str().unwrap(), 11, 5883);
    assert_eq!(levels[54_321 / 17 * 11], 255);
    assert_eq!(levels.iter().filter(|level| **level > 0).count(), 11);
}

#[test]
fn moments_choose_poses() {
    let clip = chain(5, 0.3, 121, metres());
    assert_eq!(Moment::Seconds(1.0).frame_in(&clip), Some(60));
    assert_eq!(Moment::Seconds(-0.005).frame_in(&clip), Some(0));
    assert_eq!(Moment::Seconds(-0.02).frame_in(&clip), None);
    assert_eq!(Moment::Seconds(f64::NAN).frame_in(&clip), None);
    assert_eq!(Moment::Frame(121).frame_in(&clip), None);
    let options =
        SheetOptions { at: vec![Moment::Seconds(1.5), Moment::Frame(7)], ..SheetOptions::default() };
    let svg = sheet::svg(&[SheetInput::new("made", &clip)], &options);
    assert!(svg.contains("1.50 s  #90") && svg.contains("0.12 s  #7"));
    assert_eq!(svg.matches(" s  #").count(), 2);
}

#[test]
fn names_are_text_everywhere() {
    let nasty = "</text></script><b> \"quoted\" 'single' & 🦴";
    let clip = chain(3, 0.5, 4, metres());
    let skeleton =
        clip.skeleton().with_joints(|joint| joint.name = format!("{nasty}{}", joint.name)).unwrap();
    let clip = clip.with_skeleton(Arc::new(skeleton)).unwrap();
    let sheet = sheet::svg(&[SheetInput::new(nasty, &clip)], &SheetOptions::default());
    let joint = mocap_model::JointId(1);
    let plot =
        plot::svg(&[PlotInput { name: nasty, clip: &clip, of: joint.into() }], &PlotOptions::default());
    for svg in [&sheet, &plot] {
        assert!(
            svg.contains("&lt;b&gt; &quot;quoted&quot; &#39;single&#39; &amp; 🦴") && !svg.contains("<b>")
        );
    }
    let other = chain(3, 0.6, 4, metres()).with_skeleton(clip.skeleton().clone()).unwrap();
    let inputs = [&clip, &other].map(|clip| ViewInput::new(nasty, clip));
    let page = String::from_utf8(view::html(&inputs, &ViewOptions::default())).unwrap();
    assert!(!page.contains("<b>") && page.matches("</script>").count() == 2);
    assert_eq!(data(&page)["clips"][1]["joints"][1], format!("{nasty}joint 1"));
    assert!(heatmap::png(&clip, &other, &HeatmapOptions::default()).is_ok());
}

#[test]
fn themes_differ() {
    let clip = chain(5, 0.3, 9, metres());
    let input = [SheetInput::new("made", &clip)];
    let of = |theme| sheet::svg(&input, &SheetOptions { theme, ..SheetOptions::default() });
    assert!(of(Theme::Light).contains("prefers-color-scheme:dark"));
    assert!(!of(Theme::Dark).contains("prefers-color-scheme") && of(Theme::Dark).contains("#14171c"));
}

#[test]
fn the_heat_map_is_hot_where_the_error_is() {
    let clip = chain(8, 0.2, 90, metres());
    let mut tracks = clip.tracks().to_vec();
    if let mocap_model::Track::Sampled(turns) = &mut tracks[6].rotation {
        turns[40] *= mocap_model::exp(&Vector3::new(1.0, 0.0, 0.0));
    }
    let other = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap();
    let options = HeatmapOptions { scale: 1.0, ..HeatmapOptions::default() };
    let file = heatmap::png(&clip, &other, &options).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let hot = pixels.chunks(3).filter(|pixel| *pixel == [215, 60, 45]).count();
    let cold = pixels.chunks(3).filter(|pixel| *pixel == [52, 92, 170]).count();
    // One cell of 7 rows × 90 frames, and the ends of the scale.
    assert!(hot > 20 && hot < 200 && cold > 300 * hot / 2, "{hot} hot, {cold} cold");
}
