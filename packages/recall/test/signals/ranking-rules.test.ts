import type { MemoryEntry } from '@thole/core';
import { wordRanking } from '@thole/recall';
import type { MemoryIndex, RankRequest } from '@thole/recall';
import { describe, expect, it } from 'vitest';

const DAY = 86_400;
const NOW = Date.parse('2026-05-20T12:00:00Z') / 1000;
const LONG = ' The hotel has a garden, a library, two pools and a bar that opens late.'.repeat(12);

interface EntryOptions {
  kind?: MemoryEntry['kind'];
  author?: string;
  daysAgo?: number;
  sessionId?: string;
  supersededBy?: string;
  validTo?: number;
}

function entry(id: string, text: string, p: EntryOptions = {}): MemoryEntry {
  const { kind = 'turn', author = 'user', daysAgo = 30, ...rest } = p;
  const content = { role: author === 'user' ? ('user' as const) : ('model' as const), parts: [{ text }] };
  return { id, kind, content, author, timestamp: NOW - daysAgo * DAY, ...rest };
}

function indexOf(entries: readonly MemoryEntry[]): MemoryIndex {
  const index = wordRanking().createIndex({ appName: 'hotel', userId: 'ada' });
  for (const each of entries) index.put(each);
  return index;
}

async function idsFor(entries: readonly MemoryEntry[], query: string, p: Partial<RankRequest> = {}): Promise<string[]> {
  const found = await indexOf(entries).rank(query, { limit: 10, now: NOW, ...p });
  return found.map(({ id }) => id);
}

describe('Times in a query', () => {
  const talk = [
    entry('swim', 'I swam in the lake', { daysAgo: 1, sessionId: 's1' }),
    entry('march', 'We painted the kitchen', { daysAgo: 62, sessionId: 's2' }),
    entry('lamp', 'I bought the brass lamp at the flea market', { daysAgo: 200, sessionId: 's3' }),
    entry('answer', `Lovely.${LONG}`, { author: 'concierge', daysAgo: 200, sessionId: 's3' }),
  ];

  it.each(['chat', 'long messages'])('find turns of that time without a common word, in %s', async (kind) => {
    const entries = kind === 'chat' ? talk.slice(0, 3) : [...talk, entry('more', LONG, { author: 'concierge' })];
    expect((await idsFor(entries, 'What did I do yesterday?'))[0]).toBe('swim');
    expect((await idsFor(entries, 'What happened in March?'))[0]).toBe('march');
  });

  it('are ignored if they are not in the past or the query is not a question', async () => {
    for (const end of ['', ' today', ' this week', ' tomorrow'])
      expect((await idsFor(talk, `Where did I buy the brass lamp?${end}`))[0]).toBe('lamp');
    expect((await idsFor(talk, 'I slept badly yesterday, turn on the brass lamp'))[0]).toBe('lamp');
  });

  it('are read without relative dates if there is another date', async () => {
    const query = 'What did I buy last week, around 2 November 2025?';
    const entries = [
      entry('week', 'I bought bread', { daysAgo: 6 }),
      entry('lamp', 'I bought a lamp', { daysAgo: 199 }),
    ];
    expect((await idsFor(entries, query))[0]).toBe('lamp');
  });

  it('are days in the given time zone', async () => {
    const late = NOW - 12 * 3600 - 1800;
    const entries = [{ ...entry('late', 'A short walk'), timestamp: late }, entry('lamp', 'The lamp')];
    const now = NOW - 11 * 3600;
    expect((await idsFor(entries, 'What did I do yesterday?', { now, minRelevance: 1 }))[0]).toBe('late');
    expect(
      await idsFor(entries, 'What did I do yesterday?', { now, timeZone: 'America/New_York', minRelevance: 1 }),
    ).toEqual([]);
  });

  it.each([
    ['yesterday, before the clocks change', 'Europe/Berlin', 'yesterday', '2026-03-28', '+01:00', '+01:00'],
    ['yesterday, after the clocks change', 'Europe/Berlin', 'yesterday', '2026-10-25', '+02:00', '+01:00'],
    ['a date', 'Pacific/Apia', 'on 27 November 2026', '2026-11-27', '+13:00', '+13:00'],
    ['a date in another season', 'America/New_York', 'on 2 July 2026', '2026-07-02', '-04:00', '-04:00'],
  ])('are the whole local day: %s', async (_, timeZone, when, date, startOffset, endOffset) => {
    const [start, end] = [`${date}T00:00:00${startOffset}`, `${date}T23:59:59${endOffset}`].map(
      (t) => Date.parse(t) / 1000,
    );
    const times = { before: start! - 1, first: start!, last: end!, after: end! + 1 };
    const entries = Object.entries(times).map(([id, timestamp]) => ({ ...entry(id, 'A walk'), timestamp }));
    const found = await idsFor(entries, `What did I do ${when}?`, { now: end! + 3600, timeZone, minRelevance: 1 });
    expect(found.toSorted()).toEqual(['first', 'last']);
  });
});

