//! The joints of SMPL, SMPL-H and SMPL-X, and where they are in the neutral mean body.
//!
//! Based on: M. Loper et al., "SMPL: A Skinned Multi-Person Linear Model", 2015; J. Romero, D. Tzionas, M. Black,
//! "Embodied Hands", 2017; G. Pavlakos et al., "Expressive Body Capture", 2019. Offsets are those of the neutral mean
//! bodies (X to the left, Y up, Z forward \[m\]): of SMPL as published with J. Tseng, R. Castellon, K. Liu, "EDGE: Editable
//! Dance Generation From Music", 2023; of SMPL-X, and of hands, as published with the humanoid models of ProtoMotions.

use mocap_model::{Role, Vector3};

/// Name, name of the parent, role, offset from the parent; of the pelvis, its place.
pub(super) type Row = (&'static str, &'static str, Option<Role>, [f64; 3]);

/// The 22 joints of the body that SMPL and SMPL-H share.
pub(super) const SMPL_BODY: &[Row] = &[
    ("pelvis", "", Some(Role::Hips), [-0.0018, -0.22333, 0.02822]),
    ("left_hip", "pelvis", Some(Role::LeftUpperLeg), [0.06952, -0.09141, -0.00682]),
    ("right_hip", "pelvis", Some(Role::RightUpperLeg), [-0.06767, -0.09052, -0.00432]),
    ("spine1", "pelvis", Some(Role::Spine), [-0.00253, 0.10896, -0.0267]),
    ("left_knee", "left_hip", Some(Role::LeftLowerLeg), [0.03428, -0.3752, -0.0045]),
    ("right_knee", "right_hip", Some(Role::RightLowerLeg), [-0.03829, -0.38257, -0.00885]),
    ("spine2", "spine1", Some(Role::Chest), [0.00549, 0.13518, 0.00109]),
    ("left_ankle", "left_knee", Some(Role::LeftFoot), [-0.0136, -0.39796, -0.04369]),
    ("right_ankle", "right_knee", Some(Role::RightFoot), [0.01577, -0.39841, -0.04231]),
    ("spine3", "spine2", Some(Role::UpperChest), [0.00146, 0.05292, 0.02542]),
    ("left_foot", "left_ankle", Some(Role::LeftToes), [0.02636, -0.05579, 0.11929]),
    ("right_foot", "right_ankle", Some(Role::RightToes), [-0.02537, -0.04814, 0.12335]),
    ("neck", "spine3", Some(Role::Neck), [-0.00278, 0.21387, -0.04286]),
    ("left_collar", "spine3", Some(Role::LeftShoulder), [0.07884, 0.12175, -0.03409]),
    ("right_collar", "spine3", Some(Role::RightShoulder), [-0.08176, 0.11883, -0.03862]),
    ("head", "neck", Some(Role::Head), [0.00515, 0.06497, 0.05135]),
    ("left_shoulder", "left_collar", Some(Role::LeftUpperArm), [0.09098, 0.03047, -0.00887]),
    ("right_shoulder", "right_collar", Some(Role::RightUpperArm), [-0.09601, 0.03255, -0.00914]),
    ("left_elbow", "left_shoulder", Some(Role::LeftLowerArm), [0.25961, -0.01277, -0.02746]),
    ("right_elbow", "right_shoulder", Some(Role::RightLowerArm), [-0.25374, -0.01333, -0.0214]),
    ("left_wrist", "left_elbow", Some(Role::LeftHand), [0.24923, 0.00899, -0.00117]),
    ("right_wrist", "right_elbow", Some(Role::RightHand), [-0.2553, 0.00777, -0.00556]),
];

/// The offset of a joint of the mean body of SMPL from its parent \[m\], by a name such as `left_hip` or `L_Hip`; `None` of
/// the pelvis.
pub(crate) fn mean_offset(name: &str) -> Option<Vector3<f64>> {
    let name = name.to_ascii_lowercase();
    let side = |short: &str, long: &str| name.strip_prefix(short).map(|rest| format!("{long}{rest}"));
    let name = side("l_", "left_").or_else(|| side("r_", "right_")).unwrap_or(name);
    let rows = SMPL_BODY.iter().chain(SMPL_HANDS).skip(1);
    rows.clone().find(|(joint, ..)| *joint == name).map(|(.., offset)| Vector3::from(*offset))
}

/// The hand joints of SMPL.
pub(super) const SMPL_HANDS: &[Row] = &[
    ("left_hand", "left_wrist", None, [0.08404, -0.00816, -0.01495]),
    ("right_hand", "right_wrist", None, [-0.08462, -0.00612, -0.01032]),
];

