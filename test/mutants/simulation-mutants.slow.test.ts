import type { Event } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import type { FixedRuntime } from '@thole/testing';
import { runCrashMatrix, simulateJoinedMessages } from '@thole/testing/simulation';
import type { RunnerClasses, SimulationSetup } from '@thole/testing/simulation';
import { describe, expect, it } from 'vitest';
import { classes } from '../durability/runner-classes.ts';

/** Repeats each call without an answer after a crash. */
class RepeatingAgent extends LlmAgent {
  constructor(options: ConstructorParameters<RunnerClasses['LlmAgent']>[0]) {
    const tools = options.tools?.map((tool) => (tool.name === 'insurer' ? tool : { ...tool, idempotent: true }));
    super({ ...options, ...(tools && { tools }) });
  }
}

/** Recovers nothing. */
class NonRecoveringRunner extends Runner {
  override async *recover(): AsyncGenerator<never, void> {
    // Recovers nothing.
  }
}

/** Acknowledges one event without storing it. */
class LosingService extends InMemorySessionService {
  #count = 0;

  override async appendEvent(p: Parameters<InMemorySessionService['appendEvent']>[0]): Promise<Event> {
    return ++this.#count === 20 ? { ...p.event, seq: 20 } : super.appendEvent(p);
  }
}

/** Acknowledges messages that join a run without storing them. */
class JoinLosingService extends InMemorySessionService {
  override async appendEvent(p: Parameters<InMemorySessionService['appendEvent']>[0]): Promise<Event> {
    const { event } = p;
    if (event.customMetadata?.['joined'] !== true) return super.appendEvent(p);
    return { ...event, seq: 1 };
  }
}

/** Forgets that a message has joined a run, and which messages a model has seen. */
class UnmarkedService extends InMemorySessionService {
  override appendEvent(p: Parameters<InMemorySessionService['appendEvent']>[0]): Promise<Event> {
    const { joined: _, seenSeq: _seen, ...customMetadata } = p.event.customMetadata ?? {};
    return super.appendEvent({ ...p, event: { ...p.event, customMetadata } });
  }
}

/** Never reduces the number of open interrupts. */
class CountingService extends InMemorySessionService {
  #open = 0;

  override appendEvent(p: Parameters<InMemorySessionService['appendEvent']>[0]): Promise<Event> {
    const { openInterrupts } = p.marks ?? {};
    if (openInterrupts === undefined) return super.appendEvent(p);
    this.#open = Math.max(this.#open, openInterrupts);
    return super.appendEvent({ ...p, marks: { ...p.marks, openInterrupts: this.#open } });
  }
}

const inMemory = (runtime: FixedRuntime): InMemorySessionService => new InMemorySessionService({ runtime });
const mutants: [string, SimulationSetup, RegExp][] = [
  [
    'runs every call again',
    { classes: { ...classes, LlmAgent: RepeatingAgent }, createSessionService: inMemory },
    /c-note took effect 2 times/,
  ],
  [
    'recovers nothing',
    { classes: { ...classes, Runner: NonRecoveringRunner }, createSessionService: inMemory },
    /The trip did not end/,
  ],
  [
    'loses an acknowledged event',
    { classes, createSessionService: (runtime) => new LosingService({ runtime }) },
    /acknowledged and is lost|did not end/,
  ],
  [
    'counts answered interrupts as open',
    { classes, createSessionService: (runtime) => new CountingService({ runtime }) },
    /has the marks .*"openInterrupts":1.* but 0 open interrupts/,
  ],
];

describe('runCrashMatrix', () => {
  it.each(mutants)('reports a subject that %s', async (_, setup, violation) => {
    const found: string[] = [];
    for await (const { violations } of runCrashMatrix(setup)) {
      found.push(...violations);
      if (violation.test(found.join('\n'))) break;
    }
    expect(found.join('\n')).toMatch(violation);
  });
});

const joinMutants: [string, SimulationSetup, RegExp][] = [
  [
    'recovers nothing',
    { classes: { ...classes, Runner: NonRecoveringRunner }, createSessionService: inMemory },
    /The chats did not end/,
  ],
  [
    'loses messages that join a run',
    { classes, createSessionService: (runtime) => new JoinLosingService({ runtime }) },
    /acknowledged and is lost/,
  ],
  [
    'does not know after a crash which messages were seen',
    { classes, createSessionService: (runtime) => new UnmarkedService({ runtime }) },
    /has no answer/,
  ],
];

describe('simulateJoinedMessages', () => {
  it.each(joinMutants)('reports a subject that %s', async (_, setup, violation) => {
    const found: string[] = [];
    for (let seed = 1; seed <= 50 && !violation.test(found.join('\n')); seed++)
      found.push(...(await simulateJoinedMessages(setup, seed)).violations);
    expect(found.join('\n')).toMatch(violation);
  });
});
