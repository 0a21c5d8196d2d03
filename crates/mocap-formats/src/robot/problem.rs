//! What can be wrong with a robot's description.

/// A problem of a URDF or MJCF file; the last three are warnings.
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
    #[error("the file '{file}' that is included {why}")]
    Include { file: String, why: String },
    #[error("in the included file '{file}', line {line}, column {column}: {problem}")]
    Included { file: String, line: u32, column: u32, problem: Box<Problem> },
    #[error("{error}")]
    Robot { error: mocap_model::ModelError },
    #[error("joint '{joint}' states no limits; it is read as unlimited")]
    NoLimit { joint: String },
    #[error(
        "{shapes} shapes are meshes, which are not read; {with_primitives} primitives remain for collisions"
    )]
    Meshes { shapes: usize, with_primitives: usize },
    #[error("body '{body}' beside the robot is left out")]
    LeftOut { body: String },
}

impl crate::Problem for Problem {
    fn code(&self) -> &'static str {
        match self {
            Problem::Xml { .. } => "robot::xml",
            Problem::Root { .. } => "robot::root",
            Problem::Missing { .. } => "robot::missing",
            Problem::Value { .. } => "robot::value",
            Problem::Unsupported { .. } => "robot::unsupported",
            Problem::Duplicate { .. } => "robot::duplicate",
            Problem::Unknown { .. } => "robot::unknown",
            Problem::Circle { .. } => "robot::circle",
            Problem::SecondRoot { .. } => "robot::second-root",
            Problem::ZeroAxis { .. } => "robot::zero-axis",
            Problem::MimicCircle { .. } => "robot::mimic-circle",
            Problem::Include { .. } => "robot::include",
            Problem::Included { problem, .. } => problem.code(),
            Problem::Robot { .. } => "robot::model",
            Problem::NoLimit { .. } => "robot::no-limit",
            Problem::Meshes { .. } => "robot::meshes",
            Problem::LeftOut { .. } => "robot::left-out",
        }
    }
}
