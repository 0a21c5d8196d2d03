//! Reads and writes motion capture files: bytes → document → clip → document → bytes.
//!
//! A *document* keeps the content of a file as written (channel order, Euler degrees, names, the text of its frame
//! time); a [`Clip`] is the motion that it describes. Writing an untouched document changes no value.
//!
//! ```
//! use mocap_formats::{Format, ReadOptions, WriteOptions, read, write};
//!
//! # let bytes = b"HIERARCHY ROOT Hips { OFFSET 0 90 0 CHANNELS 6 Xposition Yposition Zposition Zrotation \
//! #     Xrotation Yrotation } MOTION Frames: 2 Frame Time: 0.01 0 90 0 1 2 3 0 91 0 4 5 6";
//! // The format is detected; options say what the file does not.
//! let options = ReadOptions::default();
//! let document = read(bytes, &options)?;
//! let motion = document.value.to_clip(&options)?;
//! for warning in document.warnings.iter().chain(&motion.warnings) {
//!     eprintln!("{}: {warning}", warning.code());
//! }
//! let table = write(&motion.value, Format::Csv, &WriteOptions::default())?.main.into_bytes();
//! assert!(table.starts_with(b"frame,time,joint,x,y,z\n0,0,Hips,0,90,0\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate prints nothing and opens no file. Repairs are listed as warnings in [`Parsed`]; an error says what
//! was found, what was expected, and where ([`ReadError`]).
//!
//! Where to go next: [`Format`] is the table of formats; [`Document`] is the interface of files of any format. Each
//! format has a module with its own document and options, such as [`bvh`] or [`amc`]; each of these has the same parts:
//! `document`, `parse`, `to_clip`, `from_clip`, `write`, `problem`, and its entry in the table, `format`.

/// The program of the README, compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod amc;
mod any;
pub mod arrays;
pub mod asf;
pub mod body;
pub mod bvh;
pub mod c3d;
mod choice;
pub mod csv;
mod document;
mod encoded;
mod entry;
pub mod face_map;
pub mod fbx;
mod files_beside;
mod finding;
mod foreign;
mod format;
mod gaps;
pub mod gltf;
pub mod json;
mod keys;
mod left_out;
mod limits;
pub mod live_link;
pub mod map;
mod markers;
mod metres;
mod names;
pub mod npz;
pub mod number;
mod options;
mod place;
mod problem;
mod read_error;
pub mod robot;
pub mod robot_motion;
pub mod safetensors;
mod same_joints;
mod scene;
mod sides;
pub mod skel;
pub mod smpl;
pub mod tagged;
pub mod text;
pub mod trc;
pub mod usd;
pub mod vertex_cache;
mod warnings;

pub use any::{
    read, read_shared, write, write_clips, write_kept, write_owned, write_skeleton, write_with_body,
};
pub use choice::{ChoiceProblem, ClipChoice};
pub use document::{Document, Kept, Stated};
pub use encoded::{Beside, Content, Encoded};
pub use files_beside::{FileBeside, FilesBeside};
pub use finding::{Context, Finding, Parsed};
pub use foreign::{Foreign, LFS_POINTER, foreign};
pub use format::FormatProblem;
pub use left_out::{LeftOut, details_left, left_behind, transforms_only, without_scale};
pub use limits::{LimitExceeded, Limits};
pub use markers::write_markers;
pub use metres::MetresProblem;
pub use options::{ReadOptions, WriteOptions};
pub use place::Place;
pub use problem::{Problem, Remedy};
pub use read_error::ReadError;
pub use scene::{KeptScene, write_kept_scene, write_scene, write_scene_beside};
pub use warnings::Warnings;

pub use mocap_model::{Clip, Skeleton};

/// Makes the enum and the table from one line per format.
macro_rules! formats {
    ($($format:ident from $($folder:ident)::+: $about:literal,)+) => {
        /// A file format: one line of the table of formats.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format {
            $(#[doc = $about] $format,)+
        }

        /// How many formats there are.
        const COUNT: usize = [$($about),+].len();

        /// By format: its entry in the table, and what a file holds.
        static TABLE: [(&entry::Entry, &str); COUNT] = [$((&$($folder)::+::FORMAT, $about)),+];

        impl Format {
            /// All formats, in the order of their declaration.
            pub const ALL: [Format; COUNT] = [$(Format::$format),+];
        }
    };
}

// The table: a new format is one folder, with its entry, a line here, and a `pub mod` above.
formats! {
    Bvh from bvh: "Biovision hierarchy: a skeleton and its motion",
    Asf from asf: "Acclaim skeleton file",
    Amc from amc: "Acclaim motion capture data: the motion of an ASF skeleton",
    Skel from skel: "This project's skeleton file: joints, roles, limits, chains",
    Csv from csv: "Object-space positions: one row per frame and joint",
    Json from json: "A clip with everything it holds, as JSON",
    Npz from npz: "A clip as numpy arrays: rotations, positions, velocities, contacts",
    Safetensors from safetensors: "The same arrays as safetensors",
    Smpl from smpl: "The motion of an SMPL body, as AMASS has it",
    C3d from c3d: "Markers of an optical system, with gaps",
    Trc from trc: "Markers as a table of text",
    Glb from gltf::glb: "glTF 2.0 in one file: skeleton, clips, skinned body",
    Gltf from gltf::text: "glTF 2.0 as JSON, read with the files beside it",
    Vrma from gltf::vrm_animation: "VRM animation: humanoid bones and the expressions of a face over time",
    Fbx from fbx: "Autodesk FBX: nodes, skins and animation stacks",
    Usda from usd: "USD as text: skeleton, clips, skinned body",
    LivelinkCsv from live_link: "The shapes of a face over time, as Live Link Face records them",
    Urdf from robot::urdf: "Unified Robot Description Format: the bodies and joints of a robot",
    Mjcf from robot::mjcf: "A robot in the XML of MuJoCo, read with the files that it includes",
    UnitreeCsv from robot_motion::unitree_csv: "The motion of a robot as Unitree has it: base and joints, one row per frame",
    RobotCsv from robot_motion::robot_csv: "The motion of a robot: time, base and joints, with a header",
    MjlabNpz from robot_motion::mjlab_npz: "The motion of a robot for mjlab and BeyondMimic: joints and bodies with speeds",
    IsaacNpz from robot_motion::isaac_npz: "The motion of a robot for AMP in Isaac Lab: joints and bodies with speeds",
    GmrNpz from robot_motion::gmr_npz: "The motion of a robot as GMR has it: base and joints as arrays",
    GmrPkl from robot_motion::gmr_pkl: "The same dictionary as a pickle, written only",
}
