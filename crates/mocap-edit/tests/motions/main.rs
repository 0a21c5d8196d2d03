//! Blends, graphs, series and terrains of real motions, each with a twin on the fixtures in the unit tests.

mod artifacts;
mod feet;
mod gazes;
mod rising;

use std::path::Path;

use mocap_edit::{
    Amount, BlendOptions, Condition, Curve, EditReport, Fade, Fourier, Graph, GraphClip, Node, NodeKind,
    OnTerrain, PhaseChange, StateMachine, Terrain, TerrainOrigin, Timing, Transition, blend, fourier,
    on_terrain, play, speed_and_turn, trim,
};
use mocap_model::Clip;

fn clip(name: &str) -> Clip {
    read(&mocap_corpus::folder().join(name))
}

fn read(path: &Path) -> Clip {
    let bytes = std::fs::read(path).unwrap();
    let document = mocap_formats::bvh::parse(&bytes, &Default::default()).unwrap().value;
    mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap().value
}

fn walk_and_run() -> [Clip; 2] {
    ["walk", "run"].map(|name| clip(&format!("bandai/dataset-1_{name}_normal_001.bvh")))
}

#[track_caller]
fn figure(report: &EditReport, name: &str) -> f64 {
    let found = report.figures.iter().find(|figure| figure.name == name);
    found.and_then(|figure| figure.value).unwrap_or_else(|| panic!("{name}: {report}"))
}

/// Mean distances of a walk and a run: 231 mm by seconds, 200 by linear phase, 154 by strikes, 130 by the path of the
/// time warping and by registration.
fn registration_pairs_poses_that_are_alike() {
    let clips = walk_and_run();
    let by = |timing| {
        let options = BlendOptions { timing, ..BlendOptions::default() };
        blend(&clips, &[0.5, 0.5], &options).unwrap().1
    };
    let [seconds, stretch, phase] =
        [Timing::Seconds, Timing::Stretch, Timing::Phase].map(|timing| figure(&by(timing), "pose-distance"));
    let registered = by(Timing::Registration);
    let [found, path] = ["pose-distance", "path-distance"].map(|name| figure(&registered, name));
    assert!(found <= path && found < phase && found < stretch && found < seconds, "{registered}");
    assert!((0.11..0.14).contains(&found), "{registered}");
}

fn a_blend_travels_at_the_speed_of_its_weights() {
    let clips = walk_and_run();
    for timing in [Timing::Phase, Timing::Registration] {
        for weight in [0.25, 0.5, 0.75] {
            let options = BlendOptions { timing, ..BlendOptions::default() };
            let (_, report) = blend(&clips, &[1.0 - weight, weight], &options).unwrap();
            let ratio = figure(&report, "speed") / figure(&report, "speed-of-weights");
            assert!((ratio - 1.0).abs() < 0.02, "{timing:?} {weight}: {report}");
            assert!(report.contacts.unwrap().skate.unwrap() < 0.03, "{timing:?} {weight}: {report}");
        }
    }
}

fn a_few_harmonics_are_a_walk() {
    let walk = clip("misc/games105_walk60.bvh");
    for (harmonics, millimetres) in [(6, 3.0), (12, 0.6)] {
        let options = Fourier { harmonics: Some(harmonics), ..Fourier::default() };
        let (_, report) = fourier(&walk, &options).unwrap();
        let rms = report.rms_m.unwrap() * 1e3;
        assert!((millimetres / 2.0..millimetres * 2.0).contains(&rms), "{harmonics}: {report}");
    }
}

fn a_minute_of_states_has_no_pop() {
    let bow = clip("bandai/dataset-1_bow_active_001.bvh");
    let idle = trim(&bow, &"0s:1s".parse().unwrap()).unwrap();
    let [walk, run] = walk_and_run();
    stands_walks_runs_and_kicks(idle, walk, run, clip("bandai/dataset-1_kick_normal_001.bvh"));
}

/// The same with the fixtures, wherever it runs: the walk at 1.5 times its speed for the run, a wave for the kick.
fn a_minute_of_states_of_the_fixtures_has_no_pop() {
    let [walk, wave] =
        ["walk", "wave"].map(|name| read(&mocap_corpus::fixture(&format!("clips/alex_{name}.bvh"))));
    let idle = trim(&wave, &"0s:1s".parse().unwrap()).unwrap();
    let (run, _) = mocap_edit::speed(&walk, 1.5).unwrap();
    stands_walks_runs_and_kicks(idle, walk, run, wave);
}

