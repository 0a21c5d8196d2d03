//! Walks on characters with a mesh: arms that brush the body in passing are not kept in contact.

use crate::mocap::Sandbox;

/// The correlation of the limb that follows the source least, and the number of frames in which an arm stays inside.
fn figures(sandbox: &Sandbox, source: &str, target: &str) -> (f64, u64) {
    let retarget = ["retarget", source, target, "-o", "out.glb", "--overwrite", "--json"];
    let row = sandbox.run(retarget).ok().rows().remove(0);
    let each = row["angle_correlation"].as_object().unwrap().values().filter_map(|value| value.as_f64());
    let least = each.min_by(f64::total_cmp).expect("limbs are measured");
    (least, row["surface"]["let_go"].as_u64().unwrap())
}

pub(crate) fn arms_that_brush_the_body_follow_their_source() {
    let folder = mocap_corpus::folder();
    let path = |name: &str| folder.join(name).display().to_string();
    let sandbox = Sandbox::new();
    let woman = path("bodies/woman.glb");
    let walk = path("cmu/12_01_walk.bvh");
    sandbox.run(["retarget", &walk, &woman, "-o", "walk.glb", "--drop-first-frame"]).ok();
    for body in ["heavy_man", "strong_man", "child"] {
        let (least, inside) = figures(&sandbox, "walk.glb", &path(&format!("bodies/{body}.glb")));
        assert!(least > 0.9 && inside == 0, "{body}: {least}, {inside}");
    }
    let (least, inside) = figures(&sandbox, &path("gltf/cesium_man.gltf"), &woman);
    assert!(least > 0.95 && inside == 0, "{least}, {inside}");
}
