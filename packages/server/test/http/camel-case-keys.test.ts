import { describe, expect, it } from 'vitest';
import { camelCaseKeys } from '../../src/http/camel-case-keys.ts';

describe('camelCaseKeys', () => {
  it('changes the names of fields, but no names inside values of clients and agents', () => {
    const value = { my_key: { other_key: null } };
    expect(camelCaseKeys({ new_message: { parts: [{ function_call: { name: 'look_up' } }] } })).toEqual({
      newMessage: { parts: [{ functionCall: { name: 'look_up' } }] },
    });
    for (const [name, expected] of [
      ['state', 'state'],
      ['args', 'args'],
      ['response', 'response'],
      ['custom_metadata', 'customMetadata'],
      ['agent_state', 'agentState'],
      ['part_metadata', 'partMetadata'],
      ['state_delta', 'stateDelta'],
      ['artifact_delta', 'artifactDelta'],
      ['requested_tool_confirmations', 'requestedToolConfirmations'],
    ] as const)
      expect(camelCaseKeys({ [name]: structuredClone(value) })).toEqual({ [expected]: value });
  });
});