/// Stands, walks, runs and kicks for a minute.
fn stands_walks_runs_and_kicks(idle: Clip, walk: Clip, run: Clip, kick: Clip) {
    let frames = (60.0 * idle.rate().fps()).round() as usize + 1;
    let clips = [(idle, false), (walk, true), (run, true), (kick, false)];
    let clips = clips.map(|(clip, looped)| GraphClip { clip, looped });
    let names = ["idle", "walk", "run", "kick"];
    for (fade, seconds) in [(Fade::Smooth, 0.4), (Fade::Inertial, 0.5)] {
        let change = |from: usize, to: usize, when: &str, phase| Transition {
            from: Some(from),
            to,
            when: when.parse::<Condition>().unwrap(),
            seconds,
            kind: fade,
            curve: Curve::Smoothstep,
            phase,
            interruptible: false,
        };
        let machine = StateMachine {
            states: names.iter().enumerate().map(|(node, name)| ((*name).to_owned(), node)).collect(),
            transitions: vec![
                change(0, 3, "event kick", PhaseChange::Start),
                change(3, 0, "finished", PhaseChange::Start),
                change(0, 1, "speed > 0.5", PhaseChange::Start),
                change(1, 0, "speed < 0.5", PhaseChange::Start),
                change(1, 2, "speed > 1.9", PhaseChange::Match),
                change(2, 1, "speed <= 1.9", PhaseChange::Match),
            ],
        };
        let plays = |clip| NodeKind::Clip { clip, speed: Amount::Fixed(1.0) };
        let mut nodes: Vec<Node> =
            (0..4).map(|i| Node { name: names[i].to_owned(), kind: plays(i) }).collect();
        nodes.push(Node { name: "body".into(), kind: NodeKind::States(machine) });
        let params = vec![("speed".to_owned(), 0.0)];
        let graph = Graph { params, clips: clips.to_vec(), nodes, output: 4 };
        let timeline = "time,speed,event\n0,0,\n3,0,\n3.1,1.2,\n9,1.2,\n9.1,2.5,\n15,2.5,\n15.1,1.2,\n20,1.2,\n\
                        20.1,0,\n23,0,kick\n36,0,\n36.1,1.2,\n42,2.5,\n48,2.5,\n50,0,\n60,0,\n";
        let (take, report) = play(&graph, &timeline.parse().unwrap(), true).unwrap();
        assert_eq!(take.frames(), frames);
        let seen: Vec<&str> = take.annotations().events.iter().map(|event| event.name.as_str()).collect();
        let expected = ["idle", "walk", "run", "walk", "idle", "kick", "idle", "walk", "run", "walk", "idle"];
        assert_eq!(seen, expected, "{fade:?}");
        assert!(figure(&report, "peak-acceleration") <= 1.2, "{fade:?}: {report}");
        assert!(report.contacts.unwrap().skate.unwrap() <= 0.02, "{fade:?}: {report}");
    }
}

fn a_walk_climbs_steps_and_stays_on_flat_ground() {
    let walk = clip("misc/games105_walk60.bvh");
    let on = |steps: &str| {
        let terrain = Terrain::Steps(steps.parse().unwrap());
        on_terrain(&walk, &OnTerrain { terrain, origin: TerrainOrigin::Start }).unwrap()
    };
    let (flat, _) = on("0,0.3,8");
    for (id, _) in walk.skeleton().iter() {
        for frame in 0..walk.frames() {
            assert_eq!(walk.local(id, frame), flat.local(id, frame));
        }
    }
    for steps in ["0.12,0.6,8", "-0.12,0.6,8"] {
        let (climbing, report) = on(steps);
        assert!(figure(&report, "terrain-penetration") < 1e-9, "{steps}: {report}");
        assert!(figure(&report, "stance-error") < 1e-3, "{steps}: {report}");
        assert!(figure(&report, "unreachable") < 1e-3, "{steps}: {report}");
        assert!(figure(&report, "swing-clearance") >= 0.02 - 1e-6, "{steps}: {report}");
        let speed = |clip: &Clip| speed_and_turn(clip).unwrap()[0];
        assert!((speed(&climbing) / speed(&walk) - 1.0).abs() < 1e-6);
    }
}

mocap_corpus::tests! {
    registration_pairs_poses_that_are_alike,
    a_blend_travels_at_the_speed_of_its_weights,
    a_few_harmonics_are_a_walk,
    a_minute_of_states_has_no_pop,
    a_minute_of_states_of_the_fixtures_has_no_pop,
    a_walk_climbs_steps_and_stays_on_flat_ground,
    feet::locked_feet_go_no_deeper_than_they_were,
    feet::no_edit_makes_feet_of_the_fixtures_worse,
    feet::no_edit_makes_feet_of_real_motions_worse,
    gazes::heads_of_fixtures_turn_alike_whatever_their_axes,
    gazes::heads_that_face_ahead_turn_little_to_look_ahead,
    rising::climbing_fixtures_keep_their_contacts,
    rising::climbing_captures_keep_their_contacts,
    artifacts::spikes_and_dropouts_of_the_fixtures_are_mended,
    artifacts::spikes_and_dropouts_of_real_motions_are_mended
}
