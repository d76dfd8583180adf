import { AgentTree, systemRuntime } from '@thole/core';
import { setCallInterceptor } from '@thole/core/kit';
import type { Event, SessionRef } from '@thole/core';
import { Runner } from '@thole/runner';
import type { ResumeRequest, Run, RunnerOptions, RunRequest } from '@thole/runner';
import type { RequestToRecord, RunOrResume } from './record-run.ts';
import { toRecordedError } from './recorded-error.ts';
import { signInsOf, toRecordedRequest, withoutTemp } from './recorded-request.ts';
import { RECORDING_VERSION } from './recording.ts';
import type { RecordedRun, RecordedSession, Recording } from './recording.ts';
import { RecordingInterceptor } from './recording-interceptor.ts';
import { RecordingRuntime } from './recording-runtime.ts';
import { toJson } from './to-json.ts';

/** Runs requests of one session with a new runner, and records them. */
export class RunRecorder<T> {
  readonly #runner: Runner;
  readonly #runtime: RecordingRuntime;
  readonly #interceptor: RecordingInterceptor;
  readonly #onEvent: (event: Event) => void;
  readonly #runs: RecordedRun[] = [];
  /** The complete events of all runs. */
  readonly #events: Event[] = [];
  #session: RecordedSession | null = null;
  #sessionId: string | undefined;

  /** `onEvent` is called with each event, also with partial events. */
  constructor(options: RunnerOptions, onEvent: (event: Event) => void) {
    this.#runtime = new RecordingRuntime(options.runtime ?? systemRuntime());
    this.#interceptor = new RecordingInterceptor(this.#runtime);
    setCallInterceptor(this.#runtime, this.#interceptor);
    // A summary between two runs would change the next request, and a replay does not summarize.
    const withoutCompaction = options.app ? { ...options, app: { ...options.app, compaction: undefined } } : options;
    this.#runner = new Runner({ ...withoutCompaction, runtime: this.#runtime });
    this.#onEvent = onEvent;
  }

  /** Runs a request to its end. Records the error of a run that fails. Throws an error of `onEvent`. */
  async record(requestOrFunction: RequestToRecord<T>): Promise<void> {
    const request = typeof requestOrFunction === 'function' ? requestOrFunction(this.#events) : requestOrFunction;
    this.#sessionId = request.sessionId ?? this.#sessionId;
    if (this.#runs.length === 0) this.#session = await this.#snapshot(request.userId);
    const recorded: RecordedRun = {
      kind: 'answers' in request ? 'resume' : 'run',
      request: {},
      events: [],
      calls: [],
      ids: [],
      random: [],
    };
    this.#runs.push(recorded);
    this.#runtime.recordInto(recorded);
    this.#interceptor.recordInto(recorded);
    const sessionId = this.#sessionId;
    const sent = { ...request, ...(sessionId !== undefined && { sessionId }), yieldUserMessage: true };
    const signIns = signInsOf([...(this.#session?.events ?? []), ...this.#events]);
    recorded.request = toRecordedRequest(sent, signIns);
    const run = this.#start(sent);
    await this.#readEvents(run, recorded);
    this.#sessionId = run.sessionId;
    await this.#runner.idle();
    this.#interceptor.markUnstopped();
  }

  toRecording(): Recording {
    const agents = [...new AgentTree(this.#runner.agent)];
    return toJson<Recording>({
      version: RECORDING_VERSION,
      app: {
        name: this.#runner.appName,
        agents: agents.map(({ name }) => name),
        tools: agents.flatMap(toolNames),
      },
      session: this.#session,
      runs: this.#runs,
    });
  }

  async close(): Promise<void> {
    await this.#runner.close();
  }

  #start(request: RunOrResume<T>): Run {
    return 'answers' in request
      ? this.#runner.resume(request as ResumeRequest<T>)
      : this.#runner.runAsync(request as RunRequest<T>);
  }

  async #readEvents(run: Run, recorded: RecordedRun): Promise<void> {
    let isInCallback = false;
    try {
      for await (const event of run) {
        isInCallback = true;
        this.#onEvent(event);
        isInCallback = false;
        if (event.partial) continue;
        this.#events.push(event);
        recorded.events.push(toJson(event));
      }
    } catch (error) {
      if (isInCallback) throw error;
      recorded.error = toRecordedError(error);
    }
  }

  /** Returns the session before the first run. Null if it does not exist. */
  async #snapshot(userId: string): Promise<RecordedSession | null> {
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return null;
    const ref: SessionRef = { appName: this.#runner.appName, userId, sessionId };
    const session = await this.#runner.sessionService.getSession(ref);
    if (!session) return null;
    return toJson({ userId, sessionId, state: withoutTemp(session.state), events: [...session.events] });
  }
}

/** Returns the names of an agent's tools. Tools of toolsets are not listed. */
function toolNames(agent: object): string[] {
  const { tools } = agent as { tools?: readonly { name?: string; runAsync?: unknown }[] };
  return (tools ?? []).flatMap(({ name, runAsync }) => (runAsync && name !== undefined ? [name] : []));
}
