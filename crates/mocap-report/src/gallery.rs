//! A gallery: an index of many motions, with search, filters and a strip of poses each, and a page for every motion.
//!
//! It is a folder of plain files that works from a disk and from any static server: the index and the strips are
//! compressed, and come as scripts, because a page from a disk may fetch nothing else.
//!
//! ```
//! use mocap_report::gallery;
//! use mocap_report::view::{ViewInput, ViewOptions};
//! # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
//! let motions = [ViewInput::new("wave", &clip)];
//! let input = gallery::ClipInput { path: "db/wave.bvh", motions: &motions, labels: &[], outcome: None };
//! // One script for each clip, in any order and on any machine …
//! let script = gallery::clip_script(&input, &ViewOptions::default());
//! // … and the index of all of them.
//! let entry = gallery::entry_of(&script).unwrap();
//! assert_eq!(entry.path, "db/wave.bvh");
//! let files = gallery::site("db", &[("clips/wave.bvh.js".into(), entry)], &[]);
//! assert_eq!(files[0].0, "index.html");
//! ```

use crate::coding::base64;
pub use crate::entry::{Entry, Failed, Figure, Outcome};
use crate::face_strip;
use crate::findings::Finding;
use crate::only_numbers::has_only_numbers;
use crate::overview;
use crate::page::{self, Scripts};
use crate::stage::Stage;
use crate::style::style;
use crate::surface::Surface;
use crate::thumbnail::strip;
use crate::view::{ViewInput, ViewOptions, parts};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use mocap_analysis::body_height;
use mocap_model::UnitSource;
use serde_json::{Value, json};
use std::io::Write;

/// A clip of a gallery.
#[derive(Clone, Copy, Debug)]
pub struct ClipInput<'a> {
    /// Its path, as in copied lists.
    pub path: &'a str,
    /// What its page shows; of several motions, the index describes the last one. At least one.
    pub motions: &'a [ViewInput<'a>],
    /// Labels of the motion, such as `walk` and `kick`: filters of the index. If empty, words from simple
    /// measures are used.
    pub labels: &'a [String],
    /// What a run made of it.
    pub outcome: Option<&'a Outcome>,
}

/// The script of one clip: its entry in a comment, and the data of its page.
///
/// # Panics
/// If it has no motion.
pub fn clip_script(input: &ClipInput<'_>, options: &ViewOptions) -> Vec<u8> {
    let parts = parts(input.motions, options);
    let (stage, findings) = parts.stages.last().expect("a clip of a gallery has a motion");
    let surface = parts.surfaces.last().and_then(Option::as_ref);
    let entry = entry(input, (stage, surface), findings, &parts.data);
    let entry = serde_json::to_string(&entry).expect("plain data is JSON").replace('/', "\\/");
    let title = serde_json::to_string(&parts.title).expect("a name is JSON");
    let header = serde_json::to_string(&parts.header).expect("markup is JSON");
    format!("/*{entry}*/\nmocapClip({{\"title\":{title},\"header\":{header},\"data\":{}}});\n", parts.data)
        .into_bytes()
}

/// The entry at the start of a script of [`clip_script`]; `None` for other files.
pub fn entry_of(script: &[u8]) -> Option<Entry> {
    let line = script.split(|byte| *byte == b'\n').next()?;
    let json = line.strip_prefix(b"/*")?.strip_suffix(b"*/")?;
    serde_json::from_slice(json).ok()
}

