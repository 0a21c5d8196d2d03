//! Composes the stages of retargeting.

use crate::clip_context::{ClipContext, analyse};
use crate::error::{RetargetError, RetargetWarning, SourceOrTarget};
use crate::explain::{MapExplanation, explain_pair};
use crate::foot_lock::lock_feet;
use crate::hand_placing::keep_self_contacts;
use crate::hand_support::carry_on_hands;
use crate::largest_steps::SourceSteps;
use crate::limb_curves::LimbCurves;
use crate::limb_solving::{LimbSolving, SolvedFrame, solve_limbs};
use crate::measure::{StageResults, report};
use crate::options::{Floor, Hands, RetargetOptions};
use crate::pair::{LimbRatios, Pair};
use crate::report::RetargetReport;
use crate::roles::RoleMap;
use crate::self_contact::{SelfContacts, arms_meet, find_contacts};
use crate::source_clip::{Segment, SegmentFrames, SourceClip};
use crate::surface::{Apart, HandsOnBody, SurfaceContacts, TargetSurface};
use crate::transfer::Transfer;
use crate::translations::with_translations;
use mocap_analysis::FootContacts;
use mocap_model::{Clip, ClipFrames, PlacedWindows, Skeleton};
use std::borrow::Cow;
use std::sync::Arc;

/// Retargets motions of one skeleton to another.
///
/// It is built once per pair of skeletons. [`Retargeter::retarget`] then takes any number of clips, also from several
/// threads at once.
///
/// ```
/// # let read = |bytes: &[u8]| -> Result<mocap_model::Clip, Box<dyn std::error::Error>> {
/// #     let document = mocap_formats::bvh::parse(bytes, &Default::default())?.value;
/// #     Ok(mocap_formats::bvh::to_clip(&document, &Default::default())?.value)
/// # };
/// # let walk = read(include_bytes!("../../../fixtures/clips/alex_walk.bvh"))?;
/// # let robin = read(include_bytes!("../../../fixtures/clips/robin_walk.bvh"))?;
/// use mocap_retarget::{RetargetOptions, Retargeter};
///
/// let retargeter = Retargeter::new(walk.skeleton(), robin.skeleton(), &RetargetOptions::default())?;
/// println!("legs × {:.3}", retargeter.ratios().leg);
/// let (motion, report) = retargeter.retarget(&walk)?;
/// assert_eq!(motion.skeleton().joints().len(), robin.skeleton().joints().len());
/// assert!(report.feet.iter().all(|foot| foot.slide.unwrap() < 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Retargeter {
    options: RetargetOptions,
    pair: Pair,
    warnings: Vec<RetargetWarning>,
    /// The number of frames that are placed at once.
    window: usize,
}

impl std::fmt::Debug for Retargeter {
    /// Shows names and ratios only: the other fields would fill pages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retargeter")
            .field("source", &self.pair.source.skeleton.name())
            .field("target", &self.pair.target.skeleton.name())
            .field("ratios", &self.pair.ratios)
            .finish_non_exhaustive()
    }
}

/// The motion of a clip on the target, and the results of the stages that the report needs.
struct Staged {
    context: ClipContext,
    /// Self-contacts in the frames after the lead-in.
    self_contacts: SelfContacts,
    /// By limb of the pair, then by frame after the lead-in; without frames if no report is made.
    solved: Vec<Vec<SolvedFrame>>,
    clip: Clip,
    /// The limbs of the source; without frames unless a report follows.
    source_limbs: LimbCurves,
    /// The largest steps of the source; none unless a report follows.
    source_steps: SourceSteps,
    /// Translations of the source that the target does not get.
    left_out: Option<RetargetWarning>,
}

impl Retargeter {
    /// Maps the joints of two skeletons and brings both into a reference pose.
    ///
    /// Roles that the skeletons state take precedence over names. The reference pose is made from the rest pose, or
    /// from [`RetargetOptions::source_rest`] or [`RetargetOptions::target_rest`] if given. A source with the target's
    /// own bones shares its reference pose.
    ///
    /// # Errors
    /// If a skeleton has no hips or legs, its limbs are not connected or have no length, its sides are mixed up, or a
    /// given pose is of another skeleton.
    pub fn new(
        source: &Skeleton,
        target: &Skeleton,
        options: &RetargetOptions,
    ) -> Result<Retargeter, RetargetError> {
        if let Floor::At(value) = options.floor
            && !value.is_finite()
        {
            return Err(RetargetError::Option { option: "floor", value });
        }
        let pair = Pair::new(source, target, options)?;
        let warnings = pair.warnings();
        Ok(Retargeter { options: options.clone(), pair, warnings, window: PlacedWindows::WINDOW })
    }

