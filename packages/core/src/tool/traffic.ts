import type { ToolContext } from '../agent/contexts.ts';
import type { JsonObject } from '../json/json.ts';
import type { Llm, LlmOptions } from '../model/llm.ts';
import type { LlmRequest } from '../model/llm-request.ts';
import type { LlmResponse } from '../model/llm-response.ts';
import type { Tool } from './tool.ts';
import type { Runtime } from '../runtime/runtime.ts';

const key = Symbol.for('thole.traffic');

/** Handles all calls of models and tools. A recorder forwards and records them; a replay returns recorded answers. */
export interface Traffic {
  callModel(p: {
    model: Llm;
    request: LlmRequest;
    options: LlmOptions;
    agentName: string;
    branch: string | undefined;
  }): AsyncIterable<LlmResponse>;
  callTool(p: { tool: Tool; args: JsonObject; toolContext: ToolContext }): Promise<unknown>;
}

/** Sets the handler of all calls of models and tools in runs with this runtime. */
export function setTraffic(runtime: Runtime, traffic: Traffic): void {
  Object.defineProperty(runtime, key, { value: traffic });
}

/** Returns the handler that `setTraffic` set. Undefined if models and tools are called directly. */
export function trafficOf(runtime: Runtime): Traffic | undefined {
  return (runtime as { [key]?: Traffic })[key];
}
