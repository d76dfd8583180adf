import { AgentTree, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { sessionNotFound } from '@thole/core/kit';
import type { Agent, Event } from '@thole/core';
import { z } from 'zod';
import { flag } from '../http/schemas.ts';
import { anyObject, objectOf, text } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route.ts';
import { toAdkGraph } from './adk-graph.ts';
import { toAgentGraph } from './agent-graph.ts';
import { toDot } from './to-dot.ts';
import type { DotOptions } from './to-dot.ts';
import { sessionRefOf } from './session-ref.ts';

const pathsOf = (path: string): [string, ...string[]] => [`/dev/apps/:app/${path}`, `/apps/:app/${path}`];
const tag = 'graphs';

/** Graphs of an app's agents and tools. */
export const graphRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: pathsOf('build_graph'), tag },
    summary: 'Returns the agents and tools of an app as a tree.',
    returns: objectOf({ name: text, rootAgent: anyObject, root_agent: anyObject }),
    responses: { 200: '{name, rootAgent: {name, description, type, subAgents, tools}}', 404: 'No such app' },
    handle({ runner }) {
      const rootAgent = toAgentGraph(runner.agent);
      return Response.json({ name: runner.appName, rootAgent, root_agent: toAdkGraph(rootAgent) });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: pathsOf('build_graph_image'), tag },
    summary: 'Returns the graph of an app in Graphviz’s language. `node` selects one agent and its sub-agents.',
    query: z.object({ darkMode: flag.optional(), node: z.string().optional() }),
    returns: objectOf({ dotSrc: text }),
    responses: { 200: '{dotSrc}, and the same under the requested node', 404: 'No such app or agent' },
    handle({ query: { darkMode, node }, runner }) {
      const agent = findAgent(node, runner.agent);
      if (!agent) throw new TholeError('NOT_FOUND', `The app ${runner.appName} has no such agent.`);
      const dotSrc = toDot(toAgentGraph(agent), { darkMode });
      // ADK's web UI reads the member with the name of the node.
      return Response.json({ [node ?? '']: { dotSrc }, dotSrc });
    },
  }),
  defineRoute({
    ...{ method: 'GET', paths: pathsOf('users/:user/sessions/:session/events/:event/graph'), tag },
    summary: 'Returns the graph of an app with the calls and answers of an event highlighted.',
    query: z.object({ darkMode: flag.optional() }),
    returns: objectOf({ dotSrc: text }),
    responses: { 200: '{dotSrc}', 404: 'No such session or event' },
    async handle(call) {
      const ref = sessionRefOf(call);
      const session = await call.runner.sessionService.getSession(ref);
      if (!session) throw sessionNotFound(ref);
      const event = session.events.find(({ id }) => id === call.params['event']);
      if (!event) throw new TholeError('NOT_FOUND', `Session ${ref.sessionId} has no such event.`);
      const { darkMode } = call.query;
      return Response.json({ dotSrc: toDot(toAgentGraph(call.runner.agent), { darkMode, ...stepsOf(event) }) });
    },
  }),
];

/** Finds an agent by its name, or by its path from the root with `/`. Names are unique. */
function findAgent(node: string | undefined, root: Agent): Agent | undefined {
  if (node === undefined || node === '') return root;
  const tree = new AgentTree(root);
  return tree.find(node) ?? tree.find(node.slice(node.lastIndexOf('/') + 1));
}

function stepsOf(event: Event): Pick<DotOptions, 'highlighted' | 'steps'> {
  const { author: from, actions } = event;
  const steps = getFunctionCalls(event).map(({ name }) => ({ from, to: name, isAnswer: false }));
  for (const { name } of getFunctionResponses(event)) steps.push({ from, to: name, isAnswer: true });
  if (actions.transferToAgent) steps.push({ from, to: actions.transferToAgent, isAnswer: false });
  return { highlighted: [from], steps };
}
