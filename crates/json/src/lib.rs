//! The JSON that a node and its tools read and write: bytes and integers, checkpoints, operations, the
//! table of schemes. Specified in `test-vectors/spec`.
//!
//! ```
//! use prooflight_json::{HexBytes, Quantity};
//!
//! assert_eq!(HexBytes(vec![0, 255]).to_string(), "0x00ff");
//! assert_eq!("0xa0".parse(), Ok(Quantity(160)));
//! ```

#![forbid(unsafe_code)]

mod bytes;
pub mod checkpoint;
mod integer;
mod operation;
pub mod reasons;
pub mod schemes;
pub mod strict;
pub mod unique;

pub use bytes::{Address, Hash32, HexBytes};
pub use integer::{Decimal, Quantity, Word};
pub use operation::OperationJson;