    /// Retargets a clip: its motion on the target, and a report. Name, events and annotations over time are those
    /// of `clip`. A clip that is given away, and shared with no other, is retargeted in its own memory if no later stage
    /// needs its motion, as surfaces and balance do.
    ///
    /// # Errors
    /// If the joints of the clip are not those of the source.
    pub fn retarget<'c>(
        &self,
        clip: impl Into<Cow<'c, Clip>>,
    ) -> Result<(Clip, RetargetReport), RetargetError> {
        self.retarget_measured(clip.into())
    }

    fn retarget_measured(&self, clip: Cow<Clip>) -> Result<(Clip, RetargetReport), RetargetError> {
        let (annotations, has_scale) = (clip.annotations().clone(), clip.has_scale());
        // Shares the motion, so that it is kept for the contacts of surfaces.
        let shown = self.options.surface.is_some().then(|| Clip::clone(&clip));
        let mut source = SourceClip::new(clip, &self.pair, self.options.lead_in)?;
        let mut staged = self.run(&mut source, None, true)?;
        let touched = self.surface_contacts(shown.as_ref(), &staged, source.lead_in);
        let apart = self.keep_apart(staged.clip, &touched)?;
        staged.clip = apart.clip;
        let mut report = self.report(&source, &staged, &touched)?;
        if let Some(surface) = &mut report.surface {
            surface.let_go = apart.let_go;
        }
        if has_scale {
            report.warnings.push(RetargetWarning::Scale);
        }
        report.warnings.extend(staged.left_out);
        Ok((staged.clip.with_annotations(annotations)?, report))
    }

    /// Measures a motion of the target that was retargeted from `clip` and edited since, as
    /// [`Retargeter::retarget`] does. The figures of the solvers (goals reached, iterations) are those of the
    /// motion before the edit.
    ///
    /// # Errors
    /// If the joints of the clip are not those of the source, or those of the motion not those of the target.
    pub fn measure(&self, clip: &Clip, motion: &Clip) -> Result<RetargetReport, RetargetError> {
        let mut source = SourceClip::new(Cow::Borrowed(clip), &self.pair, self.options.lead_in)?;
        let mut staged = self.run(&mut source, None, true)?;
        let touched = self.surface_contacts(Some(clip), &staged, source.lead_in);
        staged.clip = motion.clone().with_skeleton(self.pair.target.skeleton.clone())?;
        self.report(&source, &staged, &touched)
    }

    /// Retargets a clip without a report.
    ///
    /// # Errors
    /// If the joints of the clip are not those of the source.
    pub fn retarget_clip(&self, clip: &Clip) -> Result<Clip, RetargetError> {
        let mut source = SourceClip::new(Cow::Borrowed(clip), &self.pair, self.options.lead_in)?;
        let staged = self.run(&mut source, None, false)?;
        let touched = self.surface_contacts(Some(clip), &staged, source.lead_in);
        Ok(self.keep_apart(staged.clip, &touched)?.clip.with_annotations(clip.annotations().clone())?)
    }

    /// Like [`Retargeter::retarget_clip`], with given contacts of the source's feet instead of contacts found in
    /// its motion: left foot first, one flag per frame after the lead-in.
    ///
    /// # Errors
    /// If the joints of the clip are not those of the source.
    ///
    /// # Panics
    /// If the number of contacts is not that of the feet, or the number of flags not that of the frames.
    pub fn retarget_in_contacts(
        &self,
        clip: &Clip,
        contacts: &[FootContacts],
    ) -> Result<Clip, RetargetError> {
        let mut source = SourceClip::new(Cow::Borrowed(clip), &self.pair, self.options.lead_in)?;
        let staged = self.run(&mut source, Some(contacts), false)?;
        let touched = self.surface_contacts(Some(clip), &staged, source.lead_in);
        Ok(self.keep_apart(staged.clip, &touched)?.clip.with_annotations(clip.annotations().clone())?)
    }

    /// Runs the stages in order. `contacts` are given or found in the source; `measured`: whether a report
    /// follows.
    fn run(
        &self,
        source: &mut SourceClip,
        contacts: Option<&[FootContacts]>,
        measured: bool,
    ) -> Result<Staged, RetargetError> {
        let Retargeter { pair, options, window, .. } = self;
        let mut segments = source.segments(pair, *window);
        let motion = segments.last_mut().expect("a clip has a motion");
        let frames = if measured { motion.clip.frames() } else { 0 };
        let mut source_limbs = LimbCurves::new(pair, SourceOrTarget::Source, frames);
        let context = analyse(pair, options, motion, contacts, |placed| {
            if measured {
                source_limbs.append(placed);
            }
        })?;
        let source_limbs = source_limbs.finish(source.rate());
        let heights = &context.heights;
        let source_steps = match measured {
            true => SourceSteps::of_body(pair, motion.clip),
            false => SourceSteps::default(),
        };
        let contacts = |segment| find_contacts(pair, options, segment, heights.source_floor);
        let contacts: Vec<SelfContacts> = segments.iter_mut().map(contacts).collect();
        let segments: Vec<SegmentFrames> = segments.into_iter().map(Segment::release).collect();
        let fps = source.rate().fps();
        let how =
            LimbSolving { solver: options.limb_solver(), unfolds: options.method.scales(), measured, fps };
        let transfer = Transfer::new(pair, options, &context, source);
        // Balance is measured on the source as well, and a motion that stays as it is, is copied.
        let kept = options.balance || self.leaves_unchanged(&context);
        let mut body = transfer.trajectories(source, *window, kept);
        let mut transferred = Vec::new();
        for (segment, contacts) in segments.into_iter().zip(contacts) {
            let targets = transfer.append(segment, &contacts, source, &mut body);
            transferred.push((contacts, targets));
        }
        body.finish(source);
        let (mut self_contacts, mut solved) = Default::default();
        for (contacts, mut targets) in transferred {
            self_contacts = contacts;
            if targets.start == source.lead_in {
                let (feet, rate) = (&context.feet, source.rate());
                let carried =
                    carry_on_hands(pair, &self_contacts, feet, heights, rate, &mut targets, &mut body);
                if context.lock {
                    let floor = (options.floor, heights.target_floor);
                    lock_feet(pair, feet, floor, rate, &carried, &mut targets, &mut body);
                }
            }
            keep_self_contacts(pair, &mut self_contacts, heights, source.rate(), &mut targets);
            solved = solve_limbs(pair, how, targets, &mut body.joints)?;
        }
        let clip = body.into_clip(&pair.target.skeleton, pair.target.body.hips, source.rate())?;
        let carried = (pair, &*context.rules, self.leaves_unchanged(&context));
        let (clip, left_out) = with_translations(source, carried, clip)?;
        Ok(Staged { context, self_contacts, solved, clip, source_limbs, source_steps, left_out })
    }

    /// Whether a motion is put back on its own skeleton, and no option asks for more.
    fn leaves_unchanged(&self, context: &ClipContext) -> bool {
        let RetargetOptions { method, floor, .. } = &self.options;
        let asked = matches!(floor, Floor::At(_)) || self.options.hand_goals() != Hands::Auto;
        self.pair.is_one_body() && method.scales() && !asked && !context.lock
    }

    /// Moves the arms out of the surface of the target, if it has one. A source of the same body has its arms where they
    /// are.
    fn keep_apart(&self, clip: Clip, contacts: &SurfaceContacts) -> Result<Apart, RetargetError> {
        let RetargetOptions { surface, source_surface, .. } = &self.options;
        let is_own = |surface: &TargetSurface| {
            self.pair.is_one_body() && source_surface.as_ref().is_some_and(|own| own.is_same_as(surface))
        };
        match surface.as_ref().filter(|surface| self.options.method.scales() && !is_own(surface)) {
            Some(surface) => {
                Ok(surface.keep_apart(&self.pair.limits, contacts, clip, self.options.lead_in)?)
            }
            None => Ok(Apart { clip, let_go: 0 }),
        }
    }

    /// Contacts found on the surface of the source, in all frames; none if source or target has no surface, or
    /// self-contacts are not kept.
    fn surface_contacts(&self, clip: Option<&Clip>, staged: &Staged, lead_in: usize) -> SurfaceContacts {
        let RetargetOptions { surface, source_surface, self_contacts, .. } = &self.options;
        let surface = surface.as_ref().filter(|_| *self_contacts && self.options.method.scales());
        let Some((surface, clip)) = surface.zip(clip) else { return SurfaceContacts::default() };
        let hands = staged.self_contacts.hands_on_body(&self.pair, lead_in, clip.frames());
        let stands_in;
        let source = match source_surface {
            Some(source) => Some(source),
            None => {
                stands_in = self.stand_in(clip, &hands);
                stands_in.as_ref()
            }
        };
        source.map(|source| surface.contacts_of(source, clip, &hands)).unwrap_or_default()
    }

    /// The body that is used in place of the source's surface, if the joints show that a hand or arm may touch
    /// the body.
    fn stand_in(&self, clip: &Clip, hands: &HandsOnBody) -> Option<TargetSurface> {
        let body = self.options.source_stand_in.as_ref()?;
        let source = &self.pair.source;
        let touches = hands.iter().any(|hands| hands.contains(&true)) || arms_meet(&source.body, clip);
        let surface = touches.then(|| TargetSurface::new(body, &source.skeleton, &source.body.roles))?;
        surface.map(TargetSurface::standing_in)
    }

    /// Measures the motion after the lead-in.
    fn report(
        &self,
        source: &SourceClip,
        staged: &Staged,
        touched: &SurfaceContacts,
    ) -> Result<RetargetReport, RetargetError> {
        let lead_in = source.lead_in;
        let motion = ClipFrames::from(&staged.clip).within(lead_in..staged.clip.frames());
        let surface = match &self.options.surface {
            Some(surface) => {
                let motion =
                    if lead_in > 0 { Cow::Owned(motion.to_clip()?) } else { Cow::Borrowed(&staged.clip) };
                surface.measure_with(&motion, self.pair.target.metres, &touched.after(lead_in))
            }
            None => None,
        };
        let report = report(
            &self.pair,
            self.warnings.clone(),
            &StageResults {
                source: source.motion(),
                source_limbs: &staged.source_limbs,
                source_steps: &staged.source_steps,
                context: &staged.context,
                motion,
                window: self.window,
                solved: &staged.solved,
                self_contacts: &staged.self_contacts,
                lead_in,
                limits_asked: self.options.limits,
                balance: self.options.balance,
            },
        );
        Ok(RetargetReport { surface, ..report })
    }

    /// How every joint of both skeletons is mapped.
    pub fn explain(&self) -> MapExplanation {
        explain_pair(&self.pair, &self.options.joint_pairs)
    }

    /// The roles of the source's joints.
    pub fn source_roles(&self) -> &RoleMap {
        &self.pair.source.body.roles
    }

    /// The roles of the target's joints.
    pub fn target_roles(&self) -> &RoleMap {
        &self.pair.target.body.roles
    }

    /// The ratios of limb lengths.
    pub fn ratios(&self) -> LimbRatios {
        self.pair.ratios
    }

    /// What is left out or assumed, for any clip.
    pub fn warnings(&self) -> &[RetargetWarning] {
        &self.warnings
    }

    /// The target, with the roles of its joints.
    pub fn target(&self) -> &Arc<Skeleton> {
        &self.pair.target.skeleton
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn a_lead_in_changes_no_bit_of_the_motion_and_no_number_of_the_report() {
        let (walk, other) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
        let retarget = |lead_in: usize, clip: &Clip| {
            let options = RetargetOptions { lead_in, self_contacts: true, ..RetargetOptions::default() };
            Retargeter::new(clip.skeleton(), other.skeleton(), &options).unwrap().retarget(clip).unwrap()
        };
        let (whole, report) = retarget(7, &walk);
        let (motion, apart) = retarget(0, &walk.trimmed(7..walk.frames()).unwrap());
        assert_eq!(whole.frames(), walk.frames());
        assert_eq!(whole.trimmed(7..whole.frames()).unwrap().tracks(), motion.tracks());
        assert_eq!((report.lead_in, report.frames), (7, walk.frames()));
        assert_eq!((&report.effectors, &report.angles), (&apart.effectors, &apart.angles));
        assert_eq!(report.feet[0].slide, apart.feet[0].slide);
        assert_eq!(report.feet[0].contacts[0].start, apart.feet[0].contacts[0].start + 7);
        assert_eq!(report, apart.after_lead_in(7));
    }

    #[test]
    fn windows_change_no_bit_of_the_motion_and_no_number_of_the_report() {
        for (walk, limits) in [("alex_walk.bvh", false), ("alex_jump.bvh", true), ("alex_turn.bvh", false)] {
            let (walk, other) = (clip(walk), clip("robin_walk.bvh"));
            for lead_in in [0, 5] {
                let options =
                    RetargetOptions { lead_in, self_contacts: true, limits, ..RetargetOptions::default() };
                let mut retargeter = Retargeter::new(walk.skeleton(), other.skeleton(), &options).unwrap();
                let whole = retargeter.retarget(&walk).unwrap();
                for window in [1, 24] {
                    retargeter.window = window;
                    assert_eq!(retargeter.retarget(&walk).unwrap(), whole, "{window} {lead_in}");
                }
            }
        }
    }

    #[test]
    fn a_clip_that_is_given_away_is_retargeted_in_its_own_memory() {
        let (walk, other) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
        let given = || Clip::new(walk.skeleton().clone(), walk.rate(), walk.frames(), walk.tracks().to_vec());
        let samples = |clip: &Clip| -> Vec<*const _> {
            let tracks = clip.tracks().iter().filter(|tracks| tracks.rotation.is_sampled());
            tracks.map(|tracks| tracks.rotation.values().as_ptr()).collect()
        };
        for (lead_in, window, limits, balance) in
            [(0, 2048, false, false), (5, 24, true, false), (0, 24, false, true)]
        {
            let options =
                RetargetOptions { lead_in, limits, balance, self_contacts: true, ..Default::default() };
            let mut retargeter = Retargeter::new(walk.skeleton(), other.skeleton(), &options).unwrap();
            retargeter.window = window;
            let lent = retargeter.retarget(&walk).unwrap();
            let own = given().unwrap();
            let memory = samples(&own);
            let (motion, report) = retargeter.retarget(own).unwrap();
            assert_eq!((&motion, &report), (&lent.0, &lent.1));
            // Balance is measured on the source as well.
            let reused = samples(&motion).iter().filter(|own| memory.contains(own)).count();
            assert!(if balance { reused == 0 } else { 2 * reused > memory.len() }, "{reused}");
            // A clip that another one shares stays as it is.
            let shared = given().unwrap();
            let kept = shared.clone();
            assert_eq!(retargeter.retarget(shared).unwrap().0, motion);
            assert_eq!(kept.tracks(), walk.tracks());
        }
    }

    #[test]
    fn arms_that_follow_need_not_be_solved() {
        let walk = clip("alex_walk.bvh");
        let taller = walk.skeleton().with_joints(|joint| joint.offset *= 1.2).unwrap();
        let mut retargeter = Retargeter::new(walk.skeleton(), &taller, &RetargetOptions::default()).unwrap();
        assert_eq!(retargeter.pair.follows, [true; 4]);
        let (motion, report) = retargeter.retarget(&walk).unwrap();
        retargeter.pair.follows.fill(false);
        let (solved, other) = retargeter.retarget(&walk).unwrap();
        assert_eq!(motion, solved);
        for (row, other) in report.effectors.iter().zip(&other.effectors) {
            assert_eq!((row.role, row.reached_frames), (other.role, other.reached_frames));
            assert!((row.max - other.max).abs() < 1e-12);
        }
    }

    #[test]
    fn the_report_is_optional() {
        let (walk, other) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
        let options = RetargetOptions::default();
        let retargeter = Retargeter::new(walk.skeleton(), other.skeleton(), &options).unwrap();
        let (motion, _) = retargeter.retarget(&walk).unwrap();
        assert_eq!(retargeter.retarget_clip(&walk).unwrap(), motion);
    }
}
