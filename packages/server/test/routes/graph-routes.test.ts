import { AgentTool, LlmAgent, SequentialAgent } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool, jsonSchema } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { ask } from '../ask.ts';
import { demo, message } from '../demo.ts';

const look = new FunctionTool({
  name: 'look',
  description: 'Looks.',
  parameters: jsonSchema({ type: 'object', properties: {} }),
  execute: () => ({ seen: 'figs' }),
});

function tree(model: ScriptedLlm): LlmAgent {
  const critic = new AgentTool({
    agent: new LlmAgent({ name: 'critic', description: 'Judges.', model: new ScriptedLlm() }),
  });
  const steps = new SequentialAgent({
    name: 'steps',
    subAgents: [new LlmAgent({ name: 'first', model: new ScriptedLlm() })],
  });
  return new LlmAgent({ name: 'concierge', model, tools: [look, critic], subAgents: [steps] });
}

describe('GET /dev/apps/{app}/build_graph', () => {
  it('returns agents and tools as a tree, with and without /dev', async () => {
    const { handler } = await demo({ rootAgent: tree(new ScriptedLlm()) });
    const first = { name: 'first', description: '', type: 'LlmAgent', model: 'scripted', subAgents: [], tools: [] };
    const kind = { type: 'LlmAgent', model: 'scripted' };
    const critic = { name: 'critic', description: 'Judges.', ...kind, subAgents: [], tools: [] };
    for (const path of ['/dev/apps/demo/build_graph', '/apps/demo/build_graph']) {
      expect((await ask(handler, 'GET', path)).body).toEqual({
        name: 'demo',
        root_agent: expect.anything(),
        rootAgent: {
          ...{ name: 'concierge', description: '', ...kind },
          subAgents: [{ name: 'steps', description: '', type: 'SequentialAgent', subAgents: [first], tools: [] }],
          tools: [
            { name: 'look', description: 'Looks.' },
            { name: 'critic', description: 'Judges.', agent: critic },
          ],
        },
      });
    }
  });

  it('returns Graphviz code, in dark mode or for one agent if requested', async () => {
    const { handler } = await demo({ rootAgent: tree(new ScriptedLlm()) });
    for (const prefix of ['/dev/apps/demo', '/apps/demo']) {
      const { dotSrc } = (await ask(handler, 'GET', `${prefix}/build_graph_image`)).body;
      expect(dotSrc).toMatch(/^digraph "concierge" \{/);
      expect(dotSrc).toContain('"concierge" -> "critic"');
      expect((await ask(handler, 'GET', `${prefix}/build_graph_image?dark_mode=true`)).body.dotSrc).not.toBe(dotSrc);
      const part = (await ask(handler, 'GET', `${prefix}/build_graph_image?node=steps`)).body.dotSrc;
      expect(part).toContain('"steps" -> "first"');
      expect(part).not.toContain('concierge');
      expect((await ask(handler, 'GET', `${prefix}/build_graph_image?node=nobody`)).status).toBe(404);
      expect((await ask(handler, 'GET', `${prefix}/build_graph_image?dark_mode=perhaps`)).status).toBe(400);
    }
  });

  it('uses the member names that ADK’s web UI reads', async () => {
    const { handler } = await demo({ rootAgent: tree(new ScriptedLlm()) });
    const { body } = await ask(handler, 'GET', '/dev/apps/demo/build_graph');
    expect(body.root_agent).toEqual({
      ...{ name: 'concierge', type: 'LlmAgent' },
      tools: ['look', 'critic'].map((name) => ({ name, type: 'tool' })),
      sub_agents: [{ name: 'steps', type: 'SequentialAgent', sub_agents: [{ name: 'first', type: 'LlmAgent' }] }],
    });
    const complete = (await ask(handler, 'GET', '/dev/apps/demo/build_graph_image')).body;
    expect(complete).toEqual({ dotSrc: expect.any(String), '': { dotSrc: complete.dotSrc } });
    const steps = (await ask(handler, 'GET', '/dev/apps/demo/build_graph_image?node=steps')).body;
    const byPath = (await ask(handler, 'GET', '/dev/apps/demo/build_graph_image?node=steps/first')).body;
    expect(steps.steps.dotSrc).toBe(steps.dotSrc);
    expect(byPath.dotSrc).toMatch(/^digraph "first"/);
  });

  it('highlights the calls and answers of an event', async () => {
    const model = new ScriptedLlm(calls('look', {}), says('Figs.'));
    const { handler } = await demo({ rootAgent: tree(model) });
    const events = (await ask(handler, 'POST', '/run', message())).body;
    for (const prefix of ['/dev/apps/demo', '/apps/demo']) {
      const dots = [];
      for (const { id } of events) {
        const path = `${prefix}/users/ann/sessions/s/events/${encodeURIComponent(id)}/graph`;
        dots.push((await ask(handler, 'GET', path)).body.dotSrc.match(/-> "look".*/)[0]);
      }
      expect(dots).toEqual([
        '-> "look" [color="#188038", penwidth=2];',
        '-> "look" [color="#188038", penwidth=2, dir=back];',
        '-> "look";',
      ]);
      expect((await ask(handler, 'GET', `${prefix}/users/ann/sessions/s/events/x/graph`)).status).toBe(404);
      expect((await ask(handler, 'GET', `${prefix}/users/ann/sessions/x/events/x/graph`)).status).toBe(404);
      expect((await ask(handler, 'GET', `${prefix}/users/bob/sessions/s/events/${events[0].id}/graph`)).status).toBe(
        404,
      );
    }
  });

  it('answers 404 for an unknown app', async () => {
    const { handler } = await demo();
    for (const path of ['build_graph', 'build_graph_image', 'users/a/sessions/s/events/e/graph'])
      expect((await ask(handler, 'GET', `/dev/apps/other/${path}`)).status).toBe(404);
  });
});
