import { pendingInterrupts, TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { Event, Interrupt, Logger, RunConfig, Session, SessionRef } from '@thole/core';
import type { Run, RunRequest } from '@thole/runner';
import { inputRequired } from '@modelcontextprotocol/server';
import type { CallToolResult, InputRequest, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from './agent-server-options.ts';
import { describeCallError, logCallError } from './call-errors.ts';
import { CallProgress } from './call-progress.ts';
import { formatCallState } from './call-state.ts';
import type { CallState } from './call-state.ts';
import { describeMissingAnswer, readAnswers, toElicitation } from './elicit-answers.ts';
import type { RequestCaller } from './request-caller.ts';
import type { ServedAgent } from './served-agent.ts';
import { isAnswer, toolError, toToolResult } from './to-tool-result.ts';

/** Parts of a call in addition to the request of the client. */
export interface CallInit {
  readonly agent: ServedAgent;
  readonly caller: RequestCaller;
  /** True if the client can show forms to a person. */
  readonly canElicit: boolean;
  readonly runConfig: RunConfig;
  readonly deps: ((caller: Caller) => unknown) | undefined;
  readonly logger: Logger;
  /** Ends the call when the server is closed. */
  readonly signal: AbortSignal;
}

type CallResult = CallToolResult | InputRequiredResult;

/** Member of `customMetadata` of all events of a call. Only calls that an MCP server has started can be continued here. */
const TOOL_KEY = 'mcpTool';

/** Runs an agent for one call of its tool, or continues a call with the answers of the client. Never rejects. */
export async function callAgent(init: CallInit, args: unknown, request: ServerContext['mcpReq']): Promise<CallResult> {
  const { agent, caller, logger } = init;
  let call: AgentCall | undefined;
  try {
    call = new AgentCall(init, request);
    const state = request.requestState<CallState>();
    return await (state ? call.resume(state) : call.start(args, request._meta?.['sessionId']));
  } catch (error) {
    logCallError(logger, error, { appName: agent.runner.appName, agent: agent.name, userId: caller.userId });
    return { ...toolError(describeCallError(agent.name, error)), ...call?.idOfSession };
  }
}

/** One request of a client. */
class AgentCall {
  readonly #init: CallInit;
  readonly #request: ServerContext['mcpReq'];
  readonly #progress: CallProgress;
  #run: Run | undefined;

  constructor(init: CallInit, request: ServerContext['mcpReq']) {
    this.#init = init;
    this.#request = request;
    this.#progress = new CallProgress(init.agent, request, request.requestState<CallState>()?.progress ?? 0);
  }

  /** Members of the result that name the session, after the run has started. */
  get idOfSession(): Pick<CallToolResult, '_meta'> {
    return this.#run ? { _meta: { sessionId: this.#run.sessionId } } : {};
  }

  async start(args: unknown, sessionId: unknown): Promise<CallResult> {
    const { agent } = this.#init;
    const request = { ...(await this.#runOptions()), newMessage: agent.toMessage(args) };
    if (sessionId === undefined) return this.#read(agent.runner.runAsync(request));
    assertSessionId(sessionId);
    await this.#openSession(sessionId);
    return this.#read(agent.runner.runAsync({ ...request, sessionId }));
  }

  async resume({ sessionId, invocationId }: CallState): Promise<CallResult> {
    const { agent, caller } = this.#init;
    const session = await agent.runner.sessionService.getSession(this.#refOf(sessionId));
    if (!session || !isOwnCall(session, invocationId, agent.name))
      return toolError(`There is no call of ${agent.name} to continue. Call the tool again without requestState.`);
    const interrupts = pendingInterrupts(session.events).filter((each) => each.invocationId === invocationId);
    // The same answers were sent twice.
    if (interrupts.length === 0) return this.#resultOfRepeatedAnswers(session, invocationId);
    const answers = readAnswers(interrupts, this.#request.inputResponses);
    if (answers.length === 0) return this.#requestAnswers(interrupts, { sessionId, invocationId });
    await caller.assertMayAnswer(interrupts.filter(({ id }) => answers.some((answer) => answer.id === id)));
    const newMessage = { role: 'user' as const, parts: answers.map((functionResponse) => ({ functionResponse })) };
    const run = agent.runner.runAsync({ ...(await this.#runOptions()), sessionId, invocationId, newMessage });
    try {
      return await this.#read(run);
    } catch (error) {
      if (!TholeError.is(error, 'ANSWER_INVALID')) throw error;
      return this.#requestAnswers(interrupts, { sessionId, invocationId }, 'The last answer was not valid.\n');
    }
  }

  async #read(run: Run): Promise<CallResult> {
    this.#run = run;
    let answer: Event | undefined;
    for await (const event of run) {
      await this.#progress.report(event);
      if (isAnswer(event)) answer = event;
    }
    const { sessionId, invocationId } = run;
    const { interrupts, status } = await run.result;
    if (status === 'paused') return this.#requestAnswers(interrupts, { sessionId, invocationId });
    return this.#resultOf(answer, sessionId);
  }

  /** Returns a request for the answers, or an error that names the first answer that this client cannot send. */
  #requestAnswers(interrupts: readonly Interrupt[], invocation: Omit<CallState, 'progress'>, note = ''): CallResult {
    const { agent, canElicit } = this.#init;
    const inputRequests: { [interruptId: string]: InputRequest } = {};
    for (const interrupt of interrupts) {
      const elicitation = canElicit ? toElicitation(interrupt, note) : undefined;
      if (!elicitation) {
        const missing = describeMissingAnswer(interrupt);
        const reason = canElicit
          ? 'which MCP clients cannot give'
          : 'and this client does not support elicitation here (over HTTP, it must use version 2026-07-28 of the protocol)';
        const text = `${agent.name} waits for ${missing}, ${reason}. The call can be continued in another client of the app.`;
        return { ...toolError(text), _meta: { ...invocation, interruptId: interrupt.id } };
      }
      inputRequests[interrupt.id] = elicitation;
    }
    const requestState = formatCallState({ ...invocation, progress: this.#progress.count });
    return inputRequired({ inputRequests, requestState });
  }

  #resultOfRepeatedAnswers({ events, id }: Session, invocationId: string): CallToolResult {
    const answer = lastAnswer(events, invocationId);
    return answer
      ? this.#resultOf(answer, id)
      : toolError(`${this.#init.agent.name} has already received these answers and is still running.`);
  }

  #resultOf(answer: Event | undefined, sessionId: string): CallToolResult {
    return { ...toToolResult(this.#init.agent, answer), _meta: { sessionId } };
  }

  #refOf(sessionId: string): SessionRef & { signal: AbortSignal } {
    const { agent, caller } = this.#init;
    return { appName: agent.runner.appName, userId: caller.userId, sessionId, signal: this.#signal };
  }

  get #signal(): AbortSignal {
    return AbortSignal.any([this.#request.signal, this.#init.signal]);
  }

  async #runOptions(): Promise<Pick<RunRequest, 'userId' | 'runConfig' | 'abortSignal' | 'deps'>> {
    const { agent, caller, deps, runConfig } = this.#init;
    return {
      userId: caller.userId,
      runConfig: {
        ...runConfig,
        streamingMode: this.#progress.isRequested ? 'sse' : 'none',
        customMetadata: { ...runConfig.customMetadata, [TOOL_KEY]: agent.name },
      },
      abortSignal: this.#signal,
      deps: await deps?.(caller),
    };
  }

  /** Creates a session at its first use. */
  async #openSession(sessionId: string): Promise<void> {
    const { sessionService } = this.#init.agent.runner;
    const ref = this.#refOf(sessionId);
    if (await sessionService.getSession({ ...ref, numRecentEvents: 0 })) return;
    try {
      await sessionService.createSession(ref);
    } catch (error) {
      // A concurrent call has created it.
      if (!TholeError.is(error, 'SESSION_ALREADY_EXISTS')) throw error;
    }
  }
}

function assertSessionId(sessionId: unknown): asserts sessionId is string {
  try {
    assertName('_meta.sessionId', sessionId);
  } catch (cause) {
    throw new TholeError('FORBIDDEN', (cause as Error).message, { cause });
  }
}

function isOwnCall({ events }: Session, invocationId: string, toolName: string): boolean {
  return events.some((event) => event.invocationId === invocationId && event.customMetadata?.[TOOL_KEY] === toolName);
}

/** Returns the last answer after the last message of the user. */
function lastAnswer(events: readonly Event[], invocationId: string): Event | undefined {
  const callEvents = events.filter((event) => event.invocationId === invocationId);
  return callEvents.slice(callEvents.findLastIndex(({ author }) => author === 'user') + 1).findLast(isAnswer);
}