/// The 22 joints of the body of SMPL-X.
pub(super) const SMPLX_BODY: &[Row] = &[
    ("pelvis", "", Some(Role::Hips), [0.0031, -0.3514, 0.012]),
    ("left_hip", "pelvis", Some(Role::LeftUpperLeg), [0.0582, -0.0928, -0.026]),
    ("right_hip", "pelvis", Some(Role::RightUpperLeg), [-0.0633, -0.1039, -0.0213]),
    ("spine1", "pelvis", Some(Role::Spine), [-0.0028, 0.1099, -0.0276]),
    ("left_knee", "left_hip", Some(Role::LeftLowerLeg), [0.0547, -0.3788, -0.0094]),
    ("right_knee", "right_hip", Some(Role::RightLowerLeg), [-0.0442, -0.3624, -0.0168]),
    ("spine2", "spine1", Some(Role::Chest), [0.0094, 0.1319, -0.0059]),
    ("left_ankle", "left_knee", Some(Role::LeftFoot), [-0.0435, -0.4031, -0.0319]),
    ("right_ankle", "right_knee", Some(Role::RightFoot), [0.0154, -0.4107, -0.0202]),
    ("spine3", "spine2", Some(Role::UpperChest), [-0.0113, 0.0522, 0.0284]),
    ("left_foot", "left_ankle", Some(Role::LeftToes), [0.0473, -0.058, 0.1182]),
    ("right_foot", "right_ankle", Some(Role::RightToes), [-0.0388, -0.0583, 0.119]),
    ("neck", "spine3", Some(Role::Neck), [-0.0122, 0.1652, -0.0316]),
    ("left_collar", "spine3", Some(Role::LeftShoulder), [0.0464, 0.0849, -0.0072]),
    ("right_collar", "spine3", Some(Role::RightShoulder), [-0.0477, 0.0843, -0.0134]),
    ("head", "neck", Some(Role::Head), [0.0248, 0.1605, 0.0207]),
    ("left_shoulder", "left_collar", Some(Role::LeftUpperArm), [0.1192, 0.0577, -0.0155]),
    ("right_shoulder", "right_collar", Some(Role::RightUpperArm), [-0.1026, 0.0535, -0.0127]),
    ("left_elbow", "left_shoulder", Some(Role::LeftLowerArm), [0.2541, -0.0722, -0.0425]),
    ("right_elbow", "right_shoulder", Some(Role::RightLowerArm), [-0.2711, -0.0365, -0.0265]),
    ("left_wrist", "left_elbow", Some(Role::LeftHand), [0.252, 0.0232, -0.0025]),
    ("right_wrist", "right_elbow", Some(Role::RightHand), [-0.2493, -0.0045, -0.0153]),
];

/// The face joints of SMPL-X. Their positions depend on the surface of the body; here they are those of the head.
pub(super) const SMPLX_FACE: &[Row] = &[
    ("jaw", "head", None, [0.0, 0.0, 0.0]),
    ("left_eye_smplhf", "head", None, [0.0, 0.0, 0.0]),
    ("right_eye_smplhf", "head", None, [0.0, 0.0, 0.0]),
];

/// The joints of both hands.
pub(super) const FINGERS: &[Row] = &[
    ("left_index1", "left_wrist", Some(Role::LeftIndex1), [0.1019, -0.0087, 0.0194]),
    ("left_index2", "left_index1", Some(Role::LeftIndex2), [0.0319, 0.0022, 0.003]),
    ("left_index3", "left_index2", Some(Role::LeftIndex3), [0.0225, -0.0024, 0.0001]),
    ("left_middle1", "left_wrist", Some(Role::LeftMiddle1), [0.1094, -0.0063, -0.004]),
    ("left_middle2", "left_middle1", Some(Role::LeftMiddle2), [0.0306, 0.0008, -0.004]),
    ("left_middle3", "left_middle2", Some(Role::LeftMiddle3), [0.0235, -0.002, -0.0041]),
    ("left_pinky1", "left_wrist", Some(Role::LeftLittle1), [0.084, -0.0145, -0.0437]),
    ("left_pinky2", "left_pinky1", Some(Role::LeftLittle2), [0.0155, -0.0011, -0.012]),
    ("left_pinky3", "left_pinky2", Some(Role::LeftLittle3), [0.0155, -0.0017, -0.0112]),
    ("left_ring1", "left_wrist", Some(Role::LeftRing1), [0.0974, -0.0093, -0.0273]),
    ("left_ring2", "left_ring1", Some(Role::LeftRing2), [0.028, 0.0015, -0.0053]),
    ("left_ring3", "left_ring2", Some(Role::LeftRing3), [0.0228, -0.0015, -0.0071]),
    ("left_thumb1", "left_wrist", Some(Role::LeftThumb1), [0.0406, -0.018, 0.0256]),
    ("left_thumb2", "left_thumb1", Some(Role::LeftThumb2), [0.017, 0.001, 0.025]),
    ("left_thumb3", "left_thumb2", Some(Role::LeftThumb3), [0.0205, -0.0052, 0.0155]),
    ("right_index1", "right_wrist", Some(Role::RightIndex1), [-0.0999, -0.0118, 0.0196]),
    ("right_index2", "right_index1", Some(Role::RightIndex2), [-0.0319, 0.0022, 0.003]),
    ("right_index3", "right_index2", Some(Role::RightIndex3), [-0.0225, -0.0023, 0.0001]),
    ("right_middle1", "right_wrist", Some(Role::RightMiddle1), [-0.1074, -0.0094, -0.0037]),
    ("right_middle2", "right_middle1", Some(Role::RightMiddle2), [-0.0306, 0.0008, -0.004]),
    ("right_middle3", "right_middle2", Some(Role::RightMiddle3), [-0.0235, -0.002, -0.0041]),
    ("right_pinky1", "right_wrist", Some(Role::RightLittle1), [-0.082, -0.0176, -0.0435]),
    ("right_pinky2", "right_pinky1", Some(Role::RightLittle2), [-0.0155, -0.0011, -0.012]),
    ("right_pinky3", "right_pinky2", Some(Role::RightLittle3), [-0.0155, -0.0017, -0.0112]),
    ("right_ring1", "right_wrist", Some(Role::RightRing1), [-0.0954, -0.0124, -0.0271]),
    ("right_ring2", "right_ring1", Some(Role::RightRing2), [-0.028, 0.0015, -0.0053]),
    ("right_ring3", "right_ring2", Some(Role::RightRing3), [-0.0228, -0.0015, -0.0071]),
    ("right_thumb1", "right_wrist", Some(Role::RightThumb1), [-0.0386, -0.0211, 0.0259]),
    ("right_thumb2", "right_thumb1", Some(Role::RightThumb2), [-0.017, 0.001, 0.025]),
    ("right_thumb3", "right_thumb2", Some(Role::RightThumb3), [-0.0205, -0.0052, 0.0155]),
];
