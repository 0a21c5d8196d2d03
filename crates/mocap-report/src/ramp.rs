//! Colours for a number from 0 to 1, from deep blue over green to red, growing lighter towards the middle;
//! the page has the same ones.

/// The least error at the end of a colour scale \[m\]: rounding is not shown as if it were a large error.
pub(crate) const FLOOR: f64 = 1e-4;

const STOPS: [[u8; 3]; 5] = [[52, 92, 170], [38, 150, 165], [120, 180, 80], [235, 180, 40], [215, 60, 45]];

/// Red, green, blue; numbers outside 0 to 1 have the colours of the ends.
pub(crate) fn ramp(share: f64) -> u32 {
    let at = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let stop = (at as usize).min(STOPS.len() - 2);
    let rest = at - stop as f64;
    (0..3).fold(0, |rgb, i| {
        let [from, to] = [stop, stop + 1].map(|stop| f64::from(STOPS[stop][i]));
        (rgb << 8) | (from + (to - from) * rest).round() as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_the_first_and_last_stop_and_the_page_has_the_same_stops() {
        assert_eq!([-1.0, 0.0, 1.0, 2.0].map(ramp), [0x345caa, 0x345caa, 0xd73c2d, 0xd73c2d]);
        let script = include_str!("page/colour.js");
        let stops: Vec<String> = STOPS.iter().map(|[r, g, b]| format!("[{r}, {g}, {b}]")).collect();
        assert!(script.contains(&format!("RAMP = [{}]", stops.join(", "))));
    }
}
