"""Types of the keywords of :mod:`mocap.batch`, for editors and type checkers."""

from __future__ import annotations

import os
from typing import Literal, Mapping, Sequence, TypedDict, Union

#: A text, a number or a path: what people write behind a flag.
Value = Union[str, float, "os.PathLike[str]"]

# Options: written from the declarations of the commands.


class Convert(TypedDict, total=False):
    """Options of ``mocap convert``."""

    euler: Value
    """Rotation order of every joint of a BVH, such as ZXY [default: that of the input]"""
    verbatim: bool
    """Write an unedited BVH exactly as it was read, or one with edits of frames and lengths"""
    names: Literal["kept", "safe"]
    """Names of BVH joints: kept (blanks included) or safe (with _ for blanks and brackets) [default: kept]"""
    position_style: Literal["replace", "add"]
    """Positions of BVH joints below the root: replace (Blender) or add to OFFSET (three.js) [default: replace]"""
    mesh: Value
    """Mesh that shows the skeleton: body, sticks or none [default: body]"""
    short_rotations: bool
    """Rotations as 16-bit integers: half the size, off by up to 0.003 degrees"""
    order: Value
    """Order of joints and bodies in mjlab-npz, isaac-npz and robot-csv: dfs (the model's and MuJoCo's) or bfs (that of PhysX) [default: dfs]"""
    marker_set: Value
    """Put the markers of a set on the body and write them as C3D or TRC: plug-in-gait, cmu-41, helen-hayes, rajagopal, gait2354, optitrack"""
    drop_first_frame: bool
    """Drop the first frame: in BVH conversions of the CMU database it is a rest pose"""
    trim: Value
    """Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)"""
    fps: Value
    """Resample to a rate [frames per second, above 0; default: the rate of the input]; the duration stays"""
    scale: Value
    """Multiply every length [above 0, default 1]; the unit stays: the character grows or shrinks"""
    unit: Value
    """Convert lengths to a unit: m, cm, mm, in, ft, cmu (1/0.45 in) or metres per unit [default: the unit of the input]; the character keeps its size"""
    up: Value
    """Rotate the axes to this up axis: X, Y, Z, -X, -Y or -Z [default: that of the input]"""
    dtype: Literal["f32", "f64"]
    """Type of floats: f32, or f64 to keep every bit [default: f32]"""
    rotations: Value
    """Local rotations: quaternion (W X Y Z), 6d, matrix, axis-angle or euler [default: quaternion]"""
    joints: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Keep only joints whose name matches a glob; repeatable"""
    window: Value
    """List windows of N frames in window_starts [1 or more; default: none]"""
    stride: Value
    """Frames from the start of a window to the next [1 or more; default: the length of a window]"""
    pack: Value
    """Write N clips into a file, as a data set [1 or more; default: one clip]"""
    split: Value
    """Shares of train, val and test, such as 8:1:1 [default: no parts]"""
    normalise: bool
    """Write mean and standard deviation of every array over the part train"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    from_: Value
    """Format: bvh, asf, amc, skel, json, npz, safetensors, smpl-npz, c3d, trc, glb, gltf, vrma, fbx, livelink-csv, urdf, mjcf, unitree-csv, robot-csv, mjlab-npz, isaac-npz, gmr-npz, mocz [default: detected]"""
    input_fps: Value
    """Frame rate [frames per second, above 0; default: as stated]"""
    input_unit: Value
    """Unit: m, cm, mm, in, ft, cmu or metres [default: as stated]"""
    input_up: Value
    """Up axis: X, Y, Z, -X, -Y or -Z [default: as stated, else Y]"""
    subject: Value
    """One of several bodies in a file: its name, its number from 1, or all [default: all]"""
    position_channels: Literal["auto", "replace", "add"]
    """BVH position channels: auto, replace or add [default: auto]"""
    asf_units: Literal["auto", "cmu", "spec", "raw"]
    """ASF units: auto, cmu, spec or raw [default: auto]"""
    skeleton: Value
    """Skeleton of AMC inputs [default: an ASF in the same folder]; bones of SMPL inputs [default: mean body]"""
    skeleton_ref: Value
    """File with the skeleton of clips that were compressed with --no-skeleton"""
    repair: bool
    """Interpolate over NaN and infinite values"""
    max_bytes: Value
    """Largest input [bytes, above 0; default: 1GiB]"""
    max_samples: Value
    """Largest motion [frames × joints, above 0; default: 64M]"""
    strict: bool
    """Treat warnings as errors: an input with a warning fails"""
    force: bool
    """Write results that cannot be right: limbs of two lengths"""
    overwrite: bool
    """Replace existing outputs"""
    skip_existing: bool
    """Skip inputs whose output exists"""
    resume: bool
    """Continue an earlier run: skip clips that its manifest lists as done"""
    manifest: Value
    """Record the run in a file [default with --resume: .mocap-manifest.jsonl]"""
    dry_run: bool
    """Print the plan without reading or writing"""
    key_error: Value
    """How far left-out keys of GLB and glTF may move a joint, such as 0.1mm [0: every frame is a key; default: 0.01mm]"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""


class Retarget(TypedDict, total=False):
    """Options of ``mocap retarget``."""

    pair: Union[Value, Sequence[Value], Mapping[str, Value]]
    """A motion and its target, for people who are together, in one space and time; once for each"""
    characters: Value
    """Targets of the characters of a scene, by name: a JSON object such as {"Anna": "woman.glb"}; all paths are scenes, and what is between people stays"""
    method: Literal["scale", "limb-ratio", "copy", "effectors"]
    """How to handle different proportions: scale (root and feet scaled by the ratio of leg lengths, arms copy rotations), limb-ratio (hands scaled, too, and all limbs solved by CCD, as Yang et al. 2002), copy (rotations only: feet float or penetrate), effectors (unscaled goals: limbs fold or overstretch)"""
    hands: Literal["auto", "scale", "keep", "off"]
    """Goals of the hands: auto (arms copy rotations except during contacts of hands), scale (from the shoulder, by arm length), keep (from the hips, by leg length), off (arms copy rotations)"""
    ik: Literal["auto", "ccd", "fabrik", "two-bone", "dls", "objective"]
    """Solver of limbs: auto (two-bone, and CCD where joint limits keep it from the goal), ccd, fabrik, two-bone, dls, objective"""
    no_limits: bool
    """Ignore the degrees of freedom and joint limits of the target"""
    contacts: Literal["feet", "hands"]
    """Contacts that are kept: hands (each other, head, hips, floor) and feet, or only feet"""
    no_lock: bool
    """Turn off the foot lock: feet skate as those of the source do"""
    floor: Value
    """Floor of the target: auto (that of the source, scaled), off (feet keep their own height), or a height along the up axis [m, or with a unit, such as -2cm]"""
    body: Value
    """Surface that arms are kept out of: auto (the mesh of the target, where it has one), off, capsules (of the proportions of the skeleton), or a character with a mesh and the joints of the target"""
    surface_frames: Value
    """Frames in which the surface is measured for the report: a number, evenly spaced, or all"""
    source_rest: Value
    """Frame of the source in which it stands upright, arms anywhere [from 0; default: its rest pose]"""
    target_rest: Value
    """Frame of the target's own motion in which it stands upright [from 0; default: a rest pose at its start, else estimated from its motion]"""
    target_unit: Value
    """Unit of the target, as --input-unit [default: stated, else guessed]"""
    target_up: Value
    """Up axis of the target [default: stated in its file, else Y]"""
    limits_from: Value
    """Model of the same robot to take limits of joint velocities and accelerations from, such as its URDF: MJCF states none [default: those of the target]"""
    no_separation: bool
    """Do not keep parts of the robot apart (faster)"""
    balance: bool
    """Change the motion so that the robot can stand it: hips and trunk move as little as needed to keep the zero-moment point on the soles, and jumps fall freely"""
    map: Value
    """Joint mapping as --write-map writes it; nothing else is mapped. Without legs in it, joints copy the rotation of their pair, on any kind of body"""
    write_map: Value
    """Write the mapping as JSON, to edit and give to --map; - for stdout"""
    explain: bool
    """Show the mapping with reasons and scores, and write nothing"""
    fail_above: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Gate: exit code 3 where a figure exceeds its limit, such as slide=0.05,step=30 [m or with a unit, m/s, degrees]; the motion is not written then. Figures: effector, effector-mean, effector-p95, foot-off-goal, unreachable, limited, capped, wrong-bends, slide, slide-own, slide-ratio, float, float-own, penetration, penetration-own, contacts-lost, violations, violation-excess, angle, correlation-lost, balance-margin, jerk, step, surface-inside, surface-deepest, surface-deep-frames, partner-off, partner-inside, arm-inside, partner-moved"""
    drop_first_frame: bool
    """Drop the first frame (a rest pose in CMU BVH files)"""
    trim: Value
    """Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)"""
    fps: Value
    """Resample [frames per second, above 0; default: that of the source]"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    from_: Value
    """Format: bvh, asf, amc, skel, json, npz, safetensors, smpl-npz, c3d, trc, glb, gltf, vrma, fbx, livelink-csv, urdf, mjcf, unitree-csv, robot-csv, mjlab-npz, isaac-npz, gmr-npz, mocz [default: detected]"""
    input_fps: Value
    """Frame rate [frames per second, above 0; default: as stated]"""
    input_unit: Value
    """Unit: m, cm, mm, in, ft, cmu or metres [default: as stated]"""
    input_up: Value
    """Up axis: X, Y, Z, -X, -Y or -Z [default: as stated, else Y]"""
    subject: Value
    """One of several bodies in a file: its name, its number from 1, or all [default: all]"""
    position_channels: Literal["auto", "replace", "add"]
    """BVH position channels: auto, replace or add [default: auto]"""
    asf_units: Literal["auto", "cmu", "spec", "raw"]
    """ASF units: auto, cmu, spec or raw [default: auto]"""
    skeleton: Value
    """Skeleton of AMC inputs [default: an ASF in the same folder]; bones of SMPL inputs [default: mean body]"""
    skeleton_ref: Value
    """File with the skeleton of clips that were compressed with --no-skeleton"""
    repair: bool
    """Interpolate over NaN and infinite values"""
    max_bytes: Value
    """Largest input [bytes, above 0; default: 1GiB]"""
    max_samples: Value
    """Largest motion [frames × joints, above 0; default: 64M]"""
    strict: bool
    """Treat warnings as errors: an input with a warning fails"""
    overwrite: bool
    """Replace existing outputs"""
    skip_existing: bool
    """Skip inputs whose output exists"""
    resume: bool
    """Continue an earlier run: skip clips that its manifest lists as done"""
    manifest: Value
    """Record the run in a file [default with --resume: .mocap-manifest.jsonl]"""
    dry_run: bool
    """Print the plan without reading or writing"""
    to: Value
    """Format: bvh, amc (with its .asf beside it), csv (positions), json, npz (numpy arrays), safetensors (tensors), smpl-npz (SMPL, SMPL-H, SMPL-X as in AMASS), glb (glTF 2.0 in one file), gltf (glTF 2.0 as JSON), vrma (VRM animation), fbx, usda (USD as text), livelink-csv (faces), unitree-csv (robots: base and joints, no header), robot-csv (the same with a header), mjlab-npz (robots: mjlab, BeyondMimic), isaac-npz (robots: AMP of Isaac Lab), gmr-npz (robots: GMR), gmr-pkl (GMR's pickle) [default: by OUT, else bvh; of robots unitree-csv]"""
    force: bool
    """Write results that cannot be right: limbs of two lengths, of another size than the target, or that move against the source"""
    euler: Value
    """Rotation order of BVH joints, such as ZXY [default: of the target]"""
    names: Literal["kept", "safe"]
    """Names of BVH joints: kept (blanks included) or safe (with _ for blanks and brackets) [default: kept]"""
    position_style: Literal["replace", "add"]
    """Positions of BVH joints below the root: replace (Blender) or add to OFFSET (three.js) [default: replace]"""
    mesh: Value
    """Mesh that shows the skeleton: body, sticks or none [default: body]"""
    short_rotations: bool
    """Rotations as 16-bit integers: half the size, off by up to 0.003 degrees"""
    order: Value
    """Order of joints and bodies in mjlab-npz, isaac-npz and robot-csv: dfs (the model's and MuJoCo's) or bfs (that of PhysX) [default: dfs]"""
    key_error: Value
    """How far left-out keys of GLB and glTF may move a joint, such as 0.1mm [0: every frame is a key; default: 0.01mm]"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""


class Compress(TypedDict, total=False):
    """Options of ``mocap compress``."""

    profile: Value
    """Purpose: runtime (playback), archive (smallest file), keys (sparse keys per joint), direct (fastest jumps to any pose)"""
    effort: Value
    """Work for fewer bytes [0: fastest, 9: smallest files]"""
    error: Value
    """Error bound [m, or with a unit, such as 0.1mm; above 0]"""
    shell: Value
    """Distance of the measured points from the joints, about where the skin is [m, or with a unit; above 0]"""
    local_error: Value
    """Error bound of local rotations [degrees, above 0; default: none], for decoded motions that are blended or retargeted"""
    track_error: Value
    """Error bound of scales of joints and of numbers over time, in their own units [0: every bit; default: 0.0001]"""
    guard_between: bool
    """Keep the error bound half-way between frames as well"""
    no_skeleton: bool
    """Omit the skeleton from the files; reading them then needs --skeleton-ref with a file that has it"""
    scale: Value
    """Multiply every length first [above 0, default 1]"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    from_: Value
    """Format: bvh, asf, amc, skel, json, npz, safetensors, smpl-npz, c3d, trc, glb, gltf, vrma, fbx, livelink-csv, urdf, mjcf, unitree-csv, robot-csv, mjlab-npz, isaac-npz, gmr-npz, mocz [default: detected]"""
    input_fps: Value
    """Frame rate [frames per second, above 0; default: as stated]"""
    input_up: Value
    """Up axis: X, Y, Z, -X, -Y or -Z [default: as stated, else Y]"""
    subject: Value
    """One of several bodies in a file: its name, its number from 1, or all [default: all]"""
    position_channels: Literal["auto", "replace", "add"]
    """BVH position channels: auto, replace or add [default: auto]"""
    asf_units: Literal["auto", "cmu", "spec", "raw"]
    """ASF units: auto, cmu, spec or raw [default: auto]"""
    skeleton: Value
    """Skeleton of AMC inputs [default: an ASF in the same folder]; bones of SMPL inputs [default: mean body]"""
    skeleton_ref: Value
    """File with the skeleton of clips that were compressed with --no-skeleton"""
    repair: bool
    """Interpolate over NaN and infinite values"""
    max_bytes: Value
    """Largest input [bytes, above 0; default: 1GiB]"""
    max_samples: Value
    """Largest motion [frames × joints, above 0; default: 64M]"""
    strict: bool
    """Treat warnings as errors: an input with a warning fails"""
    drop_first_frame: bool
    """Drop the first frame (a rest pose in CMU BVH files)"""
    overwrite: bool
    """Replace existing outputs"""
    skip_existing: bool
    """Skip inputs whose output exists"""
    resume: bool
    """Continue an earlier run: skip clips that its manifest lists as done"""
    manifest: Value
    """Record the run in a file [default with --resume: .mocap-manifest.jsonl]"""
    dry_run: bool
    """Print the plan without reading or writing"""
    input_unit: Value
    """Unit: m, cm, mm, in, ft, cmu or metres [default: as stated]"""
    joint_error: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Error bound of the joints that match a glob, such as 'Finger*=0.5mm'; repeatable, the last match wins"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""


