import assert from 'node:assert/strict';
import type { LlmSubject } from './llm-support.ts';

/** Returns the last request that the server received, without `headers`, which differ between servers. */
export function lastRequestOf(subject: LlmSubject): object {
  const last: unknown = subject.received().at(-1);
  assert.ok(typeof last === 'object' && last !== null, 'the server must have received a request');
  return { ...last, headers: undefined };
}

/** Asserts that each text is part of a string, and each number a value, in the received data. */
export function assertContains(received: unknown, wanted: readonly (string | number)[]): void {
  const values = [...valuesIn(received)];
  for (const each of wanted) {
    const isReceived = values.some((value) =>
      typeof each === 'string' ? typeof value === 'string' && value.includes(each) : value === each,
    );
    assert.ok(isReceived, `the server did not receive ${each}`);
  }
}

/** Asserts that the texts occur in the received data in this order. */
export function assertInOrder(received: unknown, texts: readonly string[]): void {
  const strings = [...valuesIn(received)].filter((value) => typeof value === 'string').join('\n');
  let at = 0;
  for (const text of texts) {
    const found = strings.indexOf(text, at);
    assert.ok(
      found >= 0,
      strings.includes(text) ? `the server received ${text} in another order` : `the server did not receive ${text}`,
    );
    at = found + text.length;
  }
}

/** Yields all names and values in document order. */
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
