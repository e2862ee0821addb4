import type { Absent, Present } from "../result.js";
import type { Reader } from "../wire.js";

/** Reads an `Answer`. */
export function readAnswer(reader: Reader): Present | Absent {
  switch (reader.u8()) {
    case 0: {
      const since = reader.u64();
      return { kind: "present", value: reader.bytes(), since };
    }
    case 1:
      return { kind: "absent", deletedAt: reader.u64() };
    default:
      return { kind: "absent" };
  }
}
