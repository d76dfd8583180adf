import { textOf } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { expect, it, onTestFinished } from 'vitest';
import { rounds } from '../servers/index.ts';
import { backends, describeBackends } from './backends.ts';
import { Child } from './child.ts';
import type { Told } from './children/take-turns.ts';
import { openSessions } from './open-sessions.ts';

const ref = { appName: 'app', userId: 'ann', sessionId: 's' };
const moods = ['glad', 'sad', 'calm'];

describeBackends(backends, (backend) => {
  it('shows each of two runners everything that other writers added since its last turn (contract 8)', async () => {
    const { url, remove } = await backend.open();
    onTestFinished(remove);
    const { service, close } = await openSessions(url);
    onTestFinished(close);
    const runners = [0, 1].map(() => new Child<Told>('take-turns.ts', url));
    for (const runner of runners) runner.say({ open: { ref, policy: 'queue' } });
    for (const child of runners) expect(await child.next()).toEqual({ ready: true });

    const random = new FixedRuntime({ seed: 11 });
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random.random() * items.length)]!;
    let history: string[] = [];
    let mood = '';
    for (let turn = 0; turn < rounds(12, 300); turn++) {
      const event = pick(['turn', 'turn', 'turn', 'turn', 'mood', 'mood', 'recreate']);
      if (event === 'mood' && history.length > 0) {
        mood = pick(moods);
        await service.updateState({ ...ref, stateDelta: { 'user:mood': mood } });
      } else if (event === 'recreate') {
        await service.deleteSession(ref);
        await service.createSession(ref);
        history = [];
      }
      const runner = pick(runners);
      runner.say({ run: `question ${turn}` });
      history.push(`question ${turn}`);
      expect(await runner.next()).toEqual({ asked: history, mood });
      runner.say({ answer: `answer ${turn}` });
      history.push(`answer ${turn}`);
      expect(await runner.next()).toEqual({ done: `answer ${turn}` });
    }
    const texts = (await service.getSession(ref))!.events.map((each) => textOf(each.content));
    expect(texts.filter((text) => text !== '')).toEqual(history);
  });
});
