//! Whole numbers, floats and text as bytes, little endian.

/// Appends a whole number, seven bits a byte, the lowest first.
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Largest number of decimals for which a float is tried as a decimal number.
const DECIMALS: u32 = 12;

/// Powers of ten up to that one, all exact.
const TENS: [f64; 13] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12];

/// Appends a float that reads back exactly: as a decimal number if it has few digits, as values read from text
/// have.
pub(crate) fn put_float(bytes: &mut Vec<u8>, value: f64) {
    if value.to_bits() == 0 {
        return bytes.push(0);
    }
    for decimals in 0..=DECIMALS {
        let unit = TENS[decimals as usize];
        let whole = (value * unit).round();
        if whole.abs() < 9e15 && whole != 0.0 && (whole / unit).to_bits() == value.to_bits() {
            bytes.push(1 + decimals as u8);
            let whole = whole as i64;
            return put_number(bytes, (whole << 1 ^ whole >> 63) as u64);
        }
    }
    bytes.push(0xFF);
    bytes.extend(value.to_le_bytes());
}

/// Ends a text: no byte of UTF-8.
pub(crate) const TEXT_END: u8 = 0xFF;

/// Appends text.
pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend(text.as_bytes());
    bytes.push(TEXT_END);
}

/// Bytes without the expected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Where.
    pub(crate) at: usize,
    /// What was expected there.
    pub(crate) expected: &'static str,
}

/// Reads the output of the functions above.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes, at: 0 }
    }

    pub(crate) fn fail<T>(&self, expected: &'static str) -> Result<T, Malformed> {
        Err(Malformed { at: self.at, expected })
    }

    pub(crate) fn rest(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(crate) fn take(&mut self, count: usize, expected: &'static str) -> Result<&'a [u8], Malformed> {
        match self.bytes.get(self.at..).and_then(|rest| rest.get(..count)) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => self.fail(expected),
        }
    }

    pub(crate) fn byte(&mut self, expected: &'static str) -> Result<u8, Malformed> {
        Ok(self.take(1, expected)?[0])
    }

    pub(crate) fn array<const N: usize>(&mut self, expected: &'static str) -> Result<[u8; N], Malformed> {
        let bytes = self.take(N, expected)?;
        Ok(bytes.try_into().expect("as many as were taken"))
    }

    /// A whole number below a bound.
    pub(crate) fn number(&mut self, below: u64, expected: &'static str) -> Result<u64, Malformed> {
        let start = self.at;
        let mut value = 0u64;
        for shift in (0..63).step_by(7) {
            let byte = self.byte(expected)?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return if value < below { Ok(value) } else { Err(Malformed { at: start, expected }) };
            }
        }
        Err(Malformed { at: start, expected })
    }

    /// A finite float.
    pub(crate) fn float(&mut self, expected: &'static str) -> Result<f64, Malformed> {
        let start = self.at;
        let value = match self.byte(expected)? {
            0 => 0.0,
            0xFF => f64::from_le_bytes(self.array(expected)?),
            tag if u32::from(tag) <= DECIMALS + 1 => {
                let code = self.number(1 << 55, expected)?;
                let whole = (code >> 1) as i64 ^ -((code & 1) as i64);
                whole as f64 / TENS[usize::from(tag) - 1]
            }
            _ => f64::NAN,
        };
        if value.is_finite() { Ok(value) } else { Err(Malformed { at: start, expected }) }
    }

    pub(crate) fn text(&mut self, expected: &'static str) -> Result<String, Malformed> {
        let start = self.at;
        let Some(length) = self.bytes[start..].iter().position(|byte| *byte == TEXT_END) else {
            return self.fail(expected);
        };
        let bytes = self.take(length, expected)?;
        self.at += 1;
        String::from_utf8(bytes.to_vec()).map_err(|_| Malformed { at: start, expected })
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    #[test]
    fn floats_read_back_to_the_bit() {
        let values = [
            0.0,
            -0.0,
            1.0,
            -47.66634,
            105.214241,
            1e-6,
            1e300,
            -1.0 / 3.0,
            5e-324,
            0.1 + 0.2,
            1e15,
            123456789.5,
        ];
        let mut bytes = Vec::new();
        for value in values {
            put_float(&mut bytes, value);
        }
        let mut reader = Reader::new(&bytes);
        for value in values {
            assert_eq!(reader.float("a float").unwrap().to_bits(), value.to_bits(), "{value}");
        }
        assert_eq!(reader.rest(), 0);
        // Six digits of a decimal number take four bytes.
        let mut bytes = Vec::new();
        put_float(&mut bytes, -0.325811);
        assert_eq!(bytes.len(), 4);
    }

    #[test]
    fn numbers_and_text_read_back() {
        let mut bytes = Vec::new();
        for value in [0, 1, 127, 128, 300, 1 << 40] {
            put_number(&mut bytes, value);
        }
        put_text(&mut bytes, "Hüfte");
        let mut reader = Reader::new(&bytes);
        for value in [0, 1, 127, 128, 300, 1 << 40] {
            assert_eq!(reader.number(1 << 50, "a number"), Ok(value));
        }
        assert_eq!(reader.text("a name").unwrap(), "Hüfte");
        assert_eq!(reader.number(5, "more"), Err(Malformed { at: bytes.len(), expected: "more" }));
    }
}
