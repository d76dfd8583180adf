import { embedderCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { GeminiEmbedder } from '../src/index.ts';

register({ describe, it }, embedderCases, { name: 'GeminiEmbedder', claims: [], create: () => new GeminiEmbedder() });
