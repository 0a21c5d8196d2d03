use mocap_ik::*;
use mocap_model::{Isometry3, Vector3, exp};
use std::f64::consts::TAU;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    for method in Method::ALL {
        for joints in [2, 3, 7] {
            if args.len() > 1 && (method.name() != args[1] || joints != args[2].parse::<usize>().unwrap()) {
                continue;
            }
            if method == Method::TwoBone && joints != 2 {
                continue;
            }
            let bone = Vector3::new(0.0, -1.0 / joints as f64, 0.0);
            let links = (0..joints).map(|i| Link {
                offset: if i == 0 { Vector3::zeros() } else { bone },
                rotation: exp(&Vector3::new(if i == 0 { -0.4 } else { 0.8 / joints as f64 }, 0.0, 0.0)),
                constraint: Constraint::free(),
            });
            let mut c = Chain::serial(Isometry3::identity(), links.collect(), bone).unwrap();
            let mut h = [0; 12];
            let mut far = 0.0f64;
            let mut pos = 0.0;
            let mut big = 0.0f64;
            for i in 0..4096 {
                let t = TAU * i as f64 / 1024.0;
                let g = Vector3::new(
                    0.3 * (4.0 * t).sin(),
                    -0.75 + 0.08 * (6.0 * t).cos(),
                    0.3 * (5.0 * t).cos(),
                );
                far = far.max(g.norm());
                let before = c.rotations().to_vec();
                let o = Method::solve(&method, &mut c, &[Goal::at(g)], &Options::default()).unwrap();
                h[(o.iterations as usize).min(11)] += 1;
                pos += o.position;
                if i > 10 {
                    for (a, b) in before.iter().zip(c.rotations()) {
                        big = big.max(a.angle_to(b));
                    }
                }
            }
            println!(
                "{method} {joints} {h:?} far {far:.3} mean residual {:.1e} largest step {big:.3}",
                pos / 4096.0
            );
        }
    }
}
