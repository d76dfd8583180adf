/** The members of `T`, each of which may be missing or undefined. */
export type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };
