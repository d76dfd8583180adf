import { describe, expect, it } from 'vitest';
import { explainLoadError } from '../../src/agents/explain-load-error.ts';

describe('explainLoadError', () => {
  it.each([
    ['on Windows', '/C:/project'],
    ['below a folder with a colon and a number', '/project/at:12:30'],
    ['below a folder', '/project'],
  ])('names the file and the line of a module %s', (_, cwd) => {
    const error = new Error('no key');
    const read = (line: string): string =>
      explainLoadError(Object.assign(error, { stack: `Error: no key\n${line}` }), {
        ...{ file: `${cwd}/hello/agent.ts`, root: `${cwd}/hello`, cwd },
      }).message;
    expect(
      read(`    at read (file://${cwd}/hello/tools.ts?v=3:12:7)\n    at file://${cwd}/hello/agent.ts?v=3:4:1`),
    ).toBe('hello/tools.ts:12: no key.');
    expect(read(`    at file://${cwd}/lib.ts:5:1\n    at file://${cwd}/hello/agent.ts?v=3:4:1`)).toBe(
      'hello/agent.ts:4: no key.',
    );
  });
});
