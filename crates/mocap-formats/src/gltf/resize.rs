//! Scales everything in a file by a factor.

use mocap_model::{Joint, Skeleton, Vector3};
use serde_json::{Value, json};

use super::document::Document;

/// Lengths that differ by less, relatively, are the same.
const SAME: f64 = 1e-4;

/// The factor between the bones of a file and those of a clip, where it is the same for all of them and not 1.
pub(super) fn factor(of_file: &Skeleton, of_clip: &Skeleton) -> Option<f64> {
    let is_other = |factor: &f64| factor.is_finite() && *factor > 0.0 && (factor - 1.0).abs() > SAME;
    if let Some(growth) = of_clip.growth_without_bones(of_file) {
        return Some(growth).filter(is_other);
    }
    let (of_file, of_clip) = (of_file.joints(), of_clip.joints());
    let below = || of_file.iter().zip(of_clip).filter(|(joint, _)| joint.parent.is_some());
    let length = |offset: &Vector3<f64>| offset.norm();
    let [own, other] =
        below().fold([0.0, 0.0], |[own, other], (a, b)| [own + length(&a.offset), other + length(&b.offset)]);
    let factor = other / own;
    let same = |(a, b): (&Joint, &Joint)| (a.offset * factor - b.offset).norm() <= SAME * other;
    (is_other(&factor) && below().all(same)).then_some(factor)
}

/// The file with a scaling node above the content of each scene. Nodes with a skin stay at the top: their joints place
/// them.
pub(super) fn resized(document: &Document, factor: f64) -> Document {
    let mut resized = document.clone();
    for scene in 0..document.root.scenes.len() {
        let skinned = |node: &usize| resized.json["nodes"][*node].get("skin").is_some();
        let (mut top, below): (Vec<usize>, Vec<usize>) =
            document.root.scenes[scene].nodes.iter().copied().partition(skinned);
        top.push(resized.root.nodes.len());
        let node = json!({ "name": "Size", "scale": [factor, factor, factor], "children": below });
        resized.root.nodes.push(serde_json::from_value(node.clone()).expect("it is a node"));
        resized.json["nodes"].as_array_mut().into_iter().for_each(|nodes| nodes.push(node.clone()));
        resized.json["scenes"][scene]["nodes"] = Value::from(top.clone());
        resized.root.scenes[scene].nodes = top;
    }
    resized
}
