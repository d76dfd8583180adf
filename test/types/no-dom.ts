// This file is type-checked with the packages. It fails if the declarations of a dependency include browser types, which sources of
// packages must not use.

// @ts-expect-error There are no browser globals.
void document;
// @ts-expect-error There are no browser types.
type Missing = HTMLElement;
export type { Missing };
