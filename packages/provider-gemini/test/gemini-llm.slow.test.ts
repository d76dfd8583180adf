import { llmCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { claims, startSubject } from './suite-subject.ts';
import type { SuiteSubject } from './suite-subject.ts';

register<SuiteSubject>({ describe, it }, llmCases, {
  name: 'Gemini (Vertex AI, express mode)',
  claims,
  create: () => startSubject(true),
  destroy: ({ server }) => server.close(),
});