class Decompress(TypedDict, total=False):
    """Options of ``mocap decompress``."""

    to: Value
    """Output format: bvh, amc (with its .asf beside it), csv (positions), json, npz (numpy arrays), safetensors (tensors), smpl-npz (SMPL, SMPL-H, SMPL-X as in AMASS), glb (glTF 2.0 in one file), gltf (glTF 2.0 as JSON), vrma (VRM animation), fbx, usda (USD as text), livelink-csv (faces), unitree-csv (robots: base and joints, no header), robot-csv (the same with a header), mjlab-npz (robots: mjlab, BeyondMimic), isaac-npz (robots: AMP of Isaac Lab), gmr-npz (robots: GMR), gmr-pkl (GMR's pickle) [default: by the extension of OUT, else bvh]"""
    euler: Value
    """Rotation order of every joint of a BVH, such as ZXY [default: that of the skeleton]"""
    skeleton_ref: Value
    """File of any format with the skeleton, for inputs that were compressed with --no-skeleton"""
    max_bytes: Value
    """Largest input [bytes, above 0; default: 1GiB]"""
    max_samples: Value
    """Largest motion [frames × joints, above 0; default: 64M]"""
    names: Literal["kept", "safe"]
    """Names of BVH joints: kept (blanks included) or safe (with _ for blanks and brackets) [default: kept]"""
    position_style: Literal["replace", "add"]
    """Positions of BVH joints below the root: replace (Blender) or add to OFFSET (three.js) [default: replace]"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    overwrite: bool
    """Replace existing outputs"""
    skip_existing: bool
    """Skip inputs whose output exists"""
    resume: bool
    """Continue an earlier run: skip clips that its manifest lists as done"""
    manifest: Value
    """Record the run in a file [default with --resume: .mocap-manifest.jsonl]"""
    dry_run: bool
    """Print the plan without reading or writing"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""


