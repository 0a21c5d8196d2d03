//! Facts about a motion file, as JSON and as text.

use std::fmt;

use mocap_compress::Compressed;
use mocap_formats::Stated;
use mocap_formats::bvh::{PositionDecision, PositionMode};
use mocap_formats::robot_motion::Order;
use mocap_model::{Axis, FrameRate, Robot, RobotJoint, Skeleton, UnitSource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::digits::{grouped, readable, short, six_digits, three_digits};
use crate::{Header, known_unit};

/// Number of scalar tracks whose names are shown.
const NAMED: usize = 8;

/// What a motion file contains. The fields are those of the rows of `mocap info --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FileFacts {
    /// Without End Sites.
    pub joints: usize,
    /// End Sites.
    pub end_sites: usize,
    /// Channels.
    pub channels: usize,
    /// Frames; 0 of a skeleton.
    pub frames: usize,
    /// As stated in the file, else by its rate (s); `None` for a skeleton.
    pub frame_time: Option<f64>,
    /// Frames per second.
    pub fps: Option<f64>,
    /// From the first frame to the last (s).
    pub duration: f64,
    /// The unit of lengths.
    pub unit: UnitFacts,
    /// The up axis.
    pub up: String,
    /// `add`, `replace` or `none`.
    pub position_channels: &'static str,
    /// What the numbers of a BVH say about that; null where it makes no difference.
    pub position_votes: Option<PositionVotes>,
    /// The rotation orders, in the order of the joints.
    pub rotation_orders: Vec<OrderFacts>,
    /// The first root, where there are several.
    pub root: Option<String>,
    /// Joints without a parent.
    pub roots: usize,
    /// Of robots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<RobotFacts>,
    /// The names of the bodies, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// The names of the numbers over time, such as weights of shapes and expressions of a face.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<String>,
    /// The names of the clips, of formats that hold several per file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clips: Vec<String>,
}

/// What the numbers of a BVH say about its position channels. Lengths are in the unit of the file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PositionVotes {
    /// Joints whose median position is near their OFFSET: it replaces OFFSET.
    pub joints_replace: usize,
    /// Joints whose median position is near zero: it adds to OFFSET.
    pub joints_add: usize,
    /// The lowest point of the body in 98 % of the frames if positions replace OFFSET; null if it was not measured.
    pub floor_replace: Option<f64>,
    /// The same if they add to OFFSET. On a floor at 0, the right one is near 0.
    pub floor_add: Option<f64>,
    /// The height of the body.
    pub extent: Option<f64>,
    /// Whether it may well be the other one.
    pub uncertain: bool,
}

impl From<PositionDecision> for PositionVotes {
    fn from(decision: PositionDecision) -> PositionVotes {
        PositionVotes {
            joints_replace: decision.replace,
            joints_add: decision.add,
            floor_replace: decision.lowest.map(|lowest| lowest.replace),
            floor_add: decision.lowest.map(|lowest| lowest.add),
            extent: decision.lowest.map(|lowest| lowest.extent),
            uncertain: decision.weak,
        }
    }
}

/// As `medians: 22 joints replace, 0 add; lowest point 1.2 replace, 98.1 add, of a body 175 high`.
impl fmt::Display for PositionVotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PositionVotes { joints_replace, joints_add, .. } = self;
        write!(f, "medians: {joints_replace} replace, {joints_add} add")?;
        if let (Some(replace), Some(add), Some(extent)) = (self.floor_replace, self.floor_add, self.extent) {
            let [replace, add, extent] = [replace, add, extent].map(three_digits);
            write!(f, "; floor at {replace} if they replace, {add} if they add, body {extent} high")?;
        }
        if self.uncertain { f.write_str("; uncertain") } else { Ok(()) }
    }
}

/// The unit of the lengths in a file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct UnitFacts {
    /// The usual name, if it has one.
    pub name: Option<&'static str>,
    /// Metres per unit.
    pub metres: Option<f64>,
    /// `file`, `flag`, `guessed` from the size of the skeleton, or `voted` by other inputs with the same skeleton.
    pub source: Option<&'static str>,
}

/// A rotation order, and how many joints have it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OrderFacts {
    /// Such as `ZXY`.
    pub order: String,
    /// Joints with this order.
    pub joints: usize,
}

/// What a robot is made of. Values of joints and places of bodies are written in these orders.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RobotFacts {
    /// Names of its joints, depth first: the order of the model.
    pub joints: Vec<String>,
    /// The same, breadth first.
    pub joints_bfs: Vec<String>,
    /// Names of its bodies, depth first.
    pub bodies: Vec<String>,
    /// The same, breadth first.
    pub bodies_bfs: Vec<String>,
    /// Joints with limits.
    pub limited: usize,
    /// Joints with a highest speed.
    pub with_speed: usize,
    /// Collision shapes.
    pub shapes: usize,
}

