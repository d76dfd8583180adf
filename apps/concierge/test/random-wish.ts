/** Returns endings of "I always want a room with …". The same seed returns the same wishes. */
export function randomWishes(seed: number, count: number): string[] {
  const random = randomFrom(seed);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)]!;
  const word = (): string =>
    Array.from({ length: 4 + Math.floor(random() * 6) }, () => pick('abcdefghijklmnopqrstuvwxyz'.split(''))).join('');
  const kinds: readonly (() => string)[] = [
    () => `a ${pick(ADJECTIVES)} ${pick(THINGS)}`,
    () => `${pick(['two', 'three', 'seven'])} ${pick(THINGS)}s`,
    () => `a ${word()}`,
    () => `${pick(ADJECTIVES)} ${word()}s next to the ${pick(THINGS)}`,
    () => `a view of the ${pick(['sea', 'harbour', 'mountains', 'railway', word()])}`,
    () => `no ${pick(THINGS)}s`,
    () => pick(['a bathtub', 'a balcony', 'a desk', 'a fireplace', 'a king bed', 'wifi']),
  ];
  return Array.from({ length: count }, () => kinds[Math.floor(random() * kinds.length)]!());
}

const ADJECTIVES = ['blue', 'wooden', 'very large', 'round', 'heated', 'old-fashioned', 'Moroccan', 'grün lackierte'];
const THINGS = [
  'piano',
  'lamp',
  'window',
  'curtain',
  'desk',
  'rocking chair',
  'book',
  'cancel button',
  'guest',
  'hammock',
  'help line',
];

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
