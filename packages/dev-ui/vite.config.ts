import { defineConfig } from 'vite';
import { fileURLToPath } from 'node:url';

/**
 * Builds the page: one folder with relative addresses, so that it works under any base path. Workspace packages are
 * read from source.
 */
export default defineConfig({
  root: fileURLToPath(new URL('page', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    conditions: ['@thole/source', 'module', 'browser', 'development|production'],
    alias: {
      'react/jsx-runtime': 'preact/jsx-runtime',
      'react-dom/client': 'preact/compat/client',
      'react-dom': 'preact/compat',
      react: fileURLToPath(new URL('page/react.js', import.meta.url)),
    },
    dedupe: ['preact'],
  },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    license: { fileName: 'licenses.md' },
    target: 'es2022',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
    },
  },
});
