import type { WasmInput } from "./compile.js";

/** What a bundler or runtime makes of the file: a module, bytes or a URL. `init` takes each. */
declare const binary: WasmInput;
export default binary;
