// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.0;

/// Reads the test's chain at its newest block.
contract ForkTest {
    address private constant HISTORY = 0x0000F90827F1C53a10cb7A02335B175320002935;
    address private constant RICH = 0x7435ed30A8b4AEb0877CEf0c6E8cFFe834eb865f;

    function testState() external view {
        (bool isDone, bytes memory data) = HISTORY.staticcall(abi.encode(0x35));
        require(isDone && abi.decode(data, (bytes32)) == blockhash(0x35), "another parent");
        require(RICH.balance > 1e30, "another balance");
        require(block.number == 0x36, "another block");
    }

    function testWrongState() external view {
        require(RICH.balance == 2, "the balance is not two");
    }
}
