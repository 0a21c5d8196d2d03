//! The shape of a segment: the order of its frames, and their dependencies.

use super::{LEVELS, SEGMENT, SLOTS, around};
use crate::compose::Step;
use crate::hierarchy::{Reach, schedule};
use crate::segments::segment_count;

/// The order of the frames of a segment.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Position of the segment among its anchors, and the number of frames that these span.
    key: (usize, usize),
    /// The frames between anchors, level by level.
    pub(super) steps: Vec<Step>,
    /// Index of the first step of each level.
    pub(super) levels: [usize; LEVELS + 1],
    /// By place: the steps on which it depends, one bit per step.
    pub(super) needs: [u32; SLOTS],
}

/// The key of a segment in a block whose last frame is `last`.
fn key(segment: usize, last: usize) -> (usize, usize) {
    let (first, end) = around(segment, segment_count(last + 1, SEGMENT) + 1);
    (segment - first, ((end - 1) * SEGMENT).min(last) - first * SEGMENT)
}

/// The shapes of all segments of blocks with these last frames.
pub(super) fn shapes(lasts: &[usize]) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for last in lasts {
        for segment in 0..segment_count(last + 1, SEGMENT) {
            let key = key(segment, *last);
            if !shapes.iter().any(|shape| shape.key == key) {
                shapes.push(Shape::new(key));
            }
        }
    }
    shapes
}

/// The index of a segment's shape.
pub(super) fn find(shapes: &[Shape], segment: usize, last: usize) -> usize {
    let key = key(segment, last);
    shapes.iter().position(|shape| shape.key == key).expect("the shapes of all segments were made")
}

impl Shape {
    fn new(key: (usize, usize)) -> Shape {
        let (ahead, span) = key;
        let start = ahead * SEGMENT;
        let stop = (start + SEGMENT).min(span);
        let place = |frame: u32| match frame as usize {
            frame if (start..=stop).contains(&frame) => frame - start,
            // The last anchor may not be a multiple.
            frame => SEGMENT + 1 + frame.div_ceil(SEGMENT),
        };
        let mut shape = Shape { key, steps: Vec::new(), levels: [0; LEVELS + 1], needs: [0; SLOTS] };
        for node in schedule(span as u32 + 1, SEGMENT as u32, Reach::Segment) {
            let frame = node.frame as usize;
            if node.level == 0 || frame <= start || frame >= stop {
                continue;
            }
            shape.levels[usize::from(node.level) + 1] += 1;
            let step = Step {
                place: place(node.frame),
                level: usize::from(node.level),
                taps: node.taps.map(place),
                cubic: node.cubic,
                linear: node.linear,
            };
            let own = 1 << shape.steps.len();
            let needs = step.taps.iter().fold(own, |needs, tap| needs | shape.needs[*tap]);
            shape.needs[step.place] = needs;
            shape.steps.push(step);
        }
        for level in 0..LEVELS {
            shape.levels[level + 1] += shape.levels[level];
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::super::AROUND;
    use super::*;

    #[test]
    fn a_frame_needs_a_third_of_its_segment() {
        let shapes = shapes(&[SEGMENT * (AROUND + 3)]);
        let inner = &shapes[1];
        assert_eq!(inner.steps.len(), SEGMENT - 1);
        assert_eq!((inner.needs[0], inner.needs[SEGMENT]), (0, 0));
        // A frame and the one after it.
        let pairs = (0..SEGMENT).map(|frame| (inner.needs[frame] | inner.needs[frame + 1]).count_ones());
        assert!(pairs.clone().max() <= Some(13), "{:?}", pairs.collect::<Vec<_>>());
    }

    #[test]
    fn steps_follow_what_they_need() {
        for last in 1..200 {
            for shape in shapes(&[last]) {
                for (at, step) in shape.steps.iter().enumerate() {
                    let needs = shape.needs[step.place];
                    assert_eq!(needs >> at, 1, "itself, and nothing after it");
                }
            }
        }
    }
}
