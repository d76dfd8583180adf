import type { AppGraph, AppInfo } from '@thole/client';
import type { Json, JsonObject } from '@thole/core';

/** An agent or a tool, and what hangs on it. */
export interface GraphNode {
  /** The names from the root to it, so that one that stands in two places is two. */
  id: string;
  kind: 'agent' | 'tool' | 'model';
  name: string;
  /** `LlmAgent`, `LoopAgent` …, where it is known. */
  type: string | undefined;
  description: string | undefined;
  children: GraphNode[];
}

/**
 * The structure of an app as the server tells it, agents before tools; undefined where it tells none. Takes the tree of the
 * graph route as well as the app's info, in which agents stand beside each other and name their sub-agents.
 */
export function readGraph(graph: AppGraph | AppInfo | JsonObject): GraphNode | undefined {
  const { rootAgent, root_agent, rootAgentName, agents } = graph as JsonObject;
  const root = rootAgent ?? root_agent;
  if (isObject(root)) return readAgent(root, { parent: '', depth: 0, byName: {} });
  const byName = isObject(agents) ? agents : {};
  const named = typeof rootAgentName === 'string' ? byName[rootAgentName] : undefined;
  return isObject(named) ? readAgent(named, { parent: '', depth: 0, byName }) : undefined;
}

/** How many agents and tools there are. */
export function countNodes(node: GraphNode): { agents: number; tools: number } {
  const counts = { agents: node.kind === 'agent' ? 1 : 0, tools: node.kind === 'tool' ? 1 : 0 };
  for (const child of node.children) {
    const { agents, tools } = countNodes(child);
    counts.agents += agents;
    counts.tools += tools;
  }
  return counts;
}

/** What a node is, for people: `LLM agent`, `Loop agent`, `Tool`, `Agent tool`, `Model`. */
export function typeLabel({ kind, type, children }: GraphNode): string {
  if (kind === 'model') return 'Model';
  if (kind === 'tool') return children.length > 0 ? 'Agent tool' : 'Tool';
  const words = (type ?? 'Agent').replace(/^_+/, '').split(/(?<=[a-z])(?=[A-Z])/);
  const label = words.map((word, i) => (word === 'Llm' ? 'LLM' : i === 0 ? word : word.toLowerCase())).join(' ');
  return /agent/i.test(label) ? label : `${label} agent`;
}

/** Deeper trees are cut: nobody draws them, and what comes over the wire may be anything. */
const DEEPEST = 32;

interface Place {
  parent: string;
  depth: number;
  /** Agents that others name. */
  byName: JsonObject;
}

function readAgent(agent: JsonObject, place: Place): GraphNode {
  const node = readNode(agent, 'agent', place.parent);
  if (place.depth >= DEEPEST || isWithinItself(node.id)) return node;
  const below: Place = { ...place, parent: node.id, depth: place.depth + 1 };
  const named = (each: Json): JsonObject => {
    const found = typeof each === 'string' ? place.byName[each] : undefined;
    return isObject(found) ? found : toObject(each);
  };
  node.children = [
    ...(textOf(agent['model']) === undefined ? [] : [readNode({ name: agent['model']! }, 'model', node.id)]),
    ...listOf(agent['subAgents'] ?? agent['sub_agents']).map((each) => readAgent(named(each), below)),
    ...listOf(agent['tools']).flatMap((each) => readTool(toObject(each), below)),
  ];
  return node;
}

// A tool may be an agent in a tool's place; a declaration may hold several.
function readTool(tool: JsonObject, place: Place): GraphNode[] {
  const several = listOf(tool['functionDeclarations'] ?? tool['function_declarations']);
  if (several.length > 0) return several.map((each) => readNode(toObject(each), 'tool', place.parent));
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

// Agents that name each other would never end.
function isWithinItself(id: string): boolean {
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
