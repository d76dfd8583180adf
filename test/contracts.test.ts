import * as testing from '@thole/testing';
import { expect, it } from 'vitest';
import { filesBelow, read } from './architecture/workspace.ts';

const numbers = [...read('docs/contracts.md').matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
const cited = new Set([...citedInSuites(), ...citedInTests()]);

it('numbers the contracts from 1, without gaps', () => {
  expect(numbers.length).toBeGreaterThan(40);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

it('has a case or a test for every contract', () => {
  const missing = numbers.filter((number) => !cited.has(number));
  expect(missing, 'name the contract in `contracts` of a case, or end a test name in (contract <number>)').toEqual([]);
});

it('cites no contract that does not exist', () => {
  const unknown = [...cited].filter((number) => !numbers.includes(number));
  expect(unknown, 'numbers that docs/contracts.md does not have').toEqual([]);
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
