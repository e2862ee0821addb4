import type { Authentication } from "./authentication.js";
import type { Servers } from "./servers.js";
import type { Trust } from "./trust.js";

/** The parts of a client that questions use. */
export interface AskingClient {
  servers: Servers;
  trust: Trust;
  authentication: Authentication;
}
