//! Bytes in error messages.

use core::fmt;

/// Formats bytes as 0x-hex, cut after 40 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        for byte in self.0.iter().take(40) {
            write!(f, "{byte:02x}")?;
        }
        if self.0.len() > 40 {
            f.write_str("…")?;
        }
        Ok(())
    }
}
