import * as testing from '@thole/testing';
import { expect, it } from 'vitest';
import { filesBelow, read } from './architecture/workspace.ts';
import { contractGaps, contractParts } from './contract-gaps.ts';

const numbers = [...read('docs/contracts.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
const cited = new Set([...citedInSuites(), ...citedInTests()]);

it('lists the contracts 1 to 45, each once', () => {
  expect(numbers).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
});

it('has a case for every contract that is not a known gap', () => {
  expect(numbers.filter((number) => !cited.has(number) && !(number in contractGaps))).toEqual([]);
});

it('lists no gap that has a case', () => {
  expect(Object.keys(contractGaps).filter((number) => cited.has(Number(number)))).toEqual([]);
  expect(Object.keys(contractParts).filter((number) => !cited.has(Number(number)))).toEqual([]);
});

it('cites no contract that does not exist', () => {
  expect([...cited].filter((number) => !numbers.includes(number))).toEqual([]);
});

/** Returns the contracts that the cases of the published suites cite. Every exported array is a suite. */
function citedInSuites(): number[] {
  const suites = Object.values(testing).filter((each): each is testing.Case<never>[] => Array.isArray(each));
  return suites.flat().flatMap((each) => each.contracts ?? []);
}

/** Returns the contracts in test names such as "… (contract 7)" and "… (contracts 9, 15)". */
function citedInTests(): number[] {
  return ['packages', 'apps', 'test']
    .flatMap(filesBelow)
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(/\(contracts? ([\d, and]+)\)/g)])
    .flatMap(([, list]) => [...list!.matchAll(/\d+/g)].map(Number));
}
