import type { EventActions, Json, LlmResponse, StateDelta, ToolContext } from '@thole/core';
import { failInvalidJson, JsonCopier } from '@thole/core/kit';
import type { CallInterceptor } from '@thole/core/kit';
import { toRecordedError } from './recorded-error.ts';
import { toRecordedResult } from './recorded-result.ts';
import type { RecordedCall, RecordedRun, RecordedToolCall } from './recording.ts';
import type { RecordingRuntime } from './recording-runtime.ts';
import { requestJson, toJson } from './to-json.ts';

/** Forwards calls to models and tools and steps of agents, and records them. */
export class RecordingInterceptor implements CallInterceptor {
  readonly #runtime: RecordingRuntime;
  #calls: RecordedCall[] = [];
  #steps: RecordedSteps = [];
  #ended = 0;

  constructor(runtime: RecordingRuntime) {
    this.#runtime = runtime;
  }

  /** Records into this run from now on. */
  recordInto(run: RecordedRun): void {
    this.#calls = run.calls;
    this.#steps = run.steps ??= [];
    this.#ended = 0;
  }

  async *callModel(p: Parameters<CallInterceptor['callModel']>[0]): AsyncGenerator<LlmResponse, void, undefined> {
    const { agentName: agent, branch, model, options } = p;
    const responses: LlmResponse[] = [];
    const request = requestJson(p.request);
    const call: RecordedCall = { kind: 'model', agent, ...(branch !== undefined && { branch }), request, responses };
    this.#calls.push(call);
    try {
      for await (const response of model.generateContentAsync(p.request, options)) {
        responses.push(toJson(response));
        this.#runtime.tick();
        yield response;
      }
    } catch (error) {
      if (!options.signal.aborted) this.#fail(call, error);
      throw error;
    }
    this.#end(call);
  }

  async callTool({ args, tool, toolContext }: Parameters<CallInterceptor['callTool']>[0]): Promise<unknown> {
    const copy = toJson(args);
    const more = { steps: [], stateDelta: {}, actions: {} };
    const call: RecordedToolCall = { kind: 'tool', agent: toolContext.agentName, tool: tool.name, args: copy, ...more };
    this.#calls.push(call);
    const before = { state: deltaOf(toolContext), actions: toJson(toolContext.actions) };
    recordSteps(toolContext, call);
    try {
      const result = await tool.runAsync({ args, toolContext });
      if (!toolContext.signal.aborted) {
        Object.assign(call, toRecordedResult(tool.name, result));
        this.#end(call);
      }
      return result;
    } catch (error) {
      if (!toolContext.signal.aborted) this.#fail(call, error);
      // The tool paused, so the call has no answer yet. A replay runs the tool.
      if ((error as { isRunPaused?: unknown } | null)?.isRunPaused === true) call.runs = true;
      throw error;
    } finally {
      call.stateDelta = changedMembers(before.state, deltaOf(toolContext));
      call.actions = changedMembers(before.actions, toJson(toolContext.actions)) as Partial<EventActions>;
    }
  }

  async runStep({
    agent,
    name,
    n,
    path,
    run,
    signal,
  }: Parameters<CallInterceptor['runStep']>[0]): Promise<Json | undefined> {
    const step: RecordedSteps[number] = { agent, path, name, n };
    this.#steps.push(step);
    try {
      const result = await run();
      if (signal.aborted) return result;
      // Throws the error of the runner for a result that is not JSON, so that the recording contains it.
      if (result !== undefined)
        step.result = new JsonCopier(failInvalidJson).copy(result, `The result of step ${name}`);
      this.#end(step);
      return result;
    } catch (error) {
      if (!signal.aborted) this.#fail(step, error);
      throw error;
    }
  }

  #fail(call: EndedCall, error: unknown): void {
    call.error = toRecordedError(error);
    this.#end(call);
  }

  #end(call: EndedCall): void {
    this.#runtime.tick();
    call.end = ++this.#ended;
  }
}

type RecordedSteps = NonNullable<RecordedRun['steps']>;
type EndedCall = Pick<RecordedToolCall, 'end' | 'error'>;

/** Records the steps of the tool, and whether it runs agents. */
function recordSteps(context: ToolContext, call: RecordedToolCall): void {
  const step = context.step.bind(context);
  const runChild = context.runChild.bind(context);
  const recordStep: ToolContext['step'] = async (name, fn) => {
    try {
      const result = await step(name, fn);
      call.steps.push({ name, ...(result !== undefined && { result: toJson(result as Json) }) });
      return result as never;
    } catch (error) {
      call.steps.push({ name, error: toRecordedError(error) });
      throw error;
    }
  };
  Object.defineProperty(context, 'step', { value: recordStep });
  Object.defineProperty(context, 'runChild', {
    value: (p: Parameters<ToolContext['runChild']>[0]) => {
      call.runs = true;
      return runChild(p);
    },
  });
}

/** Returns the state changes that are not part of an event yet. They stay in the state. */
function deltaOf({ state }: ToolContext): StateDelta {
  const taken = state.takeDelta();
  if (!taken) return {};
  state.restore(taken);
  return toJson(taken);
}

function changedMembers<T extends object>(before: T, after: T): T {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T]),
  );
  return Object.fromEntries(changed) as T;
}
