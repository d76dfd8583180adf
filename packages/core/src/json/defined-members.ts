/** An object without the members that are undefined: a member that may be undefined may be absent. */
export type DefinedMembers<T> = {
  [name in keyof T as undefined extends T[name] ? never : name]: T[name];
} & {
  [name in keyof T as undefined extends T[name] ? name : never]?: Exclude<T[name], undefined>;
};

/** Returns a copy of an object without the members that are undefined. */
export function definedMembers<T extends object>(object: T): DefinedMembers<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as DefinedMembers<T>;
}
