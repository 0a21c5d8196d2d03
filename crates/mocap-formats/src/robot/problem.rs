//! What can be wrong with a robot's description.

/// A problem of a URDF or MJCF file; those from `NoLimit` on are warnings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("{message}")]
    Xml { message: String },
    #[error("the file is neither a URDF (<robot>) nor an MJCF (<mujoco>): its root element is <{found}>")]
    Root { found: String },
    #[error("<{element}> needs the attribute '{attribute}'")]
    Missing { element: String, attribute: &'static str },
    #[error("<worldbody> has no element <body>: the file describes a place, not a robot")]
    NoBody,
    #[error("<{element} {attribute}=\"{value}\">: expected {expected}")]
    Value { element: String, attribute: String, value: String, expected: String },
    #[error("{what} is not supported")]
    Unsupported { what: String },
    #[error("{what} '{name}' is defined twice")]
    Duplicate { what: &'static str, name: String },
    #[error("no {what} is called '{name}'")]
    Unknown { what: &'static str, name: String },
    #[error("link '{link}' is below itself")]
    Circle { link: String },
    #[error("the links '{first}' and '{second}' both have no parent; a robot is one tree")]
    SecondRoot { first: String, second: String },
    #[error("the axis of joint '{joint}' has no length")]
    ZeroAxis { joint: String },
    #[error("joint '{joint}' follows itself through <mimic>")]
    MimicCircle { joint: String },
    #[error("<xacro:{element}> is not expanded: run `xacro FILE > robot.urdf` first, and read that")]
    Xacro { element: String },
    #[error("the file '{file}' that is included {why}")]
    Include { file: String, why: String },
    #[error("in the included file '{file}', line {line}, column {column}: {problem}")]
    Included { file: String, line: u32, column: u32, problem: Box<Problem> },
    #[error("the mesh '{mesh}' {why}")]
    Mesh { mesh: String, why: String },
    #[error("the mesh '{mesh}' has no volume: its {points} points are in one plane, or are not finite")]
    FlatMesh { mesh: String, points: usize },
    #[error("{error}")]
    Robot { error: mocap_model::ModelError },
    #[error("joint '{joint}' states no limits; it is read as unlimited")]
    NoLimit { joint: String },
    #[error(
        "joint '{joint}' states limits of 0 to 0, in which it could not move: it is read as unlimited; a joint that does not \
         move has the type fixed"
    )]
    ZeroLimits { joint: String },
    #[error("{}; {remain} shapes remain for collisions", left_out(.shapes))]
    Meshes { shapes: Vec<String>, remain: usize },
    #[error(
        "the mesh '{mesh}' has more corners than are kept: its hull of {corners} leaves out points up to {:.1} mm outside",
        .left_out * 1000.0
    )]
    CutHull { mesh: String, corners: usize, left_out: f64 },
    #[error("body '{body}' beside the robot is left out")]
    LeftOut { body: String },
    #[error("<{element}> closes a loop of bodies, which is not kept: the robot is read as a tree")]
    Loop { element: String },
    #[error("'{setting}' is not read: masses and inertias are those without it")]
    OtherMass { setting: &'static str },
}

/// Which shapes are not measured: the first of them.
fn left_out(shapes: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = shapes.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = match shapes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let (count, noun) = (shapes.len(), if shapes.len() == 1 { "mesh is" } else { "meshes are" });
    format!("{count} {noun} not measured: {shown}{more}")
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Xml { .. } => "robot::xml",
            Problem::Root { .. } => "robot::root",
            Problem::Missing { .. } | Problem::NoBody => "robot::missing",
            Problem::Value { .. } => "robot::value",
            Problem::Unsupported { .. } => "robot::unsupported",
            Problem::Duplicate { .. } => "robot::duplicate",
            Problem::Unknown { .. } => "robot::unknown",
            Problem::Circle { .. } => "robot::circle",
            Problem::SecondRoot { .. } => "robot::second-root",
            Problem::ZeroAxis { .. } => "robot::zero-axis",
            Problem::MimicCircle { .. } => "robot::mimic-circle",
            Problem::Xacro { .. } => "robot::xacro",
            Problem::Include { .. } => "robot::include",
            Problem::Included { problem, .. } => problem.code(),
            Problem::Mesh { .. } => "robot::mesh",
            Problem::FlatMesh { .. } => "robot::flat-mesh",
            Problem::Robot { .. } => "robot::model",
            Problem::NoLimit { .. } => "robot::no-limit",
            Problem::ZeroLimits { .. } => "robot::zero-limits",
            Problem::Meshes { .. } => "robot::meshes",
            Problem::CutHull { .. } => "robot::cut-hull",
            Problem::LeftOut { .. } => "robot::left-out",
            Problem::Loop { .. } => "robot::loop",
            Problem::OtherMass { .. } => "robot::other-mass",
        }
    }
}
