//! Inverse kinematics on chains of joints.
