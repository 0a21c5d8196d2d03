//! `attach`.

use mocap_model::{Character, Clip, Scene, Seconds, UnitLength};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Needed, Operation, Source, Takes, Value};
use crate::binding::{Binding, HoldAs, with_prop};
use crate::{EditError, EditReport};

/// Bind a prop to a hand, or a rider to a saddle: PROP@POINT=CHARACTER@JOINT, then ,FROM:TO or ,auto; what is carried already
/// is reached for
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Attach {
    /// PROP@POINT=CHARACTER@JOINT, then ,FROM:TO (as --trim) or ,auto (while they are in contact)
    #[cfg_attr(feature = "clap", arg(long, value_name = "CHILD=PARENT"))]
    pub bind: Binding,
    /// How it is held: grasped (as it is in the first bound frame) or snap (bind point on bind point) [default: grasped]
    #[cfg_attr(feature = "clap", arg(long, value_name = "HOW"))]
    pub hold: Option<HoldAs>,
    /// Time over which it comes and goes, outside the bound frames [s; default 0.15]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS"))]
    pub blend_time: Option<Seconds>,
    /// A file with the prop, which is put into the scene
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub prop: Option<Source<Character>>,
    /// Unit of the prop's numbers, whatever its file states: m, cm, mm, in, ft, cmu, or a length in metres
    #[cfg_attr(feature = "clap", arg(long, value_name = "UNIT"))]
    pub prop_unit: Option<UnitLength>,
}

impl Attach {
    fn on(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError> {
        let blend = self.blend_time.map_or(0.15, |seconds| seconds.0);
        let hold = self.hold.unwrap_or_default();
        let mut added = EditReport::default();
        let with = match &self.prop {
            Some(prop) => with_prop(scene, prop.get()?, self.prop_unit.map(|unit| unit.0), &mut added)?,
            None if self.prop_unit.is_some() => {
                let reason = "prop-unit is the unit of a file with a prop: --prop names it".to_owned();
                return Err(EditError::Usage { edit: Self::NAME, reason });
            }
            None => scene.clone(),
        };
        let (scene, mut report) = crate::binding::attach(&with, &self.bind, hold, blend)?;
        report.warnings.splice(0..0, added.warnings);
        Ok((scene, report))
    }
}

impl Operation for Attach {
    const NAME: &'static str = "attach";
    const GROUP: Group = Group::Together;
    const TAKES: Takes = Takes::Together;
    const VALUE: Value = Value::Field("bind");
    const MODIFIERS: &'static [(&'static str, &'static str)] =
        &[("hold", "hold"), ("blend-time", "blend-time"), ("prop", "prop"), ("prop-unit", "prop-unit")];
    const LEAD_IN: LeadIn = LeadIn::Edited;

    fn needs(&mut self) -> Vec<Needed<'_>> {
        self.prop.iter_mut().map(Needed::Prop).collect()
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let (scene, report) = self.on(&Scene::from(clip.clone()))?;
        let one = scene.into_one().map_err(|error| EditError::model(Self::NAME, error))?;
        Ok((one.clip, report))
    }

    fn apply_to_scene(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError> {
        self.on(scene)
    }
}
