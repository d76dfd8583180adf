import { calls, callsAll, hangs, says, ScriptedLlm, streams } from '@thole/testing';
import { FunctionTool, jsonSchema, LongRunningFunctionTool, requestInputTool } from '@thole/tools';
import { AgentTool, BaseAgent, LlmAgent } from '@thole/runner';
import type { Event, InvocationContext } from '@thole/core';
import type {
  CallToolResult,
  Client,
  ElicitRequestFormParams,
  InputRequiredResult,
  Progress,
} from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { connectHttp, connectStreams, serveClerk, textOfResult } from './support/setup.ts';
import type { Answer, Setup } from './support/setup.ts';

const ask = { name: 'clerk', arguments: { request: 'Return order 7.' } };

/** A tool that needs an approval, and the orders that it has returned. */
function returnTool(): { tool: FunctionTool; returned: unknown[] } {
  const returned: unknown[] = [];
  const tool = new FunctionTool({
    name: 'return_order',
    description: 'Returns an order.',
    parameters: jsonSchema<{ order: number }>({ type: 'object', properties: { order: { type: 'integer' } } }),
    requireConfirmation: true,
    execute: ({ order }) => void returned.push(order),
  });
  return { tool: tool as unknown as FunctionTool, returned };
}

const connections = [
  ['HTTP', async (server: Setup['server'], onForm?: Answer) => connectHttp(server, { onForm })],
  [
    'streams of the older protocol',
    async (server: Setup['server'], onForm?: Answer) =>
      (await connectStreams(server, { era: 'legacy', onForm })).client,
  ],
  [
    'streams of the newer protocol',
    async (server: Setup['server'], onForm?: Answer) => (await connectStreams(server, { onForm })).client,
  ],
] as const;

/** Returns a handler that approves each form, and the list of the messages that it receives. */
function approveAll(): { messages: string[]; onForm: Answer } {
  const messages: string[] = [];
  const onForm: Answer = ({ message }) => {
    messages.push(message);
    return { action: 'accept', content: { approve: true } };
  };
  return { messages, onForm };
}

describe('Approval of a served agent', () => {
  it('shows the call that runs, if a callback has changed its arguments (contract 28)', async () => {
    const { tool, returned } = returnTool();
    const { server } = serveClerk([calls('return_order', { order: 7 }), says('Returned.')], {
      agent: { tools: [tool], beforeToolCallback: ({ args }) => void (args['order'] = 8) },
    });
    const { messages, onForm } = approveAll();
    const client = await connectHttp(server, { onForm });
    await client.callTool(ask);
    expect(messages).toEqual([expect.stringMatching(/Approve return_order with \{"order":8\}\?$/)]);
    expect(returned).toEqual([8]);
  });

  it('shows the call of an agent that runs as a tool', async () => {
    const { tool, returned } = returnTool();
    const inner = new ScriptedLlm(calls('return_order', { order: 9 }), says('Returned 9.'));
    const agent = new LlmAgent({ name: 'returns', description: 'Returns orders.', model: inner, tools: [tool] });
    const { server } = serveClerk([calls('returns', { request: 'Return it.' }), says('Returned.')], {
      agent: { tools: [new AgentTool({ agent })] },
    });
    const { messages, onForm } = approveAll();
    const client = await connectHttp(server, { onForm });
    await client.callTool(ask);
    expect(messages).toEqual([expect.stringMatching(/Approve return_order with \{"order":9\}\?$/)]);
    expect(returned).toEqual([9]);
  });
});

