//! A file of lines; each line is appended with a single write.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// A file of complete lines.
pub(super) struct LineFile<F> {
    file: F,
    /// Where the next line starts [bytes].
    end: u64,
    /// Whether a line could not be written; then no further line may follow.
    broken: bool,
}

/// The operations that a file of lines needs.
pub(super) trait Store: Write + Seek {
    /// Cuts the file to a length [bytes].
    fn cut(&self, length: u64) -> io::Result<()>;
}

impl Store for File {
    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

impl<F: Store> LineFile<F> {
    /// The lines of a file, the next one at `end`, where the file stands.
    pub(super) fn new(file: F, end: u64) -> LineFile<F> {
        LineFile { file, end, broken: false }
    }

    /// Appends a complete line, or nothing.
    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.broken {
            return Err(io::Error::other("an earlier line could not be written"));
        }
        match self.file.write_all(line) {
            Ok(()) => self.end += line.len() as u64,
            Err(error) => {
                self.broken = true;
                // Even if this fails, the torn line is the last one of the file.
                let _ = self.file.cut(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
                return Err(error);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// A file on a disk with little room.
    struct Small(Mutex<io::Cursor<Vec<u8>>>, usize);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let cursor = self.0.get_mut().unwrap();
            let room = self.1 - cursor.position() as usize;
            if room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            cursor.write(&bytes[..bytes.len().min(room)])
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Small {
        fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
            self.0.get_mut().unwrap().seek(place)
        }
    }

    impl Store for Small {
        fn cut(&self, length: u64) -> io::Result<()> {
            self.0.lock().unwrap().get_mut().truncate(length as usize);
            Ok(())
        }
    }

    #[test]
    fn no_line_follows_a_torn_one() {
        let file = Small(Mutex::default(), 12);
        let mut writer = LineFile::new(file, 0);
        writer.append(b"whole\n").unwrap();
        assert_eq!(writer.append(b"too long\n").unwrap_err().kind(), io::ErrorKind::StorageFull);
        // This line would fit, but none may follow a line that could not be written.
        writer.append(b"x\n").unwrap_err();
        assert_eq!(writer.file.0.get_mut().unwrap().get_ref(), b"whole\n");
    }
}
