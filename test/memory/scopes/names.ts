/** Two apps and two users each; one way or another of writing names makes two of the four one. */
export const NAMES: readonly (readonly [apps: readonly string[], users: readonly string[]])[] = [
  [
    ['a', 'a:b'],
    ['b:c', 'c'],
  ],
  [
    ['a', 'a|b'],
    ['b|c', 'c'],
  ],
  [
    ['a/b', 'a%2Fb'],
    ['u', 'u '],
  ],
  [
    ['x', 'x","y'],
    ['y","z', 'z'],
  ],
  [
    ['K', 'k'],
    ['ü', 'u\u0308'],
  ],
  [
    ['ann', 'an'],
    ['b', 'nb'],
  ],
];
