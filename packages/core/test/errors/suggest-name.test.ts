import { didYouMean } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('didYouMean', () => {
  const request = ['userId', 'sessionId', 'newMessage', 'messageId', 'stateDelta', 'runConfig'];

  it.each([
    ['user_id', ' Did you mean userId?'],
    ['newMesage', ' Did you mean newMessage?'],
    ['message', ' Did you mean newMessage?'],
    ['delta', ' Did you mean stateDelta?'],
    ['stateDeltaConfig', ' Did you mean stateDelta?'],
    ['id', ''],
    ['', ''],
    ['prompt', ''],
  ])('answers %j with %j', (name, hint) => {
    expect(didYouMean(name, request)).toBe(hint);
  });

  it('prefers one wrong letter to a longer name, and names none of several longer names', () => {
    expect(didYouMean('tool', ['tools', 'maxTool'])).toBe(' Did you mean tools?');
    expect(didYouMean('service', ['sessionService', 'memoryService'])).toBe('');
  });
});
