/**
 * The embedded upstream: simulated models for tests, demos and first starts.
 *
 * @module
 */

export type { Simulate, SimulatedUsage } from "./misbehaviour.ts";
export { createSimulator, SIMULATED_MODELS, type SimulatorDeps } from "./simulator.ts";
