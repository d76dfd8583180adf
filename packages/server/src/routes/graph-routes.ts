import { AgentTree, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import type { Agent, Event } from '@thole/core';
import { z } from 'zod';
import { flag } from '../http/schemas.ts';
import { anyObject, objectOf, text } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route } from '../route.ts';
import { adkGraphOf } from './adk-graph.ts';
import { agentGraphOf } from './agent-graph.ts';
import { dotOf } from './dot-of.ts';
import type { DotOptions } from './dot-of.ts';
import { noSession, refOf } from './session-ref.ts';

const both = (path: string): [string, ...string[]] => [`/dev/apps/:app/${path}`, `/apps/:app/${path}`];
const tag = 'graphs';

/** How an app's agents and tools hang together. */
export const graphRoutes: readonly Route[] = [
  route({
    ...{ method: 'GET', paths: both('build_graph'), tag },
    summary: 'The agents and tools of an app, as a tree.',
    returns: objectOf({ name: text, rootAgent: anyObject, root_agent: anyObject }),
    answers: { 200: '{name, rootAgent: {name, description, type, subAgents, tools}}', 404: 'No such app' },
    handle({ runner }) {
      const rootAgent = agentGraphOf(runner.agent);
      return Response.json({ name: runner.appName, rootAgent, root_agent: adkGraphOf(rootAgent) });
    },
  }),
  route({
    ...{ method: 'GET', paths: both('build_graph_image'), tag },
    summary: 'The same in Graphviz’s language; with `node` from that agent on.',
    query: z.object({ darkMode: flag.optional(), node: z.string().optional() }),
    returns: objectOf({ dotSrc: text }),
    answers: { 200: '{dotSrc}, and the same under the path that was asked for', 404: 'No such app or agent' },
    handle({ query: { darkMode, node }, runner }) {
      const agent = agentNamed(node, runner.agent);
      if (!agent) throw new TholeError('NOT_FOUND', `The app ${runner.appName} has no such agent.`);
      const dotSrc = dotOf(agentGraphOf(agent), { darkMode });
      // ADK's web UI looks up by path what it draws at first.
      return Response.json({ [node ?? '']: { dotSrc }, dotSrc });
    },
  }),
  route({
    ...{ method: 'GET', paths: both('users/:user/sessions/:session/events/:event/graph'), tag },
    summary: 'The graph of an app, with who called whom in an event marked.',
    query: z.object({ darkMode: flag.optional() }),
    returns: objectOf({ dotSrc: text }),
    answers: { 200: '{dotSrc}', 404: 'No such session or event' },
    async handle(call) {
      const ref = refOf(call);
      const session = await call.runner.sessionService.getSession(ref);
      if (!session) throw noSession(ref);
      const event = session.events.find(({ id }) => id === call.names['event']);
      if (!event) throw new TholeError('NOT_FOUND', `Session ${ref.sessionId} has no such event.`);
      const { darkMode } = call.query;
      return Response.json({ dotSrc: dotOf(agentGraphOf(call.runner.agent), { darkMode, ...markedBy(event) }) });
    },
  }),
];

/** By its name, or by the names that lead to it from the root, with `/`; names are unique. */
function agentNamed(node: string | undefined, root: Agent): Agent | undefined {
  if (node === undefined || node === '') return root;
  const tree = new AgentTree(root);
  return tree.find(node) ?? tree.find(node.slice(node.lastIndexOf('/') + 1));
}

function markedBy(event: Event): Pick<DotOptions, 'marked' | 'steps'> {
  const { author: from, actions } = event;
  const steps = getFunctionCalls(event).map(({ name }) => ({ from, to: name, isAnswer: false }));
  for (const { name } of getFunctionResponses(event)) steps.push({ from, to: name, isAnswer: true });
  if (actions.transferToAgent) steps.push({ from, to: actions.transferToAgent, isAnswer: false });
  return { marked: [from], steps };
}
