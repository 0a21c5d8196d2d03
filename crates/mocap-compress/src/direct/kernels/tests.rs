use super::*;
use crate::lanes::run;
use crate::track::Head;
use fearless_simd::Level;

/// Pseudo-random bits.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

fn slices(frames: &mut [[Vectors; 2]; 2]) -> [&mut [Vectors]; 2] {
    frames.each_mut().map(|frame| &mut frame[..])
}

const COUNTS: [u32; LEVELS - 1] = [1, 2, 4, 8];

/// How segments store eight tracks, no three numbers longer than a word.
fn layouts() -> LayoutOf {
    let mut layouts = LayoutOf::NONE;
    for lane in 0..LANES {
        let bits = |level: i32| [lane as i32 + level, 7 - level, 2 * level + lane as i32 % 3];
        let layout = Layout {
            halved: 1,
            bits: [[0; 3], bits(0), bits(1), bits(-2), bits(4)],
            ..Layout::of(&Head::blank())
        };
        layouts.put(lane, 7 - lane, &layout);
    }
    layouts
}

#[test]
fn choices_are_those_of_the_tracks() {
    let choices = noise(16);
    let (choices, _) = choices.as_chunks();
    let layouts = [LayoutOf::NONE, layouts()];
    let mut found = [([Stored::NONE; 2], [[0; LANES]; 2]); 2];
    let [plain, wide] = &mut found;
    let choose = |(stored, sizes): &mut ([Stored; 2], [[u32; LANES]; 2]), level: Option<Level>| {
        let choose = Choose { choices, counts: COUNTS, layouts: &layouts, stored, sizes };
        match level {
            Some(level) => run(level, choose),
            None => choose.run(),
        }
    };
    choose(plain, None);
    choose(wide, Some(Level::new()));
    for (stored, sizes) in found {
        for lane in 0..LANES {
            let choice = u16::from_le_bytes(choices[7 - lane]);
            assert_eq!(stored[1].scales[lane], FINER[usize::from(choice % 16)] / 2.0);
            let mut size = 0;
            for level in 0..LEVELS - 1 {
                let code = usize::from(choice >> (4 + 3 * level) & 7);
                let width = |axis: usize| width_at(i32::from(layouts[1].bits[level][axis][lane]), code);
                let widths = if code > 0 { [0, 1, 2].map(width) } else { [0; 3] };
                assert_eq!(stored[1].widths[level].of.map(|widths| widths[lane]), widths);
                let odd = u32::from(code > 0);
                assert_eq!(stored[1].widths[level].any[lane], odd);
                size += COUNTS[level] * (widths.iter().sum::<u32>() + odd);
            }
            assert_eq!(sizes[1][lane], size);
        }
        // Tracks that do not exist have no numbers.
        assert!(stored[0].widths.iter().all(|widths| widths.of == [[0; LANES]; 3]));
    }
    // A segment without choices.
    let mut none = ([Stored::NONE; 2], [[1; LANES]; 2]);
    let (stored, sizes) = (&mut none.0, &mut none.1);
    Choose { choices: &[], counts: COUNTS, layouts: &layouts, stored, sizes }.run();
    assert_eq!(none.1, [[0; LANES]; 2]);
}

#[test]
fn numbers_are_the_same_side_by_side_and_one_by_one() {
    let bits = &noise(90)[..];
    let (mut stored, mut starts) = ([Stored::NONE; 2], [[0; LANES]; 2]);
    let choices = [[0x53u8, 0x35]; LANES];
    let (layouts, counts) = (&[layouts(); 2], COUNTS);
    Choose { choices: &choices, counts, layouts, stored: &mut stored, sizes: &mut starts }.run();
    // Some reach behind the end.
    starts = [0, 1].map(|group| [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| 97 * lane + group));
    let weights = [0, 1].map(|frame| {
        [0, 1, 2, 3, 4, 5].map(|term| [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| (frame + 2 * term + lane) as f32))
    });
    let weights = [weights; 2];
    let all = Pair { counts, indices: [0, 0, 1, 1, 2, 3], there: [true; READS] };
    // A short segment has no number of level 1.
    let short = Pair {
        counts: [0, 1, 2, 3],
        indices: [0, 0, 1, 0, 1, 1],
        there: [false, true, false, true, true, true],
    };
    for pair in [&all, &short] {
        let mut found = [[[Vectors::ZERO; 2]; 2]; 3];
        let [plain, slow, wide] = &mut found;
        let (stored, starts, weights, fetched) = (&stored, &starts, &weights, &mut [Fetched::NONE; 2]);
        Sums::<true> { bits, pair, stored, starts, weights, fetched, sums: slices(plain) }.run();
        Sums::<false> { bits, pair, stored, starts, weights, fetched, sums: slices(slow) }.run();
        let sums = slices(wide);
        run(Level::new(), Sums::<true> { bits, pair, stored, starts, weights, fetched, sums });
        assert_eq!(found[0], found[1]);
        assert_eq!(found[0], found[2]);
        let [_, next] = found[0];
        assert!(next.iter().all(|sums| (0..LANES - 1).all(|lane| sums.get(lane) != [0.0; 3])));
    }
}

#[test]
fn rows_are_the_same_side_by_side_and_one_by_one() {
    let bits = &noise(90)[..];
    let stored = Row { least: [-5, 0, 9], width: [11, 0, 17], ..Row::default() };
    let mut rows = [RowOf::NONE; 2];
    for (group, row) in rows.iter_mut().enumerate() {
        (0..LANES).for_each(|lane| row.put(lane, 80 * lane + 7 * group, &stored));
    }
    let mut found = [[[Vectors::ZERO; 2]; 2]; 3];
    let [plain, slow, wide] = &mut found;
    let (starts, rows, fetched) = ([3, 44], &rows, &mut [Fetched::NONE; 2]);
    ReadRows::<true> { bits, starts, rows, fetched, numbers: slices(plain) }.run();
    ReadRows::<false> { bits, starts, rows, fetched, numbers: slices(slow) }.run();
    let numbers = slices(wide);
    run(Level::new(), ReadRows::<true> { bits, starts, rows, fetched, numbers });
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
    for (row, start) in found[0].iter().zip(starts) {
        for (group, numbers) in row.iter().enumerate() {
            let mut reader = BitReader::new(bits, start as usize + 80 + 7 * group);
            let expected = stored.width.map(|width| reader.take(width) as f32);
            assert_eq!(numbers.get(1), [expected[0] - 5.0, 0.0, expected[2] + 9.0]);
        }
    }
}
