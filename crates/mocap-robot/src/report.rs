//! Report of a robot's motion, and gates on it.

use mocap_analysis::{Gate, Gated, Metric, OffBalance};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

use crate::balance::Balance;
use crate::own_motion::OffHinge;

/// A gate on a figure of a robot's motion.
///
/// ```
/// use mocap_robot::RobotGate;
///
/// let gate: RobotGate = "skate-p95=0.1".parse()?;
/// assert_eq!((gate.metric.unit, gate.limit), ("m/s", 0.1));
/// # Ok::<(), mocap_analysis::ParseGateError>(())
/// ```
pub type RobotGate = Gate<RobotReport>;

/// Figures of a motion on a robot. `None`: not measured, since the robot or the source lacks what it takes. Lengths are
/// metres, angles of joints radians, times seconds; shares are 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RobotReport {
    /// Frames of the result.
    pub frames: usize,
    /// Frames per second of the result.
    pub fps: f64,
    /// Leg length of the robot over that of the source.
    pub leg_ratio: f64,
    /// Human motions that the robot has too few joints for.
    pub cannot_follow: Vec<&'static str>,
    /// Joint values beyond their limits.
    pub limits: Excess,
    /// Joint speeds over the highest, where the model or other limits state one; `max` is the greatest ratio.
    pub velocity: Option<Excess>,
    /// Joint accelerations over the highest, where the model or other limits state one; `max` is the greatest ratio.
    pub acceleration: Option<Excess>,
    /// Speed over the floor of the slowest sole point that touches it: within 1/60 of the leg length of it, which is 1 cm on
    /// legs of 60 cm.
    pub skate: Option<Skate>,
    /// Parts below the floor: share of frames with more than 5 mm, and the deepest (m).
    pub penetration: Excess,
    /// Height of the lower sole while the source stands, and of the lowest part beside feet while it lies: 95th percentile
    /// (m).
    pub float_p95: Option<f64>,
    /// Hands that press on the floor in the source: in push-ups, crawling and handstands.
    pub hands: Vec<RobotHand>,
    /// Collision shapes inside each other that may not be, as MuJoCo counts and measures them: share of frames with more
    /// than 1 cm, and the deepest (m).
    pub self_penetration: Option<Excess>,
    /// The same beyond how deep shapes are in each other by design: at rest, and where the robot stands with hanging arms.
    pub self_added: Option<Excess>,
    /// The largest step of a joint from frame to frame (rad).
    pub step_max: f64,
    /// The 99th percentile of the third derivative of joint values (rad/s³).
    pub jerk_p99: Option<f64>,
    /// Mean angles between limbs of robot and source, each in the frame of its hips, and in the world where they are down on
    /// the floor; between trunks and heads in the world (degrees).
    pub follow: Follow,
    /// Whether the robot can stand the motion; `None` where the model states no masses.
    pub balance: Option<Balance>,
    /// What a motion that was to be balanced keeps of its balance, and why.
    pub not_balanced: Vec<String>,
    /// Why a motion in the joints of this robot was fitted anew; null where its values were taken over, and for others.
    pub off_hinge: Option<OffHinge>,
    /// When the zero-moment point is more than 2 cm beside the soles on the floor, or the centre of mass more than 1 cm
    /// while the robot stands still; null where balance is not measured.
    pub off_balance: Option<Vec<OffBalance>>,
    /// Horizontal way of the hips from the first frame to the last, over the source's, scaled by the ratio of leg
    /// lengths; `None` where the source goes less than a leg length.
    pub path: Option<f64>,
}

/// How much is beyond a bound.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Excess {
    /// Share of what is beyond.
    pub share: f64,
    /// The furthest.
    pub max: f64,
}

/// A hand of a robot while the source's presses on the floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RobotHand {
    /// `left` or `right`.
    pub side: &'static str,
    /// Frames in which the source's hand presses on the floor.
    pub contact_frames: usize,
    /// Those in which the robot's is off the floor by more than 3 cm of a person, scaled by the arm.
    pub off_frames: usize,
    /// The furthest that its lowest point is off the floor in these frames (m).
    pub off_max: f64,
}

/// Speeds of soles in contact (m/s).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Skate {
    /// Mean.
    pub mean: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Share above 0.15 m/s.
    pub share: f64,
}

/// Angles to the trunk, the limbs and the head of the source (degrees), each the mean over the motion unless it says
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Follow {
    /// From the hips up the trunk, in the world.
    pub trunk: f64,
    /// The largest such angle in a frame.
    pub trunk_max: f64,
    /// Hip to knee.
    pub thigh: f64,
    /// Knee to ankle.
    pub shank: f64,
    /// Shoulder to elbow.
    pub upper_arm: Option<f64>,
    /// Elbow to wrist.
    pub forearm: Option<f64>,
    /// Where heads face in the world; `None` where the robot's does not turn, or the source has none.
    pub head: Option<f64>,
}