impl From<&Robot> for RobotFacts {
    fn from(robot: &Robot) -> RobotFacts {
        let joint = |joint: usize| robot.joints()[joint].name.clone();
        let body = |body: usize| robot.bodies()[body].name.clone();
        let count =
            |is: &dyn Fn(&RobotJoint) -> bool| robot.joints().iter().filter(|joint| is(joint)).count();
        RobotFacts {
            joints: Order::Dfs.joints(robot).into_iter().map(joint).collect(),
            joints_bfs: Order::Bfs.joints(robot).into_iter().map(joint).collect(),
            bodies: Order::Dfs.bodies(robot).into_iter().map(body).collect(),
            bodies_bfs: Order::Bfs.bodies(robot).into_iter().map(body).collect(),
            limited: count(&|joint| joint.limit.is_some()),
            with_speed: count(&|joint| joint.velocity.is_some()),
            shapes: robot.shapes().len(),
        }
    }
}

/// What only a compressed clip has. Lengths are metres.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CompressionFacts {
    /// Name of the profile.
    pub profile: &'static str,
    /// Tracks that are not constant.
    pub moving_tracks: usize,
    /// The largest bound of any joint.
    pub error_limit: f64,
    /// Distance from each joint at which the error was measured.
    pub shell: f64,
    /// Metres per unit of the clip.
    pub metres_per_unit: f64,
    /// Joints without End Sites × frames × 40.
    pub raw_bytes: u64,
    /// Size of the skeleton.
    pub skeleton_bytes: usize,
}

impl FileFacts {
    /// The facts about a file, from [`MotionFile::header`](crate::MotionFile::header) and
    /// [`MotionFile::stated`](crate::MotionFile::stated).
    ///
    /// ```
    /// use mocap::{FileFacts, ReadOptions};
    ///
    /// let options = ReadOptions::default();
    /// let file = mocap::open("../../fixtures/clips/alex_walk.bvh", &options)?.value;
    /// let header = file.header(&options).expect("the motion is valid").value;
    /// let facts = FileFacts::new(&header, &file.stated(&options));
    /// assert_eq!(facts.root.as_deref(), Some("Hips"));
    /// # Ok::<(), mocap::Error>(())
    /// ```
    pub fn new(Header { skeleton, rate, numbers, .. }: &Header, stated: &Stated) -> FileFacts {
        let frames = stated.frames;
        let end_sites = skeleton.joints().iter().filter(|joint| joint.end_site).count();
        let roots: Vec<_> = skeleton.roots().collect();
        FileFacts {
            joints: skeleton.len() - end_sites,
            end_sites,
            channels: stated.channels,
            frames,
            frame_time: stated.frame_time.or(rate.map(FrameRate::frame_time)),
            fps: rate.map(FrameRate::fps),
            duration: rate.map_or(0.0, |rate| frames.saturating_sub(1) as f64 * rate.frame_time()),
            unit: UnitFacts::of(skeleton),
            up: skeleton.space().up.to_string(),
            position_channels: match stated.positions {
                None => "none",
                Some(PositionMode::Add) => "add",
                Some(PositionMode::Replace) => "replace",
            },
            position_votes: stated.position_votes.map(PositionVotes::from),
            rotation_orders: rotation_orders(skeleton),
            root: roots.first().map(|root| skeleton.joint(*root).name.clone()),
            roots: roots.len(),
            robot: skeleton.robot().map(|robot| RobotFacts::from(&**robot)),
            subjects: crate::several_subjects(skeleton),
            numbers: numbers.clone(),
            clips: Vec::new(),
        }
    }

    /// The facts by name, in the order in which they are shown.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let root = self.root.as_deref().unwrap_or("");
        let skeleton = format!("{} joints, {} end sites, root '{root}'", self.joints, self.end_sites);
        let mut lines = vec![("skeleton", skeleton)];
        if !self.subjects.is_empty() {
            lines.push(("subjects", self.subjects.join(", ")));
        }
        if let (Some(fps), Some(time)) = (self.fps, self.frame_time) {
            let (fps, time, duration) = (readable(fps), (time * 1e7).round() / 1e7, readable(self.duration));
            let frames = self.frames;
            lines.push((
                "motion",
                format!("{frames} frames at {fps} fps (frame time {time} s), {duration} s"),
            ));
        }
        if !self.numbers.is_empty() {
            lines.push(("numbers", named(&self.numbers)));
        }
        if self.clips.len() > 1 {
            let clips: Vec<String> =
                self.clips.iter().enumerate().map(|(i, name)| format!("{i} '{name}'")).collect();
            lines.push(("clips", clips.join(", ")));
        }
        let orders: Vec<String> =
            self.rotation_orders.iter().map(|row| format!("{} ({})", row.order, row.joints)).collect();
        let orders =
            if orders.is_empty() { String::new() } else { format!(", rotations {}", orders.join(", ")) };
        let positions = match self.position_channels {
            "add" => "added to the offset",
            "replace" => "replace the offset",
            _ => "none",
        };
        let votes = self.position_votes.map_or(String::new(), |votes| format!(" ({votes})"));
        lines.extend([
            ("channels", format!("{}{orders}", self.channels)),
            ("positions", format!("{positions}{votes}")),
            ("unit", self.unit.text()),
            ("up", self.up.clone()),
        ]);
        if let Some(robot) = &self.robot {
            let RobotFacts { joints, bodies, limited, with_speed, shapes, .. } = robot;
            lines.extend([
                (
                    "robot",
                    format!(
                        "{} joints ({limited} with limits, {with_speed} with speeds), {} bodies, {shapes} shapes",
                        joints.len(),
                        bodies.len()
                    ),
                ),
                ("order dfs", joints.join(" ")),
                ("order bfs", robot.joints_bfs.join(" ")),
            ]);
        }
        lines
    }
}

