import type { AppInfo } from '@thole/client';

/** Three first messages for an app: the last ones after its tools, so far as the server tells of them. */
export function suggestionsFor(app: AppInfo | undefined): string[] {
  const tools = Object.values(app?.agents ?? {}).flatMap((agent) => agent.tools ?? []);
  const first = tools.find((tool) => tool.description !== '') ?? tools[0];
  return [
    'What can you do for me?',
    first ? `Show me with an example what ${words(first.name)} does.` : 'Tell me about yourself in three sentences.',
    tools.length > 1
      ? 'Which tools do you have, and when do you use each?'
      : 'What do you need to know from me to begin?',
  ];
}

const words = (name: string): string => name.replaceAll(/[_-]+/g, ' ').trim() || name;
