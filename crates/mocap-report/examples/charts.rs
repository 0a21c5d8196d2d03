//! Writes curves and a heat map of two motions of one skeleton:
//! `cargo run -p mocap-report --example charts -- A.bvh B.bvh JOINT FOLDER`.

use mocap_formats::{Limits, bvh};
use mocap_model::Clip;
use mocap_report::heatmap::{self, HeatmapOptions};
use mocap_report::plot::{self, Channel, PlotInput, PlotOptions};

fn read(path: &str) -> Clip {
    let bytes = std::fs::read(path).expect("a file that can be read");
    let document = bvh::parse(&bytes, &Limits::default()).expect("a BVH file").value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a motion").value
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, joint, folder] = arguments.as_slice() else { panic!("A.bvh B.bvh JOINT FOLDER") };
    let clips = [a, b].map(|path| read(path));
    let names = [a, b].map(|path| path.rsplit('/').next().unwrap_or(path));
    let inputs: Vec<PlotInput<'_>> = clips
        .iter()
        .zip(names)
        .map(|(clip, name)| PlotInput { name, clip, joint: clip.skeleton().find(joint).expect("a joint") })
        .collect();
    for (channel, file) in
        [(Channel::Rotation, "rotation"), (Channel::Position, "position"), (Channel::Speed, "speed")]
    {
        let options = PlotOptions { channel, ..PlotOptions::default() };
        std::fs::write(format!("{folder}/{file}.svg"), plot::svg(&inputs, &options)).expect("written");
        std::fs::write(format!("{folder}/{file}.png"), plot::png(&inputs, &options)).expect("written");
    }
    let map = heatmap::png(&clips[0], &clips[1], &HeatmapOptions::default()).expect("one skeleton");
    std::fs::write(format!("{folder}/heatmap.png"), map).expect("written");
}