describe.each(connections)('Interrupts of a served agent over %s', (_, connect) => {
  it('requests an approval from the client, then runs the tool (contract 28)', async () => {
    const { tool, returned } = returnTool();
    const { server } = serveClerk([calls('return_order', { order: 7 }), streams('Returned.')], {
      agent: { tools: [tool] },
    });
    const forms: ElicitRequestFormParams[] = [];
    const client = await connect(server, (form) => {
      forms.push(form);
      return { action: 'accept', content: { approve: true } };
    });
    const notes: unknown[] = [];
    const onprogress = ({ message, progress }: Progress): void => void notes.push([progress, message]);
    const result = await client.callTool(ask, { onprogress });
    expect(textOfResult(result)).toBe('Returned.');
    expect(returned).toEqual([7]);
    // The client adds a note about the form.
    expect(notes.filter((note) => !String(note).includes('Fulfilling'))).toEqual([
      [1, 'Calling return_order'],
      [2, 'Returned.'],
    ]);
    expect(forms).toMatchObject([
      {
        message: expect.stringMatching(/Approve return_order with \{"order":7\}\?$/),
        requestedSchema: { properties: { approve: { type: 'boolean' } }, required: ['approve'] },
      },
    ]);
  });

  it.each<[string, ReturnType<Answer>]>([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['does not approve', { action: 'accept', content: { approve: false } }],
  ])('rejects the call of the tool if a person %s (contract 28)', async (_name, answer) => {
    const { tool, returned } = returnTool();
    const { server } = serveClerk([calls('return_order', { order: 7 }), says('Not returned.')], {
      agent: { tools: [tool] },
    });
    const client = await connect(server, () => answer);
    expect(textOfResult(await client.callTool(ask))).toBe('Not returned.');
    expect(returned).toEqual([]);
  });

  it('sends questions of the agent one after the other, and the last answer ends the call', async () => {
    const script = [
      calls('request_input', { message: 'Which order?' }),
      calls('request_input', { message: 'Why?' }),
      says('Returned.'),
    ];
    const { server, model } = serveClerk(script, { agent: { tools: [requestInputTool()] } });
    const answers = ['order 7', 'too small'];
    const messages: string[] = [];
    const client = await connect(server, ({ message }) => {
      messages.push(message);
      return { action: 'accept', content: { answer: answers.shift()! } };
    });
    expect(textOfResult(await client.callTool(ask))).toBe('Returned.');
    expect(messages).toEqual(['Which order?', 'Why?']);
    expect(JSON.stringify(model.requests.at(-1)!.contents)).toMatch(/order 7.*too small/);
  });

  it('sends the question again after an answer that does not match the schema', async () => {
    const responseSchema = {
      type: 'object',
      properties: { size: { type: 'integer', minimum: 30 } },
      required: ['size'],
    };
    const tools = [requestInputTool({ responseSchema })];
    const { server, model } = serveClerk([calls('request_input', { message: 'Which size?' }), says('Ordered.')], {
      agent: { tools },
    });
    const sizes = [3, 41];
    const forms: ElicitRequestFormParams[] = [];
    const client = await connect(server, (form) => {
      forms.push(form);
      return { action: 'accept', content: { size: sizes.shift()! } };
    });
    expect(textOfResult(await client.callTool(ask))).toBe('Ordered.');
    expect(forms.map(({ message }) => message)).toEqual(['Which size?', 'The last answer was not valid.\nWhich size?']);
    expect(forms[0]!.requestedSchema.properties).toMatchObject({ size: { type: 'integer' } });
    expect(JSON.stringify(model.requests.at(-1)!.contents)).toContain('"size":41');
  });

  it.each(['decline', 'cancel'] as const)(
    'reports to the model that a person did not answer a question (%s)',
    async (action) => {
      const { server, model } = serveClerk([calls('request_input', { message: 'Which order?' }), says('Then not.')], {
        agent: { tools: [requestInputTool()] },
      });
      const client = await connect(server, () => ({ action }));
      expect(textOfResult(await client.callTool(ask))).toBe('Then not.');
      expect(JSON.stringify(model.requests.at(-1)!.contents)).toMatch(/declined: .*The person did not answer/);
    },
  );

  it('names the missing answer if the client does not support forms', async () => {
    const { tool, returned } = returnTool();
    const { server } = serveClerk([calls('return_order', { order: 7 })], { agent: { tools: [tool] } });
    const client = await connect(server);
    const result = await client.callTool({ ...ask, _meta: { sessionId: 's1' } });
    expect(result.isError).toBe(true);
    expect(textOfResult(result)).toBe(
      'clerk waits for the approval of the call of return_order, and this client does not support elicitation here ' +
        '(over HTTP, it must use version 2026-07-28 of the protocol). The call can be continued in another client of the app.',
    );
    expect(result._meta).toMatchObject({ sessionId: 's1', interruptId: expect.any(String) });
    expect(returned).toEqual([]);
  });

  it('names the missing answer if no form can provide it', async () => {
    const tools = [
      new LongRunningFunctionTool({ name: 'print_label', description: 'd', execute: () => ({ status: 'queued' }) }),
    ];
    const { server } = serveClerk([calls('print_label'), says('It is being printed.')], { agent: { tools } });
    const client = await connect(server, () => ({ action: 'decline' }));
    const result = await client.callTool(ask);
    expect(result.isError).toBe(true);
    expect(textOfResult(result)).toMatch(/waits for the result of print_label, which MCP clients cannot give/);
  });
});

describe('Timer of a served agent', () => {
  it('returns a tool error that names the time', async () => {
    class Waiter extends BaseAgent {
      override async *runAsync(context: InvocationContext): AsyncGenerator<Event, void, Event> {
        await context.sleepUntil(4_102_444_800);
      }
    }
    const { server } = serveClerk([], {
      agent: { subAgents: [new Waiter({ name: 'waiter' })] },
      options: { agents: ['waiter'] },
    });
    const client = await connectHttp(server, { onForm: () => ({ action: 'decline' }) });
    const result = await client.callTool({ ...ask, name: 'waiter' });
    expect([result.isError, textOfResult(result)]).toEqual([
      true,
      expect.stringContaining('waiter waits for the time 2100-01-01T00:00:00Z'),
    ]);
  });
});