impl Gated for RobotReport {
    const METRICS: &'static [Metric<RobotReport>] = &METRICS;

    fn is_measured(&self) -> bool {
        self.frames > 0
    }
}

const METRICS: [Metric<RobotReport>; 30] = [
    metric("limits", "", "share of joint values beyond their limits", |r| Some(r.limits.share)),
    metric("limit-excess", "rad", "greatest excess over a joint limit", |r| Some(r.limits.max)),
    metric("velocity", "", "share of joint speeds above the highest", |r| Some(r.velocity?.share)),
    metric("velocity-ratio", "", "greatest joint speed over the highest", |r| Some(r.velocity?.max)),
    metric("acceleration", "", "share of joint accelerations above the highest", |r| {
        Some(r.acceleration?.share)
    }),
    metric("acceleration-ratio", "", "greatest joint acceleration over the highest", |r| {
        Some(r.acceleration?.max)
    }),
    metric("skate", "m/s", "mean speed of soles on the floor", |r| Some(r.skate?.mean)),
    metric("skate-p95", "m/s", "speed of soles on the floor, 95th percentile", |r| Some(r.skate?.p95)),
    metric("skate-share", "", "share of soles on the floor above 0.15 m/s", |r| Some(r.skate?.share)),
    metric("penetration", "m", "deepest point of a part below the floor", |r| Some(r.penetration.max)),
    metric("penetration-share", "", "share of frames with a part more than 5 mm below the floor", |r| {
        Some(r.penetration.share)
    }),
    metric(
        "float",
        "m",
        "height of the soles while the source stands, and of the body while it lies, 95th percentile",
        |r| r.float_p95,
    ),
    metric("hand-off-floor", "m", "how far hands are off the floor that press on it in the source", |r| {
        r.hands.iter().map(|hand| hand.off_max).reduce(f64::max)
    }),
    metric("self-penetration", "m", "how deep collision shapes are in each other", |r| {
        Some(r.self_penetration?.max)
    }),
    metric("self-share", "", "share of frames with shapes more than 1 cm in each other", |r| {
        Some(r.self_penetration?.share)
    }),
    metric("self-added", "m", "how deep collision shapes are in each other, beyond their design", |r| {
        Some(r.self_added?.max)
    }),
    metric("self-added-share", "", "share of frames with shapes more than 1 cm deeper than by design", |r| {
        Some(r.self_added?.share)
    }),
    metric("joint-step", "rad", "largest step of a joint in one frame", |r| {
        (r.frames > 1).then_some(r.step_max)
    }),
    metric("jerk-p99", "rad/s³", "third derivative of joint values, 99th percentile", |r| r.jerk_p99),
    metric(
        "zmp-share",
        "",
        "share of supported frames with the zero-moment point over 2 cm beside the soles",
        |r| Some(1.0 - r.balance?.within?),
    ),
    metric("zmp-distance", "m", "zero-moment point outside the soles, 95th percentile", |r| {
        r.balance?.distance_p95
    }),
    metric("balance-margin", "m", "centre of mass outside the soles in frames that stand still", |r| {
        Some((-r.balance?.margin?).max(0.0))
    }),
    metric("trunk", "deg", "mean angle to the source's trunk", |r| Some(r.follow.trunk)),
    metric("trunk-max", "deg", "largest angle to the source's trunk", |r| Some(r.follow.trunk_max)),
    metric("thigh", "deg", "mean angle to the source's thighs", |r| Some(r.follow.thigh)),
    metric("shank", "deg", "mean angle to the source's shanks", |r| Some(r.follow.shank)),
    metric("upper-arm", "deg", "mean angle to the source's upper arms", |r| r.follow.upper_arm),
    metric("forearm", "deg", "mean angle to the source's forearms", |r| r.follow.forearm),
    metric("head", "deg", "mean angle to where the source's head faces", |r| r.follow.head),
    metric("path-off", "", "horizontal way off the scaled way of the source, as a share of it", |r| {
        Some((r.path? - 1.0).abs())
    }),
];

const fn metric(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    value: fn(&RobotReport) -> Option<f64>,
) -> Metric<RobotReport> {
    Metric::new(name, unit, description, value)
}

impl RobotReport {
    /// The figures that a list of many clips shows.
    pub fn summary(&self) -> String {
        let skate = self.skate.map_or("-".into(), |skate| format!("{:.3}", skate.mean));
        let own = self.self_penetration.map_or("-".into(), |own| mm(own.max));
        format!(
            "skate {skate} m/s, penetration {}, self-penetration {own}, largest step {:.2} rad",
            mm(self.penetration.max),
            self.step_max
        )
    }
}