class Edit(TypedDict, total=False):
    """Options of ``mocap edit``."""

    drop_first_frame: bool
    """Drop the first frame: in BVH conversions of the CMU database it is a rest pose"""
    trim: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)"""
    fps: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Resample to a rate [frames per second, above 0]; the duration stays"""
    scale: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Multiply every length [above 0]; the unit stays: the character grows or shrinks"""
    denoise: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Remove jitter and spikes: auto (estimates the noise of every joint), butterworth:HZ, savgol[:SECONDS], gaussian[:SECONDS] or one-euro[:HZ,BETA]"""
    poses: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --denoise: example poses, as `mocap poses` writes them: auto fills dropouts of joints and limbs of up to 5 s from them"""
    bands: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Scale frequency bands, such as high=0,mid=1.5: see `mocap bands --help`"""
    loop: Union[Value, Sequence[Value], Mapping[str, Value], bool]
    """Make a loop: search the best cycle, or close the range A:B (--loop=A:B), and lock planted feet; the last frame has the pose of the first"""
    repeat: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Play a loop several times, each on from where the last one ended [at least 1]"""
    speed: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Play faster (above 1) or slower (below 1) at the same frame rate [factor, above 0]"""
    duration: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Give the motion another duration, such as 2s [s, above 0]"""
    time_map: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Retime by a CSV with rows 'time in the output, time in the input' [s]; the first increases, the second never decreases"""
    sync: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Retime the motion: its feet come down when those of this motion do"""
    join: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Append a motion: see `mocap join --help`"""
    blend: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Blend with another motion, half and half or by --weight [0 to 1]: see `mocap blend --help`"""
    warp: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Move hands, feet, hips or other joints to the keys in a TOML file: see `mocap warp --help`"""
    ik: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --warp: what brings joints to places: two-bone (the limb), objective or xpbd (the whole body) [default: two-bone; objective where the keys name poses]"""
    fourier: bool
    """Make the best cycle from its Fourier series: see `mocap fourier --help`"""
    harmonics: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --fourier: harmonics that are kept [1 to 128; default: all]"""
    terrain: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Put the feet on steps, RISE,RUN[,COUNT[,FROM]]: see `mocap terrain --help`, which takes height fields and meshes too"""
    fix_feet: bool
    """Lock planted feet: legs are solved anew, the hips follow a little"""
    balance: bool
    """Bring the centre of mass over the soles where the body stands still, and let it fall freely in jumps"""
    turn: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Bend the path: from start to end the motion turns this much more to the left [degrees]"""
    along: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Move the motion along a path: a CSV with rows 'x, y, z' in the unit of the motion"""
    add: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Add a pose (its difference from its rest pose) or a motion (its difference from its first frame)"""
    weight: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --blend: its weight [0 to 1; default 0.5]. After --add: how much of it is added [default: 1]"""
    mask: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --add: its joints: roles, names or globs with commas; NAME/** takes all below [default: all]"""
    add_space: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --add: where it is added. local: relative to the parent of each joint; mesh: in the space of the body, however the parents are turned [default: local]"""
    strip: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Leave joints out: fingers, twist or props; the others stay where they are"""
    mirror: Union[Value, Sequence[Value], Mapping[str, Value], bool]
    """Swap left and right: the motion as a mirror shows it; --mirror=retarget places the feet and hands of a body whose sides differ"""
    in_place: bool
    """Take the root motion out: the body moves in place above the origin and faces forward"""
    extract_root: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Write the root motion as a curve, .csv or .json (a directory with many inputs); the motion stays. Before --in-place it takes the --keep of that"""
    apply_root: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Put a root motion in, as --extract-root wrote it (a directory with many inputs)"""
    root_joint: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Add a joint on the ground that carries the root motion, as engines expect: add"""
    keep: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --in-place, --extract-root or --root-joint: what stays in the body: height, turn, both with a comma, or none [default: height]"""
    heading: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Turn the motion about the up axis: at its start the body faces this axis (Z, -X …)"""
    start_at: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Move the start of the motion above the origin: origin"""
    ground: bool
    """Move the motion up or down: the floor under its feet is at height 0"""
    attach: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Bind a prop to a hand, or a rider to a saddle: PROP@POINT=CHARACTER@JOINT, then ,FROM:TO or ,auto; what is carried already is reached for"""
    hold: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --attach: how it is held: grasped (as it is in the first bound frame) or snap (bind point on bind point) [default: grasped]"""
    blend_time: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --attach: time over which it comes and goes, outside the bound frames [s; default 0.15]"""
    prop: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --attach: a file with the prop, which is put into the scene"""
    prop_unit: Union[Value, Sequence[Value], Mapping[str, Value]]
    """After --attach: unit of the prop's numbers, whatever its file states: m, cm, mm, in, ft, cmu, or a length in metres"""
    detach: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Detach a joint: it and all below it become a tree of their own that moves as before"""
    label_events: bool
    """Write the labels of `mocap label` into the motion as events, such as 'kick,left' where it starts and 'kick,left end' where it ends"""
    fail_above: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Gate: exit code 3 where a figure of an edit exceeds its limit, such as max-deg=4,skate=0.01 [degrees, m or with a unit, m/s]; the clip is not written then. Figures: rms-deg, max-deg, rms, max, skate, contacts-lost, mirror-residual, noise, seam-pose, seam-velocity, deviation, peak-acceleration, transition-skate, unreachable, stride-change, alignment-error, key-error, gaze-error, pose-distance, balance-margin, off-fall, penetration, terrain-penetration"""
    to: Value
    """Output format: bvh, amc (with its .asf beside it), csv (positions), json, npz (numpy arrays), safetensors (tensors), smpl-npz (SMPL, SMPL-H, SMPL-X as in AMASS), glb (glTF 2.0 in one file), gltf (glTF 2.0 as JSON), vrma (VRM animation), fbx, usda (USD as text), livelink-csv (faces), unitree-csv (robots: base and joints, no header), robot-csv (the same with a header), mjlab-npz (robots: mjlab, BeyondMimic), isaac-npz (robots: AMP of Isaac Lab), gmr-npz (robots: GMR), gmr-pkl (GMR's pickle) [default: by the extension of OUT, else that of the input]"""
    euler: Value
    """Rotation order of every joint of a BVH, such as ZXY [default: that of the input]"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    from_: Value
    """Format: bvh, asf, amc, skel, json, npz, safetensors, smpl-npz, c3d, trc, glb, gltf, vrma, fbx, livelink-csv, urdf, mjcf, unitree-csv, robot-csv, mjlab-npz, isaac-npz, gmr-npz, mocz [default: detected]"""
    input_fps: Value
    """Frame rate [frames per second, above 0; default: as stated]"""
    input_unit: Value
    """Unit: m, cm, mm, in, ft, cmu or metres [default: as stated]"""
    input_up: Value
    """Up axis: X, Y, Z, -X, -Y or -Z [default: as stated, else Y]"""
    subject: Value
    """One of several bodies in a file: its name, its number from 1, or all [default: all]"""
    position_channels: Literal["auto", "replace", "add"]
    """BVH position channels: auto, replace or add [default: auto]"""
    asf_units: Literal["auto", "cmu", "spec", "raw"]
    """ASF units: auto, cmu, spec or raw [default: auto]"""
    skeleton: Value
    """Skeleton of AMC inputs [default: an ASF in the same folder]; bones of SMPL inputs [default: mean body]"""
    skeleton_ref: Value
    """File with the skeleton of clips that were compressed with --no-skeleton"""
    repair: bool
    """Interpolate over NaN and infinite values"""
    max_bytes: Value
    """Largest input [bytes, above 0; default: 1GiB]"""
    max_samples: Value
    """Largest motion [frames × joints, above 0; default: 64M]"""
    strict: bool
    """Treat warnings as errors: an input with a warning fails"""
    overwrite: bool
    """Replace existing outputs"""
    skip_existing: bool
    """Skip inputs whose output exists"""
    resume: bool
    """Continue an earlier run: skip clips that its manifest lists as done"""
    manifest: Value
    """Record the run in a file [default with --resume: .mocap-manifest.jsonl]"""
    dry_run: bool
    """Print the plan without reading or writing"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""


