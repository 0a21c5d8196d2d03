//! The names of shapes in the vocabularies of recorders and characters, with their meanings in shapes of ARKit.
//!
//! Sources: P. Ekman, W. V. Friesen, J. C. Hager, "Facial Action Coding System", 2002 (AU numbers); VRM Consortium,
//! "VRMC_vrm-1.0: expressions", 2022; MakeHuman's face units; Reallusion's ExPlus shapes; Epic Games' MetaHuman curves.

use std::sync::LazyLock;

use mocap_model::ARKIT_SHAPES;

/// The meaning of a stem, which is a name in lower case without separators and side.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) stem: &'static str,
    pub(crate) parts: Vec<&'static str>,
    /// Whether the side is a direction of motion.
    pub(crate) directed: bool,
    /// Whether the meaning is approximate.
    pub(crate) nearly: bool,
}

/// A line: the meaning, with `*` for either side and `>` for a direction of motion, and the stems.
type Line = (&'static [&'static str], &'static str);

const EXACT: &[Line] = &[
    (
        &["eyeBlink*"],
        "eyeblink blink eyeclose eyesclose eyesclosed upperlidclosed eyelidclose au43 au45 wink eyewink",
    ),
    (&["eyeLookDown*"], "eyelookdown eyeslookdown lookdown au64"),
    (&["eyeLookUp*"], "eyelookup eyeslookup lookup au63"),
    (&["eyeLookIn*"], "eyelookin"),
    (&["eyeLookOut*"], "eyelookout"),
    (&["eyeLookOutLeft", "eyeLookInRight"], "eyelookleft eyeslookleft lookleft au61"),
    (&["eyeLookInLeft", "eyeLookOutRight"], "eyelookright eyeslookright lookright au62"),
    (&["eyeSquint*"], "eyesquint eyesquintinner lowerlidup lidtightener au7 au07 eyelidtightener"),
    (&["eyeWide*"], "eyewide eyewiden upperlidopen upperlidraiser au5 au05 fcleyespread eyespread"),
    (&["jawForward"], "jawforward jawfwd jawthrust au29 mandibleforward"),
    (&["jaw>"], "jaw jawmove jawsideways jawshift jawslide"),
    (&["jawOpen"], "jawopen jawdrop au26 au27 mouthopen openmouth"),
    (&["mouthClose"], "mouthclose mouthlipstogether lipstogether"),
    (
        &["mouthFunnel"],
        "mouthfunnel mouthfunnelul mouthfunnelur mouthfunneldl mouthfunneldr lipfunneler au22 lipsfunnel",
    ),
    (
        &["mouthPucker"],
        "mouthpucker lippucker lipspucker lipskiss kiss mouthlipspurseul mouthlipspurseur mouthlipspursedl mouthlipspursedr au18",
    ),
    (&["mouth>"], "mouth mouthmove mouthshift mouthslide"),
    (&["mouthSmile*"], "mouthsmile smile mouthpullup mouthcornerpull lipcornerpuller au12"),
    (&["mouthFrown*"], "mouthfrown frown mouthpulldown mouthcornerdepress lipcornerdepressor au15"),
    (&["mouthDimple*"], "mouthdimple dimple dimpler au14"),
    (&["mouthStretch*"], "mouthstretch mouthpullside mouthwide lipstretcher lipsstretch au20"),
    (&["mouthRollLower"], "mouthrolllower mouthrollinlower lowerliproll lowerlipsuck"),
    (&["mouthRollUpper"], "mouthrollupper mouthrollinupper upperliproll upperlipsuck"),
    (&["mouthRollLower", "mouthRollUpper"], "au28 lipsuck lipssuck"),
    (&["mouthShrugLower"], "mouthshruglower lowerlipup chinraiser mouthchinup au17"),
    (&["mouthShrugUpper"], "mouthshrugupper"),
    (&["mouthPress*"], "mouthpress lippress lippressor lipspress au24"),
    (
        &["mouthLowerDown*"],
        "mouthlowerdown mouthdownlower lowerlipdown mouthlowerlipdepress lowerlipdepressor au16",
    ),
    (&["mouthUpperUp*"], "mouthupperup mouthupupper upperlipup mouthupperlipraise upperlipraiser au10"),
    (&["browDown*"], "browdown browdrop browlowerer browlower au4 au04"),
    (&["browInnerUp"], "browinnerup innerbrowup browraiseinner browraisein innerbrowraiser au1 au01"),
    (&["browOuterUp*"], "browouterup outerbrowup browraiseouter outerbrowraiser au2 au02"),
    (&["browInnerUp", "browOuterUp*"], "browup browsup browraise browsraise"),
    (&["cheekPuff"], "cheekpuff cheekspuff cheekspump cheekpump cheekblow au33 au34"),
    (&["cheekSquint*"], "cheeksquint cheekup cheekraise cheekraiser eyecheekraise au6 au06"),
    (&["noseSneer*"], "nosesneer sneer nosewrinkle nosewrinkler au9 au09"),
    (&["tongueOut"], "tongueout tongueshow au19"),
];

/// Visemes and emotions: one shape for a combination of several.
const NEARLY: &[Line] = &[
    (&["jawOpen"], "aa a mtha fclmtha visemeaa vaa mouthaa ah visemeah"),
    (&["mouthStretch*"], "ih i mthi fclmthi visemeih vih"),
    (&["mouthPucker"], "ou u mthu fclmthu visemeou vou"),
    (&["mouthStretch*", "mouthSmile*"], "ee e mthe fclmthe visemee vee"),
    (&["mouthFunnel"], "oh o mtho fclmtho visemeoh voh"),
    (&["mouthSmile*"], "happy joy fun fclalljoy fclallfun relaxed"),
    (&["browDown*"], "angry fclallangry"),
    (&["mouthFrown*"], "sad sorrow fclallsorrow"),
    (&["browInnerUp", "browOuterUp*", "eyeWide*"], "surprised surprise fclallsurprised"),
];

/// All rows; made once.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| made().collect());
    ROWS.iter()
}

fn made() -> impl Iterator<Item = Row> {
    let lines = EXACT.iter().map(|line| (line, false)).chain(NEARLY.iter().map(|line| (line, true)));
    lines.flat_map(|((parts, stems), nearly)| {
        stems.split(' ').map(move |stem| Row {
            stem,
            parts: parts.iter().flat_map(|part| sides(part)).collect(),
            directed: parts.iter().any(|part| part.ends_with('>')),
            nearly,
        })
    })
}

/// The shapes of ARKit that a part expands to.
fn sides(part: &str) -> Vec<&'static str> {
    match part.strip_suffix(['*', '>']) {
        Some(stem) => ARKIT_SHAPES
            .into_iter()
            .filter(|shape| ["Left", "Right"].iter().any(|side| *shape == format!("{stem}{side}")))
            .collect(),
        None => ARKIT_SHAPES.into_iter().filter(|shape| *shape == part).collect(),
    }
}
