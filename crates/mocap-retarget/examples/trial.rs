use mocap_formats::{ReadOptions, WriteOptions, Limits};
use mocap_retarget::*;
use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let out = &args[1];
    let bodies: Vec<&String> = args.iter().skip(2).filter(|a| a.ends_with(".glb")).collect();
    let clips: Vec<&String> = args.iter().skip(2).filter(|a| a.ends_with(".bvh")).collect();
    let ro = ReadOptions::default();
    for b in bodies {
        let bytes = std::fs::read(b).unwrap();
        let doc = mocap_formats::read(&bytes, &ro).map_err(|_| "x").unwrap().value;
        let skel = match doc.to_clip(&ro) { Ok(c) => c.value.skeleton().as_ref().clone(), Err(_) => doc.to_skeleton(&ro).map_err(|_| "y").unwrap().value };
        let body = doc.body(&Limits::default()).unwrap().unwrap().value.on(&skel);
        let roles = map_roles(&skel);
        let t = Instant::now();
        let surface = TargetSurface::new(&body, &skel, &roles).unwrap();
        let prep = t.elapsed();
        for c in &clips {
            let bytes = std::fs::read(c).unwrap();
            let d = mocap_formats::read(&bytes, &ro).map_err(|_| "x").unwrap().value;
            let clip = d.to_clip(&ro).map_err(|_| "z").unwrap().value;
            let (lead, rest) = rest_pose_of(&clip, RestChoice::Auto, false).unwrap();
            let _ = lead;
            let base = RetargetOptions { source_roles: Some(map_roles_in(&clip)), target_roles: Some(roles.clone()), source_rest: rest, ..Default::default() };
            let name = |p: &str| std::path::Path::new(p).file_stem().unwrap().to_string_lossy().into_owned();
            let t = Instant::now();
            let (off, roff) = Retargeter::new(clip.skeleton(), &skel, &base).unwrap().retarget(&clip).unwrap();
            let toff = t.elapsed();
            let m = surface.measure(&off, roff.metres[1]).unwrap();
            let with = RetargetOptions { surface: Some(surface.clone()), ..base.clone() };
            let r = Retargeter::new(clip.skeleton(), &skel, &with).unwrap();
            let t = Instant::now();
            let (on, ron) = r.retarget(&clip).unwrap();
            let ton = t.elapsed();
            let n = ron.surface.clone().unwrap();
            println!("{:28} {:12} {:5}f prep {:4.0}ms off {:5.0} on {:6.0} ms | inside {:5.2} -> {:5.2} deep {:3.0} -> {:3.0} deepest {:4.1} -> {:4.1} cm | step {:4.1} -> {:4.1} jerk {:.2} -> {:.2}",
                name(c), name(b), on.frames(), prep.as_secs_f64()*1e3, toff.as_secs_f64()*1e3, ton.as_secs_f64()*1e3, m.inside*100., n.inside*100., m.deep_frames*100., n.deep_frames*100., m.deepest*100., n.deepest*100.,
                roff.largest_step.excess, ron.largest_step.excess, roff.jerk_ratio.unwrap_or(0.), ron.jerk_ratio.unwrap_or(0.));
            for (what, clip) in [("off", off), ("on", on)] {
                let e = mocap_formats::write_kept(Some(&*doc), &[clip], mocap_formats::Format::Glb, &WriteOptions::default()).map_err(|_| "w").unwrap();
                std::fs::write(format!("{out}/{}.{}.{what}.glb", name(c), name(b)), e.main.into_bytes()).unwrap();
            }
        }
    }
}