impl RobotReport {
    /// How far the limbs are from those of the source.
    fn write_follow(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let follow = &self.follow;
        write!(f, "  follows     trunk {:.0}° (at most {:.0}°)", follow.trunk, follow.trunk_max)?;
        write!(f, ", thighs {:.0}°, shanks {:.0}°", follow.thigh, follow.shank)?;
        if let (Some(upper), Some(fore)) = (follow.upper_arm, follow.forearm) {
            write!(f, ", upper arms {upper:.0}°, forearms {fore:.0}°")?;
        }
        if let Some(head) = follow.head {
            write!(f, ", head {head:.0}°")?;
        }
        if let Some(path) = self.path {
            write!(f, "; path {path:.2} of the source's, scaled by {:.2}", self.leg_ratio)?;
        }
        Ok(())
    }

    /// How far hands are off the floor that press on it in the source.
    fn write_hands(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.hands.is_empty() {
            return Ok(());
        }
        let figures = |hand: &RobotHand| {
            let RobotHand { side, contact_frames, off_frames, off_max } = hand;
            format!(
                "{side} off the floor in {off_frames} of {contact_frames} frames, at most {}",
                mm(*off_max)
            )
        };
        let hands: Vec<String> = self.hands.iter().map(figures).collect();
        writeln!(f, "  hands       {}", hands.join("; "))
    }

    fn write_balance(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(balance) = &self.balance else {
            return writeln!(f, "  balance     not measured: the model states no masses");
        };
        match (balance.within, balance.distance_p95) {
            (Some(within), p95) => {
                let p95 = p95.map_or("unbounded".into(), mm);
                write!(
                    f,
                    "  balance     zero-moment point on the soles {}, outside p95 {p95}",
                    percent(within)
                )?;
            }
            (None, _) => write!(f, "  balance     no sole is on the floor")?,
        }
        if let Some(margin) = balance.margin {
            write!(f, "; standing still, centre of mass {} inside", mm(margin))?;
        }
        if let Some(off) = balance.off_fall {
            write!(f, "; flight {} off free fall", percent(off))?;
        }
        if balance.without_mass > 0 {
            write!(f, "; {} bodies without a mass", balance.without_mass)?;
        }
        writeln!(f)
    }
}

fn mm(metres: f64) -> String {
    format!("{:.1} mm", metres * 1000.0)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

impl fmt::Display for RobotReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RobotReport { limits, velocity, skate, penetration, .. } = self;
        write!(f, "  limits      {} over", percent(limits.share))?;
        match velocity {
            Some(velocity) => {
                writeln!(
                    f,
                    "; speeds {} over, greatest {:.2} of the highest",
                    percent(velocity.share),
                    velocity.max
                )?;
            }
            None => writeln!(f, "; speeds not measured: no highest speeds are known")?,
        }
        if let Some(acceleration) = self.acceleration {
            let over = percent(acceleration.share);
            writeln!(
                f,
                "              accelerations {over} over, greatest {:.2} of the highest",
                acceleration.max
            )?;
        }
        match skate {
            Some(Skate { mean, p95, share }) => {
                writeln!(
                    f,
                    "  skate       mean {mean:.3} / p95 {p95:.3} m/s, {} above 0.15 m/s",
                    percent(*share)
                )?;
            }
            None => writeln!(f, "  skate       not measured: no sole is on the floor in two frames")?,
        }
        write!(
            f,
            "  floor       penetration max {}, {} of frames above 5 mm",
            mm(penetration.max),
            percent(penetration.share)
        )?;
        match self.float_p95 {
            Some(float) => writeln!(f, "; float p95 {}", mm(float))?,
            None => writeln!(f, "; float not measured: the source neither stands nor lies")?,
        }
        self.write_hands(f)?;
        match self.self_penetration {
            Some(own) => {
                writeln!(
                    f,
                    "  itself      penetration max {}, {} of frames above 1 cm{}",
                    mm(own.max),
                    percent(own.share),
                    self.self_added.filter(|added| *added != own).map_or_else(String::new, |added| {
                        format!("; beyond its design max {}, {}", mm(added.max), percent(added.share))
                    })
                )?;
            }
            None => {
                writeln!(f, "  itself      not measured: the model has no collision shapes that can meet")?
            }
        }
        self.write_balance(f)?;
        write!(f, "  smoothness  largest step {:.2} rad", self.step_max)?;
        match self.jerk_p99 {
            Some(jerk) => writeln!(f, ", jerk p99 {jerk:.0} rad/s³")?,
            None => writeln!(f)?,
        }
        self.write_follow(f)?;
        for reason in &self.not_balanced {
            write!(f, "\n  not balanced: {reason}")?;
        }
        if !self.cannot_follow.is_empty() {
            write!(f, "\n  not followed: {}", self.cannot_follow.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_name_different_figures() {
        for (i, metric) in METRICS.iter().enumerate() {
            assert!(METRICS[..i].iter().all(|other| other.name != metric.name), "{}", metric.name);
        }
    }
}
