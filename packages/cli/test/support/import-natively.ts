const source = 'export default (url) => import(url)';
const module = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`)) as {
  default: (url: string) => Promise<unknown>;
};

/** Imports a module with Node. An `import()` in a test would use vitest. */
export const importNatively: (url: string) => Promise<unknown> = module.default;
