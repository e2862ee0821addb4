import "prooflight/inline";
import "./main.js";
