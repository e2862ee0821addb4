//! The layers of a chain, their store and proofs.
