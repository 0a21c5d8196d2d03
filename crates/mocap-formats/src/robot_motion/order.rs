//! The order of joints and bodies.

use mocap_model::Robot;
use std::fmt;
use std::str::FromStr;

/// The order in which joints and bodies are listed.
///
/// ```
/// use mocap_formats::robot_motion::Order;
///
/// assert_eq!("bfs".parse(), Ok(Order::Bfs));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Depth first, as in the model: one limb after the other. That of MuJoCo.
    #[default]
    Dfs,
    /// Breadth first: level by level from the base. That of PhysX, and so of Isaac Lab.
    Bfs,
}

impl Order {
    /// The bodies of a robot in this order, by index.
    pub fn bodies(self, robot: &Robot) -> Vec<usize> {
        let mut bodies: Vec<usize> = (0..robot.bodies().len()).collect();
        if self == Order::Bfs {
            let mut levels = vec![0usize; bodies.len()];
            for (index, body) in robot.bodies().iter().enumerate() {
                levels[index] = body.parent.map_or(0, |parent| levels[parent] + 1);
            }
            // Within a level, bodies follow the order of their parents.
            let mut place = vec![0; bodies.len()];
            let mut sorted = Vec::with_capacity(bodies.len());
            for level in 0..=levels.iter().copied().max().unwrap_or(0) {
                let mut row: Vec<usize> =
                    bodies.iter().copied().filter(|body| levels[*body] == level).collect();
                row.sort_by_key(|body| (robot.bodies()[*body].parent.map(|parent| place[parent]), *body));
                for body in row {
                    place[body] = sorted.len();
                    sorted.push(body);
                }
            }
            bodies = sorted;
        }
        bodies
    }

    /// The joints of a robot in this order, by index: those of its bodies.
    pub fn joints(self, robot: &Robot) -> Vec<usize> {
        let joints = robot.joints();
        let of = |body: usize| (0..joints.len()).filter(move |joint| joints[*joint].body == body);
        self.bodies(robot).into_iter().flat_map(of).collect()
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Order, String> {
        match text {
            "dfs" => Ok(Order::Dfs),
            "bfs" => Ok(Order::Bfs),
            _ => Err(format!("'{text}' is not an order: dfs or bfs")),
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Dfs => "dfs",
            Order::Bfs => "bfs",
        })
    }
}
