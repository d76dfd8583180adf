export { runCrashMatrix, runTripWithoutCrash } from './crash-matrix.ts';
export type { CrashResult, SimulationSetup } from './crash-matrix.ts';
export { simulateCrashes } from './simulate-crashes.ts';
export type { SimulationResult } from './simulate-crashes.ts';
export { simulateJoinedMessages } from './simulate-joined-messages.ts';
export type { JoinedMessagesResult } from './simulate-joined-messages.ts';
export type {
  RunnerClasses,
  SimulatedLlmAgentOptions,
  SimulatedRecovery,
  SimulatedRunner,
} from './simulated-runner.ts';
export { createTripApp } from './trip-app.ts';
export type { Gate } from './trip-app.ts';
export { driveTrip } from './drive-trip.ts';
export type { DrivenTrip } from './drive-trip.ts';
export { SimulatedProcess } from './simulated-process.ts';
export type { Fate } from './simulated-process.ts';
export { SimulatedWorld } from './simulated-world.ts';
export { violationsOf } from './trip-outcome.ts';
