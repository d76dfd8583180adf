import { getFunctionResponses, systemRuntime } from '@thole/core';
import type {
  Authenticator,
  Event,
  Interrupt,
  Json,
  JsonObject,
  LlmRequest,
  ReadonlyContext,
  Runtime,
  SessionService,
  Toolset,
} from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { ScriptedLlm } from '@thole/testing';
import { onTestFinished } from 'vitest';

type Answer = ConstructorParameters<typeof ScriptedLlm>[number];

/** An agent with a toolset and a model that answers from a script. It is closed when the test ends. */
export class AgentRun {
  readonly model: ScriptedLlm;
  readonly sessionService: SessionService;
  readonly runner: Runner;
  readonly events: Event[] = [];
  readonly #session: { userId: string; sessionId: string };

  constructor(
    toolset: Toolset,
    script: Answer[],
    p: {
      userId?: string;
      sessionId?: string;
      sessionService?: SessionService;
      authenticator?: Authenticator;
      runtime?: Runtime;
    } = {},
  ) {
    const {
      userId = 'ada',
      sessionId = 's',
      sessionService = new InMemorySessionService(),
      authenticator,
      runtime,
    } = p;
    this.#session = { userId, sessionId };
    this.model = new ScriptedLlm(...script);
    this.sessionService = sessionService;
    this.runner = new Runner({
      appName: 'shop',
      agent: new LlmAgent({ name: 'root', model: this.model, tools: [toolset] }),
      sessionService,
      autoCreateSession: true,
      ...(authenticator && { authenticator }),
      ...(runtime && { runtime }),
    });
    onTestFinished(() => this.runner.close());
  }

  /** Sends a message, and returns the open interrupts of the run. */
  async say(text = 'Hello.'): Promise<Interrupt[]> {
    return this.#read(this.runner.runAsync({ ...this.#session, newMessage: text }));
  }

  /** Answers an interrupt, and returns the interrupts that are open after that. */
  async answer(interrupt: Interrupt, value: Json): Promise<Interrupt[]> {
    return this.#read(this.runner.resume({ ...this.#session, answers: { [interrupt.id]: value } }));
  }

  /** Declines a question, and returns the interrupts that are open after that. */
  async decline({ id }: Interrupt): Promise<Interrupt[]> {
    const functionResponse = { id, name: 'adk_request_input', response: { error: 'I do not want to.' } };
    const newMessage = { role: 'user' as const, parts: [{ functionResponse }] };
    return this.#read(this.runner.runAsync({ ...this.#session, newMessage }));
  }

  /** Answers of tools in the received events, oldest first. */
  get responses(): JsonObject[] {
    return this.events
      .filter(({ partial }) => !partial)
      .flatMap(getFunctionResponses)
      .map(({ response }) => response);
  }

  get requests(): readonly LlmRequest[] {
    return this.model.requests;
  }

  /** Names of the tools in a request to the model. */
  toolNames(request = 0): string[] {
    return (this.requests[request]!.config.tools ?? []).flatMap((tool) =>
      'functionDeclarations' in tool ? tool.functionDeclarations.map(({ name }) => name) : [],
    );
  }

  async #read(run: ReturnType<Runner['runAsync']>): Promise<Interrupt[]> {
    for await (const event of run) this.events.push(event);
    return (await run.result).interrupts;
  }
}

/** Returns a context for calls outside of a run. */
export function contextOf(userId: string): ReadonlyContext {
  const { signal } = new AbortController();
  return { appName: 'shop', userId, signal, runtime: systemRuntime() } as ReadonlyContext;
}
