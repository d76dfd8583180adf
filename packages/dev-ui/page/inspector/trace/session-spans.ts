import type { TraceSpan } from '@thole/client';
import { computed, effect, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { client } from '../../state/client.ts';
import { reconnects } from '../../state/connection.ts';
import { isRunning } from '../../state/run.ts';
import { events, openKey, sessionRef } from '../../state/session.ts';
import { groupByInvocation } from './group-by-invocation.ts';
import { spanFacts } from './span-facts.ts';
import type { SpanFacts } from './span-facts.ts';
import { after } from '../../state/clock.ts';

/** The recorded spans of the open session. Undefined before they are read. */
export const spans: Signal<readonly TraceSpan[] | undefined> = signal<readonly TraceSpan[] | undefined>(undefined);
export const spansError: Signal<unknown> = signal<unknown>(undefined);

/** The facts of these spans. */
export const facts: ReadonlySignal<readonly SpanFacts[]> = computed(() => (spans.value ?? []).map(spanFacts));

/** The spans of each invocation. */
export const factsByInvocation: ReadonlySignal<ReadonlyMap<string, SpanFacts[]>> = computed(() =>
  groupByInvocation(facts.value),
);

/** The model call of each answer, by the event's id. */
export const modelSpans: ReadonlySignal<ReadonlyMap<string, TraceSpan>> = computed(() => {
  const found = new Map<string, TraceSpan>();
  for (const span of spans.value ?? []) {
    const { kind, eventId } = spanFacts(span);
    if (kind === 'model' && eventId !== undefined) found.set(eventId, span);
  }
  return found;
});

/** Delay after an event, because more events may follow at once. */
const SETTLE_MS = 250;

let followers = 0;
let end: (() => void) | undefined;

/** Reads the spans of the open session after each run and each event, until the returned function is called. */
export function followSpans(): () => void {
  if (followers++ === 0) end = follow();
  return () => {
    if (--followers === 0) end?.();
  };
}

function follow(): () => void {
  let cancel: (() => void) | undefined;
  let reading: AbortController | undefined;
  let shown: string | undefined;
  const stop = effect(() => {
    // Reads the spans again after a reconnection, because it may be another server.
    const key = `${reconnects.value} ${openKey.value}`;
    const last = events.value.at(-1)?.id;
    if (key !== shown) {
      shown = key;
      spans.value = undefined;
      spansError.value = undefined;
    }
    cancel?.();
    if (isRunning.value || last === undefined) return;
    cancel = after(SETTLE_MS, () => {
      reading?.abort();
      reading = new AbortController();
      void readSpans(reading.signal);
    });
  });
  return () => {
    stop();
    cancel?.();
    reading?.abort();
  };
}

async function readSpans(aborted: AbortSignal): Promise<void> {
  const ref = sessionRef.peek();
  if (!ref) return;
  try {
    const read = await client.traces.ofSession({ appName: ref.appName, sessionId: ref.sessionId, signal: aborted });
    if (aborted.aborted) return;
    spans.value = read;
    spansError.value = undefined;
  } catch (error) {
    if (!aborted.aborted) spansError.value = error;
  }
}
