export { Holdfast } from "./client.js";
export { HoldfastError } from "./errors.js";
export type * from "./generated.js";
export { EFFECTS } from "./generated.js";
export type { CallOptions, EventName, EventsOptions, HoldfastOptions } from "./options.js";
