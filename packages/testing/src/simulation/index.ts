export { runCrashMatrix } from './crash-matrix.ts';
export type { CrashResult, SimulationSetup } from './crash-matrix.ts';
export { simulateCrashes } from './simulate-crashes.ts';
export type { SimulationResult } from './simulate-crashes.ts';
export type {
  RunnerClasses,
  SimulatedLlmAgentOptions,
  SimulatedRecovery,
  SimulatedRunner,
} from './simulated-runner.ts';
