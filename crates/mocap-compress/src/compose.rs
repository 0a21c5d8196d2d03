//! Composes frames from residuals and the frames that predict them, eight tracks in parallel lanes.

use crate::hierarchy::LEVELS;
use crate::lanes::{self, Kernel, LANES, Lane, Mix, Quats, Vectors, groups};
use crate::quat::Quat;
use crate::track::{FLATNESS, Head, Moving, REFERENCES, refer};
use crate::window::Window;
use fearless_simd::Level;

/// How one frame is predicted; frames are indices in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) place: usize,
    pub(crate) level: usize,
    pub(crate) taps: [usize; 4],
    pub(crate) cubic: [f32; 4],
    pub(crate) linear: [f32; 4],
}

/// A rotation whose residual is partly predicted from that of an earlier one. Links of one rotation are
/// consecutive.
#[derive(Clone, Copy, Debug)]
struct Link {
    from: (usize, usize),
    to: (usize, usize),
    multiplier: [[f32; 3]; 3],
    /// Whether it is the last link of the rotation.
    last: bool,
}

/// Data that all frames of a block share, in lanes. Groups of rotations come first, then groups of
/// translations.
#[derive(Debug)]
pub(crate) struct Composer {
    /// SIMD level of the processor.
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
        Composer {
            level: Level::new(),
            places: kinds.iter().map(place).collect(),
            links: Vec::with_capacity(kinds.len() * REFERENCES),
            bases: vec![[Vectors::ZERO; 3]; rotations + translations],
            flat: vec![[[0.0; LANES]; LEVELS]; rotations + translations],
            base_rotations: vec![Quats::IDENTITY; rotations],
            base_translations: vec![Vectors::ZERO; translations],
            vectors: vec![Vectors::ZERO; rotations + translations],
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
        Window::new(self.groups_by_kind(), frames)
    }

    /// Group and lane of a track.
    #[inline]
    pub(crate) fn place(&self, track: usize) -> (usize, usize) {
        self.places[track]
    }

    /// Starts a block: drops the heads of the previous one.
    pub(crate) fn clear(&mut self) {
        self.links.clear();
    }

    /// Takes the head of a track; heads come in order.
    pub(crate) fn put(&mut self, track: usize, (moving, rest): (Moving, Quat), head: &Head) {
        let (group, lane) = self.places[track];
        for (column, basis) in self.bases[group].iter_mut().zip(head.start().basis()) {
            column.set(lane, basis);
        }
        match moving {
            Moving::Rotation => self.base_rotations[group].set(lane, head.base_rotation(rest)),
            Moving::Translation => {
                let group = group - self.base_rotations.len();
                self.base_translations[group].set(lane, head.base_translation());
            }
        }
        for (flat, index) in self.flat[group].iter_mut().zip(head.flat) {
            flat[lane] = FLATNESS[usize::from(index)];
        }
        let mut references = head.references.iter().flatten().peekable();
        while let Some(reference) = references.next() {
            let from = (reference.track / LANES, reference.track % LANES);
            let last = references.peek().is_none();
            self.links.push(Link { from, to: (group, lane), multiplier: reference.multiplier(), last });
        }
    }

    /// Composes a frame that is predicted only from the heads. `numbers` are its residuals, by group.
    pub(crate) fn start(&self, numbers: &[Vectors], place: usize, window: &mut Window) {
        lanes::run(self.level, Begin { composer: self, numbers, place, window });
    }

    /// Composes a frame that is predicted from others.
    pub(crate) fn step(&mut self, numbers: &[Vectors], step: &Step, window: &mut Window) {
        lanes::run(self.level, Predicted { composer: self, numbers, step, window });
    }
}

/// [`Composer::step`].
struct Predicted<'a> {
    composer: &'a mut Composer,
    numbers: &'a [Vectors],
    step: &'a Step,
    window: &'a mut Window,
}

impl Kernel for Predicted<'_> {
    #[inline(always)]
    fn run(self) {
        let Predicted { composer, numbers, step, window } = self;
        let [rotations, translations] = composer.groups_by_kind();
        let Composer { links, bases, flat, vectors, .. } = composer;
        for ((vectors, basis), numbers) in vectors.iter_mut().zip(&*bases).zip(numbers) {
            *vectors = lanes::combined(basis, numbers);
        }
        let mut shift = [0.0; 3];
        for link in &*links {
            shift = refer(shift, &link.multiplier, vectors[link.from.0].get(link.from.1));
            if link.last {
                let own = vectors[link.to.0].get(link.to.1);
                vectors[link.to.0].set(link.to.1, [0, 1, 2].map(|i| shift[i] + own[i]));
                shift = [0.0; 3];
            }
        }
        let mix =
            |group: usize| Mix { cubic: step.cubic, linear: step.linear, flat: &flat[group][step.level] };
        for group in 0..rotations {
            let taps = step.taps.map(|tap| &window.rotations[tap * rotations + group]);
            let q = lanes::predict_and_turn(taps, &mix(group), &vectors[group]);
            window.rotations[step.place * rotations + group] = q;
        }
        for group in 0..translations {
            let taps = step.taps.map(|tap| &window.translations[tap * translations + group]);
            let at = rotations + group;
            let v = lanes::predict_and_move(taps, &mix(at), &vectors[at]);
            window.translations[step.place * translations + group] = v;
        }
    }
}

/// [`Composer::start`].
struct Begin<'a> {
    composer: &'a Composer,
    numbers: &'a [Vectors],
    place: usize,
    window: &'a mut Window,
}

impl Kernel for Begin<'_> {
    #[inline(always)]
    fn run(self) {
        let Begin { composer, numbers, place, window } = self;
        let [rotations, translations] = composer.groups_by_kind();
        let (bases, numbers) = (composer.bases.split_at(rotations), numbers.split_at(rotations));
        let turned = &mut window.rotations[place * rotations..][..rotations];
        let groups = composer.base_rotations.iter().zip(bases.0).zip(numbers.0);
        for (((base, basis), numbers), turned) in groups.zip(turned) {
            *turned = lanes::turn(base, &lanes::combined(basis, numbers));
        }
        let moved = &mut window.translations[place * translations..][..translations];
        let groups = composer.base_translations.iter().zip(bases.1).zip(numbers.1);
        for (((base, basis), numbers), moved) in groups.zip(moved) {
            *moved = lanes::moved(base, &lanes::combined(basis, numbers));
        }
    }
}
