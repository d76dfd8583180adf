// Type-checked with the packages: fails as soon as a dependency's declarations bring the types of browsers with them, which
// sources of packages must not use.

// @ts-expect-error There are no browser globals.
void document;
// @ts-expect-error There are no browser types.
type Missing = HTMLElement;
export type { Missing };