/// The number of names, and the first of them.
fn named(names: &[String]) -> String {
    let first = &names[..names.len().min(NAMED)];
    let more = if names.len() > NAMED { " …" } else { "" };
    format!("{} over time: {}{more}", names.len(), first.join(", "))
}

/// The rotation orders of joints that rotate, in the order of the joints.
fn rotation_orders(skeleton: &Skeleton) -> Vec<OrderFacts> {
    let mut orders: Vec<OrderFacts> = Vec::new();
    for joint in skeleton.joints().iter().filter(|joint| joint.dofs.rotation.contains(&true)) {
        let axes = joint.dofs.order.axes().into_iter().filter(|axis| joint.dofs.rotation[axis.index()]);
        let order: String = axes.map(Axis::letter).collect();
        match orders.iter_mut().find(|row| row.order == order) {
            Some(row) => row.joints += 1,
            None => orders.push(OrderFacts { order, joints: 1 }),
        }
    }
    orders
}

impl UnitFacts {
    /// The unit of a skeleton, guessed from its size where it is not stated.
    pub fn of(skeleton: &Skeleton) -> UnitFacts {
        UnitFacts::known(known_unit(skeleton))
    }

    fn known(unit: Option<mocap_model::Unit>) -> UnitFacts {
        UnitFacts {
            name: unit.and_then(|unit| unit.name()),
            metres: unit.map(|unit| unit.metres),
            source: unit.map(|unit| match unit.source {
                UnitSource::File => "file",
                UnitSource::Flag => "flag",
                UnitSource::Guessed => "guessed",
                UnitSource::Voted => "voted",
            }),
        }
    }

    /// The unit that a space states.
    pub fn stated(space: &mocap_model::Space) -> UnitFacts {
        UnitFacts::known(space.unit)
    }

    /// The unit and its source, such as `cm (stated in the file)`.
    pub fn text(&self) -> String {
        let (Some(metres), Some(source)) = (self.metres, self.source) else {
            return "unknown (--input-unit states it)".into();
        };
        let how = match source {
            "file" => "stated in the file",
            "flag" => "stated by a flag",
            "voted" => "that of other inputs with the same skeleton",
            _ => "guessed from the size of the skeleton",
        };
        match self.name {
            Some("cmu") => format!("cmu, which is 1/0.45 in ({how})"),
            Some(name) => format!("{name} ({how})"),
            None => format!("{} m ({how})", six_digits(metres)),
        }
    }
}

impl CompressionFacts {
    /// The facts about a compressed clip.
    pub fn of(clip: &Compressed) -> CompressionFacts {
        let info = clip.info();
        CompressionFacts {
            profile: info.profile.name(),
            moving_tracks: clip.moving_tracks(),
            error_limit: info.tolerance,
            shell: info.shell,
            metres_per_unit: info.metres_per_unit,
            raw_bytes: mocap_compress::raw_bytes(clip.skeleton(), info.frames),
            skeleton_bytes: clip.skeleton_size(),
        }
    }

    /// The facts by name, in the order in which they are shown; `bytes` is the size of the file.
    pub fn lines(&self, bytes: u64) -> [(&'static str, String); 2] {
        let (error, shell) = (short(self.error_limit * 1e3), short(self.shell * 1e3));
        let (ratio, skeleton) = (self.raw_bytes as f64 / bytes as f64, grouped(self.skeleton_bytes as u64));
        let tracks = self.moving_tracks;
        [
            ("profile", format!("{}: error limit {error} mm at {shell} mm from each joint", self.profile)),
            (
                "size",
                format!(
                    "{ratio:.1} times smaller than raw, {tracks} moving tracks, {skeleton} bytes of skeleton"
                ),
            ),
        ]
    }
}
