//! Puts frames together from residuals and the frames that they are predicted from, eight tracks side by side.

use crate::hierarchy::LEVELS;
use crate::lanes::{self, LANES, Lane, Mix, Quats, Turn, TurnAlong, Vectors, groups};
use crate::quat::Quat;
use crate::track::{FLATNESS, Head, Moving, REFERENCES, refer};
use crate::window::Window;
use fearless_simd::Level;

/// How one frame is predicted; frames are places in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) place: usize,
    pub(crate) level: usize,
    pub(crate) taps: [usize; 4],
    pub(crate) cubic: [f32; 4],
    pub(crate) linear: [f32; 4],
}

/// A rotation whose residual is partly that of one before it; those of one rotation follow each other.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: (usize, usize),
    to: (usize, usize),
    multiplier: [[f32; 3]; 3],
    /// Whether it is the last one of that rotation.
    last: bool,
}

/// What all frames of a block share, in lanes. Groups are those of the rotations first, then the translations.
#[derive(Debug)]
pub(crate) struct Composer {
    /// What the processor can do.
    level: Level,
    /// Group and lane of each track.
    places: Vec<(usize, usize)>,
    links: Vec<Link>,
    bases: Vec<[Vectors; 3]>,
    flat: Vec<[Lane; LEVELS]>,
    base_rotations: Vec<Quats>,
    base_translations: Vec<Vectors>,
    /// The residuals of one frame.
    vectors: Vec<Vectors>,
}

impl Composer {
    /// A composer of tracks of these kinds.
    pub(crate) fn new(kinds: &[(Moving, Quat)]) -> Composer {
        let [rotations, translations] = [Moving::Rotation, Moving::Translation]
            .map(|kind| groups(kinds.iter().filter(|(of, _)| *of == kind).count()));
        let mut counts = [0, 0];
        let place = |(moving, _): &(Moving, Quat)| {
            let (kind, first) = if *moving == Moving::Rotation { (0, 0) } else { (1, rotations) };
            let place: usize = counts[kind];
            counts[kind] += 1;
            (first + place / LANES, place % LANES)
        };
        let all = rotations + translations;
        Composer {
            level: Level::new(),
            places: kinds.iter().map(place).collect(),
            links: Vec::with_capacity(kinds.len() * REFERENCES),
            bases: vec![[Vectors::ZERO; 3]; all],
            flat: vec![[[0.0; LANES]; LEVELS]; all],
            base_rotations: vec![Quats::IDENTITY; rotations],
            base_translations: vec![Vectors::ZERO; translations],
            vectors: vec![Vectors::ZERO; all],
        }
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.bases.len()
    }

    /// The number of groups of rotations, and of translations.
    pub(crate) fn groups_by_kind(&self) -> [usize; 2] {
        [self.base_rotations.len(), self.base_translations.len()]
    }

    /// A window of so many frames.
    pub(crate) fn window(&self, frames: usize) -> Window {
        let [rotations, translations] = self.groups_by_kind();
        Window {
            first: 0,
            frames: 0,
            rotations: vec![Quats::IDENTITY; rotations * frames],
            translations: vec![Vectors::ZERO; translations * frames],
        }
    }

    /// Group and lane of a track.
    #[inline]
    pub(crate) fn place(&self, track: usize) -> (usize, usize) {
        self.places[track]
    }

    /// Starts a block: forgets the heads of another.
    pub(crate) fn clear(&mut self) {
        self.links.clear();
    }

