const source = 'export default (url) => import(url)';
const module = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`)) as {
  default: (url: string) => Promise<unknown>;
};

/** Imports a module as Node does; an import that stands in a test is vitest's. */
export const importNatively: (url: string) => Promise<unknown> = module.default;
