import assert from 'node:assert/strict';
import type { LlmSubject } from './llm-support.ts';

/** Returns what the other side received last, without `headers`, which differ from server to server. */
export function lastOf(subject: LlmSubject): object {
  const last: unknown = subject.received().at(-1);
  assert.ok(typeof last === 'object' && last !== null, 'the other side received a request');
  return { ...last, headers: undefined };
}

/** Fails unless each text stands somewhere in a string, or each number is a value, of what was received. */
export function assertHolds(received: unknown, wanted: readonly (string | number)[]): void {
  const values = [...valuesIn(received)];
  for (const each of wanted) {
    const isThere = values.some((value) =>
      typeof each === 'string' ? typeof value === 'string' && value.includes(each) : value === each,
    );
    assert.ok(isThere, `${each} did not arrive`);
  }
}

/** Fails unless the texts stand in what was received, each after the one before. */
export function assertInOrder(received: unknown, texts: readonly string[]): void {
  const strings = [...valuesIn(received)].filter((value) => typeof value === 'string').join('\n');
  let at = 0;
  for (const text of texts) {
    const found = strings.indexOf(text, at);
    assert.ok(found >= 0, strings.includes(text) ? `${text} arrived in another order` : `${text} did not arrive`);
    at = found + text.length;
  }
}

/** Names and values of everything that is in it, in the order of the document. */
function* valuesIn(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) {
    yield value;
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) yield name;
    yield* valuesIn(member);
  }
}
