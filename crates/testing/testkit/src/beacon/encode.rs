//! SSZ containers: fixed parts in order, then the variable ones.

/// A container under construction.
#[derive(Default)]
#[must_use]
pub struct SszContainer {
    parts: Vec<(bool, Vec<u8>)>,
}

impl SszContainer {
    /// Adds a part of fixed length.
    pub fn fixed(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.parts.push((false, bytes.as_ref().to_vec()));
        self
    }

    /// Adds a part of variable length if `variable`, otherwise of fixed length.
    pub fn part(mut self, variable: bool, bytes: &[u8]) -> Self {
        self.parts.push((variable, bytes.to_vec()));
        self
    }

    pub fn ssz(self) -> Vec<u8> {
        let length = |(variable, bytes): &(bool, Vec<u8>)| if *variable { 4 } else { bytes.len() };
        let mut offset: usize = self.parts.iter().map(length).sum();
        let (mut fixed, mut tail) = (Vec::new(), Vec::new());
        for (variable, bytes) in self.parts {
            if variable {
                fixed.extend(u32::try_from(offset).unwrap().to_le_bytes());
                offset += bytes.len();
                tail.extend(bytes);
            } else {
                fixed.extend(bytes);
            }
        }
        fixed.extend(tail);
        fixed
    }
}
