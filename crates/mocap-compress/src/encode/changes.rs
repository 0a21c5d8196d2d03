//! Changes of a head that may make its track smaller and are worth trying.

use crate::lattice::{Column, Kind};
use crate::track::{FINER, Head, REFERENCES};

/// A change of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Larger steps.
    Coarser,
    /// Smaller steps.
    Finer,
    /// Equal steps along all axes, which take few bits in a head.
    Isotropic,
    /// No references to other tracks.
    Alone,
    /// Finer steps on all levels but the last.
    FinerLevels,
    /// The other lattice.
    Lattice,
}

/// All changes in the order in which they are tried.
pub(crate) const CHANGES: [Change; 6] =
    [Change::Isotropic, Change::Alone, Change::Coarser, Change::Finer, Change::FinerLevels, Change::Lattice];

/// Eighths of an octave between steps of the lattices that cover space equally well.
const BETWEEN_LATTICES: i32 = 3;

impl Change {
    /// Whether it changes the steps: worth trying even if the head is a small part of its track.
    pub(crate) fn is_of_steps(self) -> bool {
        matches!(self, Change::Coarser | Change::Finer | Change::FinerLevels)
    }

    /// The changed head; `None` where nothing changes.
    pub(crate) fn of(self, head: &Head) -> Option<Head> {
        let scaled = |by: i32| head.columns.map(|column| Column { scale: column.scale + by, ..column });
        let changed = match self {
            Change::Coarser => Head { columns: scaled(1), ..head.clone() },
            Change::Finer => Head { columns: scaled(-1), ..head.clone() },
            Change::Isotropic => Head { columns: isotropic(head), ..head.clone() },
            Change::Alone => Head { references: [None; REFERENCES], ..head.clone() },
            Change::FinerLevels => {
                Head { finer: (head.finer + 1).min(FINER.len() as u8 - 1), ..head.clone() }
            }
            Change::Lattice => match head.kind {
                Kind::Cubic => {
                    Head { kind: Kind::BodyCentred, columns: scaled(-BETWEEN_LATTICES), ..head.clone() }
                }
                Kind::BodyCentred => {
                    Head { kind: Kind::Cubic, columns: scaled(BETWEEN_LATTICES), ..head.clone() }
                }
            },
        };
        (changed != *head).then_some(changed)
    }
}

/// Columns along the axes, each as long as the shortest column of the head.
fn isotropic(head: &Head) -> [Column; 3] {
    let length = |column: &Column| column.vector().iter().map(|part| part * part).sum::<f32>().sqrt();
    let least = head.columns.iter().map(length).fold(f32::INFINITY, f32::min);
    [0, 1, 2].map(|axis| {
        let mut vector = [0.0; 3];
        // Stored lengths are rounded down: one that was stored before stays as it is.
        vector[axis] = f64::from(least) * 1.001;
        Column::nearest(vector)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::track::Reference;

    #[test]
    fn changes_end_where_nothing_is_left_to_change() {
        let columns = [[0.01, -0.002, 0.0], [0.003, 0.02, 0.0], [0.0, 0.0, 0.04]].map(Column::nearest);
        let head = Head { columns, references: [Some(Reference::default()); REFERENCES], ..Head::blank() };
        let isotropic = Change::Isotropic.of(&head).unwrap();
        let least = isotropic.columns[0].vector()[0];
        // Rounded down twice, by an eighth of an octave at most.
        assert!((0.008..0.0103).contains(&least), "{least}");
        assert_eq!(isotropic.columns[2].vector(), [0.0, 0.0, least]);
        assert_eq!(Change::Isotropic.of(&isotropic), None);
        let alone = Change::Alone.of(&head).unwrap();
        assert_eq!(Change::Alone.of(&alone), None);
        assert_eq!(Change::Lattice.of(&Change::Lattice.of(&head).unwrap()).unwrap(), head);
        assert_eq!(Change::Finer.of(&Change::Coarser.of(&head).unwrap()).unwrap(), head);
        let finest = (0..3).fold(head, |head, _| Change::FinerLevels.of(&head).unwrap());
        assert_eq!(Change::FinerLevels.of(&finest), None);
    }
}