describe('Facts', () => {
  const facts = [
    entry('turn', 'I live in a flat with my dog', { sessionId: 's1', daysAgo: 3 }),
    entry('rome', 'The user lives in Rome', { kind: 'fact', author: 'memory', supersededBy: 'oslo', validTo: NOW - 9 }),
    entry('oslo', 'The user lives in Oslo', { kind: 'fact', author: 'memory' }),
  ];

  it('are about the user', async () => {
    const others = ['Ducks live here', 'Bats live there'].map((text, i) =>
      entry(`t${i}`, text, { author: 'concierge' }),
    );
    expect((await idsFor([...others, ...facts.slice(1)], 'Where do I live?'))[0]).toBe('oslo');
  });

  it('rank behind the fact that replaced them, even if only the old fact has the words', async () => {
    const ids = await idsFor(facts, 'Do I live in Rome?');
    expect(ids.indexOf('oslo')).toBe(ids.indexOf('rome') - 1);
  });

  it('are not relevant without the fact that replaced them', async () => {
    for (const query of ['Do I live in Rome?', 'Rome'])
      expect((await idsFor(facts, query, { minRelevance: 0.3, limit: 2 })).slice(0, 2)).toEqual(['oslo', 'rome']);
    const moved = [facts[1]!, entry('oslo', 'Moved to Oslo', { kind: 'fact' })];
    const found = await indexOf(moved).rank('Do I live in Rome?', { limit: 2, now: NOW });
    expect(found[0]!.relevance).toBe(found[1]!.relevance);
    expect(await idsFor(moved, 'Where is the umbrella?', { minRelevance: 0.3 })).toEqual([]);
  });

  it('are found without their replacement if the filter excludes it', async () => {
    expect(await idsFor(facts, 'Rome', { accepts: (id) => id === 'rome' })).toEqual(['rome']);
  });

  it('are found if their replacement is missing or replacements form a circle', async () => {
    const circle = [
      entry('a', 'tea', { kind: 'fact', supersededBy: 'b' }),
      entry('b', 'tea', { kind: 'fact', supersededBy: 'a' }),
      entry('c', 'tea', { kind: 'fact', supersededBy: 'gone' }),
    ];
    expect((await idsFor(circle, 'tea')).sort()).toEqual(['a', 'b', 'c']);
  });
});

