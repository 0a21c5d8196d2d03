//! Map files: their content, their text, and errors with their place.

use mocap_formats::map::{self, JointMap};
use mocap_formats::{Finding, Limits, skel};
use mocap_model::{JointId, Role, Skeleton};
use std::path::Path;

fn rig(name: &str) -> Skeleton {
    skel::preset(name).unwrap().skeleton()
}

fn parse(text: &str) -> Result<JointMap, Finding> {
    map::parse(text.as_bytes(), &rig("lafan"), &rig("unreal"), &Limits::default()).map(|parsed| parsed.value)
}

/// A file with these roles and pairs, one a line from the fourth on.
fn file(roles: &[&str], pairs: &[&str]) -> String {
    format!(
        "{{\n\"format\": \"mocap-map\", \"version\": 1,\n\"roles\": [\n{}\n],\n\"pairs\": [\n{}\n]\n}}\n",
        roles.join(",\n"),
        pairs.join(",\n")
    )
}

#[track_caller]
fn refused(roles: &[&str], pairs: &[&str], code: &str, message: &str, line: usize) {
    let finding = parse(&file(roles, pairs)).unwrap_err();
    assert_eq!((finding.code(), finding.problem.to_string().as_str()), (code, message));
    assert_eq!(finding.place.map(|place| place.line), Some(line));
}

#[test]
fn a_map_reads_back_as_it_was_written() {
    let (source, target) = (rig("lafan"), rig("unreal"));
    let roles = |skeleton: &Skeleton| -> Vec<(Role, JointId)> {
        let all = Role::ALL.iter().filter_map(|role| Some((*role, skeleton.with_role(*role)?)));
        all.collect()
    };
    let pairs = vec![(source.find("Head").unwrap(), target.find("ik_hand_gun").unwrap())];
    let mut map = JointMap { source: roles(&source), target: roles(&target), pairs };
    map.source.retain(|(role, _)| *role != Role::Head);
    let bytes = map::to_bytes(&map, &source, &target, |role| (role == Role::Hips).then(|| "a note".into()));
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(parse(&text).unwrap(), map, "{text}");
    let line =
        "    { \"role\": \"Hips\", \"source\": \"Hips\", \"target\": \"pelvis\", \"note\": \"a note\" },";
    assert!(text.lines().any(|found| found == line), "{text}");
    assert!(text.contains("{ \"role\": \"Head\", \"target\": \"head\" }"), "{text}");
}

