import type { JsonObject } from '@thole/core';

/** What the server is. */
export interface ServerVersion {
  version: string;
  /** `typescript` */
  language: string;
  languageVersion: string;
}

/** An app in short. */
export interface AppInfo {
  name: string;
  rootAgentName: string;
  description: string;
  language: string;
  /** By name, every agent of the tree. */
  agents: { [name: string]: AgentInfo };
  /** What the app has besides sessions; absent from servers that do not tell. */
  services?: { memory: boolean; artifacts: boolean } | undefined;
  /** First messages to offer in an empty session; absent from older servers. */
  suggestions?: readonly string[] | undefined;
}

/** One agent of an app. */
export interface AgentInfo {
  name: string;
  description: string;
  /** Names of the agents below it. */
  subAgents: string[];
  /** Toolsets are named, not opened. */
  tools: { name: string; description: string }[];
}

/** An app's agents as a tree. */
export interface AppGraph {
  name: string;
  rootAgent: AgentGraph;
}

/** An agent with what hangs on it. */
export interface AgentGraph {
  name: string;
  description: string;
  /** `LlmAgent`, `LoopAgent` …; absent for an agent that is of no class. */
  type?: string | undefined;
  /** Name of the agent's own model; absent if it uses that of an agent above, or none. */
  model?: string | undefined;
  subAgents: AgentGraph[];
  tools: ToolGraph[];
}

/** A tool; one that runs an agent shows it. Toolsets are not opened. */
export interface ToolGraph {
  name: string;
  description: string;
  agent?: AgentGraph | undefined;
}

/** A drawing in Graphviz's language; absent where there is nothing to draw. */
export interface DotGraph {
  dotSrc?: string | undefined;
}

/** A piece of work that was recorded. Attributes are those of OpenTelemetry's GenAI conventions and ADK's. */
export interface TraceSpan {
  name: string;
  span_id: string;
  trace_id: string;
  /** Nanoseconds since the epoch. */
  start_time: number;
  /** Nanoseconds since the epoch. */
  end_time: number;
  attributes: JsonObject;
  /** Absent or null in the root of a trace. */
  parent_span_id?: string | null | undefined;
}
