import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchPeer } from '../../scripts/fetch-package.mjs';
import { calls, gated } from './crash-trips.ts';
import type { CrashTripMaker } from './crash-trips.ts';

interface Message {
  role: 'user' | 'model' | 'tool';
  call?: string;
  text?: string;
  response?: unknown;
}
interface State {
  messages: Message[];
}
interface Saver {
  put(...args: unknown[]): Promise<unknown>;
  putWrites(...args: unknown[]): Promise<unknown>;
  getTuple(...args: unknown[]): Promise<unknown>;
}
interface Graph {
  invoke(input: unknown, config: object): Promise<State & { __interrupt__?: unknown[] }>;
  getState(config: object): Promise<{ values: Partial<State>; next: string[]; tasks: { interrupts: unknown[] }[] }>;
}
interface Builder {
  addNode(name: string, node: (state: State) => Promise<State>): Builder;
  addEdge(from: string, to: string): Builder;
  addConditionalEdges(from: string, choose: (state: State) => string): Builder;
  compile(p: object): Graph;
}
interface LangGraphModule {
  Annotation: { <T>(p: object): T; Root(p: object): object };
  Command: new (p: object) => object;
  END: string;
  MemorySaver: new () => Saver;
  START: string;
  StateGraph: new (state: object) => Builder;
  interrupt(value: unknown): unknown;
}

/** Returns trips with LangGraph: a node for the model, a node for the calls, and checkpoints in memory. */
export async function langGraphTrips(): Promise<CrashTripMaker> {
  const folder = await fetchPeer('@langchain/langgraph', '1.0.2');
  const graphs = (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as LangGraphModule;
  const config = { configurable: { thread_id: 's' }, durability: 'sync' };
  return (counts) => {
    const saver = new graphs.MemorySaver();
    const graphOf = (process: Parameters<ReturnType<CrashTripMaker>['continueIn']>[0], checkpointer: Saver): Graph => {
      const state = graphs.Annotation.Root({
        messages: graphs.Annotation({ reducer: (a: Message[], b: Message[]) => [...a, ...b], default: () => [] }),
      });
      return new graphs.StateGraph(state)
        .addNode('model', async ({ messages }) => {
          const n = messages.filter(({ role }) => role === 'model').length;
          await process.gate('model: asked');
          counts.modelCalls++;
          await process.gate('model: answers');
          const call = calls[n];
          return { messages: [call ? { role: 'model', call } : { role: 'model', text: 'Booked.' }] };
        })
        .addNode('tools', async ({ messages }) => {
          const call = messages.at(-1)!.call!;
          if (call === 'pay') graphs.interrupt('Approve the payment.');
          await process.gate(`${call}: begins`);
          counts.takeEffect(call);
          await process.gate(`${call}: ends`);
          return { messages: [{ role: 'tool', call, response: { done: call } }] };
        })
        .addEdge(graphs.START, 'model')
        .addConditionalEdges('model', ({ messages }) => (messages.at(-1)!.call ? 'tools' : graphs.END))
        .addEdge('tools', 'model')
        .compile({ checkpointer });
    };
    const alive = { isDead: false, gate: async (): Promise<void> => {} };
    return {
      async continueIn(process) {
        const graph = graphOf(process, gated(saver, ['put', 'putWrites', 'getTuple'], process));
        for (let i = 0; i < 4; i++) {
          const { next, tasks, values } = await graph.getState(config);
          if (values.messages?.at(-1)?.text === 'Booked.') return true;
          const isNew = !values.messages?.length && next.length === 0;
          const isWaiting = tasks.some(({ interrupts }) => interrupts.length > 0);
          const input = isNew ? { messages: [{ role: 'user', text: 'Book a trip.' }] } : null;
          await graph.invoke(isWaiting ? new graphs.Command({ resume: true }) : input, config);
        }
        return false;
      },
      async answers() {
        const { values } = await graphOf(alive, saver).getState(config);
        const found: { [call: string]: unknown[] } = {};
        for (const { call, response, role } of values.messages ?? [])
          if (role === 'tool') (found[call!] ??= []).push(response);
        return found;
      },
    };
  };
}
