#![allow(clippy::print_stdout, reason = "x")]
#[path = "../tests/motion/mod.rs"]
mod motion;
use mocap_compress::{CompressOptions, Profile, compress};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
const NAMED: [&str; 9] = [
    "iclone/001_14.bvh","iclone/002_01.bvh","iclone/002_05.bvh","iclone/005_10.bvh","iclone/007_12.bvh",
    "bandai/dataset-1_dance-short_normal_001.bvh","bandai/dataset-1_kick_normal_001.bvh","bandai/dataset-1_walk_normal_001.bvh","misc/xia_neutral_01.bvh"];
fn main() {
    let mut tols: Vec<f64> = Vec::new();
    let mut profile = Profile::Archive;
    let mut each = false;
    for a in std::env::args().skip(1) {
        if let Ok(p) = a.parse() { profile = p; continue; }
        if let Ok(v) = a.parse::<f64>() { tols.push(v) } else { each = true; }
    }
    let root = mocap_corpus::find().expect("corpus");
    let mut files = motion::files::files(&root);
    files.sort_by_key(|f| std::cmp::Reverse(std::fs::metadata(&f.path).map_or(0, |m| m.len())));
    for tol in tols {
        let next = AtomicUsize::new(0);
        let rows = Mutex::new(Vec::new());
        let spent = Mutex::new(0.0);
        let start = std::time::Instant::now();
        std::thread::scope(|s| for _ in 0..2 { s.spawn(|| loop {
            let i = next.fetch_add(1, SeqCst);
            let Some(f) = files.get(i) else { break };
            let clip = f.clip();
            let o = CompressOptions { profile, tolerance: tol, ..CompressOptions::default() };
            let t = std::time::Instant::now();
            let d = compress(&clip, &o);
            *spent.lock().unwrap() += t.elapsed().as_secs_f64();
            if let Ok(d) = d {
                rows.lock().unwrap().push((f.name.clone(), d.report.raw_bytes as f64, d.bytes.len() as f64));
            }
        }); });
        let mut rows = rows.into_inner().unwrap();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        if each { for (n, r, b) in &rows { println!("{n} {r} {b} {:.2}", r / b); } }
        let mut line = format!("{tol}: ");
        let mut add = |name: &str, f: &dyn Fn(&str) -> bool| {
            let (mut r, mut b, mut lg, mut n) = (0.0, 0.0, 0.0, 0.0);
            for row in rows.iter().filter(|row| f(&row.0)) { r += row.1; b += row.2; lg += (row.1/row.2).ln(); n += 1.0; }
            line += &format!("{name} {:.2} (g {:.2}) ", r / b, f64::exp(lg / n));
        };
        add("nine", &|n| NAMED.contains(&n));
        for g in ["iclone", "bandai", "cmu", "misc/xia", "misc", "characters"] { add(g, &|n| n.starts_with(g)); }
        add("all", &|_| true);
        let raw: f64 = rows.iter().map(|r| r.1).sum(); println!("{line} {:.1}s {:.1} MB/s", start.elapsed().as_secs_f64(), raw / 1e6 / *spent.lock().unwrap());
    }

}
