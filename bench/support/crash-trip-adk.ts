import { Adk } from './adk.ts';
import { calls, gated } from './crash-trips.ts';
import type { CrashTripMaker } from './crash-trips.ts';

interface AdkPart {
  text?: string;
  functionCall?: { id?: string; name: string };
  functionResponse?: { id?: string; name: string; response: unknown };
}
interface AdkEvent {
  content?: { role?: string; parts?: AdkPart[] };
  actions?: { requestedToolConfirmations?: object };
}
interface AdkService {
  createSession(p: object): Promise<{ events: AdkEvent[] }>;
  getSession(p: object): Promise<{ events: AdkEvent[] } | undefined>;
  appendEvent(p: object): Promise<unknown>;
}
interface AdkModule {
  BaseLlm: new (options: object) => object;
  FunctionTool: new (options: object) => object;
  InMemorySessionService: new () => AdkService;
  LlmAgent: new (options: object) => object;
  Runner: new (options: object) => { runAsync(p: object): AsyncIterable<unknown> };
  setLogLevel(level: number): void;
}

const user = { appName: 'trips', userId: 'u', sessionId: 's' };

/** Returns trips with Google's ADK. It has no call that continues an invocation, so the message is sent again after a crash. */
export async function adkTrips(): Promise<CrashTripMaker> {
  const adk = (await import(await Adk.fetchEntry())) as AdkModule;
  adk.setLogLevel(4);
  return (counts) => {
    const service = new adk.InMemorySessionService();
    const eventsOf = async (): Promise<AdkEvent[]> => (await service.getSession(user))?.events ?? [];
    return {
      async continueIn(process) {
        const model = Object.assign(new adk.BaseLlm({ model: 'free' }), {
          async *generateContentAsync({ contents }: { contents: { role?: string }[] }) {
            const n = contents.filter(({ role }) => role === 'model').length;
            await process.gate('model: asked');
            counts.modelCalls++;
            await process.gate('model: answers');
            const name = calls[n];
            const part = name ? { functionCall: { id: `c-${name}`, name, args: {} } } : { text: 'Booked.' };
            yield { content: { role: 'model', parts: [part] } };
          },
        });
        const tools = calls.map(
          (name) =>
            new adk.FunctionTool({
              name,
              description: name,
              requireConfirmation: name === 'pay',
              execute: async () => {
                await process.gate(`${name}: begins`);
                counts.takeEffect(name);
                await process.gate(`${name}: ends`);
                return { done: name };
              },
            }),
        );
        const agent = new adk.LlmAgent({ name: 'root', model, tools });
        const sessionService = gated(service, ['appendEvent', 'getSession', 'createSession'], process);
        const app = { name: 'trips', rootAgent: agent, resumabilityConfig: { isResumable: true } };
        const runner = new adk.Runner({ app, appName: 'trips', agent, sessionService });
        if (!(await sessionService.getSession(user))) await sessionService.createSession(user);
        for (let i = 0; i < 4; i++) {
          const events = await eventsOf();
          if (isBooked(events)) return true;
          const request = openRequest(events);
          const parts = request
            ? [{ functionResponse: { ...request, response: { confirmed: true } } }]
            : [{ text: 'Book a trip.' }];
          for await (const event of runner.runAsync({ ...user, newMessage: { role: 'user', parts } })) void event;
        }
        return isBooked(await eventsOf());
      },
      async answers() {
        const found: { [call: string]: unknown[] } = {};
        for (const { actions, content } of await eventsOf())
          for (const { functionResponse } of content?.parts ?? []) {
            const name = functionResponse?.name ?? '';
            const isProvisional = Object.keys(actions?.requestedToolConfirmations ?? {}).length > 0;
            if (calls.includes(name as never) && !isProvisional) (found[name] ??= []).push(functionResponse!.response);
          }
        return found;
      },
    };
  };
}

function isBooked(events: readonly AdkEvent[]): boolean {
  return events.at(-1)?.content?.parts?.some(({ text }) => text === 'Booked.') === true;
}

function openRequest(events: readonly AdkEvent[]): { id?: string; name: string } | undefined {
  const parts = events.flatMap(({ content }) => content?.parts ?? []);
  const answered = new Set(parts.map(({ functionResponse }) => functionResponse?.id));
  const call = parts.findLast(
    ({ functionCall }) => functionCall?.name === 'adk_request_confirmation' && !answered.has(functionCall.id),
  )?.functionCall;
  return call && { ...(call.id !== undefined && { id: call.id }), name: call.name };
}
