export { Runner } from './run/runner.ts';
export type { RunRequest } from './run/runner.ts';
export type { RunnerOptions, RunnerSubject } from './run/runner-options.ts';
export type { Concurrency } from './run/lease.ts';
export type { Run } from './run/run.ts';
export type { Completion } from './run/to-completion.ts';
export { findAgentToRun } from './run/find-agent-to-run.ts';
