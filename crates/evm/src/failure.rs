//! Why a call fails, in the words of geth, which libraries read.

use alloc::string::String;
use core::fmt;

use prooflight_core::keccak256;
use prooflight_mpt::Address;
use revm::primitives::U256;

/// Why a call is not executed at all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members are the numbers of the texts")]
pub enum Rejection {
    /// Both `gasPrice` and one of the newer fees are named.
    TwoFeeStyles,
    /// The call is for another chain.
    WrongChain { have: u64, want: u64 },
    /// The tip is above the most that gas may cost.
    TipAboveCap { from: Address, tip: u128, cap: u128 },
    /// The most that gas may cost is below the base fee.
    CapBelowBaseFee { from: Address, cap: u128, base_fee: u64 },
    /// Blobs with code that creates a contract.
    BlobsOfCreate,
    /// No blobs, where there must be some.
    NoBlobs,
    /// More blobs than a transaction may have.
    TooManyBlobs,
    /// The hash of a blob has another version.
    BlobVersion { index: usize },
    /// The most that blob gas may cost is below its base fee.
    BlobCapBelowFee { from: Address, cap: u128, fee: u128 },
    /// Delegations with code that creates a contract.
    AuthorizationsOfCreate { from: Address },
    /// No delegations, where there must be some.
    NoAuthorizations { from: Address },
    /// The sender does not have what the call may cost.
    InsufficientFunds { from: Address, have: U256, want: U256 },
    /// The sender has nothing for gas besides the value.
    NothingForGas,
    /// The gas is below what any such call takes.
    IntrinsicGas { have: u64, want: u64 },
    /// The gas is below what data cost at least.
    FloorGas { have: u64, want: u64 },
    /// The code that creates a contract is too long.
    InitCodeSize { size: usize, limit: usize },
    /// An override moves the precompile of an account that has none.
    NotAPrecompile { address: Address },
    /// An override moves a precompile to an account that is overridden.
    OverriddenTwice { address: Address },
}

impl Rejection {
    /// Whether more gas would help.
    pub(crate) const fn is_too_little_gas(&self) -> bool {
        matches!(self, Self::IntrinsicGas { .. } | Self::FloorGas { .. })
    }

    /// Whether servers find it before they look at gas.
    pub(crate) const fn is_of_arguments(&self) -> bool {
        matches!(
            self,
            Self::TwoFeeStyles
                | Self::WrongChain { .. }
                | Self::NothingForGas
                | Self::NotAPrecompile { .. }
                | Self::OverriddenTwice { .. }
        )
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TwoFeeStyles => {
                f.write_str("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified")
            }
            Self::WrongChain { have, want } => {
                write!(f, "chainId does not match node's (have={have}, want={want})")
            }
            Self::TipAboveCap { from, tip, cap } => write!(
                f,
                "max priority fee per gas higher than max fee per gas: address {}, \
                 maxPriorityFeePerGas: {tip}, maxFeePerGas: {cap}",
                ChecksumAddress(from)
            ),
            Self::CapBelowBaseFee { from, cap, base_fee } => write!(
                f,
                "max fee per gas less than block base fee: address {}, maxFeePerGas: {cap}, \
                 baseFee: {base_fee}",
                ChecksumAddress(from)
            ),
            Self::BlobsOfCreate => f.write_str("blob transaction of type create"),
            Self::NoBlobs => f.write_str("blob transaction missing blob hashes"),
            Self::TooManyBlobs => f.write_str("blob transaction has too many blobs"),
            Self::BlobVersion { index } => write!(f, "blob {index} has invalid hash version"),
            Self::BlobCapBelowFee { from, cap, fee } => write!(
                f,
                "max fee per blob gas less than block blob gas fee: address {} blobGasFeeCap: \
                 {cap}, blobBaseFee: {fee}",
                ChecksumAddress(from)
            ),
            Self::AuthorizationsOfCreate { from } => write!(
                f,
                "EIP-7702 transaction cannot be used to create contract (sender {})",
                ChecksumAddress(from)
            ),
            Self::NoAuthorizations { from } => {
                write!(
                    f,
                    "EIP-7702 transaction with empty auth list (sender {})",
                    ChecksumAddress(from)
                )
            }
            Self::InsufficientFunds { from, have, want } => write!(
                f,
                "insufficient funds for gas * price + value: address {} have {have} want {want}",
                ChecksumAddress(from)
            ),
            Self::NothingForGas => f.write_str("insufficient funds for transfer"),
            Self::IntrinsicGas { have, want } => {
                write!(f, "intrinsic gas too low: have {have}, want {want}")
            }
            Self::FloorGas { have, want } => {
                write!(f, "insufficient gas for floor data gas cost: have {have}, want {want}")
            }
            Self::InitCodeSize { size, limit } => {
                write!(f, "max initcode size exceeded: code size {size} limit {limit}")
            }
            Self::NotAPrecompile { address } => {
                write!(f, "account {} is not a precompile", ChecksumAddress(address))
            }
            Self::OverriddenTwice { address } => {
                write!(f, "account {} is already overridden", ChecksumAddress(address))
            }
        }
    }
}

