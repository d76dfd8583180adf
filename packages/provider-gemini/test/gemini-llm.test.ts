import { llmCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { claims, startSubject } from './suite-subject.ts';
import type { SuiteSubject } from './suite-subject.ts';

register<SuiteSubject>({ describe, it }, llmCases, {
  name: 'Gemini',
  claims,
  create: () => startSubject(false),
  destroy: ({ server }) => server.close(),
});
