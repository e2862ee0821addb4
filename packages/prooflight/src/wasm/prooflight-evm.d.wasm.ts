import type { WasmInput } from "./compile.js";

/** The form in which a bundler or runtime provides the file: a module, bytes or a URL. `init` takes each. */
declare const binary: WasmInput;
export default binary;
