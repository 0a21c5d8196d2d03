//! The joints that carry the cells of a field, in the order in which a search reads them.

use super::CARRIERS;

/// Greatest number of carriers of a node; the shares of others are distributed to them.
const MOST_SHARES: usize = 4;

/// The carriers of all cells. A cell has the number of its first node.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// By cell: where its carriers start, and at the end how many there are.
    starts: Vec<u32>,
    carriers: Vec<CellCarrier>,
}

/// A carrier of a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellCarrier {
    pub carrier: u8,
    /// Its shares at the eight corners; those of all carriers sum to 1 at each.
    pub shares: [f32; 8],
}

/// The largest shares of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    carriers: [u8; MOST_SHARES],
    shares: [f32; MOST_SHARES],
}

impl Cells {
    /// The cells between nodes. `corners` gives the nodes at the corners of a cell, `None` for nodes at the far ends of
    /// the grid, at which no cell starts.
    pub(super) fn of(nodes: &[Shares], corners: impl Fn(usize) -> Option<[usize; 8]>) -> Cells {
        let mut cells = Cells::default();
        for node in 0..nodes.len() {
            let first = cells.carriers.len();
            cells.starts.push(first as u32);
            for (corner, node) in corners(node).into_iter().flatten().enumerate() {
                let Shares { carriers, shares } = &nodes[node];
                for (carrier, share) in carriers.iter().zip(shares).filter(|(_, share)| **share > 0.0) {
                    let own = cells.carriers[first..].iter().position(|own| own.carrier == *carrier);
                    let own = own.unwrap_or_else(|| {
                        cells.carriers.push(CellCarrier { carrier: *carrier, shares: [0.0; 8] });
                        cells.carriers.len() - 1 - first
                    });
                    cells.carriers[first + own].shares[corner] = *share;
                }
            }
        }
        cells.starts.push(cells.carriers.len() as u32);
        cells
    }

    /// The carriers of a cell; one if it has all of it.
    #[inline]
    pub(super) fn carriers(&self, cell: usize) -> &[CellCarrier] {
        &self.carriers[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }
}

impl CellCarrier {
    /// Its share at a place in the cell, from the weights of the corners there.
    #[inline]
    pub(super) fn share(&self, corners: &[f64; 8]) -> f64 {
        self.shares.iter().zip(corners).fold(0.0, |sum, (share, corner)| sum + f64::from(*share) * corner)
    }
}

impl Shares {
    /// The largest shares of some weights by carrier.
    pub(super) fn of(mut weights: [f64; CARRIERS]) -> Shares {
        let mut found = Shares { carriers: [0; MOST_SHARES], shares: [0.0; MOST_SHARES] };
        for at in 0..MOST_SHARES {
            let most = (0..CARRIERS).fold(0, |best, i| if weights[i] > weights[best] { i } else { best });
            found.carriers[at] = most as u8;
            found.shares[at] = weights[most] as f32;
            weights[most] = 0.0;
        }
        let sum: f32 = found.shares.iter().sum();
        if sum > 0.0 {
            found.shares.iter_mut().for_each(|share| *share /= sum);
        } else {
            found.shares[0] = 1.0;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_list_each_carrier_of_their_corners_once() {
        let node = |weights: &[(usize, f64)]| {
            let mut all = [0.0; CARRIERS];
            weights.iter().for_each(|(carrier, weight)| all[*carrier] = *weight);
            Shares::of(all)
        };
        // Three layers of nodes along x, two along y and z: the cells at nodes 0 and 1.
        let of_x = [node(&[(2, 1.0)]), node(&[(2, 0.75), (5, 0.25)]), node(&[(5, 2.0)])];
        let nodes: Vec<Shares> = (0..12).map(|node| of_x[node % 3]).collect();
        let corners =
            |node: usize| (node < 2).then_some([0, 1, 3, 4, 6, 7, 9, 10].map(|corner| node + corner));
        let cells = Cells::of(&nodes, corners);
        let listed = |cell: usize| -> Vec<(u8, [f32; 2])> {
            let own = cells.carriers(cell).iter();
            own.map(|own| (own.carrier, [own.shares[0], own.shares[7]])).collect()
        };
        assert_eq!(listed(0), [(2, [1.0, 0.75]), (5, [0.0, 0.25])]);
        assert_eq!(listed(1), [(2, [0.75, 0.0]), (5, [0.25, 1.0])]);
        assert!(cells.carriers(2).is_empty() && cells.carriers(11).is_empty());
        let middle = [0.125; 8];
        assert_eq!(
            cells.carriers(0).iter().map(|own| own.share(&middle)).collect::<Vec<_>>(),
            [0.875, 0.125]
        );
        let all_of_one = Cells::of(&vec![of_x[0]; 12], corners);
        assert_eq!(all_of_one.carriers(1).len(), 1);
    }
}
