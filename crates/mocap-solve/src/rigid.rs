//! Groups points that keep their distances into rigid bodies.
//!
//! Based on: A. Kirk, J. O'Brien, D. Forsyth, "Skeletal Parameter Estimation from Optical Motion Capture Data",
//! 2005.

use std::collections::BTreeSet;

use mocap_model::Vector3;

/// A column of a recording: its label, and where it is by frame [m].
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) points: Vec<Option<Vector3<f64>>>,
}

/// Frames in which distances are compared.
pub(crate) const SAMPLES: usize = 400;
/// Two points belong to one rigid body if four fifths of their distances are within this of the median [m]: the
/// noise of cameras.
const CONSTANT: f64 = 0.004;
/// Two points are compared if they are seen together in at least this share of frames.
const TOGETHER: f64 = 0.25;
/// Only this many columns are compared, the first ones: the number of pairs grows quadratically.
const MOST: usize = 300;
/// Fewer points do not determine a rotation.
const FEWEST: usize = 3;

/// Columns that keep their distances to each other, all to all.
pub(crate) fn groups(columns: &[Column]) -> Vec<Vec<&Column>> {
    let often = |column: &&Column| {
        let seen = column.points.iter().flatten().count();
        seen as f64 >= TOGETHER * column.points.len() as f64
    };
    let columns: Vec<&Column> = columns.iter().filter(often).take(MOST).collect();
    let count = columns.len();
    let mut constant: Vec<(f64, usize, usize)> = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            constant.extend(
                deviation(columns[a], columns[b]).filter(|off| *off < CONSTANT).map(|off| (off, a, b)),
            );
        }
    }
    constant.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let is_constant: BTreeSet<(usize, usize)> = constant.iter().map(|(_, a, b)| (*a, *b)).collect();
    let mut of: Vec<usize> = (0..count).collect();
    for (_, a, b) in &constant {
        let [one, two] = [of[*a], of[*b]];
        let of_group = |group: usize| -> Vec<usize> { (0..count).filter(|at| of[*at] == group).collect() };
        let (ones, twos) = (of_group(one), of_group(two));
        let all = one != two
            && ones.iter().all(|a| twos.iter().all(|b| is_constant.contains(&(*a.min(b), *a.max(b)))));
        if all {
            of.iter_mut().filter(|group| **group == two).for_each(|group| *group = one);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); count];
    (0..count).for_each(|at| groups[of[at]].push(at));
    groups.retain(|group| group.len() >= FEWEST);
    groups.sort();
    groups.into_iter().map(|group| group.into_iter().map(|at| columns[at]).collect()).collect()
}

/// The deviation from their median that four fifths of the distances between two columns do not exceed [m].
fn deviation(a: &Column, b: &Column) -> Option<f64> {
    let step = a.points.len().div_ceil(SAMPLES).max(1);
    let mut found: Vec<f64> = a
        .points
        .iter()
        .zip(&b.points)
        .step_by(step)
        .filter_map(|(a, b)| Some(((*a)? - (*b)?).norm()))
        .collect();
    if found.len() < 3 || (found.len() as f64) < TOGETHER * (a.points.len() / step) as f64 {
        return None;
    }
    found.sort_by(f64::total_cmp);
    let middle = found[found.len() / 2];
    let mut off: Vec<f64> = found.iter().map(|distance| (distance - middle).abs()).collect();
    off.sort_by(f64::total_cmp);
    Some(off[off.len() * 4 / 5])
}

/// The common start of labels, without digits and punctuation at its end: `Sword1`, `Sword2`. If there is a
/// subject before a colon, it is the name.
pub(crate) fn common_name(names: &[String]) -> Option<String> {
    let subject = |name: &String| name.rsplit_once(':').map(|(subject, _)| subject.to_owned());
    let first = subject(&names[0]);
    if let Some(first) = first.filter(|first| !first.is_empty())
        && names.iter().all(|name| subject(name).as_ref() == Some(&first))
    {
        return Some(first);
    }
    let shared = names[0].char_indices().map(|(at, letter)| at + letter.len_utf8()).rev().find(|end| {
        let start = &names[0][..*end];
        names.iter().all(|name| name.starts_with(start))
    })?;
    let shared = names[0][..shared].trim_end_matches(|letter: char| !letter.is_alphabetic());
    (shared.chars().filter(|letter| letter.is_alphabetic()).count() >= 2).then(|| shared.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_has_the_name_that_its_labels_share() {
        let name =
            |names: &[&str]| common_name(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(name(&["Sword1", "Sword2", "Sword3"]).as_deref(), Some("Sword"));
        assert_eq!(name(&["Ball:a", "Ball:b", "Ball:c"]).as_deref(), Some("Ball"));
        assert_eq!(name(&["*12", "*13", "*14"]), None);
        assert_eq!(name(&["éa1", "éb1"]), None);
    }
}
