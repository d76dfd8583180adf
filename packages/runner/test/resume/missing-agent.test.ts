import type { Agent, Event, InvocationContext } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { LoopAgent } from '../../src/agents/loop-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { agentOf } from '../support/setup.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
const clerk = (): LlmAgent =>
  new LlmAgent({ name: 'clerk', model: new ScriptedLlm(calls('pay'), says('Paid.')), tools: [pay] });
const other = (): LlmAgent => new LlmAgent({ name: 'other', model: new ScriptedLlm(says('Other.'), says('Other.')) });
const transfer = (agentName: string): ReturnType<typeof calls> => calls('transfer_to_agent', { agentName });
const host = (to: string, subAgents: Agent[]): LlmAgent =>
  rootOf(new ScriptedLlm(transfer(to), says('Done.')), { subAgents });

/** The app that pauses, the app that gets the answer, and the agent that is missing there. */
const changes: { [title: string]: [before: Agent, after: Agent, missing: string] } = {
  'the target of a transfer': [host('clerk', [clerk()]), host('clerk', [other()]), 'clerk'],
  'the first agent of two transfers': [
    host('desk', [new LlmAgent({ name: 'desk', model: new ScriptedLlm(transfer('clerk')), subAgents: [clerk()] })]),
    host('desk', [clerk()]),
    'desk',
  ],
  'a workflow agent after a transfer': [
    host('flow', [new SequentialAgent({ name: 'flow', subAgents: [clerk()] })]),
    host('flow', [clerk()]),
    'flow',
  ],
  'an agent of a SequentialAgent': [
    new SequentialAgent({ name: 'flow', subAgents: [clerk(), other()] }),
    new SequentialAgent({ name: 'flow', subAgents: [other()] }),
    'clerk',
  ],
  'an agent of a ParallelAgent': [
    new ParallelAgent({ name: 'flow', subAgents: [clerk(), other()] }),
    new ParallelAgent({ name: 'flow', subAgents: [other()] }),
    'clerk',
  ],
  'the workflow agent that began, because it has a new name': [
    new SequentialAgent({ name: 'flow', subAgents: [clerk()] }),
    new SequentialAgent({ name: 'plan', subAgents: [clerk()] }),
    'flow',
  ],
  'the workflow agent that began, because another agent runs it now': [
    new SequentialAgent({ name: 'flow', subAgents: [clerk()] }),
    new SequentialAgent({ name: 'plan', subAgents: [new SequentialAgent({ name: 'flow', subAgents: [clerk()] })] }),
    'flow',
  ],
  'the root agent, because a workflow agent runs it now': [
    clerk(),
    new SequentialAgent({ name: 'flow', subAgents: [clerk()] }),
    'clerk',
  ],
  'an agent of a LoopAgent': [
    new LoopAgent({ name: 'flow', maxIterations: 1, subAgents: [clerk(), other()] }),
    new LoopAgent({ name: 'flow', maxIterations: 1, subAgents: [other()] }),
    'clerk',
  ],
};

describe('Runner.resume without an agent of the paused app', () => {
  for (const [title, [before, after, missing]] of Object.entries(changes))
    it(`throws INTERRUPT_MISMATCH and stores nothing: ${title} (contract 28)`, async () => {
      const { runner, sessions, stored, runtime } = await createSetup(before);
      const { interrupts } = await runner.runToCompletion(hello);
      const session = await stored();
      const changed = new Runner({ appName: 'app', agent: after, sessionService: sessions, runtime });
      const { error } = await outcomeOf(changed.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
      expect(error).toMatchObject({ code: 'INTERRUPT_MISMATCH', details: { reason: 'unknown_agent' } });
      expect(error?.message).toContain(`agent ${missing},`);
      expect(await stored()).toEqual(session);
    });

  it('continues a custom agent that runs an agent outside of the tree', async () => {
    const inner = clerk();
    const custom = (): Agent =>
      agentOf('custom', async function* (context) {
        yield* context.runAgent(inner);
      });
    const { runner, sessions, runtime } = await createSetup(custom());
    const { interrupts } = await runner.runToCompletion(hello);
    const next = new Runner({ appName: 'app', agent: custom(), sessionService: sessions, runtime });
    const { events } = await outcomeOf(next.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(events).at(-1)).toBe('clerk: Paid.');
  });

  it('continues a subclass of a workflow agent that runs an agent outside of the tree', async () => {
    const inner = clerk();
    class Judged extends LoopAgent {
      override async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
        yield* context.runAgent(inner) as AsyncGenerator<Event, void, Event>;
      }
    }
    const judged = (): Agent => new Judged({ name: 'judged', subAgents: [other()] });
    const { runner, sessions, runtime } = await createSetup(judged());
    const { interrupts } = await runner.runToCompletion(hello);
    const next = new Runner({ appName: 'app', agent: judged(), sessionService: sessions, runtime });
    const { events } = await outcomeOf(next.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(events).at(-1)).toBe('clerk: Paid.');
  });

  it('continues at a root agent that has a new name', async () => {
    const { runner, sessions, runtime } = await createSetup(clerk());
    const { interrupts } = await runner.runToCompletion(hello);
    const agent = new LlmAgent({ name: 'cashier', model: new ScriptedLlm(says('Paid.')), tools: [pay] });
    const renamed = new Runner({ appName: 'app', agent, sessionService: sessions, runtime });
    const { events } = await outcomeOf(renamed.resume({ ...ref, answers: { [interrupts[0]!.id]: true } }));
    expect(textsIn(events).at(-1)).toBe('cashier: Paid.');
  });
});