describe('Interrupts over HTTP of the older protocol', () => {
  it('become tool errors, because the server cannot send requests', async () => {
    const { tool } = returnTool();
    const { server } = serveClerk([calls('return_order', { order: 7 })], { agent: { tools: [tool] } });
    const client = await connectHttp(server, { era: 'legacy', onForm: () => ({ action: 'decline' }) });
    const result = await client.callTool(ask);
    expect([result.isError, textOfResult(result)]).toEqual([
      true,
      expect.stringContaining('over HTTP, it must use version 2026-07-28 of the protocol'),
    ]);
  });
});

describe('requestState', () => {
  type Paused = InputRequiredResult & { requestState: string; inputRequests: { [id: string]: unknown } };

  async function pause(
    answers: Parameters<typeof serveClerk>[0],
    options: Parameters<typeof serveClerk>[1],
  ): Promise<{ client: Client; paused: Paused; setup: Setup }> {
    const setup = serveClerk(answers, options);
    const client = await connectHttp(setup.server, { onForm: () => ({ action: 'decline' }) });
    const paused = await send(client, {});
    return { client, paused: paused as Paused, setup };
  }

  function send(client: Client, params: object): Promise<CallToolResult | InputRequiredResult> {
    return client.callTool({ ...ask, ...params } as typeof ask, { allowInputRequired: true }) as never;
  }

  it('continues a call in another server over the same sessions', async () => {
    const { tool, returned } = returnTool();
    const { paused, setup } = await pause([calls('return_order', { order: 7 })], { agent: { tools: [tool] } });
    const other = serveClerk([says('Returned.')], {
      agent: { tools: [tool] },
      options: { sessionService: setup.sessionService },
    });
    const client = await connectHttp(other.server, { onForm: () => ({ action: 'decline' }) });
    const [id] = Object.keys(paused.inputRequests);
    const inputResponses = { [id!]: { action: 'accept', content: { approve: true } } };
    const result = await send(client, { requestState: paused.requestState, inputResponses });
    expect(textOfResult(result)).toBe('Returned.');
    expect(returned).toEqual([7]);
    // The client did not get the response and sends the answers again.
    const again = await send(client, { requestState: paused.requestState, inputResponses });
    expect(textOfResult(again)).toBe('Returned.');
    expect(returned).toEqual([7]);
  });

  it('does not continue a call a second time while it is running', async () => {
    const { tool, returned } = returnTool();
    const { client, paused, setup } = await pause([calls('return_order', { order: 7 }), hangs()], {
      agent: { tools: [tool] },
    });
    const [id] = Object.keys(paused.inputRequests);
    const params = {
      requestState: paused.requestState,
      inputResponses: { [id!]: { action: 'accept', content: { approve: true } } },
    };
    const first = send(client, params).catch((error: unknown) => error);
    await expect.poll(() => setup.model.requests.length).toBe(2);
    const second = await send(client, params);
    expect(textOfResult(second)).toBe('clerk has already received these answers and is still running.');
    expect(returned).toEqual([7]);
    await client.close();
    await first;
  });

  it('requests missing answers again', async () => {
    const { tool, returned } = returnTool();
    const script = [callsAll(['return_order', { order: 7 }], ['return_order', { order: 8 }]), says('Both returned.')];
    const { client, paused } = await pause(script, { agent: { tools: [tool] } });
    const ids = Object.keys(paused.inputRequests);
    expect(ids.length).toBe(2);
    const approve = (id: string): object => ({ [id]: { action: 'accept', content: { approve: true } } });
    const { requestState } = paused;
    const none = (await send(client, { requestState, inputResponses: { other: { action: 'accept' } } })) as Paused;
    expect(Object.keys(none.inputRequests)).toEqual(ids);
    const one = (await send(client, { requestState, inputResponses: approve(ids[0]!) })) as Paused;
    expect(Object.keys(one.inputRequests)).toEqual([ids[1]]);
    const both = await send(client, { requestState: one.requestState, inputResponses: approve(ids[1]!) });
    expect(textOfResult(both)).toBe('Both returned.');
    expect(returned).toEqual([7, 8]);
  });

  it('starts no run without an answer', async () => {
    let started = 0;
    const actions: string[] = [];
    const authorize = (_request: Request, { action }: { action: string }): true => {
      actions.push(action);
      return true;
    };
    const tool = new FunctionTool({
      name: 'order',
      description: 'd',
      execute: (_args, context) => {
        started++;
        return context.requestInput({ message: 'Which size?' });
      },
    });
    const { client, paused } = await pause([calls('order'), says('Ordered.')], {
      agent: { tools: [tool] },
      options: { authorize },
    });
    const { requestState } = paused;
    expect(await send(client, { requestState })).toMatchObject({ inputRequests: paused.inputRequests });
    expect(started).toBe(1);
    expect(actions).not.toContain('answer');
    const [id] = Object.keys(paused.inputRequests);
    const inputResponses = { [id!]: { action: 'accept', content: { answer: '41' } } };
    expect(textOfResult(await send(client, { requestState, inputResponses }))).toBe('Ordered.');
    expect(started).toBe(2);
  });

  it('rejects a value that is not a state, or names another session, call or tool', async () => {
    const { tool, returned } = returnTool();
    const baker = new LlmAgent({ name: 'baker', model: new ScriptedLlm() });
    const options = { agents: ['clerk', 'baker'] };
    const { client, paused, setup } = await pause([calls('return_order', { order: 7 })], {
      agent: { tools: [tool], subAgents: [baker] },
      options,
    });
    const [id] = Object.keys(paused.inputRequests);
    const inputResponses = { [id!]: { action: 'accept', content: { approve: true } } };
    for (const requestState of [
      '',
      'x',
      'null',
      '{}',
      '{"sessionId":1,"invocationId":"a"}',
      '{"sessionId":"s","invocationId":"a","progress":"x"}',
    ])
      await expect(send(client, { requestState, inputResponses })).rejects.toThrow('Invalid or expired requestState');
    const state = JSON.parse(paused.requestState) as { sessionId: string; invocationId: string };
    for (const changed of [{ sessionId: 'other' }, { invocationId: 'other' }]) {
      const requestState = JSON.stringify({ ...state, ...changed });
      const result = await send(client, { requestState, inputResponses });
      expect(textOfResult(result)).toMatch(/There is no call of clerk to continue/);
    }
    const ofBaker = await send(client, { name: 'baker', requestState: paused.requestState, inputResponses });
    expect(textOfResult(ofBaker)).toMatch(/There is no call of baker to continue/);
    const ofAda = await connectHttp(setup.server, {
      headers: { 'x-user-id': 'ada' },
      onForm: () => ({ action: 'decline' }),
    });
    const stolen = await send(ofAda, { requestState: paused.requestState, inputResponses });
    expect(textOfResult(stolen)).toMatch(/There is no call of clerk to continue/);
    expect(returned).toEqual([]);
  });

  it('does not continue an invocation that another client of the app has begun', async () => {
    const { tool, returned } = returnTool();
    const { Runner } = await import('@thole/runner');
    const { server, sessionService, model } = serveClerk([], { agent: { tools: [tool] } });
    const agent = new LlmAgent({
      name: 'clerk',
      model: new ScriptedLlm(calls('return_order', { order: 7 })),
      tools: [tool],
    });
    const runner = new Runner({ appName: 'shop', agent, sessionService, autoCreateSession: true });
    const page = await runner.runToCompletion({ userId: 'user', sessionId: 's1', newMessage: 'Return it.' });
    const client = await connectHttp(server, { onForm: () => ({ action: 'decline' }) });
    const result = await send(client, {
      requestState: JSON.stringify({ sessionId: 's1', invocationId: page.invocationId }),
      inputResponses: { [page.interrupts[0]!.id]: { action: 'accept', content: { approve: true } } },
    });
    expect(textOfResult(result)).toMatch(/There is no call of clerk to continue/);
    expect([returned, model.requests]).toEqual([[], []]);
    await runner.close();
  });

  it.each([
    ['false', false, /may not act for this app and user.*FORBIDDEN/],
    ['another user', { userId: 'bob' }, /may not answer for this user.*FORBIDDEN/],
  ])('rejects the answers if authorize returns %s for them', async (_name, ofAnswers, message) => {
    const { tool, returned } = returnTool();
    const actions: unknown[] = [];
    const { client, paused } = await pause([calls('return_order', { order: 7 })], {
      agent: { tools: [tool] },
      options: {
        authorize: (_request, { action, interrupts }) => {
          actions.push([action, interrupts?.map(({ toolName }) => toolName)]);
          return action === 'run' ? { userId: 'ada' } : ofAnswers;
        },
      },
    });
    const [id] = Object.keys(paused.inputRequests);
    const inputResponses = { [id!]: { action: 'accept', content: { approve: true } } };
    const result = await send(client, { requestState: paused.requestState, inputResponses });
    expect(textOfResult(result)).toMatch(message);
    expect(actions.at(-1)).toEqual(['answer', ['return_order']]);
    expect(returned).toEqual([]);
  });
});
