import type { ToolContext } from '../agent/contexts.ts';
import type { JsonObject } from '../json/json.ts';
import type { Llm, LlmOptions } from '../model/llm.ts';
import type { LlmRequest } from '../model/llm-request.ts';
import type { LlmResponse } from '../model/llm-response.ts';
import type { Tool } from './tool.ts';
import type { Runtime } from '../runtime/runtime.ts';

const key = Symbol.for('thole.traffic');

/** Receives the calls of models and tools instead of them: a recording passes them on, and a replay answers them. */
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

/** Sets the traffic of all runs with this runtime. */
export function setTraffic(runtime: Runtime, traffic: Traffic): void {
  Object.defineProperty(runtime, key, { value: traffic });
}

/** Returns the traffic of a runtime. Undefined: models and tools are called directly. */
export function trafficOf(runtime: Runtime): Traffic | undefined {
  return (runtime as { [key]?: Traffic })[key];
}