class Info(TypedDict, total=False):
    """Options of ``mocap info``."""

    quality: bool
    """Measure motions: floor, foot contacts, foot skate, penetration, jerk, largest step, suspicious frames"""
    fail_above: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Gate: exit code 3 where a figure exceeds its limit or was not measured, such as skate=0.05,findings=0 [m or with a unit, m/s, degrees]; implies --quality. Figures: findings, teleport, jump, turn, flip, stretch, frozen, skate, float, penetration, jerk, step"""
    surface: bool
    """Measure the meshes of characters: vertices, influences, weights, holes, volume, and how far limbs collapse over the motion"""
    poses: Value
    """Measure how far each frame is from example poses, as `mocap poses` writes them: broken captures are far"""
    table: bool
    """Print a table with one line per clip, the worst finding included; the default for directories"""
    blocks: bool
    """Print a block per clip, for directories too"""
    sort: Literal["path", "quality", "frames", "height"]
    """Order of the table: path, quality (the worst first), frames or height (the most first) [default: path]"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    from_: Value
    """Format: bvh, asf, amc, skel, json, npz, safetensors, smpl-npz, c3d, trc, glb, gltf, vrma, fbx, livelink-csv, urdf, mjcf, unitree-csv, robot-csv, mjlab-npz, isaac-npz, gmr-npz, mocz [default: detected]"""
    input_fps: Value
    """Frame rate [frames per second, above 0; default: as stated]"""
    input_up: Value
    """Up axis: X, Y, Z, -X, -Y or -Z [default: as stated, else Y]"""
    subject: Value
    """One of several bodies in a file: its name, its number from 1, or all [default: all]"""
    position_channels: Literal["auto", "replace", "add"]
    """BVH position channels: auto, replace or add [default: auto]"""
    asf_units: Literal["auto", "cmu", "spec", "raw"]
    """ASF units: auto, cmu, spec or raw [default: auto]"""
    skeleton: Value
    """Skeleton of AMC inputs [default: an ASF in the same folder]; bones of SMPL inputs [default: mean body]"""
    skeleton_ref: Value
    """File with the skeleton of clips that were compressed with --no-skeleton"""
    repair: bool
    """Interpolate over NaN and infinite values"""
    max_bytes: Value
    """Largest input [bytes, above 0; default: 1GiB]"""
    max_samples: Value
    """Largest motion [frames × joints, above 0; default: 64M]"""
    strict: bool
    """Treat warnings as errors: an input with a warning fails"""
    input_unit: Value
    """Unit: m, cm, mm, in, ft, cmu or metres [default: as stated]"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""


class Validate(TypedDict, total=False):
    """Options of ``mocap validate``."""

    quality: bool
    """Measure motions: floor, foot contacts, foot skate, penetration, jerk, largest step, suspicious frames"""
    fail_above: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Gate: exit code 3 where a figure exceeds its limit or was not measured, such as skate=0.05,findings=0 [m or with a unit, m/s, degrees]; implies --quality. Figures: findings, teleport, jump, turn, flip, stretch, frozen, skate, float, penetration, jerk, step"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    from_: Value
    """Format: bvh, asf, amc, skel, json, npz, safetensors, smpl-npz, c3d, trc, glb, gltf, vrma, fbx, livelink-csv, urdf, mjcf, unitree-csv, robot-csv, mjlab-npz, isaac-npz, gmr-npz, mocz [default: detected]"""
    input_fps: Value
    """Frame rate [frames per second, above 0; default: as stated]"""
    input_up: Value
    """Up axis: X, Y, Z, -X, -Y or -Z [default: as stated, else Y]"""
    subject: Value
    """One of several bodies in a file: its name, its number from 1, or all [default: all]"""
    position_channels: Literal["auto", "replace", "add"]
    """BVH position channels: auto, replace or add [default: auto]"""
    asf_units: Literal["auto", "cmu", "spec", "raw"]
    """ASF units: auto, cmu, spec or raw [default: auto]"""
    skeleton: Value
    """Skeleton of AMC inputs [default: an ASF in the same folder]; bones of SMPL inputs [default: mean body]"""
    skeleton_ref: Value
    """File with the skeleton of clips that were compressed with --no-skeleton"""
    repair: bool
    """Interpolate over NaN and infinite values"""
    max_bytes: Value
    """Largest input [bytes, above 0; default: 1GiB]"""
    max_samples: Value
    """Largest motion [frames × joints, above 0; default: 64M]"""
    strict: bool
    """Treat warnings as errors: an input with a warning fails"""
    input_unit: Value
    """Unit: m, cm, mm, in, ft, cmu or metres [default: as stated]"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""


