import { refuse, VerifyError } from "../error.js";
import { REASONS, type Reason, VERSION } from "../registry.js";
import type { Scheme } from "../schemes.js";
import {
  compile,
  compileSync,
  POLICY_SOURCE,
  requireFeatures,
  unavailable,
  type WasmInput,
} from "./compile.js";

/** The functions that wasm-bindgen generates for every binary. */
export interface Glue {
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
  version(): string;
}

interface GlueExports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  __wbindgen_start(): void;
}

/**
 * A wasm binary with its glue. Loads it, calls it, and replaces the instance after a trap.
 *
 * There is one instance at a time, since the glue keeps it in a variable.
 */
export class Binary<G extends Glue> {
  readonly #file: string;
  readonly #glue: G;
  readonly #imports: WebAssembly.Imports;
  readonly #locate: () => URL;
  readonly #remedy: string;
  #provided: (() => WasmInput | Promise<WasmInput>) | undefined;
  #module: WebAssembly.Module | undefined;
  #loading: Promise<void> | undefined;
  #inGlue: GlueExports | undefined;
  #ready = false;
  #lost = 0;

  /**
   * `locate` returns the file's URL. The caller must write it out, so that bundlers find it. `entries` names the
   * entries of the package that embed the binary.
   */
  constructor(
    file: string,
    glueFile: string,
    glue: G,
    locate: () => URL,
    entries = "prooflight/inline",
  ) {
    this.#file = file;
    this.#glue = glue;
    this.#imports = { [`./${glueFile}`]: glue as unknown as WebAssembly.ModuleImports };
    this.#locate = locate;
    this.#remedy = `import ${entries}, or give init() the file's URL or bytes`;
  }

  /** Sets what `init` loads without input, instead of the file: a module, or bytes within the program. */
  provide(binary: () => WasmInput | Promise<WasmInput>): void {
    this.#provided = binary;
  }

  /** Loads the binary, unless it is loaded or being loaded. May be repeated after a failure. */
  init(input?: WasmInput): Promise<void> {
    if (this.#ready) return Promise.resolve();
    this.#loading ??= this.#load(input).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Loads the binary synchronously, from a module or bytes. */
  initSync(input: WebAssembly.Module | BufferSource): void {
    if (this.#ready) return;
    requireFeatures();
    const module = compileSync(input);
    this.#start(module, () => new WebAssembly.Instance(module, this.#imports));
  }

  /**
   * Calls into the binary; `run` must do nothing else.
   *
   * Throws a refusal as a `VerifyError`. After anything else, such as a trap or a stack overflow, the instance's
   * memory is in an unknown state: a new instance replaces it, and the call throws `internal`.
   */
  call<T>(scheme: Scheme | undefined, run: (glue: G) => T): T {
    if (!this.#ready) {
      const expected = `\`await init()\` or \`initSync(module)\` for ${this.#file} first`;
      throw refuse("not_initialised", expected, "a call before it", { scheme });
    }
    try {
      return run(this.#glue);
    } catch (thrown) {
      if (isRefusal(thrown)) {
        const [reason, scheme, expected, found] = thrown;
        throw refuse(reason, expected, found, { scheme });
      }
      this.#restart();
      throw refuse("trapped", "a call that returns", String(thrown), { scheme, cause: thrown });
    }
  }

  /** The number of instances that were replaced so far. Data in their memory is lost. */
  get lost(): number {
    return this.#lost;
  }

  async #load(input: WasmInput | undefined): Promise<void> {
    requireFeatures();
    const module = this.#module ?? (await (input === undefined ? this.#own() : compile(input)));
    let instance: WebAssembly.Instance;
    try {
      instance = await WebAssembly.instantiate(module, this.#imports);
    } catch (cause) {
      throw this.#wrong(cause);
    }
    // initSync may have loaded it meanwhile.
    if (!this.#ready) this.#start(module, () => instance);
  }

  /** Compiles the provided binary, otherwise the file beside the program. */
  async #own(): Promise<WebAssembly.Module> {
    if (this.#provided) return compile(await this.#provided());
    let url: URL;
    try {
      url = this.#locate();
    } catch (cause) {
      // A bundle in one script has no import.meta.url.
      throw unavailable(this.#file, `no URL of this program; ${this.#remedy}`, cause);
    }
    try {
      return await compile(url);
    } catch (error) {
      if (!(error instanceof VerifyError) || error.reason !== "wasm_unavailable") throw error;
      const { found } = error.details;
      // If a policy forbids WebAssembly, another location of the binary does not help.
      const remedy = found.includes(POLICY_SOURCE) ? "" : `; ${this.#remedy}`;
      throw unavailable(String(url), `${found}${remedy}`, error.cause);
    }
  }

  #restart(): void {
    this.#lost += 1;
    this.#ready = false;
    const module = this.#module;
    if (!module) return;
    try {
      this.#start(module, () => new WebAssembly.Instance(module, this.#imports));
    } catch {
      // Some browsers refuse synchronous instantiation on a page's main thread. Calls then throw
      // `not_initialised` until `init`, which still has the module, has been awaited again.
    }
  }

  #start(module: WebAssembly.Module, instantiate: () => WebAssembly.Instance): void {
    let version: string;
    try {
      const exports = instantiate().exports as GlueExports;
      if (!(exports.memory instanceof WebAssembly.Memory)) throw new TypeError("another program");
      // The glue caches views of the old memory until their buffer is detached, which growing by
      // 0 pages does.
      this.#inGlue?.memory.grow(0);
      this.#glue.__wbg_set_wasm(exports);
      this.#inGlue = exports;
      exports.__wbindgen_start();
      version = this.#glue.version();
    } catch (cause) {
      throw this.#wrong(cause);
    }
    if (version !== VERSION) throw unavailable(`${this.#file} ${VERSION}`, `version ${version}`);
    this.#module = module;
    this.#ready = true;
  }

  #wrong(cause: unknown): VerifyError {
    return unavailable(`${this.#file} ${VERSION}`, String(cause), cause);
  }
}

/** A refusal of `bindings/wasm/src/refusal.rs`. */
type ThrownRefusal = [reason: Reason, scheme: Scheme | undefined, expected: string, found: string];

const isRefusal = (thrown: unknown): thrown is ThrownRefusal =>
  Array.isArray(thrown) && Object.hasOwn(REASONS, thrown[0] as string);
