import assert from 'node:assert/strict';
import type { MemoryService } from '@thole/core';
import type { Case } from '../case.ts';
import { languages } from './language-sentences.ts';
import type { Language } from './language-sentences.ts';
import { searchTexts, textEvent, sessionWith } from './memory-fixture.ts';

const WORDS: readonly Pick<Language, 'name' | 'questions'>[] = [
  {
    name: 'German',
    questions: [
      ['Straße', 'Ich wohne in der langen Straße am Fluss.'],
      ['ÄPFEL', 'Meine Tochter mag Äpfel sehr gern.'],
      ['Schlüssel?', 'Der Schlüssel liegt beim Nachbarn.'],
      ['Zug', 'Morgen nehmen wir den Zug nach Wien.'],
    ],
  },
  {
    name: 'Russian',
    questions: [
      ['чай', 'Я пью только зелёный чай.'],
      ['собака', 'Моя собака боится лифта.'],
      ['ОКНО', 'Мне нужно место у окна, где открыто окно.'],
      ['йогурт', 'На завтрак я ем йогурт.'],
    ],
  },
  {
    name: 'Chinese',
    questions: [
      ['猫', '我家有两只猫。'],
      ['喝茶', '我每天早上喝茶。'],
      ['高楼层', '请给我高楼层的房间。'],
      ['北京', '我妹妹住在北京附近。'],
    ],
  },
  {
    name: 'Japanese',
    questions: [
      ['寿司', '昨日の夜、寿司を食べました。'],
      ['コーヒー', '朝はいつもコーヒーを飲みます。'],
      ['さくら', '春にさくらを見に行きたい。'],
      ['犬', '私は犬を飼っています。'],
    ],
  },
  {
    name: 'Korean',
    questions: [
      ['김치', '저는 김치를 정말 좋아해요.'],
      ['바다', '바다가 보이는 방을 주세요.'],
      ['물', '차가운 물 한 잔 주세요.'],
    ],
  },
  {
    name: 'Thai',
    questions: [
      ['กาแฟ', 'ฉันดื่มกาแฟทุกเช้า'],
      ['ห้องน้ำ', 'อยากได้ห้องที่มีห้องน้ำใหญ่'],
      ['แมว', 'ที่บ้านมีแมวสามตัว'],
    ],
  },
  {
    name: 'Arabic',
    questions: [
      ['قهوة', 'أشرب قهوة كل صباح'],
      ['البحر', 'أريد غرفة تطل على البحر'],
      ['أختي', 'تعيش أختي في القاهرة'],
    ],
  },
  {
    name: 'Hindi',
    questions: [
      ['चाय', 'मुझे सुबह चाय पसंद है।'],
      ['किताब', 'यह किताब मेरी बहन की है।'],
      ['दिल्ली', 'हम दिल्ली में रहते हैं।'],
    ],
  },
  {
    name: 'Turkish',
    questions: [
      ['İstanbul', 'Annem İstanbul yakınında oturuyor.'],
      ['ışık', 'Odada çok ışık olsun.'],
      ['çay', 'Her sabah çay içerim.'],
      ['ISPARTA', 'Babam Isparta doğumlu.'],
    ],
  },
  {
    name: 'French, with or without accents',
    questions: [
      ['hotel', 'Un hôtel près de la gare.'],
      ['crème brûlée', 'Elle adore la creme brulee.'],
      ['NOËL', 'Nous venons à Noël.'],
    ],
  },
  {
    name: 'Greek, with or without accents',
    questions: [
      ['καφες', 'Ο καφές μου είναι πάντα σκέτος.'],
      ['ΘΑΛΑΣΣΑ', 'Θέλω δωμάτιο με θέα στη θάλασσα.'],
      ['Μαΐου', 'Ερχόμαστε στις δέκα ΜΑΙΟΥ.'],
    ],
  },
];

/** The turn must be among this number of best results. */
const MAX_RANK = 3;

/** Searches in many scripts, also for other forms of words. */
export const memoryLanguageCases: readonly Case<MemoryService>[] = [
  ...WORDS.map(({ name, questions }): Case<MemoryService> => ({
    id: `language.${name.split(',')[0]!.toLowerCase()}`,
    sentence: `${name}: finds the turn with the query’s word first`,
    contracts: [32],
    needs: ['turn-ranking'],
    async check(memory) {
      const others = WORDS.filter((other) => other.name !== name).map((other) => other.questions[0]![1]);
      const texts = [...questions.map(([, text]) => text), ...others];
      await memory.addSessionToMemory(sessionWith(texts.map((text, i) => textEvent('user', i, text))));
      for (const [query, text] of questions)
        assert.equal((await searchTexts(memory, query))[0], text, `query: ${query}`);
    },
  })),
  ...languages.map(({ name, questions }): Case<MemoryService> => ({
    id: `language.${name.toLowerCase()}-forms`,
    sentence: `${name}: finds a turn by other word forms or order among the first ${MAX_RANK}`,
    contracts: [32],
    needs: ['words'],
    async check(memory) {
      const texts = languages.flatMap((language) => language.questions.map(([, text]) => text));
      for (const [i, text] of texts.entries())
        await memory.addSessionToMemory(sessionWith([textEvent('user', i, text)], { id: `s${i}` }));
      const missed: string[] = [];
      for (const [query, text] of questions)
        if (!(await searchTexts(memory, query, { limit: MAX_RANK })).includes(text)) missed.push(query);
      assert.deepEqual(missed, []);
    },
  })),
];
