//! Neck, head and spine.

use mocap_model::{Role, Vector3};

use super::landmark::{Landmarks, put};
use super::sections::Piece;
use super::upright::Upright;
use crate::RigError;

/// The neck starts where the cross-section is at most this many times the thinnest one.
const NECK_AREA: f64 = 1.6;
/// Position of the head joint between the neck joint (0) and the top (1).
const HEAD: f64 = 0.385;
/// Distance of neck and head joints behind the middle of their cross-sections.
const BEHIND: f64 = 0.005;
/// Spine joints: their position between hips (0) and neck (1), and distance from the back as a share of the trunk's
/// depth. The rib cage is stiff, so a trunk bends below it, in the lumbar spine, which ends at two fifths of the
/// distance.
const SPINE: [(Role, f64, f64); 3] =
    [(Role::Spine, 0.01, 0.47), (Role::Chest, 0.16, 0.19), (Role::UpperChest, 0.42, 0.21)];

/// Finds the trunk above the hips; returns the base of the neck.
pub(super) fn find(
    body: &Upright<'_>,
    sacrum: &Vector3<f64>,
    found: &mut Landmarks,
) -> Result<Vector3<f64>, RigError> {
    let Upright { voxels, ends, cuts, .. } = body;
    let (chest, top) = (voxels.middle(ends.chest).y, voxels.middle(ends.head).y);
    let between = |share: f64| body.level(chest + share * (top - chest));
    let area = |level: usize| around(body, level).map_or(f64::INFINITY, |piece| piece.area);
    let thinnest = (between(0.25)..=between(0.72)).min_by(|a, b| area(*a).total_cmp(&area(*b)));
    let Some(thinnest) = thinnest.filter(|level| area(*level).is_finite()) else {
        return Err(RigError::NotHuman { seen: "no neck between chest and head".into() });
    };
    let begins = (body.level(chest)..=thinnest).find(|level| area(*level) <= NECK_AREA * area(thinnest));
    let begins = begins.unwrap_or(thinnest);
    let areas = (body.level(chest)..begins).map(area).filter(|area| area.is_finite());
    let widest = areas.fold(0.0, f64::max);
    let confidence = (1.0 - 2.0 * area(thinnest) / widest.max(1e-9)).clamp(0.2, 0.95);
    let middle = |level: usize| around(body, level).map_or(*sacrum, |piece| piece.middle);
    let neck_height = body.height(begins) + 0.3 * voxels.side;
    let mut neck = middle(begins);
    neck.y = neck_height;
    neck.z -= BEHIND;
    let why = format!("where the neck begins, at {:.1} % of the height", 100.0 * neck_height);
    put(found, Role::Neck, neck, confidence, why);
    // Lengths are shares of the height of the head's top.
    let head_height = neck_height + HEAD * (1.0 - neck_height);
    let mut head = middle(body.level(head_height));
    head.y = head_height;
    head.z -= BEHIND;
    put(found, Role::Head, head, confidence, "on the middle line between neck and top");
    // The spine is behind the middle of the cross-sections.
    for (role, share, depth) in SPINE {
        let mut place = sacrum + (neck - sacrum) * share;
        let hips =
            [Role::LeftUpperLeg, Role::RightUpperLeg].map(|role| found.get(&role).map(|hip| hip.place));
        if let (Role::Spine, [Some(left), Some(right)]) = (role, hips) {
            // Trunk and pelvis bend about the middle of the flesh, not about the sacrum at its back.
            place.z = 0.5 * (left.z + right.z);
        } else if let Some(piece) = cuts[body.level(place.y)].first() {
            place.z = piece.low.z + depth * (piece.high.z - piece.low.z);
        }
        put(found, role, place, 0.6, "between hips and neck");
    }
    Ok(neck)
}

/// The piece of a cross-section that contains neck or head: the nearest to the line from chest to head.
fn around<'a>(body: &'a Upright<'_>, level: usize) -> Option<&'a Piece> {
    let (chest, head) = (body.voxels.middle(body.ends.chest), body.voxels.middle(body.ends.head));
    let share = ((body.height(level) - chest.y) / (head.y - chest.y).max(1e-9)).clamp(0.0, 1.0);
    let on_line = chest + (head - chest) * share;
    let far = |piece: &Piece| {
        let way = Vector3::new(piece.middle.x - on_line.x, 0.0, piece.middle.z - on_line.z);
        // A chin below the head is a small piece in front of the neck.
        way.norm() - piece.area.sqrt()
    };
    body.cuts[level].iter().min_by(|a, b| far(a).total_cmp(&far(b)))
}
