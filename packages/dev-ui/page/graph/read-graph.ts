import type { AppGraph, AppInfo } from '@thole/client';
import type { Json, JsonObject } from '@thole/core';

/** An agent or a tool, and its children. */
export interface GraphNode {
  /** Path of names from the root: a node at two places has two ids. */
  id: string;
  kind: 'agent' | 'tool' | 'model';
  name: string;
  /** `LlmAgent`, `LoopAgent` …, if known. */
  type: string | undefined;
  description: string | undefined;
  children: GraphNode[];
}

/**
 * Returns the structure of an app, agents before tools. Undefined if the data has no agents. Accepts the tree of the
 * graph route, and an app's info, in which agents are in one list and refer to sub-agents by name.
 */
export function readGraph(graph: AppGraph | AppInfo | JsonObject): GraphNode | undefined {
  const { rootAgent, root_agent, rootAgentName, agents } = graph as JsonObject;
  const root = rootAgent ?? root_agent;
  if (isObject(root)) return readAgent(root, { parent: '', depth: 0, byName: {} });
  const byName = isObject(agents) ? agents : {};
  const infoRoot = typeof rootAgentName === 'string' ? byName[rootAgentName] : undefined;
  return isObject(infoRoot) ? readAgent(infoRoot, { parent: '', depth: 0, byName }) : undefined;
}

/** Returns the number of agents and tools. */
export function countNodes(node: GraphNode): { agents: number; tools: number } {
  const counts = { agents: node.kind === 'agent' ? 1 : 0, tools: node.kind === 'tool' ? 1 : 0 };
  for (const child of node.children) {
    const { agents, tools } = countNodes(child);
    counts.agents += agents;
    counts.tools += tools;
  }
  return counts;
}

/** Returns the label of a node: `LLM agent`, `Loop agent`, `Tool`, `Agent tool`, `Model`. */
export function typeLabel({ kind, type, children }: GraphNode): string {
  if (kind === 'model') return 'Model';
  if (kind === 'tool') return children.length > 0 ? 'Agent tool' : 'Tool';
  const words = (type ?? 'Agent').replace(/^_+/, '').split(/(?<=[a-z])(?=[A-Z])/);
  const label = words.map((word, i) => (word === 'Llm' ? 'LLM' : i === 0 ? word : word.toLowerCase())).join(' ');
  return /agent/i.test(label) ? label : `${label} agent`;
}

/** Maximum depth. Deeper trees are cut, because the page does not trust the data. */
const MAX_DEPTH = 32;

interface Place {
  parent: string;
  depth: number;
  /** Agents by name, for agents that refer to sub-agents by name. */
  byName: JsonObject;
}

function readAgent(agent: JsonObject, place: Place): GraphNode {
  const node = readNode(agent, 'agent', place.parent);
  if (place.depth >= MAX_DEPTH || isRecursive(node.id)) return node;
  const childPlace: Place = { ...place, parent: node.id, depth: place.depth + 1 };
  const resolveAgent = (each: Json): JsonObject => {
    const found = typeof each === 'string' ? place.byName[each] : undefined;
    return isObject(found) ? found : toObject(each);
  };
  node.children = [
    ...(textOf(agent['model']) === undefined ? [] : [readNode({ name: agent['model']! }, 'model', node.id)]),
    ...listOf(agent['subAgents'] ?? agent['sub_agents']).map((each) => readAgent(resolveAgent(each), childPlace)),
    ...listOf(agent['tools']).flatMap((each) => readTool(toObject(each), childPlace)),
  ];
  return node;
}

// A tool may be an agent, and a declaration may contain several tools.
function readTool(tool: JsonObject, place: Place): GraphNode[] {
  const declarations = listOf(tool['functionDeclarations'] ?? tool['function_declarations']);
  if (declarations.length > 0) return declarations.map((each) => readNode(toObject(each), 'tool', place.parent));
  const node = readNode(tool, 'tool', place.parent);
  const { agent } = tool;
  if (isObject(agent)) node.children = [readAgent(agent, { ...place, parent: node.id, depth: place.depth + 1 })];
  return [node];
}

function readNode(value: JsonObject, kind: GraphNode['kind'], parent: string): GraphNode {
  const name = textOf(value['name']) ?? kind;
  const type = textOf(value['type'] ?? value['agentType'] ?? value['agent_type']);
  const id = `${parent}/${kind}:${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { id, kind, name, type, description: textOf(value['description']), children: [] };
}

// True for an agent that is its own ancestor. Reading its sub-agents would never end.
function isRecursive(id: string): boolean {
  const names = id.split('/');
  return names.indexOf(names.at(-1)!) < names.length - 1;
}

const toObject = (value: Json): JsonObject =>
  isObject(value) ? value : { name: typeof value === 'string' ? value : '' };
const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