describe('Relevance', () => {
  const talk = [
    entry('key', 'The spare key is in the blue drawer', { sessionId: 's1', daysAgo: 9 }),
    entry('ok', 'Fine, noted.', { author: 'concierge', sessionId: 's1', daysAgo: 8.9 }),
    entry('garden', 'The garden needs water', { sessionId: 's2', daysAgo: 4 }),
  ];
  const relevanceOf = async (query: string): Promise<Map<string, number>> => {
    const found = await indexOf(talk).rank(query, { limit: 10, now: NOW });
    return new Map(found.map(({ id, relevance }) => [id, relevance!]));
  };

  it('is the share of the query that is in a turn and its window', async () => {
    expect((await relevanceOf('spare key drawer')).get('key')).toBe(1);
    const half = (await relevanceOf('spare umbrella')).get('key')!;
    expect(half).toBeGreaterThan(0.2);
    expect(half).toBeLessThan(0.6);
  });

  it('does not count words that ask for a memory and are in no entry', async () => {
    const query = 'Do you remember, can you tell me something about the garden';
    expect((await relevanceOf(query)).get('garden')).toBe(1);
    expect((await relevanceOf('the unicorn and its garden')).get('garden')!).toBeLessThan(1);
    expect(await idsFor(talk, 'tell me something', { minRelevance: 0.1 })).toEqual([]);
  });

  it('is lower for a turn without a query word', async () => {
    const found = await relevanceOf('spare key');
    expect(found.get('ok')!).toBeLessThan(found.get('key')!);
  });

  it('is 0 for small talk', async () => {
    const fine = [...(await relevanceOf('Fine, thanks!')).values()];
    expect(fine.every((relevance) => relevance === 0)).toBe(true);
  });

  it.each([
    ['English', 'hi, how are you?|who are you?|good night|ok thx|what can you do'],
    ['German', 'guten Abend|vielen Dank|danke schön|alles klar, tschüss|wie geht es dir?|auf Wiedersehen'],
    ['French', "merci beaucoup|bonne nuit|à demain|d'accord|au revoir|bonne journée"],
    ['Spanish', 'buenas noches|muchas gracias|hasta luego|hasta mañana|vale|¿cómo estás?'],
    ['Portuguese', 'boa noite|boa tarde|até logo|muito obrigado|como você está?|tá bom'],
    ['Italian', 'buonasera|arrivederci|va bene|a domani|come stai|prego'],
    ['Dutch', 'goedemorgen|dank je wel|tot morgen|hoe gaat het?|doei'],
    ['Turkish', 'günaydın|iyi geceler|teşekkür ederim|görüşürüz|tamam|sağ ol'],
    ['Russian', 'здравствуйте|доброе утро|спокойной ночи|спасибо большое|до свидания|привет, как дела?'],
    ['Arabic', 'مرحبا كيف حالك|صباح الخير|شكرا جزيلا|مع السلامة|السلام عليكم'],
    ['Chinese', '你好|早上好|晚安|谢谢你|非常感谢|好的|再见'],
    ['Japanese', 'こんにちは|おはようございます|ありがとうございます|わかりました|さようなら|お元気ですか'],
    ['Korean', '안녕하세요|감사합니다|고마워요|알겠습니다'],
    ['Hindi', 'नमस्ते|धन्यवाद|शुभ रात्रि|आप कैसे हैं'],
  ])('is 0 for small talk that was said before: %s', async (_, messages) => {
    const texts = messages.split('|');
    const index = indexOf(texts.map((text, i) => entry(`t${i}`, text, { sessionId: `s${i}` })));
    for (const text of texts) {
      const found = await index.rank(text, { limit: 10, now: NOW });
      expect([text, found.length > 0, Math.max(...found.map(({ relevance }) => relevance!))]).toEqual([text, true, 0]);
    }
  });

  it('excludes results below minRelevance', async () => {
    expect(await idsFor(talk, 'Write a poem about the garden of a distant planet', { minRelevance: 0.5 })).toEqual([]);
    expect(await idsFor(talk, 'Does the garden need water?', { minRelevance: 0.5 })).toEqual(['garden']);
  });
});

describe('Words of a query', () => {
  it.each([255, 256, 65_535, 65_536, 131_072])('find an entry that repeats one of them %d times', async (times) => {
    const index = indexOf([entry('often', 'tea '.repeat(times)), entry('once', 'tea')]);
    const ids = (await index.rank('tea', { limit: 2 })).map(({ id }) => id);
    expect(ids.toSorted()).toEqual(['often', 'once']);
    index.remove('often');
    expect((await index.rank('tea', { limit: 2 })).map(({ id }) => id)).toEqual(['once']);
  });

  it('match the parts of camelCase and PascalCase names, both ways', async () => {
    const entries = [
      entry('error', 'It throws NotFoundError from loadUserProfile'),
      entry('plain', 'The profile was not found, an error'),
      entry('other', 'The garden'),
    ];
    expect(await idsFor(entries, 'not found error')).toContain('error');
    expect(await idsFor(entries, 'user profile')).toContain('error');
    expect(await idsFor(entries, 'NotFoundError')).toContain('plain');
    expect(await idsFor(entries, 'HTTPServer')).toEqual([]);
  });

  it.each([
    ['German', 'Wo ist denn mein Schlüssel?', 'Schlüssel im Flur', 'Mein Bruder ist denn wo'],
    ['French', 'Où est ma clé ?', 'La clé du garage', 'Ma sœur est où'],
    ['Spanish', '¿Dónde está la llave de mi casa?', 'Llave bajo la maceta', 'Está donde mi madre de la que'],
    ['Portuguese', 'Onde está a minha chave?', 'Chave na gaveta', 'Está minha a quem'],
    ['Italian', 'Dove è la mia chiave?', 'Chiave sotto il vaso', 'La mia è dove'],
    ['Dutch', 'Waar is mijn sleutel?', 'Sleutel onder de mat', 'Mijn is waar'],
    ['Turkish', 'Anahtarım nerede ve neden?', 'Anahtarım çantada', 'Nerede ve neden'],
  ])('do not include stop words of its language: %s', async (_, query, answer, chatter) => {
    const others = Array.from({ length: 6 }, (_each, i) => entry(`o${i}`, `${i} lorem ipsum`));
    const found = await indexOf([entry('chatter', chatter), entry('answer', answer), ...others]).rank(query, {
      limit: 3,
      now: NOW,
    });
    expect(found[0]!.id).toBe('answer');
    expect(found.find(({ id }) => id === 'chatter')?.relevance ?? 0).toBeLessThan(0.3);
  });
});