#[test]
fn names_that_are_not_there_are_refused_with_the_nearest() {
    let hips = r#"{ "role": "Hips", "source": "Hips", "target": "pelvis" }"#;
    refused(
        &[hips, r#"{ "role": "LeftFoot", "source": "LeftFot", "target": "foot_l" }"#],
        &[],
        "map::unknown-joint",
        "roles[1].source: the source has no joint 'LeftFot'; did you mean 'LeftFoot'?",
        5,
    );
    refused(
        &[r#"{ "role": "LeftFeet", "target": "foot_l" }"#],
        &[],
        "map::unknown-role",
        "roles[0].role: 'LeftFeet' is not a role; did you mean 'LeftFoot'?",
        4,
    );
    refused(
        &[hips],
        &[r#"{ "source": "Head", "target": "Zeppelin" }"#],
        "map::unknown-joint",
        "pairs[0].target: the target has no joint 'Zeppelin'",
        7,
    );
    refused(
        &[r#"{ "role": "Hips", "source": "Head_End" }"#],
        &[],
        "map::end-site",
        "roles[0].source: 'Head_End' of the source is an end site, which does not move",
        4,
    );
}

#[test]
fn what_is_there_twice_is_refused() {
    let hips = r#"{ "role": "Hips", "source": "Hips", "target": "pelvis" }"#;
    refused(
        &[hips, r#"{ "role": "Hips", "source": "Spine" }"#],
        &[],
        "map::repeated-role",
        "roles[1].role: Hips is listed twice",
        5,
    );
    refused(
        &[hips, r#"{ "role": "Spine", "source": "Spine", "target": "pelvis" }"#],
        &[],
        "map::repeated-joint",
        "roles[1].target: the joint 'pelvis' of the target is already mapped in roles[0]",
        5,
    );
    refused(
        &[hips],
        &[r#"{ "source": "Hips", "target": "root" }"#],
        "map::repeated-joint",
        "pairs[0].source: the joint 'Hips' of the source is already mapped in roles[0]",
        7,
    );
}

#[test]
fn fields_and_kinds_of_file_that_are_not_known_are_refused() {
    let finding = parse(&file(&[r#"{ "role": "Hips", "sources": "Hips" }"#], &[])).unwrap_err();
    assert_eq!(finding.code(), "map::field");
    assert!(
        finding.problem.to_string().starts_with("roles[0].sources: unknown field 'sources'"),
        "{}",
        finding.problem
    );
    for (text, code) in [
        ("", "text::empty"),
        ("{", "map::syntax"),
        (r#"{ "format": "mocap-skel", "version": 1, "roles": [] }"#, "map::format"),
        (r#"{ "format": "mocap-map", "version": 2, "roles": [] }"#, "map::version"),
        (r#"{ "format": "mocap-map", "version": 1, "roles": 3 }"#, "map::field"),
        ("[1]", "map::syntax"),
        ("\u{0}\u{1}", "map::syntax"),
    ] {
        assert_eq!(parse(text).unwrap_err().code(), code, "{text}");
    }
    let limits = Limits { bytes: 10, ..Limits::default() };
    let finding = map::parse(file(&[], &[]).as_bytes(), &rig("lafan"), &rig("unreal"), &limits).unwrap_err();
    assert_eq!(finding.code(), "limit");
    assert_eq!(parse(r#"{ "format": "mocap-map", "version": 1 }"#).unwrap(), JointMap::default());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_panic(at in 0usize..400, bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..6)) {
        let hips = r#"{ "role": "Hips", "source": "Hips", "target": "pelvis", "note": "so" }"#;
        let pair = r#"{ "source": "Head", "target": "root" }"#;
        let mut text = file(&[hips], &[pair]).into_bytes();
        let from = at.min(text.len());
        let to = (from + bytes.len() / 2).min(text.len());
        text.splice(from..to, bytes);
        let _ = map::parse(&text, &rig("lafan"), &rig("unreal"), &Limits::default());
    }
}

#[test]
fn the_published_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/map.schema.json");
    let published = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        published,
        map::json_schema(),
        "write it anew: mocap generate schema map > docs/schema/map.schema.json"
    );
}

#[test]
fn presets_read_back_and_are_as_tall_as_they_say() {
    for preset in skel::presets() {
        let skeleton = preset.skeleton();
        let read = skel::parse(&skel::to_bytes(&skeleton), &Limits::default()).unwrap();
        assert_eq!((&read.value, read.warnings.len()), (&skeleton, 0), "{}", preset.name);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut places = Vec::new();
        for (_, joint) in skeleton.iter() {
            let from = joint.parent.map_or(mocap_model::Vector3::zeros(), |id: JointId| places[id.index()]);
            places.push(from + joint.offset);
            let height = places[places.len() - 1].dot(&skeleton.space().up.vector());
            (low, high) = (low.min(height), high.max(height));
        }
        let metres = skeleton.space().metres().unwrap();
        // The mean body of SMPL has its own size.
        let tall = if preset.name == "smpl" { 1.686 } else { 1.75 };
        assert!(
            (high * metres - tall).abs() < 1e-3 && low * metres > -1e-6,
            "{}: {low} to {high}",
            preset.name
        );
        // Knees bend about one axis within a limit; the middle axis keeps the angles unique.
        for role in [Role::LeftLowerLeg, Role::RightLowerArm] {
            let dofs = &skeleton.joint(skeleton.with_role(role).unwrap()).dofs;
            assert_eq!(dofs.limits.iter().flatten().count(), 2, "{}: {role}", preset.name);
        }
    }
}