/// Why an execution ended without a result and without a revert.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the members are the numbers of the texts")]
pub enum Halt {
    /// The gas was used up.
    OutOfGas,
    /// The gas did not suffice to store a new contract's code.
    CodeStorageOutOfGas,
    /// An operand is beyond all gas.
    GasOverflow,
    /// The instruction does not exist.
    InvalidOpcode { opcode: u8 },
    /// A jump to where nothing may jump to.
    InvalidJump,
    /// An instruction found too little on the stack.
    StackUnderflow { have: usize, want: usize },
    /// An instruction found too much on the stack.
    StackOverflow { have: usize, limit: usize },
    /// A read beyond the data that were returned.
    ReturnDataOutOfBounds,
    /// A write in a call that must not write.
    WriteProtection,
    /// A contract was to be created where one is.
    AddressCollision,
    /// A new contract's code is too long.
    CodeSize,
    /// Code that creates a contract is too long.
    InitCodeSize,
    /// A new contract's code begins with ef.
    CodeBeginsWithEf,
    /// A nonce cannot be raised.
    NonceOverflow,
    /// Calls are nested too deep.
    DepthExceeded,
    /// A balance does not suffice for a transfer.
    InsufficientBalance,
    /// A precompile refused its input.
    Precompile { error: String },
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfGas => f.write_str("out of gas"),
            Self::CodeStorageOutOfGas => f.write_str("contract creation code storage out of gas"),
            Self::GasOverflow => f.write_str("gas uint64 overflow"),
            Self::InvalidOpcode { opcode: 0xfe } => f.write_str("invalid opcode: INVALID"),
            Self::InvalidOpcode { opcode } => {
                write!(f, "invalid opcode: opcode {opcode:#x} not defined")
            }
            Self::InvalidJump => f.write_str("invalid jump destination"),
            Self::StackUnderflow { have, want } => write!(f, "stack underflow ({have} <=> {want})"),
            Self::StackOverflow { have, limit } => {
                write!(f, "stack limit reached {have} ({limit})")
            }
            Self::ReturnDataOutOfBounds => f.write_str("return data out of bounds"),
            Self::WriteProtection => f.write_str("write protection"),
            Self::AddressCollision => f.write_str("contract address collision"),
            Self::CodeSize => f.write_str("max code size exceeded"),
            Self::InitCodeSize => f.write_str("max initcode size exceeded"),
            Self::CodeBeginsWithEf => f.write_str("invalid code: must not begin with 0xef"),
            Self::NonceOverflow => f.write_str("nonce uint64 overflow"),
            Self::DepthExceeded => f.write_str("max call depth exceeded"),
            Self::InsufficientBalance => f.write_str("insufficient balance for transfer"),
            Self::Precompile { error } => f.write_str(error),
        }
    }
}

/// An address with the checksum of EIP-55 in the case of its letters.
struct ChecksumAddress<'a>(&'a Address);

impl fmt::Display for ChecksumAddress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 40];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            let hex = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            pair.copy_from_slice(&[hex(byte >> 4), hex(byte & 15)]);
        }
        let hash = keccak256(&[&digits]);
        let nibbles = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        f.write_str("0x")?;
        for (digit, nibble) in digits.into_iter().zip(nibbles) {
            let digit = if nibble >= 8 { digit.to_ascii_uppercase() } else { digit };
            write!(f, "{}", char::from(digit))?;
        }
        Ok(())
    }
}
