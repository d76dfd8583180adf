import { describe, expect, it } from 'vitest';
import { SlashCommands } from '../../src/commands/slash-commands.ts';
import type { SlashCommand } from '../../src/index.ts';

const command = (name: string, ...aliases: string[]): SlashCommand => ({ name, aliases, help: 'helps', run: () => '' });

describe('SlashCommands', () => {
  it.each<[string, SlashCommand[], string, string]>([
    ['the name help', [command('help')], 'INVALID_INPUT', 'The command name "help" is reserved. Use another name.'],
    ['the alias help', [command('h', 'help')], 'INVALID_INPUT', 'The command name "help" is reserved.'],
    ['an invalid name', [command('A B')], 'INVALID_INPUT', 'The command name "A B" must be lower-case letters'],
    ['two equal names', [command('a'), command('b', 'a')], 'DUPLICATE_NAME', 'Two commands have the name "a".'],
  ])('rejects %s (contract 42)', (_, commands, code, message) => {
    expect(() => new SlashCommands(commands)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
