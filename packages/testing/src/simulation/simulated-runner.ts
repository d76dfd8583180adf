import type { Agent, App, Interrupt, Json, Llm, Runtime, SessionService, TholeError, Tool } from '@thole/core';

/** The classes of `@thole/runner` that a simulation uses. The caller passes them: this package does not import the runner. */
export interface RunnerClasses {
  readonly Runner: new (options: {
    app: App;
    sessionService: SessionService;
    runtime: Runtime;
    concurrency?: { policy: 'join' } | undefined;
  }) => SimulatedRunner;
  readonly LlmAgent: new (options: SimulatedLlmAgentOptions) => Agent;
  readonly SequentialAgent: new (options: { name: string; subAgents: Agent[] }) => Agent;
  readonly ParallelAgent: new (options: { name: string; subAgents: Agent[] }) => Agent;
  readonly LoopAgent: new (options: { name: string; subAgents: Agent[]; maxIterations: number }) => Agent;
  readonly AgentTool: new (options: { agent: Agent; idempotent: boolean }) => Tool;
}

/** The options of an `LlmAgent` that a simulation uses. */
export interface SimulatedLlmAgentOptions {
  name: string;
  description?: string | undefined;
  model: Llm;
  instruction: (context: { userId: string }) => string;
  tools?: Tool[] | undefined;
  subAgents?: Agent[] | undefined;
  outputKey?: string | undefined;
}

/** The methods of a `Runner` that a simulation uses. */
export interface SimulatedRunner {
  runToCompletion(p: { userId: string; sessionId: string; newMessage: string; messageId: string }): Promise<unknown>;
  resume(p: { userId: string; sessionId: string; invocationId?: string; answers?: { [interruptId: string]: Json } }): {
    result: Promise<unknown>;
  };
  pendingInterrupts(p: { userId: string; sessionId: string }): Promise<Interrupt[]>;
  recover(): AsyncIterable<SimulatedRecovery>;
  close(): Promise<void>;
}

/** The result of one recovered invocation. */
export interface SimulatedRecovery {
  outcome: string;
  invocationId: string;
  reason?: string | undefined;
  error?: TholeError | undefined;
}
