import type { ArtifactService, MemoryService, Runtime, SessionService } from '@thole/core';
import { systemRuntime } from '@thole/core';
import { artifactServiceCases, FixedRuntime, memoryServiceCases, sessionServiceCases } from '@thole/testing';
import type { Case } from '@thole/testing';
import {
  GcsArtifactService,
  VertexAiMemoryBankService,
  VertexAiRagMemoryService,
  VertexAiSessionService,
} from '@thole/vertex-services';
import type { GoogleOptions } from '@thole/vertex-services';
import { VertexClient } from '../src/client/vertex-client.ts';
import { AnswerRecorder } from './answer-recorder.ts';
import type { RecordedAnswer } from './answer-recorder.ts';
import { OwnedResources } from './owned-resources.ts';
import { bankClaims, ragClaims, sessionClaims, sessionsPending } from './claims.ts';

/** The project to use, and what to run. */
export interface RecordOptions extends Pick<GoogleOptions, 'fetch' | 'googleAuthOptions'> {
  project: string;
  location: string;
  /** A bucket for the suite of artifacts. Default: that suite does not run. */
  bucket?: string | undefined;
  /** Only cases whose suite and id contain one of these words. Default: all cases. */
  words?: readonly string[] | undefined;
  log(line: string): void;
}

/** Results by suite and case, and the first answer of each route and status. */
export interface Recording {
  results: { [suite: string]: { [id: string]: string } };
  answers: RecordedAnswer[];
}

/** Message of a case whose result depends on the words that Google's models choose. */
const REWORDED = 'not run: Google’s models choose the words of ingested memories';

/**
 * Runs the published suites against real services. Creates Agent Engines and a RAG corpus for them and deletes them
 * at the end.
 */
export async function recordSuites(options: RecordOptions): Promise<Recording> {
  const { project, location, bucket, words, log } = options;
  const recorder = new AnswerRecorder(options.fetch ?? globalThis.fetch, project);
  const google: GoogleOptions = { fetch: recorder.fetch, googleAuthOptions: options.googleAuthOptions };
  const place = { project, location };
  const owned = new OwnedResources(new VertexClient(google), project, location);
  const results: Recording['results'] = {};
  const run = async <S>(suite: string, cases: readonly Case<S>[], p: SuiteRun<S>): Promise<void> => {
    for (const each of cases) {
      if (words && words.length > 0 && !words.some((word) => `${suite} ${each.id}`.includes(word))) continue;
      const result = await resultOf(each, p, owned);
      (results[suite] ??= {})[each.id] = result;
      if (result !== 'passed') log(`${suite} ${each.id}: ${result}`);
    }
  };
  // Memory Bank rejects expiry times in the past.
  const now = Math.floor(Date.now() / 1000);
  try {
    await run<SessionService>('sessions', sessionServiceCases, {
      ...{ claims: sessionClaims, usesEngines: true },
      open: (runtime) => {
        const agentEngineId = owned.enginesOfApps();
        return () => new VertexAiSessionService({ ...place, ...google, agentEngineId, runtime });
      },
    });
    await run<MemoryService>('memory bank', memoryServiceCases, {
      ...{ claims: bankClaims, usesEngines: true, now },
      open: (runtime) => {
        const agentEngineId = owned.enginesOfApps();
        return () => new DirectMemoryBank({ ...place, ...google, agentEngineId, runtime });
      },
    });
    const ragCorpus = await owned.corpus();
    await run<MemoryService>('rag memory', memoryServiceCases, {
      ...{ claims: ragClaims, now },
      open: (runtime) => () => new VertexAiRagMemoryService({ ...place, ...google, ragCorpus, runtime }),
    });
    if (bucket !== undefined)
      await run<ArtifactService>('artifacts', artifactServiceCases, {
        claims: ['durable'],
        open: (runtime) => {
          const prefix = `thole-record/${systemRuntime().newId('case')}`;
          return () => new GcsArtifactService({ bucket, prefix, ...google, runtime, maxBytes: 65_536 });
        },
      });
  } finally {
    await owned.remove();
  }
  for (const [id, reason] of Object.entries(sessionsPending))
    if (results['sessions']?.[id] !== undefined) results['sessions'][id] += ` (${reason})`;
  return { results, answers: recorder.answers };
}

/** Settings of the run of a suite. */
interface SuiteRun<S> {
  claims: readonly string[];
  usesEngines?: boolean;
  /** Start of the clock, in seconds. Default: that of the suites. */
  now?: number;
  /** Returns a function that opens a service over the same storage each time. */
  open(runtime: Runtime): () => S;
}

/** Maximum number of apps of a case, one engine each. */
const MAX_ENGINES = 4;

async function resultOf<S>(
  each: Case<S>,
  { claims, now, usesEngines = false, open }: SuiteRun<S>,
  owned: OwnedResources,
): Promise<string> {
  const missing = (each.needs ?? []).filter((claim) => !claims.includes(claim));
  if (missing.length > 0) return `not run: needs ${missing.join(', ')}`;
  // The number of apps of a case is known after it has run.
  for (let engines = 1; ; engines *= 2) {
    await owned.prepare(usesEngines ? engines : 0);
    const clock = new FixedRuntime({ now });
    const reopen = open(withRealWaits(clock));
    const result = await each.check(reopen(), { runtime: clock, reopen: async () => reopen() }).then(
      () => 'passed',
      (error: Error) => (error.message === REWORDED ? REWORDED : `failed: ${error.message.split('\n')[0]}`),
    );
    const { needsMoreEngines } = owned;
    await owned.empty();
    if (!needsMoreEngines) return result;
    if (engines === MAX_ENGINES) return `not run: needs more than ${MAX_ENGINES} apps`;
  }
}

/** The clock of a case, with the waits of a real connection. */
function withRealWaits(clock: FixedRuntime): Runtime {
  const real = systemRuntime();
  return {
    now: () => clock.now(),
    newId: (kind) => clock.newId(kind),
    random: () => clock.random(),
    monotonic: () => real.monotonic(),
    sleep: (ms, signal) => real.sleep(ms, signal),
    timer: (ms, fn) => real.timer(ms, fn),
    logger: clock.logger,
    tracer: clock.tracer,
  };
}

/** Memory Bank without ingestion, because Google's models choose other words than the cases expect. */
class DirectMemoryBank extends VertexAiMemoryBankService {
  override async addEventsToMemory(): Promise<void> {
    throw new Error(REWORDED);
  }
}