fn entry(
    input: &ClipInput<'_>,
    (stage, surface): (&Stage<'_>, Option<&Surface>),
    findings: &[Finding],
    data: &str,
) -> Entry {
    let (clip, skeleton) = (stage.clip, stage.clip.skeleton());
    let style = style(stage);
    let shown = input.motions.last().and_then(|motion| motion.body);
    let known = |value: f64| stage.unit.map(|_| (value * 1e3).round() / 1e3);
    Entry {
        path: input.path.to_owned(),
        joints: skeleton.joints().iter().filter(|joint| !joint.end_site).count(),
        markers: stage.points() == "marker",
        frames: clip.frames(),
        fps: clip.rate().fps(),
        seconds: (clip.duration() * 1e3).round() / 1e3,
        unit: match stage.unit {
            None => "unknown",
            Some(UnitSource::Guessed | UnitSource::Voted) => "guessed",
            Some(_) => "file",
        }
        .into(),
        height: body_height(skeleton, shown).and_then(|height| known(height * stage.scale)),
        speed: known(style.speed),
        travel: known(style.travel),
        styles: match input.labels {
            [] => style.words.iter().map(|word| (*word).to_owned()).collect(),
            labels => labels.to_vec(),
        },
        findings: findings.len(),
        worst: findings.first().map(|finding| finding.kind.to_owned()),
        same: same(data),
        strip: match surface.filter(|_| stage.drawn_height.is_some()) {
            // The mesh and not the joints say how large it is: a head.
            Some(surface) => face_strip::heads(stage, surface),
            None if surface.is_none() && has_only_numbers(clip) => face_strip::curves(clip),
            None => strip(stage),
        },
        outcome: input.outcome.cloned(),
    }
}

/// A hash of the motion on a page, without its name (FNV-1a).
fn same(data: &str) -> String {
    let motion = data.rfind("\"data\":\"").map_or(data, |at| &data[at..]);
    let hash = motion
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}

/// Number of strips per file: few enough to load fast, many enough to compress well.
const CHUNK: usize = 100;

/// The files of a site beside the scripts of its clips, as paths and contents: index, page, data, strips, and the report
/// of a run where a clip has an [`Outcome`].
///
/// `entries` are paths of scripts below the site, with `/`, and their entries. The files are the same in any order of
/// the entries.
pub fn site(title: &str, entries: &[(String, Entry)], failed: &[Failed]) -> Vec<(String, Vec<u8>)> {
    let mut entries: Vec<&(String, Entry)> = entries.iter().collect();
    entries.sort_by(|a, b| a.1.path.cmp(&b.1.path).then_with(|| a.0.cmp(&b.0)));
    let column = |value: &dyn Fn(&Entry) -> Value| -> Vec<Value> {
        entries.iter().map(|(_, entry)| value(entry)).collect()
    };
    let index = json!({
        "title": title,
        "chunk": CHUNK,
        "script": entries.iter().map(|(script, _)| script).collect::<Vec<_>>(),
        "path": column(&|it| json!(it.path)),
        "joints": column(&|it| json!(it.joints)),
        "markers": column(&|it| json!(u8::from(it.markers))),
        "frames": column(&|it| json!(it.frames)),
        "fps": column(&|it| json!(it.fps)),
        "seconds": column(&|it| json!(it.seconds)),
        "unit": column(&|it| json!(it.unit)),
        "height": column(&|it| json!(it.height)),
        "speed": column(&|it| json!(it.speed)),
        "travel": column(&|it| json!(it.travel)),
        "styles": column(&|it| json!(it.styles.join(" · "))),
        "findings": column(&|it| json!(it.findings)),
        "worst": column(&|it| json!(it.worst)),
        "same": column(&|it| json!(it.same)),
        "failed": failed,
    });
    let shown = crate::escape::xml(title);
    let report = entries.iter().any(|(_, entry)| entry.outcome.is_some());
    let gallery = page::page(
        Scripts::Beside,
        &shown,
        include_str!("page/gallery.css"),
        include_str!("page/gallery.html"),
        &[
            ("heading", &shown),
            ("report", if report { "<p><a href=\"report.html\">Report of the run</a></p>" } else { "" }),
            ("script", &page::gallery_script()),
        ],
    );
    let viewer = page::page(
        Scripts::Beside,
        &shown,
        include_str!("page/viewer.css"),
        include_str!("page/viewer.html"),
        &[("header", ""), ("data", ""), ("script", &page::loader_script())],
    );
    let mut files = vec![
        ("index.html".to_owned(), gallery),
        ("view.html".to_owned(), viewer),
        ("data/index.js".to_owned(), script("mocapIndex", None, &index)),
    ];
    if report {
        files.push(("report.html".to_owned(), overview::html(title, &entries, failed)));
    }
    for (i, chunk) in entries.chunks(CHUNK).enumerate() {
        let strips: Vec<&[String; 4]> = chunk.iter().map(|(_, entry)| &entry.strip).collect();
        files.push((format!("data/strips-{i}.js"), script("mocapStrips", Some(i), &json!(strips))));
    }
    files
}

/// A script that calls a function with compressed JSON.
fn script(function: &str, number: Option<usize>, value: &Value) -> Vec<u8> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(value.to_string().as_bytes()).expect("memory takes all bytes");
    let bytes = deflate.finish().expect("memory takes all bytes");
    let number = number.map(|number| format!("{number},")).unwrap_or_default();
    format!("{function}({number}\"{}\");\n", base64(&bytes)).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::wave;

    fn script_of(clip: &mocap_model::Clip, path: &str) -> Vec<u8> {
        let motions = [ViewInput::new(path, clip)];
        clip_script(
            &ClipInput { path, motions: &motions, labels: &[], outcome: None },
            &ViewOptions::default(),
        )
    }

    #[test]
    fn entries_come_back_from_scripts_with_any_name() {
        let clip = wave();
        let path = "a*/</script>\n\"b\".bvh";
        let script = script_of(&clip, path);
        let entry = entry_of(&script).unwrap();
        assert_eq!((entry.path.as_str(), entry.frames, entry.unit.as_str()), (path, clip.frames(), "file"));
        let again = script_of(&clip, "b");
        assert_eq!(entry_of(&again).unwrap().same, entry.same);
        assert_eq!(entry_of(b"mocapClip({})"), None);
    }

    #[test]
    fn labels_stand_for_measured_words() {
        let clip = wave();
        let motions = [ViewInput::new("w", &clip)];
        let labels = ["kick".to_owned(), "walk".to_owned()];
        let input = ClipInput { path: "w", motions: &motions, labels: &labels, outcome: None };
        assert_eq!(entry_of(&clip_script(&input, &ViewOptions::default())).unwrap().styles, labels);
    }

    #[test]
    fn a_site_is_the_same_in_any_order_and_small() {
        let clip = wave();
        let script = script_of(&clip, "w");
        let of = |i: usize| {
            let mut entry = entry_of(&script).unwrap();
            entry.path = format!("database/subject {}/take {i}.bvh", i % 37);
            entry.same = format!("{:016x}", (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            entry.seconds = (i * 7919 % 10_007) as f64 / 100.0;
            (format!("clips/subject {}/take {i}.bvh.js", i % 37), entry)
        };
        let mut entries: Vec<(String, Entry)> = (0..10_000).map(of).collect();
        let files = site("database", &entries, &[]);
        let without_strips: usize =
            files.iter().filter(|(name, _)| !name.contains("strips")).map(|(_, bytes)| bytes.len()).sum();
        assert!(without_strips <= 3_000_000, "{without_strips} bytes");
        assert_eq!(files.len(), 3 + 100);
        entries.reverse();
        assert!(site("database", &entries, &[]) == files);
    }
}
