//! Numbers of the three processors that C3D files come from.

/// The processor whose numbers a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// Little-endian, IEEE floats.
    Intel,
    /// Little-endian integers, VAX F floats.
    Dec,
    /// Big-endian, IEEE floats.
    Mips,
}

impl Processor {
    /// The processor of the number in a file.
    pub(super) fn of(byte: u8) -> Option<Processor> {
        match byte {
            84 => Some(Processor::Intel),
            85 => Some(Processor::Dec),
            86 => Some(Processor::Mips),
            _ => None,
        }
    }

    /// An integer of two bytes.
    pub(super) fn word(self, bytes: [u8; 2]) -> u16 {
        match self {
            Processor::Intel | Processor::Dec => u16::from_le_bytes(bytes),
            Processor::Mips => u16::from_be_bytes(bytes),
        }
    }

    /// A float of four bytes.
    ///
    /// A VAX F float has its two words swapped, and its exponent is greater by two than that of IEEE; an exponent of
    /// zero is zero. Based on: Digital Equipment Corporation, "VAX Architecture Reference Manual", 1987.
    pub(super) fn float(self, bytes: [u8; 4]) -> f32 {
        match self {
            Processor::Intel => f32::from_le_bytes(bytes),
            Processor::Mips => f32::from_be_bytes(bytes),
            Processor::Dec => {
                let [a, b, c, d] = bytes;
                let bits = u32::from_le_bytes([c, d, a, b]);
                let exponent = bits >> 23 & 0xFF;
                if exponent == 0 {
                    return 0.0;
                }
                // VAX floats have no infinities or NaN: the highest exponent is a number too, which fits in 64 bits.
                let fraction = 1.0 + f64::from(bits & 0x7F_FFFF) / f64::from(1 << 23);
                let size = fraction * 2f64.powi(exponent as i32 - 129);
                (if bits >> 31 == 1 { -size } else { size }) as f32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one_on_every_processor() {
        assert_eq!(Processor::Intel.float([0x00, 0x00, 0x80, 0x3F]), 1.0);
        assert_eq!(Processor::Mips.float([0x3F, 0x80, 0x00, 0x00]), 1.0);
        // VAX: 0x4080 in the first word.
        assert_eq!(Processor::Dec.float([0x80, 0x40, 0x00, 0x00]), 1.0);
        assert_eq!(Processor::Dec.float([0x80, 0xC0, 0x00, 0x00]), -1.0);
        assert_eq!(Processor::Dec.float([0; 4]), 0.0);
        assert_eq!([Processor::Dec.word([1, 2]), Processor::Mips.word([1, 2])], [0x0201, 0x0102]);
    }
}
