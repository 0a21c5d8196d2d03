//! A palette for a film of few colours, by median cut.
//!
//! Based on: P. Heckbert, "Color image quantization for frame buffer display", 1982.

/// Bits kept of each colour.
const BITS: u32 = 5;
const CELLS: usize = 1 << (3 * BITS);

/// Sums and counts of colours, by their highest bits.
pub(crate) struct Histogram(Vec<[u64; 4]>);

/// The colours of a palette, and the palette index of every colour.
pub(crate) struct Palette {
    /// Red, green, blue of each.
    pub colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

fn cell(colour: [u8; 3]) -> usize {
    colour.iter().fold(0, |cell, part| cell << BITS | usize::from(part >> (8 - BITS)))
}

/// The middle of a cell.
fn middle(cell: usize) -> [u8; 3] {
    [2, 1, 0].map(|i| ((cell >> (BITS * i) & 31) * 255 / 31) as u8)
}

impl Histogram {
    pub(crate) fn new() -> Histogram {
        Histogram(vec![[0; 4]; CELLS])
    }

    pub(crate) fn add(&mut self, picture: &[[u8; 3]]) {
        for colour in picture {
            let [r, g, b] = colour.map(u64::from);
            let sums = &mut self.0[cell(*colour)];
            *sums = [sums[0] + r, sums[1] + g, sums[2] + b, sums[3] + 1];
        }
    }

    /// At most `most` colours, at least one.
    pub(crate) fn palette(&self, most: usize) -> Palette {
        let seen: Vec<usize> = (0..CELLS).filter(|cell| self.0[*cell][3] > 0).collect();
        let mut boxes = vec![if seen.is_empty() { vec![0] } else { seen }];
        while boxes.len() < most {
            // The next box to cut: the one with the longest side, weighted by the fourth root of
            // its count.
            let worth = |cells: &Vec<usize>| {
                let count = cells.iter().map(|cell| self.0[*cell][3] as f64).sum::<f64>();
                f64::from(longest(cells).1) * count.powf(0.25)
            };
            let (at, best) = boxes
                .iter()
                .enumerate()
                .map(|(at, cells)| (at, worth(cells)))
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
                .expect("there is a box");
            if best <= 0.0 {
                break;
            }
            let mut cells = boxes.swap_remove(at);
            let axis = longest(&cells).0;
            cells.sort_by_key(|cell| (middle(*cell)[axis], *cell));
            let (low, high) =
                [cells[0], cells[cells.len() - 1]].map(|cell| u32::from(middle(cell)[axis])).into();
            let split = cells.partition_point(|cell| 2 * u32::from(middle(*cell)[axis]) <= low + high);
            let rest = cells.split_off(split.clamp(1, cells.len() - 1));
            boxes.extend([cells, rest]);
        }
        let colours: Vec<[u8; 3]> = boxes.iter().map(|cells| self.mean(cells)).collect();
        let nearest = (0..CELLS).map(|cell| {
            // Colours that occur are matched by their mean: the centre of a cell may be off by four steps.
            let wanted = if self.0[cell][3] > 0 { self.mean(&[cell]) } else { middle(cell) };
            let off = |colour: &[u8; 3]| -> i32 {
                (0..3).map(|i| (i32::from(colour[i]) - i32::from(wanted[i])).pow(2)).sum()
            };
            (0..colours.len()).min_by_key(|i| off(&colours[*i])).unwrap_or(0) as u8
        });
        let nearest = nearest.collect();
        Palette { colours, nearest }
    }

    fn mean(&self, cells: &[usize]) -> [u8; 3] {
        let sum = |part: usize| cells.iter().map(|cell| self.0[*cell][part]).sum::<u64>();
        let count = sum(3).max(1);
        [0, 1, 2].map(|part| ((sum(part) + count / 2) / count) as u8)
    }
}

impl Palette {
    /// The palette index of a colour.
    pub(crate) fn index(&self, colour: [u8; 3]) -> u8 {
        self.nearest[cell(colour)]
    }
}

/// The axis with the greatest extent of the cells, and that extent.
fn longest(cells: &[usize]) -> (usize, u32) {
    let spread = |axis: usize| {
        let values = cells.iter().map(|cell| u32::from(middle(*cell)[axis]));
        values.clone().max().unwrap_or(0) - values.min().unwrap_or(0)
    };
    [0, 1, 2]
        .map(|axis| (axis, spread(axis)))
        .into_iter()
        .max_by_key(|(axis, far)| (*far, 2 - axis))
        .unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_ground_keeps_its_colour_beside_many_others() {
        let ground = [0xf6, 0xf7, 0xf9];
        let mut seen = Histogram::new();
        seen.add(&[ground; 20_000]);
        for i in 0..=255u8 {
            seen.add(&[[i, 255 - i, 128], [i, i, i], [200, i, 90], [240, 247, 255]]);
        }
        let palette = seen.palette(255);
        assert_eq!(palette.colours[usize::from(palette.index(ground))], ground);
    }

    #[test]
    fn few_colours_are_kept_and_many_are_near() {
        let mut few = Histogram::new();
        few.add(&[[0, 0, 0], [255, 0, 0], [255, 0, 0]]);
        let palette = few.palette(256);
        assert_eq!(palette.colours.len(), 2);
        assert_eq!(palette.colours[usize::from(palette.index([255, 0, 0]))], [255, 0, 0]);
        let mut many = Histogram::new();
        let all: Vec<[u8; 3]> = (0..=255u8).map(|v| [v, 255 - v, v / 2]).collect();
        many.add(&all);
        let palette = many.palette(16);
        assert_eq!(palette.colours.len(), 16);
        for colour in all {
            let near = palette.colours[usize::from(palette.index(colour))];
            assert!((0..3).all(|i| colour[i].abs_diff(near[i]) < 24), "{colour:?} {near:?}");
        }
    }
}
