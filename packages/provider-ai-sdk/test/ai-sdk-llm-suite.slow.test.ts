import { llmCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { aiSdkSubjects } from './ai-sdk-server.ts';
import { commonClaims, SuiteSubject, withoutTopP } from './suite-subject.ts';

// `pnpm check` runs the suite with one package of the AI SDK. These tests run it with the others.
register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/anthropic, specification v3)',
  claims: [...commonClaims, 'thoughts', 'signatures', 'stop-sequences', 'refuses-media'],
  create: () => new SuiteSubject(aiSdkSubjects['anthropic-v3']),
  destroy: (subject) => (subject as SuiteSubject).close(),
  pending: withoutTopP,
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/google)',
  claims: [...commonClaims, 'thoughts', 'signatures', 'stop-sequences'],
  create: () => new SuiteSubject(aiSdkSubjects.google),
  destroy: (subject) => (subject as SuiteSubject).close(),
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/openai, Responses API)',
  claims: [...commonClaims, 'thoughts', 'signatures', 'refuses-media'],
  create: () => new SuiteSubject(aiSdkSubjects.responses, { providerOptions: { openai: { store: false } } }),
  destroy: (subject) => (subject as SuiteSubject).close(),
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/openai, Chat Completions)',
  claims: [...commonClaims, 'stop-sequences', 'refuses-media'],
  create: () => new SuiteSubject(aiSdkSubjects.chat),
  destroy: (subject) => (subject as SuiteSubject).close(),
});

register({ describe, it }, llmCases, {
  name: 'AiSdkLlm (@ai-sdk/openai-compatible)',
  claims: [...commonClaims, 'thoughts', 'stop-sequences', 'refuses-media'],
  create: () => new SuiteSubject(aiSdkSubjects.compatible),
  destroy: (subject) => (subject as SuiteSubject).close(),
});
