import { llmCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { aiSdkSubjects } from './ai-sdk-server.ts';
import { commonClaims, SuiteSubject, withoutTopP } from './suite-subject.ts';

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/anthropic)',
  claims: [...commonClaims, 'thoughts', 'signatures', 'stop-sequences', 'refuses-media'],
  create: () => new SuiteSubject(aiSdkSubjects.anthropic),
  destroy: (subject) => (subject as SuiteSubject).close(),
  pending: withoutTopP,
});
