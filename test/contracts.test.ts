import * as testing from '@thole/testing';
import { expect, it } from 'vitest';
import { filesBelow, read } from './architecture/workspace.ts';
import { contractGaps, contractParts } from './contract-gaps.ts';

const numbers = [...read('docs/contracts.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
const shown = new Set([...inSuites(), ...inTests()]);

it('lists the contracts 1 to 45, each once', () => {
  expect(numbers).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
});

it('has a case for every contract that is not a known gap', () => {
  expect(numbers.filter((number) => !shown.has(number) && !(number in contractGaps))).toEqual([]);
});

it('lists no gap that a case has closed', () => {
  expect(Object.keys(contractGaps).filter((number) => shown.has(Number(number)))).toEqual([]);
  expect(Object.keys(contractParts).filter((number) => !shown.has(Number(number)))).toEqual([]);
});

it('cites no contract that does not exist', () => {
  expect([...shown].filter((number) => !numbers.includes(number))).toEqual([]);
});

/** The suites are lists of cases under names that end in `Cases`; some wait for what they are to be run over. */
function inSuites(): number[] {
  const suites = Object.values(testing).filter((each): each is testing.Case<never>[] => Array.isArray(each));
  return suites.flat().flatMap((each) => each.contracts ?? []);
}

/** Names such as "… (contract 7)" and "… (contracts 9, 15)". */
function inTests(): number[] {
  return ['packages', 'apps', 'test']
    .flatMap(filesBelow)
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(/\(contracts? ([\d, and]+)\)/g)])
    .flatMap(([, list]) => [...list!.matchAll(/\d+/g)].map(Number));
}
