import type { JsonObject } from '@thole/core';

/** Version and language of the server. */
export interface ServerVersion {
  version: string;
  /** `typescript` */
  language: string;
  languageVersion: string;
}

/** Description of an app. */
export interface AppInfo {
  name: string;
  rootAgentName: string;
  description: string;
  language: string;
  /** All agents by name. */
  agents: { [name: string]: AgentInfo };
  /** The services of the app in addition to sessions. Undefined with older servers. */
  services?: { memory: boolean; artifacts: boolean } | undefined;
  /** First messages to offer in an empty session. Undefined with older servers. */
  suggestions?: readonly string[] | undefined;
}

/** One agent of an app. */
export interface AgentInfo {
  name: string;
  description: string;
  /** Names of the sub-agents. */
  subAgents: string[];
  /** A toolset is listed by its name. */
  tools: ToolInfo[];
}

/** One tool of an agent. */
export interface ToolInfo {
  name: string;
  description: string;
  /** True if the arguments of a call can be edited in its confirmation. */
  allowEditedArguments?: boolean | undefined;
}

/** The agents of an app as a tree. */
export interface AppGraph {
  name: string;
  rootAgent: AgentGraph;
}

/** An agent with its sub-agents and tools. */
export interface AgentGraph {
  name: string;
  description: string;
  /** Name of the agent's class, such as `LlmAgent`. Undefined for a plain object. */
  type?: string | undefined;
  /** Name of the agent's own model. Undefined if it has none or uses its parent's. */
  model?: string | undefined;
  subAgents: AgentGraph[];
  tools: ToolGraph[];
}

/** A tool, with its agent if it runs one. A toolset is one node. */
export interface ToolGraph {
  name: string;
  description: string;
  agent?: AgentGraph | undefined;
}

/** A graph in Graphviz's language. */
export interface DotGraph {
  dotSrc?: string | undefined;
}

/** A recorded span. Its attributes follow OpenTelemetry's GenAI conventions and ADK. */
export interface TraceSpan {
  name: string;
  span_id: string;
  trace_id: string;
  /** Nanoseconds since the epoch. */
  start_time: number;
  /** Nanoseconds since the epoch. */
  end_time: number;
  attributes: JsonObject;
  /** Undefined or null for the root of a trace. */
  parent_span_id?: string | null | undefined;
}
