fn main() {
    let args: Vec<String> = std::env::args().collect();
    let read = |path: &str| {
        let bytes = std::fs::read(path).unwrap();
        let document = mocap_formats::bvh::parse(&bytes, &Default::default()).unwrap().value;
        let clip = mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap().value;
        let unit = mocap_analysis::guess_unit(clip.skeleton());
        let space = mocap_model::Space { unit, ..*clip.skeleton().space() };
        let skeleton = std::sync::Arc::new(clip.skeleton().with_space(space));
        clip.with_skeleton(skeleton).unwrap()
    };
    let w: f64 = args[3].parse().unwrap();
    let options = mocap_edit::BlendOptions { lock_feet: args.len() < 6, ..Default::default() };
    let start = std::time::Instant::now();
    let (clip, report) =
        mocap_edit::blend(&[read(&args[1]), read(&args[2])], &[1.0 - w, w], &options).unwrap();
    println!("{report} {:?}", start.elapsed());
    std::fs::write(&args[4], mocap_formats::bvh::from_clip(&clip, &Default::default()).unwrap().to_bytes())
        .unwrap();
}
