/**
 * Names of two apps and two users each, for tests of isolation. Any way of encoding names (joining, decoding,
 * trimming, case folding, cutting) makes two of the four users equal.
 */
export const confusableNames: readonly { readonly apps: readonly string[]; readonly users: readonly string[] }[] = [
  { apps: ['a', 'a:b'], users: ['b:c', 'c'] },
  { apps: ['a', 'a|b'], users: ['b|c', 'c'] },
  { apps: ['a/b', 'a%2Fb'], users: ['u', 'u '] },
  { apps: ['x', 'x","y'], users: ['y","z', 'z'] },
  { apps: ['K', 'k'], users: ['ü', 'u\u0308'] },
  { apps: ['ann', 'an'], users: ['b', 'nb'] },
  { apps: ['{a}', '{a}:m'], users: ['m', 'ml'] },
];
