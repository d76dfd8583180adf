import { getFunctionCalls, getFunctionResponses } from '../event/read-event.ts';
import type { Event } from '../event/event.ts';
import type { FunctionCall, FunctionResponse } from '../content/content.ts';
import { definedMembers } from '../json/defined-members.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { requestKindOf } from './interrupt.ts';
import type { Interrupt, InterruptKind } from './interrupt.ts';

/** An interrupt, its request and its answer. */
export interface RecordedInterrupt {
  readonly interrupt: Interrupt;
  /** The function call that records it. */
  readonly call: FunctionCall;
  /** The event with that call. */
  readonly event: Event;
  /** The first answer. Undefined while it is open, and if a closing record closed it. */
  readonly answer: { readonly event: Event; readonly response: FunctionResponse } | undefined;
  readonly isOpen: boolean;
}

/**
 * The marks of a session that depend on its open interrupts: the count of those that can be answered, and their earliest
 * `expiresAt`, or null.
 */
export interface InterruptMarks {
  openInterrupts: number;
  wakeAt: number | null;
}

/** Codes of closing records after which an invocation cannot be resumed. They close its interrupts. */
const finalCodes: ReadonlySet<string> = new Set(['RUN_ABORTED', 'RUN_INTERRUPTED', 'RUN_SUPERSEDED']);

/** True if the event is the closing record of an invocation that cannot be resumed. */
export function isFinalRecord(event: Event): boolean {
  return event.errorCode !== undefined && event.content === undefined && finalCodes.has(event.errorCode);
}

/**
 * True if the response is not the final answer of its call. Its event requests a confirmation or a credential for the call,
 * or the response is the first note of a long-running tool or an update with `willContinue`.
 */
export function isProvisional(event: Event, response: FunctionResponse, p: { isLongRunning: boolean }): boolean {
  if (response.willContinue === true) return true;
  const { id } = response;
  const { requestedToolConfirmations, requestedAuthConfigs } = event.actions;
  if (id !== undefined && (Object.hasOwn(requestedToolConfirmations, id) || Object.hasOwn(requestedAuthConfigs, id)))
    return true;
  return p.isLongRunning && isFromAgent(event) && event.customMetadata?.['callEnded'] !== true;
}

/** The interrupts of a session, updated event by event. Rewound events must not be added. */
export class InterruptLog {
  readonly #all = new Map<string, Entry>();
  readonly #open = new Map<string, Entry>();
  readonly #ended = new Map<string, string>();

  /** The open interrupts, oldest first. */
  get open(): IterableIterator<RecordedInterrupt> {
    return this.#open.values();
  }
  get openCount(): number {
    return this.#open.size;
  }