class Run(TypedDict, total=False):
    """Options of ``mocap run``."""

    set: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Set a variable of the pipeline; repeatable"""
    force: bool
    """Write results that cannot be right: limbs of two lengths, of another size than the target, or that move against the source"""
    explain: bool
    """Print the steps, settings and outputs of every input, and exit"""
    report: Value
    """Write a report of the run to a folder: totals, failures, distributions and worst clips, with a page per clip that shows input and result"""
    include: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Only files that match a glob; repeatable"""
    exclude: Union[Value, Sequence[Value], Mapping[str, Value]]
    """Skip files that match a glob; repeatable"""
    files_from: Value
    """Read more inputs from a file, one path per line; - for stdin"""
    clip: Value
    """Clip of files with several: its name, its number from 0, or all [default: the first]"""
    jobs: Value
    """Parallel jobs [1 or more; default: number of CPU cores]"""
    shard: Value
    """Process one part of the inputs, such as 1/3"""
    timeout: Value
    """Time limit per input [s, above 0; default: none]"""
    fail_fast: bool
    """Stop at the first input that fails"""
    keep_going: bool
    """Continue with the other inputs after one fails; the default"""
    overwrite: bool
    """Replace existing outputs"""
    skip_existing: bool
    """Skip inputs whose output exists"""
    resume: bool
    """Continue an earlier run: skip clips that its manifest lists as done"""
    manifest: Value
    """Record the run in a file [default with --resume: .mocap-manifest.jsonl]"""
    dry_run: bool
    """Print the plan without reading or writing"""
    out: Value
    """Directory for all outputs; it mirrors the tree of the inputs [default: that of the pipeline]"""
    config: Value
    """File with defaults [default: the nearest mocap.toml]; none: no file"""

# End of options.
