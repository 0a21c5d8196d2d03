//! The header of a compressed clip, and limits for files from elsewhere.

use mocap_model::FrameRate;
use std::fmt;
use std::str::FromStr;

/// The purpose a clip is compressed for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Playback: any pose after decoding one short segment.
    #[default]
    Runtime,
    /// Storage: the smallest files, decoded in long blocks.
    Archive,
    /// Exchange: sparse keys for each joint, as engines use.
    Keys,
    /// Playback by jumps: any pose straight from the bytes.
    Direct,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 4] = [Profile::Runtime, Profile::Archive, Profile::Keys, Profile::Direct];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Runtime => "runtime",
            Profile::Archive => "archive",
            Profile::Keys => "keys",
            Profile::Direct => "direct",
        }
    }

    #[cfg(feature = "encode")]
    pub(crate) const fn code(self) -> u8 {
        match self {
            Profile::Archive => 0,
            Profile::Runtime => 1,
            Profile::Keys => 2,
            Profile::Direct => 3,
        }
    }

    pub(crate) const fn of_code(code: u8) -> Option<Profile> {
        match code {
            0 => Some(Profile::Archive),
            1 => Some(Profile::Runtime),
            2 => Some(Profile::Keys),
            3 => Some(Profile::Direct),
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
        found.ok_or_else(|| format!("'{text}' is not a profile: runtime, archive, keys or direct"))
    }
}

/// The header of a compressed clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressedInfo {
    /// The profile.
    pub profile: Profile,
    /// The number of frames.
    pub frames: usize,
    /// Frames per second.
    pub rate: FrameRate,
    /// The bound of the error \[m\]: the largest of any joint.
    pub tolerance: f64,
    /// The shell distance: how far from each joint the error is measured \[m\].
    pub shell: f64,
    /// Metres in one unit of the clip.
    pub metres_per_unit: f64,
}

/// Limits for opening a file. They and the size of the file bound all that a decoder allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenLimits {
    /// Joints and end sites.
    pub joints: usize,
    /// Frames of the clip.
    pub frames: usize,
    /// Frames times moving tracks: what a whole decoded clip takes.
    pub values: u64,
}

impl Default for OpenLimits {
    /// 100,000 joints, 50 million frames, 2^31 values.
    fn default() -> OpenLimits {
        OpenLimits { joints: 100_000, frames: 50_000_000, values: 1 << 31 }
    }
}
