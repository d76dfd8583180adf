import { describe, expect, it } from 'vitest';
import { recordRun } from '../src/index.ts';
import { toReplay } from '../src/vitest/index.ts';
import { hello, optionsFor, tripApp, weatherAnswers } from './trip-app.ts';

expect.extend({ toReplay });

describe('toReplay', () => {
  it('passes for an unchanged app and fails with the first difference', async () => {
    const recording = await recordRun(optionsFor(tripApp({ answers: weatherAnswers })), hello);
    await expect(tripApp()).toReplay(recording);
    await expect(expect(tripApp({ instruction: 'Sell.' })).toReplay(recording)).rejects.toThrow(
      /call 1 of the model of root differs at config\.systemInstruction/,
    );
    await expect(tripApp({ instruction: 'Sell.' })).not.toReplay(recording);
  });
});
