import type { AuthConfig, Event, Interrupt, InvocationContext, Json, JsonObject, ToolContext } from '@thole/core';
import { OAuthAuthenticator } from '../../../packages/auth/src/index.ts';
import { InMemoryCredentialService, InMemorySessionService } from '@thole/mem-services';
import { BaseAgent, LlmAgent, Runner } from '@thole/runner';
import { ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool, LongRunningFunctionTool } from '@thole/tools';
import { startHotelServer } from '../hotel-server.ts';
import type { HotelServer } from '../hotel-server.ts';

/** A hotel server whose tools wait for answers. */
export interface HotelWithRequests extends HotelServer {
  /** Arguments of the calls of `book_room` and `pay` so far. */
  booked: JsonObject[];
  /** Answers that the other tools have received so far. */
  answers: Json[];
  /** Returns the open interrupts of a session. */
  requestsOf(sessionId: string): Promise<Interrupt[]>;
}

export interface Requests {
  /** Schema of the input of `ask_guest`. Default: none. */
  schema?: JsonObject | undefined;
  /** Time until a confirmation of `book_room` expires, in milliseconds. */
  ttlMs?: number | undefined;
  /** Credential of `read_mail`. */
  authConfig?: (() => AuthConfig) | undefined;
}

/**
 * Starts a server with two apps: `hotel` with the tools `book_room`, `pay`, `ask_guest`, `ask_manager`, `lend_car` and `read_mail`,
 * and `alarm` with a timer.
 */
export async function startHotelWithRequests(
  script: readonly ScriptedAnswer[],
  { authConfig, schema, ttlMs }: Requests = {},
): Promise<HotelWithRequests> {
  const booked: JsonObject[] = [];
  const answers: Json[] = [];
  const sessionService = new InMemorySessionService();
  const bookRoom = new FunctionTool({
    name: 'book_room',
    description: 'Books a room.',
    parameters: {
      type: 'object',
      properties: { room: { type: 'integer' }, nights: { type: 'integer' } },
      required: ['room'],
    },
    requireConfirmation: true,
    allowEditedArguments: true,
    ...(ttlMs !== undefined && { confirmationTtlMs: ttlMs }),
    execute: (args) => (booked.push(args as JsonObject), { booked: true }),
  });
  const pay = new FunctionTool({
    name: 'pay',
    description: 'Pays a bill.',
    parameters: { type: 'object', properties: { amount: { type: 'number' } } },
    requireConfirmation: true,
    execute: (args) => (booked.push(args as JsonObject), { paid: true }),
  });
  const askGuest = new FunctionTool({
    name: 'ask_guest',
    description: 'Asks the guest.',
    async execute(_: unknown, context: ToolContext) {
      const answer = await context.requestInput({ message: 'Which room would you like?', responseSchema: schema });
      answers.push(answer);
      return { answer };
    },
  });
  const askManager = new LongRunningFunctionTool({
    name: 'ask_manager',
    description: 'Asks the manager.',
    parameters: { type: 'object', properties: { question: { type: 'string' } } },
    execute: () => ({ status: 'pending' }),
  });
  const lendCar = new FunctionTool({
    name: 'lend_car',
    description: 'Lends a car.',
    execute(_: unknown, context: ToolContext) {
      const { toolConfirmation } = context;
      if (!toolConfirmation) return context.requestConfirmation({ hint: 'How many days?', payload: { days: 1 } });
      answers.push(toolConfirmation.payload ?? null);
      return { lent: toolConfirmation.confirmed };
    },
  });
  const readMail = new FunctionTool({
    name: 'read_mail',
    description: 'Reads mail.',
    async execute(_: unknown, context: ToolContext) {
      const { authType } = await context.requestCredential(authConfig!());
      answers.push(authType);
      return { mails: 3 };
    },
  });
  const runner = new Runner({
    appName: 'hotel',
    agent: new LlmAgent({
      name: 'concierge',
      model: new ScriptedLlm(...script),
      tools: [bookRoom, pay, askGuest, askManager, lendCar, readMail],
    }),
    sessionService,
    authenticator: new OAuthAuthenticator({
      credentialService: new InMemoryCredentialService(),
      privateHosts: ['localhost', '127.0.0.1'],
    }),
  });
  const clock = new Runner({ appName: 'alarm', agent: new Alarm({ name: 'alarm' }), sessionService });
  const none = { sessionService: undefined, memoryService: undefined, artifactService: undefined };
  const hotel = await startHotelServer([], { apps: [runner, clock], ...none });
  return {
    ...{ ...hotel, booked, answers },
    requestsOf: (sessionId) => hotel.client.interrupts.list({ appName: 'hotel', userId: 'user', sessionId }),
  };
}

/** An agent that waits for an hour. */
class Alarm extends BaseAgent {
  async *runAsync(context: InvocationContext): AsyncGenerator<Event> {
    await context.sleep(3_600_000);
  }
}
