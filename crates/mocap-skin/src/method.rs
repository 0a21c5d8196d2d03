//! The methods of skinning, by name.

use std::fmt;
use std::str::FromStr;

/// How the influences of several bones are blended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkinMethod {
    /// Linear blend: the weighted mean of the bones' matrices. Engines and files mean this by skin; twisted and
    /// bent joints lose volume.
    #[default]
    Linear,
    /// Spherical blend: one rotation about the point on which the bones agree most.
    Spherical,
    /// Dual quaternions: one rigid motion, the normalised mean of those of the bones.
    DualQuaternion,
}

impl SkinMethod {
    /// The names that people type.
    pub const NAMED: [(&'static str, SkinMethod); 3] =
        [("lbs", SkinMethod::Linear), ("sbs", SkinMethod::Spherical), ("dqs", SkinMethod::DualQuaternion)];

    /// The name that people type.
    pub fn name(self) -> &'static str {
        SkinMethod::NAMED.iter().find(|(_, method)| *method == self).map_or("lbs", |(name, _)| name)
    }
}

impl fmt::Display for SkinMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for SkinMethod {
    type Err = String;

    fn from_str(text: &str) -> Result<SkinMethod, String> {
        let found = SkinMethod::NAMED.iter().find(|(name, _)| *name == text);
        found.map(|(_, method)| *method).ok_or_else(|| {
            format!(
                "unknown method '{text}': lbs (linear blend), sbs (spherical blend) or dqs (dual quaternions)"
            )
        })
    }
}