  /**
   * Returns the open interrupts that can be answered now, oldest first. A long-running call is left out while another request for
   * it is open, such as its confirmation: the call has not begun.
   */
  answerable(): RecordedInterrupt[] {
    const open = [...this.#open.values()];
    const requestedCalls = new Set<unknown>();
    for (const entry of open) for (const id of callIdsOf(entry)) if (id !== entry.interrupt.id) requestedCalls.add(id);
    return open.filter(({ interrupt }) => !requestedCalls.has(interrupt.id));
  }

  /** Returns the interrupts that have an answer, oldest request first. */
  answered(): RecordedInterrupt[] {
    return [...this.#all.values()].filter(({ answer }) => answer !== undefined);
  }

  find(id: string): RecordedInterrupt | undefined {
    return this.#all.get(id);
  }

  /** Returns all requests for a tool call, oldest first. One sign-in can be requested for several calls. */
  ofCall(functionCallId: string): RecordedInterrupt[] {
    if (this.#all.size === 0) return [];
    return [...this.#all.values()].filter((entry) => callIdsOf(entry).includes(functionCallId));
  }

  /** Returns all requests of an invocation, oldest first. */
  ofInvocation(invocationId: string): RecordedInterrupt[] {
    if (this.#all.size === 0) return [];
    return [...this.#all.values()].filter(({ interrupt }) => interrupt.invocationId === invocationId);
  }

  /**
   * Returns the error code of the closing record after which an invocation cannot be resumed. Undefined if it can be
   * resumed.
   */
  endOf(invocationId: string): string | undefined {
    return this.#ended.get(invocationId);
  }

  /** Adds the next event of the session. */
  add(event: Event): void {
    if (event.content === undefined) {
      if (isFinalRecord(event)) this.#end(event);
      return;
    }
    if (event.longRunningToolIds?.length && isFromAgent(event)) this.#addRequests(event, event.longRunningToolIds);
    if (this.#open.size === 0) return;
    for (const response of getFunctionResponses(event)) {
      const entry = response.id === undefined ? undefined : this.#open.get(response.id);
      const isLongRunning = entry?.interrupt.kind === 'longRunning';
      if (!entry || isProvisional(event, response, { isLongRunning })) continue;
      entry.answer = { event, response };
      this.#close(entry);
    }
  }

  /** Returns the marks of the session after this event, or undefined if the event changes none of them. */
  marksAfter(event: Event): InterruptMarks | undefined {
    const isRequest = event.content !== undefined && (event.longRunningToolIds?.length ?? 0) > 0;
    const mayClose = this.#open.size > 0 && (event.content !== undefined || isFinalRecord(event));
    if (!isRequest && !mayClose) return undefined;
    const after = new InterruptLog();
    for (const [id, entry] of this.#open) {
      const copy = { ...entry };
      after.#all.set(id, copy);
      after.#open.set(id, copy);
    }
    after.add(event);
    return after.marks;
  }

  /** The marks of a session with these interrupts. */
  get marks(): InterruptMarks {
    let wakeAt: number | null = null;
    for (const { interrupt } of this.#open.values()) {
      const { expiresAt } = interrupt;
      if (expiresAt !== undefined && (wakeAt === null || expiresAt < wakeAt)) wakeAt = expiresAt;
    }
    return { openInterrupts: this.answerable().length, wakeAt };
  }

  #addRequests(event: Event, ids: readonly string[]): void {
    for (const call of getFunctionCalls(event)) {
      if (call.id === undefined || !ids.includes(call.id) || this.#all.has(call.id)) continue;
      const entry: Entry = { interrupt: toInterrupt(event, call), call, event, answer: undefined, isOpen: true };
      this.#all.set(call.id, entry);
      this.#open.set(call.id, entry);
    }
  }

  #end({ invocationId, errorCode }: Event): void {
    this.#ended.set(invocationId, errorCode!);
    for (const entry of [...this.#open.values()]) {
      if (entry.interrupt.invocationId === invocationId) this.#close(entry);
    }
  }

  #close(entry: Entry): void {
    entry.isOpen = false;
    this.#open.delete(entry.interrupt.id);
  }
}

/** Returns the ids of the tool calls that an interrupt is requested for. */
function callIdsOf({ call, interrupt }: RecordedInterrupt): unknown[] {
  const others = call.args['otherFunctionCallIds'];
  return [interrupt.functionCallId, ...(Array.isArray(others) ? others : [])];
}

type Entry = { -readonly [name in keyof RecordedInterrupt]: RecordedInterrupt[name] };

/** True if an agent made the event, not the user or the system. */
function isFromAgent({ author }: Event): boolean {
  return author !== 'user' && author !== 'system';
}

function toInterrupt(event: Event, call: FunctionCall): Interrupt {
  const kind = requestKindOf(call.name) ?? 'longRunning';
  const { invocationId, author: agentName, branch, timestamp: createdAt } = event;
  const origin = { id: call.id!, kind, invocationId, agentName, ...(branch !== undefined && { branch }), createdAt };
  return definedMembers({ ...origin, ...readRequest(kind, event, call) });
}

type RequestMembers = Partial<Omit<Interrupt, 'id' | 'kind' | 'invocationId' | 'agentName' | 'createdAt'>>;

function readRequest(kind: InterruptKind, event: Event, call: FunctionCall): RequestMembers {
  const { args } = call;
  const expiresAt = numberIn(args, 'expiresAt');
  switch (kind) {
    case 'confirmation': {
      const original = objectIn(args, 'originalFunctionCall', 'original_function_call');
      const confirmation = objectIn(args, 'toolConfirmation', 'tool_confirmation');
      const payload = confirmation['payload'];
      return {
        ...callIn(original),
        message: textIn(confirmation, 'hint'),
        ...(payload != null && { payload }),
        expiresAt,
      };
    }
    case 'input': {
      const schema = args['response_schema'] ?? args['responseSchema'];
      const payload = args['payload'];
      return {
        ...callIn(objectIn(args, 'originalFunctionCall', 'original_function_call')),
        message: textIn(args, 'message'),
        ...(isPlainObject(schema) && { responseSchema: schema as JsonObject }),
        ...(payload != null && { payload }),
        expiresAt,
      };
    }
    case 'credential': {
      const payload = args['authConfig'] ?? args['auth_config'];
      const functionCallId = textIn(args, 'functionCallId') ?? textIn(args, 'function_call_id');
      return {
        ...callIn(objectIn(args, 'originalFunctionCall', 'original_function_call')),
        ...(functionCallId !== undefined && { functionCallId }),
        message: textIn(args, 'message'),
        ...(payload != null && { payload }),
        expiresAt,
      };
    }
    case 'timer': {
      const original = objectIn(args, 'originalFunctionCall');
      return { ...callIn(original), expiresAt: numberIn(args, 'wakeAt') };
    }
    case 'longRunning':
      return { functionCallId: call.id, toolName: call.name, args, expiresAt: expiryOf(event, call.id!) };
  }
}

function callIn(original: JsonObject): RequestMembers {
  const args = original['args'];
  return {
    functionCallId: textIn(original, 'id'),
    toolName: textIn(original, 'name'),
    ...(isPlainObject(args) && { args: args as JsonObject }),
  };
}

function expiryOf({ customMetadata }: Event, callId: string): number | undefined {
  const times = customMetadata?.['expiresAt'];
  return isPlainObject(times) ? numberIn(times as JsonObject, callId) : undefined;
}

function objectIn(args: JsonObject, ...names: string[]): JsonObject {
  for (const name of names) if (isPlainObject(args[name])) return args[name] as JsonObject;
  return {};
}

function textIn(args: JsonObject, name: string): string | undefined {
  const value: Json | undefined = args[name];
  return typeof value === 'string' ? value : undefined;
}

function numberIn(args: JsonObject, name: string): number | undefined {
  const value: Json | undefined = args[name];
  return typeof value === 'number' ? value : undefined;
}
