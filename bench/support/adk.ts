import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fetchPeer } from '../../scripts/fetch-package.mjs';
import { answer, instruction, question, textAt } from './history.ts';

type Response = { content: unknown; partial?: boolean; finishReason?: string };
type Answers = () => AsyncGenerator<Response>;

interface AdkModule {
  BaseLlm: new (options: { model: string }) => object;
  LlmAgent: new (options: object) => object;
  Runner: new (options: object) => { runAsync(request: object): AsyncIterable<unknown> };
  InMemorySessionService: new () => AdkSessions;
  createEvent(init: object): object;
  setLogLevel(level: number): void;
}

interface AdkSessions {
  createSession(request: object): Promise<{ id: string }>;
  appendEvent(request: { session: object; event: object }): Promise<unknown>;
  deleteSession(request: object): Promise<unknown>;
}

/** Google's ADK for JavaScript with in-memory services, and a model without cost. */
export class Adk {
  static readonly version = '2.0.0';
  readonly #module: AdkModule;
  readonly #service: AdkSessions;
  readonly #runner: { runAsync(request: object): AsyncIterable<unknown> };
  #count = 0;

  private constructor(module: AdkModule, answers: Answers) {
    this.#module = module;
    this.#service = new module.InMemorySessionService();
    const agent = Adk.createAgent(module, answers);
    this.#runner = new module.Runner({ appName: 'app', agent, sessionService: this.#service });
  }

  /** Creates an agent like ours. */
  static createAgent(module: Pick<AdkModule, 'BaseLlm' | 'LlmAgent'>, answers: Answers): object {
    const model = Object.assign(new module.BaseLlm({ model: 'free' }), { generateContentAsync: answers });
    return new module.LlmAgent({ name: 'root', model, instruction });
  }

  /** Returns the URL of the module to import. Downloads the package if it is missing. */
  static async fetchEntry(): Promise<string> {
    return pathToFileURL(join(await fetchPeer('@google/adk', Adk.version), 'dist/esm/index.js')).href;
  }

  static async load(answers: Answers = freeAnswers()): Promise<Adk> {
    const module = (await import(await Adk.fetchEntry())) as AdkModule;
    module.setLogLevel(3);
    return new Adk(module, answers);
  }

  async createSession(length: number): Promise<string> {
    const ref = { appName: 'app', userId: 'u', sessionId: `s${this.#count++}` };
    const session = await this.#service.createSession(ref);
    for (let i = 0; i < length; i++) {
      const ofUser = i % 2 === 0;
      const content = { role: ofUser ? 'user' : 'model', parts: [{ text: textAt(i) }] };
      const init = { author: ofUser ? 'user' : 'root', invocationId: `i${i >> 1}`, content };
      await this.#service.appendEvent({ session, event: this.#module.createEvent(init) });
    }
    return session.id;
  }

  async runTurn(sessionId: string, runConfig?: object): Promise<void> {
    const newMessage = { role: 'user', parts: [{ text: question }] };
    for await (const event of this.#runner.runAsync({ userId: 'u', sessionId, newMessage, runConfig })) void event;
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.#service.deleteSession({ appName: 'app', userId: 'u', sessionId });
  }
}

/** Returns a function that answers at once, or after `latencyMs`. */
export function freeAnswers(latencyMs = 0): Answers {
  return async function* () {
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    yield { content: { role: 'model', parts: [{ text: answer }] }, finishReason: 'STOP' };
  };
}
