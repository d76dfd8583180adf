import { embedderCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { OpenAiEmbedder } from '../src/index.ts';

register({ describe, it }, embedderCases, { name: 'OpenAiEmbedder', claims: [], create: () => new OpenAiEmbedder() });
