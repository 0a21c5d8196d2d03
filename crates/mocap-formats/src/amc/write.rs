//! Writes AMC text.

use super::{Document, Irregular};
use crate::number;
use std::io::Write;

impl Document {
    /// The text of the file. Reading it gives the values of this document again.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.values.len() * 10);
        for line in &self.header {
            out.extend_from_slice(line.as_bytes());
            out.push(b'\n');
        }
        let width = self.width();
        let mut irregular = self.irregular.iter().peekable();
        for (frame, number) in self.frame_numbers.iter().enumerate() {
            writeln!(out, "{number}").expect("writing to memory does not fail");
            let row = &self.values[frame * width..][..width];
            let mut from = 0;
            for (i, bone) in self.bones.iter().enumerate() {
                let regular = &row[from..from + bone.width];
                from += bone.width;
                let odd = irregular.next_if(|line| line.frame == frame && line.bone == i);
                let values = match odd {
                    Some(Irregular { values: None, .. }) => continue,
                    Some(Irregular { values: Some(values), .. }) => values,
                    None if bone.late => continue,
                    None => regular,
                };
                out.extend_from_slice(bone.name.as_bytes());
                for &value in values {
                    out.push(b' ');
                    number::write(&mut out, value);
                }
                out.push(b'\n');
            }
        }
        out
    }
}
