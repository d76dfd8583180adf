import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds the page into `dist`. `pnpm dev` serves it, and sends requests to the concierge of `pnpm start`. */
export default defineConfig({
  root: fileURLToPath(new URL('page', import.meta.url)),
  base: './',
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    // Libraries mark their files with 'use client', which has no effect here.
    rolldownOptions: {
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
    },
  },
  server: { proxy: { '/ui': 'http://127.0.0.1:8000' } },
});
