//! A file with a state: a key and a value in each line.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use prooflight_core::chain::{ChainConfig, StateOperation};
use prooflight_core::{Error, Reason, Result};
use prooflight_node::chain::normalise::{check, check_all};
use prooflight_node::replication::backup::StateLine;

use super::exit::file_error;

/// Parses a line, as the operation that sets the key.
pub(super) fn parse_line(line: &str, number: u64, config: &ChainConfig) -> Result<StateOperation> {
    let StateLine { key, value } = serde_json::from_str(line).map_err(|error| {
        let expected = format_args!("a key and a value in line {number}");
        Error::new(Reason::InvalidArgument, expected, error)
    })?;
    let operation = StateOperation::Set { key: key.0, value: value.0 };
    check(&operation, config)?;
    Ok(operation)
}

/// Reads an exported state, as the operations of one block.
pub(super) fn read_block(path: &Path, config: &ChainConfig) -> Result<Vec<StateOperation>> {
    let file = File::open(path).map_err(|error| file_error(path, &error))?;
    let lines = BufReader::new(file).lines().zip(1_u64..);
    let operations = lines.map(|(line, number)| {
        parse_line(&line.map_err(|error| file_error(path, &error))?, number, config)
    });
    let operations = operations.collect::<Result<Vec<_>>>()?;
    check_all(&operations, config)?;
    Ok(operations)
}
