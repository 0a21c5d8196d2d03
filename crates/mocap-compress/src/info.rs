//! What a compressed clip says about itself, and bounds on what it may make a program allocate.

use mocap_model::FrameRate;
use std::fmt;
use std::str::FromStr;

/// What a clip is compressed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Play-back: any pose after decoding one short segment.
    #[default]
    Runtime,
    /// Storage: the smallest files, decoded in long blocks.
    Archive,
    /// Exchange: sparse keys for each joint, as engines have them.
    Keys,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 3] = [Profile::Runtime, Profile::Archive, Profile::Keys];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Runtime => "runtime",
            Profile::Archive => "archive",
            Profile::Keys => "keys",
        }
    }

    #[cfg(feature = "encode")]
    pub(crate) const fn code(self) -> u8 {
        match self {
            Profile::Archive => 0,
            Profile::Runtime => 1,
            Profile::Keys => 2,
        }
    }

    pub(crate) const fn of_code(code: u8) -> Option<Profile> {
        match code {
            0 => Some(Profile::Archive),
            1 => Some(Profile::Runtime),
            2 => Some(Profile::Keys),
            _ => None,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Profile, String> {
        let found = Profile::ALL.into_iter().find(|profile| profile.name() == text);
        found.ok_or_else(|| format!("'{text}' is not a profile: runtime, archive or keys"))
    }
}

/// What a compressed clip says about itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Info {
    /// What it is compressed for.
    pub profile: Profile,
    /// The number of frames.
    pub frames: usize,
    /// Frames per second.
    pub rate: FrameRate,
    /// The bound of the error \[m\]; where joints have bounds of their own, the largest of any joint.
    pub tolerance: f64,
    /// The distance from a joint at which the error is measured \[m\].
    pub shell: f64,
    /// Metres in one unit of the clip.
    pub metres_per_unit: f64,
}

/// The largest file that is read. Everything a decoder allocates is bounded by these numbers and by the size of
/// the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Joints and end sites.
    pub joints: usize,
    /// Frames of the clip.
    pub frames: usize,
    /// Frames times moving tracks: what a whole decoded clip takes.
    pub values: u64,
}

impl Default for Limits {
    /// 100,000 joints, 50 million frames, 2^31 values.
    fn default() -> Limits {
        Limits { joints: 100_000, frames: 50_000_000, values: 1 << 31 }
    }
}
