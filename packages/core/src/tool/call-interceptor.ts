import type { ToolContext } from '../agent/contexts.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { Llm, LlmOptions } from '../model/llm.ts';
import type { LlmRequest } from '../model/llm-request.ts';
import type { LlmResponse } from '../model/llm-response.ts';
import type { Tool } from './tool.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { State } from '../state/state.ts';

const key = Symbol.for('thole.call-interceptor');

/** Handles all calls of models and tools, and the steps of agents. A recorder forwards and records them; a replay returns recorded answers. */
export interface CallInterceptor {
  callModel(p: {
    model: Llm;
    request: LlmRequest;
    options: LlmOptions;
    agentName: string;
    branch: string | undefined;
  }): AsyncIterable<LlmResponse>;
  /** `mustRun` is true for a tool without effects that stores the typed answer of its agent. */
  callTool(p: { tool: Tool; args: JsonObject; toolContext: ToolContext; mustRun: boolean }): Promise<unknown>;
  /** Runs a step of an agent, which is not a step of a tool. `changes` are the changes that the event of the step contains. */
  runStep(
    p: AgentStep & { changes: AgentChanges; run: () => Promise<Json | undefined>; signal: AbortSignal },
  ): Promise<Json | undefined>;
}

/** Changes of state and artifacts that no event contains yet. */
export interface AgentChanges {
  readonly state: State;
  /** Versions of saved artifacts by file name. */
  readonly artifactDelta: { readonly [filename: string]: number };
  addArtifactVersion(filename: string, version: number): void;
}

/** The place of a step of an agent in a run. `path` is the place of the agent, and `n` counts its steps with this name. */
export interface AgentStep {
  readonly agent: string;
  readonly path: string;
  readonly name: string;
  readonly n: number;
}

/** Sets the handler of all calls of models and tools in runs with this runtime. */
export function setCallInterceptor(runtime: Runtime, interceptor: CallInterceptor): void {
  Object.defineProperty(runtime, key, { value: interceptor });
}

/** Returns the handler that `setCallInterceptor` set. Undefined if models and tools are called directly. */
export function callInterceptorOf(runtime: Runtime): CallInterceptor | undefined {
  return (runtime as { [key]?: CallInterceptor })[key];
}
