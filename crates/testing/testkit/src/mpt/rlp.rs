//! RLP as a tree, read and written in the simplest way.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rlp {
    String(Vec<u8>),
    List(Vec<Self>),
}

impl Rlp {
    /// Decodes an item; `None` unless the bytes are its unique encoding.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (item, rest) = Self::read(bytes)?;
        (rest.is_empty() && item.encode() == bytes).then_some(item)
    }

    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&first, rest) = bytes.split_first()?;
        let (length, rest) = match first {
            0x00..0x80 => return Some((Self::String(vec![first]), rest)),
            0x80..0xb8 => (usize::from(first - 0x80), rest),
            0xb8..0xc0 => long(rest, first - 0xb7)?,
            0xc0..0xf8 => (usize::from(first - 0xc0), rest),
            0xf8..=0xff => long(rest, first - 0xf7)?,
        };
        let (mut payload, rest) = rest.split_at_checked(length)?;
        if first < 0xc0 {
            return Some((Self::String(payload.to_vec()), rest));
        }
        let mut items = Vec::new();
        while !payload.is_empty() {
            let (item, after) = Self::read(payload)?;
            items.push(item);
            payload = after;
        }
        Some((Self::List(items), rest))
    }

    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::String(string) if matches!(string[..], [0..=0x7f]) => string.clone(),
            Self::String(string) => with_header(0x80, string),
            Self::List(items) => {
                with_header(0xc0, &items.iter().flat_map(Self::encode).collect::<Vec<_>>())
            }
        }
    }
}

fn long(bytes: &[u8], digits: u8) -> Option<(usize, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(digits.into())?;
    let length = digits.iter().fold(0, |length: u64, &digit| length << 8 | u64::from(digit));
    Some((usize::try_from(length).ok()?, rest))
}

fn with_header(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = payload.len();
    let mut encoded = if let Ok(short @ 0..56) = u8::try_from(length) {
        vec![kind + short]
    } else {
        let digits = length.to_be_bytes();
        let zeros = digits.iter().take_while(|&&digit| digit == 0).count();
        let digits = &digits[zeros..];
        [&[kind + 55 + u8::try_from(digits.len()).unwrap()], digits].concat()
    };
    encoded.extend_from_slice(payload);
    encoded
}
