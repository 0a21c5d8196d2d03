//! Motion capture in one crate: read, retarget, compress, measure, draw and write motions.
//!
//! ```
//! use mocap::prelude::*;
//!
//! let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
//! let robin = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
//! let moved = mocap::retarget(&walk, &robin, &RetargetOptions::default())?.clip;
//! let tenth_of_a_millimetre = CompressOptions { tolerance: 1e-4, ..CompressOptions::default() };
//! let small = mocap::compress(&moved, &tenth_of_a_millimetre)?.value;
//! println!("{:.1} times smaller", mocap::compress::raw_bytes(&robin, moved.frames()) as f64 / small.bytes.len() as f64);
//! # Ok::<(), mocap::Error>(())
//! ```
//!
//! # Clips
//!
//! A [`Clip`] is a [`Skeleton`] and how its joints move: one track of rotations per joint, of translations where
//! it moves. Angles are radians, lengths are in the unit of [`Skeleton::space`], `local = translation · rotation`
//! and `object = object(parent) · local`. [`Clip::local_pose`] gives the [`Pose`] of a frame.
//!
//! # Files
//!
//! [`read`] takes every format of [`FileFormat`]; [`read_with`] takes [`ReadOptions`] for what a file does not say,
//! such as the unit of a BVH. `moves.glb#walk` is one clip of a file of several. Both return warnings: a [`Finding`] has a code, a sentence and a place in the file.
//! [`write()`] takes the format from the extension. [`open`] gives the file as it was written, value by value.
//!
//! # Where to go next
//!
//! | to | see |
//! |---|---|
//! | put a motion on another skeleton | [`retarget`](retarget()), [`mocap::retarget`](mod@retarget) |
//! | see or edit which joint moves which | [`Mapping`] |
//! | make it small with a guaranteed error | [`compress`](compress()), [`mocap::compress`](mod@compress) |
//! | play a compressed clip | [`Compressed`], [`compress::Sampler`] |
//! | trim, resample, scale or rotate a motion | [`edit()`] |
//! | mirror it, clean it, make it a loop, take root motion out | [`mocap::edit`](mod@edit) |
//! | see what a file contains | [`FileFacts`] |
//! | work with several people in one file, or keep meshes | [`read_scene`], [`write_scene`] |
//! | compare two motions, find contacts, foot skate, jerk | [`analysis`] |
//! | move one face by another | [`face`], [`face_clip`] |
//! | draw contact sheets and viewer pages | [`report`] |
//! | solve optical markers onto a skeleton | [`solve_markers`](solve_markers()), [`mocap::solve`](mod@solve) |
//! | bend chains to goals | [`ik`] |
//! | work on files of one format | [`formats`] |
//! | build skeletons and clips in code | [`model`] |
//!
//! The examples in `examples/` are short programs, one per task.

mod body_size;
mod characters;
mod clip_of_file;
mod companion;
mod compare;
mod dataset;
mod digits;
mod edit_document;
mod edit_options;
mod error;
mod face_motion;
mod facts;
mod files_beside;
mod for_format;
mod format;
mod mapping;
mod markers;
mod methods;
mod motion_file;
mod near_names;
mod options;
mod peers;
mod problem;
mod read;
mod scene;
mod skeleton_summary;
mod solve_markers;
mod subjects;
mod surface_facts;
mod t_pose;
mod target;
mod target_report;
mod target_surface;
mod together;
mod unit;
mod up;
mod verdicts;
mod write;

pub mod prelude;

/// The programs of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The program of the project's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ProjectReadme;

/// The programs of the page about the library.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct Library;

pub use body_size::BodySize;
pub use characters::{MatchedClips, compare_scenes, match_characters};
pub use companion::companion;
pub use compare::{at_one_rate, face_alike, in_one_unit};
pub use dataset::{Dataset, DatasetClip, DatasetFile, DatasetOptions, FinishedDataset};
pub use digits::{grouped, short};
pub use edit_document::edit_document;
pub use edit_options::{EditOptions, edit};
pub use error::Error;
pub use face_motion::{face_basis, face_clip, face_shapes};
pub use facts::{CompressionFacts, FileFacts, OrderFacts, PositionVotes, RobotFacts, UnitFacts};
pub use files_beside::files_beside;
pub use for_format::for_format;
pub use format::{FileFormat, compressed_name, is_compressed, output_format, with_extension};
pub use mapping::{ExplainedMapping, Mapping};
pub use markers::{MarkerFacts, MarkerProblem, marker_clip, marker_problems};
pub use methods::{Retargeted, SummarizedCompression, compress, compress_by_rules, retarget};
pub use motion_file::{Companions, Header, MotionFile, strictly};
pub use options::ReadOptions;
pub use peers::{PeerAnswer, PeerAnswers, Peers};
use problem::above_zero;
pub use problem::{AdultUnit, Problem, rate_as_time, unit_name};
pub use read::{
    KeptClip, file_bytes, open, read, read_all, read_kept, read_markers, read_skeleton, read_with,
};
pub use scene::{
    RetargetedCharacter, apply_to_scene, compress_scene, edit_scene, prepare_whole, props_beside, read_scene,
    retarget_scene, scene_for_format, scene_of, scene_with_things, write_scene,
};
pub use skeleton_summary::SkeletonSummary;
pub use solve_markers::{SolveProblem, markers_on, solve_markers, solve_markers_with_poses};
pub use subjects::{Subject, marker_subjects, several_subjects, subjects};
pub use surface_facts::{LimbFacts, MeshFacts, SurfaceError, SurfaceFacts, surface_error, surface_report};
pub use target::{
    Opening, Target, TargetOptions, accelerations_in, measure_on_target, put_on_target, read_target,
    robot_map, settle_target_warnings, speeds_in,
};
pub use target_report::{RobotFigures, TargetFigures, TargetReport};
pub use target_surface::SurfaceChoice;
pub use together::{RetargetedPeople, Together, put_together};
pub use unit::{clip_for_report, for_report, guess_warning, known_unit, needed_unit, with_up};
pub use up::{upright, with_roles};
pub use verdicts::verdicts;
pub use write::{
    prepare, write, write_as, write_bytes, write_clips, write_markers, write_skeleton, write_with,
};

// The crates of the project as modules, and the types that a program names most.
pub use mocap_analysis as analysis;
pub use mocap_compress as compress;
pub use mocap_edit as edit;
pub use mocap_face as face;
pub use mocap_formats as formats;
pub use mocap_ik as ik;
pub use mocap_model as model;
pub use mocap_poses as poses;
pub use mocap_report as report;
pub use mocap_retarget as retarget;
pub use mocap_robot as robot;
pub use mocap_skin as skin;
pub use mocap_solve as solve;

pub use mocap_compress::{CompressOptions, Compressed, Compression, Effort};
pub use mocap_formats::{
    ClipChoice, FilesBeside, Finding, Format, KeptScene, Limits, Parsed, ReadError, WriteOptions,
};
pub use mocap_model::{
    Annotations, Axis, Character, Clip, Dofs, EulerOrder, Event, FrameRange, FrameRate, Isometry3, Joint,
    JointId, JointTracks, MarkerSet, Pose, Role, ScalarTrack, Scene, SignedAxis, Skeleton, Space, Track,
    Unit, UnitQuaternion, UnitSource, Vector3,
};
pub use mocap_retarget::{RetargetOptions, Retargeter};