    /// Takes the head of a track; heads come in order.
    pub(crate) fn put(&mut self, track: usize, (moving, rest): (Moving, Quat), head: &Head) {
        let (group, lane) = self.places[track];
        for (column, basis) in self.bases[group].iter_mut().zip(head.lattice().basis) {
            column.set(lane, basis);
        }
        for (flat, index) in self.flat[group].iter_mut().zip(head.flat) {
            flat[lane] = FLATNESS[usize::from(index)];
        }
        match moving {
            Moving::Rotation => self.base_rotations[group].set(lane, head.base_rotation(rest)),
            Moving::Translation => {
                let group = group - self.base_rotations.len();
                self.base_translations[group].set(lane, head.base_translation());
            }
        }
        let mut references = head.references.iter().flatten().peekable();
        while let Some(reference) = references.next() {
            let from = (reference.track / LANES, reference.track % LANES);
            let last = references.peek().is_none();
            self.links.push(Link { from, to: (group, lane), multiplier: reference.multiplier(), last });
        }
    }

    fn combine(&mut self, numbers: &[Vectors]) {
        for ((vectors, basis), numbers) in self.vectors.iter_mut().zip(&self.bases).zip(numbers) {
            *vectors = lanes::combine(basis, numbers);
        }
    }

    /// Puts a frame together that is predicted only from the heads. `numbers` are those of its residuals, by group.
    pub(crate) fn start(&self, numbers: &[Vectors], place: usize, window: &mut Window) {
        let [rotations, translations] = self.groups_by_kind();
        for group in 0..rotations {
            let base = &self.base_rotations[group];
            let turned = &mut window.rotations[place * rotations + group];
            lanes::run(
                self.level,
                Turn { base, basis: &self.bases[group], numbers: &numbers[group], turned },
            );
        }
        for group in 0..translations {
            let by = lanes::combine(&self.bases[rotations + group], &numbers[rotations + group]);
            window.translations[place * translations + group] =
                lanes::moved(&self.base_translations[group], &by);
        }
    }

    /// Puts a frame together that is some `way` from the first frame of `ends` to the second, and off that path by its
    /// numbers.
    pub(crate) fn along(
        &self,
        numbers: &[Vectors],
        way: f32,
        ends: &Window,
        window: &mut Window,
        place: usize,
    ) {
        let [rotations, translations] = self.groups_by_kind();
        for group in 0..rotations {
            let ends = [&ends.rotations[group], &ends.rotations[rotations + group]];
            let turned = &mut window.rotations[place * rotations + group];
            let (basis, numbers) = (&self.bases[group], &numbers[group]);
            lanes::run(self.level, TurnAlong { ends, way, basis, numbers, turned });
        }
        for group in 0..translations {
            let by = lanes::combine(&self.bases[rotations + group], &numbers[rotations + group]);
            let ends = [&ends.translations[group], &ends.translations[translations + group]];
            window.translations[place * translations + group] = lanes::move_along(ends, way, &by);
        }
    }

    /// Puts a frame together that is predicted from others.
    pub(crate) fn step(&mut self, numbers: &[Vectors], step: &Step, window: &mut Window) {
        self.combine(numbers);
        let mut shift = [0.0; 3];
        for link in &self.links {
            let other = self.vectors[link.from.0].get(link.from.1);
            shift = refer(shift, &link.multiplier, other);
            if link.last {
                let own = self.vectors[link.to.0].get(link.to.1);
                self.vectors[link.to.0].set(link.to.1, [0, 1, 2].map(|i| shift[i] + own[i]));
                shift = [0.0; 3];
            }
        }
        let [rotations, translations] = self.groups_by_kind();
        let mix = |group: usize| Mix {
            cubic: step.cubic,
            linear: step.linear,
            flat: &self.flat[group][step.level],
        };
        for group in 0..rotations {
            let taps = step.taps.map(|tap| &window.rotations[tap * rotations + group]);
            let q = lanes::predict_and_turn(taps, &mix(group), &self.vectors[group]);
            window.rotations[step.place * rotations + group] = q;
        }
        for group in 0..translations {
            let taps = step.taps.map(|tap| &window.translations[tap * translations + group]);
            let at = rotations + group;
            let v = lanes::predict_and_move(taps, &mix(at), &self.vectors[at]);
            window.translations[step.place * translations + group] = v;
        }
    }
}
