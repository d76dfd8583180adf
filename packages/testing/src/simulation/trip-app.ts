import { createEvent } from '@thole/core';
import type { Agent, App, Event, InvocationContext, JsonObject, Llm, LlmRequest, LlmResponse, Tool } from '@thole/core';
import { callsAll, says } from '../answers.ts';
import type { RunnerClasses } from './simulated-runner.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** Called before and after each wait of a model, a tool or a step. Never resolves in a process that has died. */
export type Gate = (point: string) => Promise<void>;

/** Ids of the calls of the trip that may run again after a crash. */
export const idempotentCalls: readonly string[] = ['c-lookup', 'c-hold', 'c-quote', 'c-insurer', 'c-accept'];

type Calls = readonly (readonly [name: string, args: JsonObject, id: string])[];
type Answer = string | Calls;

/**
 * The answers of each agent's model. The n-th answer follows n earlier answers in the prompt, so that the models need
 * no separate memory.
 */
const script: { readonly [agent: string]: readonly Answer[] } = {
  planner: [
    [
      ['lookup', { city: 'Lisbon' }, 'c-lookup'],
      ['note', { city: 'Lisbon' }, 'c-note'],
    ],
    'Lisbon in May.',
  ],
  flights: [[['reserve', { flight: 'TP 1' }, 'c-reserve']], 'A seat on TP 1.'],
  hotels: [[['hold', { hotel: 'Sol' }, 'c-hold']], [['mail', { to: 'Sol' }, 'c-mail']], 'A room at Sol.'],
  critic: ['Too early.', [['accept', {}, 'c-accept']], 'Accepted.'],
  booker: [
    [['insurer', { request: 'Insure it.' }, 'c-insurer']],
    [['transfer_to_agent', { agent_name: 'payer' }, 'c-transfer']],
  ],
  insurer: [[['quote', {}, 'c-quote']], 'Insured.'],
  payer: [
    [
      ['pay', { amount: 90 }, 'c-pay'],
      ['receipt', {}, 'c-receipt'],
    ],
    'Booked.',
  ],
};

/**
 * Returns an app of ten steps with all kinds of agents and tools: parallel branches, a loop, an agent that runs as a tool, a
 * transfer, an agent with steps, a confirmation, and state in all scopes. Its models and tools report their work to `world`.
 */
export function createTripApp(classes: RunnerClasses, world: SimulatedWorld, gate: Gate, name = 'trips'): App {
  const { AgentTool, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent } = classes;
  const agent = (agentName: string, more: { tools?: Tool[]; subAgents?: Agent[]; outputKey?: string } = {}): Agent =>
    new LlmAgent({
      name: agentName,
      description: `Does the work of ${agentName}.`,
      model: modelOf(agentName, world, gate),
      instruction: ({ userId }) => `user=<${userId}>`,
      ...more,
    });
  const tool = (toolName: string, more: Partial<Tool> = {}): Tool => toolOf(toolName, world, gate, more);
  const accept = tool('accept', { idempotent: true });
  const escalatingAccept: Tool = {
    ...accept,
    runAsync: async (p) => {
      const result = await accept.runAsync(p);
      p.toolContext.actions.escalate = true;
      return result;
    },
  };
  const insurer = agent('insurer', { tools: [tool('quote', { idempotent: true })] });
  const payer = agent('payer', { tools: [tool('pay', { requireConfirmation: true }), tool('receipt')] });
  const rootAgent = new SequentialAgent({
    name: 'trip',
    subAgents: [
      agent('planner', { tools: [tool('lookup', { idempotent: true }), tool('note')], outputKey: 'plan' }),
      new ParallelAgent({
        name: 'search',
        subAgents: [
          agent('flights', { tools: [probedTool('reserve', world, gate)], outputKey: 'flight' }),
          agent('hotels', { tools: [tool('hold', { idempotent: true }), tool('mail')], outputKey: 'hotel' }),
        ],
      }),
      new LoopAgent({ name: 'review', maxIterations: 3, subAgents: [agent('critic', { tools: [escalatingAccept] })] }),
      createAuditor(gate),
      agent('booker', { tools: [new AgentTool({ agent: insurer, idempotent: true })], subAgents: [payer] }),
    ],
  });
  return { name, rootAgent };
}

function modelOf(agent: string, world: SimulatedWorld, gate: Gate): Llm {
  return {
    model: 'simulated',
    specVersion: 1,
    async *generateContentAsync(request: LlmRequest): AsyncGenerator<LlmResponse, void, undefined> {
      const userId = /user=<([^>]*)>/.exec(request.config.systemInstruction ?? '')?.[1] ?? '';
      const n = request.contents.filter(({ role }) => role === 'model').length;
      await gate(`model ${agent} ${n}: asked`);
      world.ask(userId, agent, n);
      const answer = script[agent]![n];
      if (answer === undefined)
        throw new Error(`The model of ${agent} was called more often than its script has answers.`);
      await gate(`model ${agent} ${n}: answers`);
      yield {
        ...(typeof answer === 'string' ? says(answer) : callsAll(...answer)),
        usageMetadata: { totalTokenCount: 1 },
      };
    },
  };
}

/** Returns the state keys that a tool writes, in all scopes. */
export function stateKeysOf(tool: string, userId: string): string[] {
  return [tool, `user:${userId} ${tool}`, `app:${userId} ${tool}`, `temp:${tool}`];
}

function toolOf(name: string, world: SimulatedWorld, gate: Gate, more: Partial<Tool>): Tool {
  const description = `Does ${name}.`;
  return {
    name,
    description,
    declaration: () => ({ name, description, parametersJsonSchema: { type: 'object' } }),
    async runAsync({ args, toolContext }) {
      await gate(`tool ${name}: begins`);
      const { functionCallId, idempotencyKey, state, userId } = toolContext;
      world.takeEffect(userId, functionCallId, idempotencyKey);
      if (!more.probe) for (const key of stateKeysOf(name, userId)) state.set(key, args);
      await gate(`tool ${name}: ends`);
      return { done: name };
    },
    ...more,
  };
}

/** Returns a tool with a `probe`. It changes no state, because the result of a probe cannot change state. */
function probedTool(name: string, world: SimulatedWorld, gate: Gate): Tool {
  return toolOf(name, world, gate, {
    async probe(_, { idempotencyKey }) {
      await gate(`probe ${name}`);
      return world.hasEffect(idempotencyKey) ? { result: { done: name } } : 'not-done';
    },
  });
}

/** Returns an agent that is not an `LlmAgent`: two steps, and an event after each. */
function createAuditor(gate: Gate): Agent {
  return {
    name: 'auditor',
    async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
      for (const name of ['open', 'close']) {
        const result = await context.step(name, async (): Promise<string> => {
          await gate(`step ${name}`);
          return name === 'open' ? 'opened' : 'closed';
        });
        const { branch, invocationId } = context;
        const content = { role: 'user' as const, parts: [{ text: result }] };
        const actions = { stateDelta: { audit: result } };
        yield createEvent({ author: 'auditor', invocationId, branch, content, actions }, context.runtime);
      }
    },
  };
}
