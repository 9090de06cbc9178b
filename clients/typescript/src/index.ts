export { Heldtrue } from "./client.js";
export { HeldtrueError } from "./errors.js";
export type * from "./generated.js";
export { EFFECTS } from "./generated.js";
export type { CallOptions, EventName, EventsOptions, HeldtrueOptions } from "./options.js";
