//! Chooses the frames of a track that get keys.

use super::{Curve, Keys};

/// The smallest set of keys found that keeps all frames within bounds. `share` is the greatest squared error in
/// a frame, as a share of the squared tolerance.
pub(super) fn fit<T: Copy>(
    curve: Curve,
    values: &[T],
    share: impl Fn(&Keys<T>, usize, u32) -> f64,
) -> Keys<T> {
    let last = values.len() - 1;
    let mut keys = Keys { curve, frames: vec![0], values: vec![values[0]] };
    if last == 0 {
        return keys;
    }
    match curve {
        Curve::Linear => reach(&mut keys, values, &share),
        Curve::CatmullRom => {
            keys.frames.push(last as u32);
            keys.values.push(values[last]);
            bisect(&mut keys, values, &share);
            drop_spare(&mut keys, &share);
        }
    }
    keys
}

/// Lines: extends each as far as all frames between its keys stay within bounds.
fn reach<T: Copy>(keys: &mut Keys<T>, values: &[T], share: &impl Fn(&Keys<T>, usize, u32) -> f64) {
    let last = values.len() - 1;
    let mut from = 0;
    while from < last {
        let holds = |to: usize| {
            let ends = [from as u32, to as u32];
            let line =
                Keys { curve: Curve::Linear, frames: ends.to_vec(), values: vec![values[from], values[to]] };
            (from + 1..to).all(|frame| share(&line, 0, frame as u32) <= 1.0)
        };
        // Doubles the length while the bounds hold, then bisects.
        let mut good = from + 1;
        let mut stride = 1;
        while good < last && holds((good + stride).min(last)) {
            good = (good + stride).min(last);
            stride *= 2;
        }
        while stride > 0 {
            if good + stride <= last && holds(good + stride) {
                good += stride;
            }
            stride /= 2;
        }
        keys.frames.push(good as u32);
        keys.values.push(values[good]);
        from = good;
    }
}

/// Curves: adds a key where the error is largest, until all frames are within bounds.
fn bisect<T: Copy>(keys: &mut Keys<T>, values: &[T], share: &impl Fn(&Keys<T>, usize, u32) -> f64) {
    loop {
        // One key per gap that needs it: distant gaps hardly affect each other.
        let mut added = Vec::new();
        for left in 0..keys.frames.len() - 1 {
            let mut worst = (1.0, None);
            for frame in keys.frames[left] + 1..keys.frames[left + 1] {
                let share = share(keys, left, frame);
                if share > worst.0 {
                    worst = (share, Some(frame));
                }
            }
            // Not next to a key: curves adapt best in the middle.
            if let (_, Some(frame)) = worst {
                let (from, to) = (keys.frames[left], keys.frames[left + 1]);
                let margin = (to - from) / 4;
                added.push(frame.clamp(from + margin.max(1), to - margin.max(1)));
            }
        }
        if added.is_empty() {
            return;
        }
        keys.frames.extend(added);
        keys.frames.sort_unstable();
        keys.values = keys.frames.iter().map(|frame| values[*frame as usize]).collect();
    }
}

/// Removes keys that later keys made unnecessary.
fn drop_spare<T: Copy>(keys: &mut Keys<T>, share: &impl Fn(&Keys<T>, usize, u32) -> f64) {
    let mut at = 1;
    while at + 1 < keys.frames.len() {
        let (frame, value) = (keys.frames.remove(at), keys.values.remove(at));
        // A key affects the curve two gaps to either side.
        let (from, to) = (at.saturating_sub(3), (at + 2).min(keys.frames.len() - 1));
        let holds = (from..to).all(|left| {
            (keys.frames[left]..keys.frames[left + 1]).all(|frame| share(keys, left, frame) <= 1.0)
        });
        if !holds {
            keys.frames.insert(at, frame);
            keys.values.insert(at, value);
            at += 1;
        }
    }
}
