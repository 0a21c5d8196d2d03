//! Edits motions: mirror, denoise, loop, join, retime, paths, layers, root motion. Clip in, clip and report out.
//!
//! ```
//! # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
//! use mocap_edit::edits::{Ground, Mirror};
//! use mocap_edit::{ApplyOptions, apply};
//!
//! // In the order given; each edit reports what it changed.
//! let edits = [Mirror::default().into(), Ground::default().into()];
//! let applied = apply(clip, &edits, &ApplyOptions::default())?;
//! for report in &applied.reports {
//!     println!("{report}");
//! }
//! # Ok::<(), mocap_edit::EditError>(())
//! ```
//!
//! [`edits`] has them all, with their options; command line, pipelines and Python are made from that table. Each edit is
//! also a separate function: it takes a [`Clip`](mocap_model::Clip) and options and returns the edited
//! clip and an [`EditReport`]. Nothing is changed in place, nothing is printed, no file is read.
//!
//! | to | see |
//! |---|---|
//! | swap left and right | [`mirror()`], [`mirror_retargeted`] |
//! | remove jitter and spikes | [`denoise`] |
//! | make a loop, repeat it, join motions | [`make_loop`], [`repeat`], [`join()`] |
//! | play faster or slower, step with another motion | [`speed`], [`duration`], [`map_times`], [`sync`] |
//! | bend the path, or lay the motion along one | [`turn`], [`along`] |
//! | add a pose or a motion to some joints | [`add`] |
//! | leave fingers, twist joints or props out | [`strip`] |
//! | blend motions by weight | [`blend()`] |
//! | play a graph of motions: state machines, layers | [`play()`] |
//! | bring hands, feet or hips to keys | [`warp()`] |
//! | make bands of frequency louder or quieter | [`bands()`] |
//! | smooth a cycle, or carry the style of one to another | [`fourier()`] |
//! | walk over steps, slopes and bumps | [`on_terrain`], [`surface_below`] |
//! | lock planted feet | [`fix_feet`] |
//! | bring the centre of mass over the soles | [`balance()`] |
//! | take the root motion out, put it in, give it a joint | [`in_place`], [`root_curve`], [`apply_root`], [`add_root_joint`] |
//! | place the whole motion | [`face`], [`start_at_origin`], [`ground`] |
//! | cut and resample | [`trim`], [`split`], [`drop_first_frame`], [`resample`] |
//! | fail where an edit changed too much | [`EditGate`] |
//!
//! Lengths are in units of the clip, in reports in metres; angles are radians, in reports degrees. Edits that need a
//! body (heading, feet) find its joints by their roles.

mod arms;
mod balance;
mod bands;
mod binding;
mod blend;
mod body;
mod cycle;
mod denoise;
pub mod edits;
mod elbow_side;
mod error;
mod feet;
#[cfg(test)]
mod fixtures;
mod fourier;
mod frame_values;
mod gate;
mod held_feet;
mod inertia;
mod join;
mod layer;
mod legs;
mod limits;
mod mask;
mod metric;
mod mirror;
mod monotone_curve;
mod near_joint;
mod numbers;
mod one_space;
mod partners;
mod path;
mod phases;
mod play;
mod pose_cloud;
mod report;
mod retime;
mod robot_soles;
mod root;
mod root_motion;
mod samples;
mod scene;
mod sequence;
mod smoothing;
mod split;
mod strip;
mod table;
mod terrain;
mod trim;
mod warp;

pub use balance::balance;
pub use bands::{BandRange, Gains, bands};
pub use binding::{
    BindPoint, Binding, Bound, HeldArm, HoldAs, KeptBound, attach, detach, is_carried, keep_bound,
};
pub use blend::{
    BlendOptions, BlendSpace, PreparedBlend, SpaceKind, Timing, average_rotation, blend, blend_at,
    karcher_mean, speed_and_turn,
};
pub use cycle::{LoopOptions, make_loop, repeat};
pub use denoise::{Denoise, denoise, denoise_with};
pub use edits::{Edit, EditKind, Files, Source};
pub use error::EditError;
pub use feet::fix_feet;
pub use fourier::{Characteristic, Fourier, fourier};
pub use gate::{EditGate, EditMetric};
pub use join::{JoinOptions, JoinedCharacter, JoinedScene, TransitionKind, join, join_scenes};
pub use layer::{Layer, LayerSpace, add};
pub use mask::Mask;
pub use mirror::{mirror, mirror_retargeted};
pub use partners::{
    BetweenPeople, InStep, KeepOptions, OwnScene, PartnerReport, PartnerTouch, between_people, bring_in_step,
    keep_distances, keep_partners, limits_are_symmetric, moved_on_ground,
};
pub use path::{Path, along, turn};
pub use phases::sync;
pub use play::{
    Amount, Condition, Curve, Fade, Graph, GraphClip, Node, NodeKind, PhaseChange, StateMachine, Timeline,
    Transition, play,
};
pub use report::{ContactFigures, EditReport, EditWarning, Figure, WorstChange};
pub use retime::{TimeMap, duration, map_times, speed};
pub use root::{
    Keep, RootCurve, add_root_joint, apply_root, face, ground, in_place, root_curve, start_at_origin,
};
pub use scene::{AppliedCharacter, AppliedScene, apply_to_scene, only_character};
pub use sequence::{Applied, ApplyOptions, apply};
pub use split::{SplitBy, split, split_scene};
pub use strip::{Strip, strip};
pub use terrain::{
    HeightField, OnTerrain, Steps, Terrain, TerrainMesh, TerrainOrigin, on_terrain, surface_below,
};
pub use trim::{drop_first_frame, resample, trim};
pub use warp::{LookAt, LookShare, Warp, WarpChange, WarpIk, WarpKey, WarpMode, warp};

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
