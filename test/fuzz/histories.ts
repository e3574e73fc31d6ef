import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Portion, readPortion } from '../../src/core/chat/imports/readPortion.ts';
import { isTime } from '../../src/shared/time.ts';
import { chatGptConversation, chatGptTree, claudeConversation, type Line } from '../support/histories.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { spoil } from './imports.ts';
import { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

const LINES: readonly Line[] = [
  ['user', 'Mon chat s’appelle Moustache 😀.'],
  ['assistant', 'Joli nom [1].'],
  ['user', 'Et mon chien ?'],
  ['assistant', '```\n# Rex\n```'],
];
const TALKS = [
  chatGptConversation('c', 'Le chat', LINES),
  chatGptTree('t', 'Le chat', [
    { id: 'q', after: null, role: 'user', text: 'Mon chat s’appelle Moustache.' },
    { id: 'r', after: 'q', role: 'assistant', text: 'Joli nom.' },
    { id: 'q2', after: 'r', role: 'user', text: 'Et mon chien ?' },
    { id: 'q2b', after: 'r', role: 'user', text: 'Et ma tortue ?' },
    { id: 'call', after: 'q', role: 'assistant', text: 'noms()', tool: 'python' },
    { id: 'rb', after: 'call', role: 'assistant', text: 'Très joli nom.' },
    { id: 'q3', after: 'call', role: 'user', text: 'Pourquoi ?' },
  ]),
  claudeConversation('k', 'Le chat', LINES),
  {
    id: 'o',
    title: 'Le chat',
    messages: LINES.map(([role, content], at) => ({ id: `${at}`, role, content, createdAt: at })),
  },
];
const TRANSCRIPT = LINES.map(([role, content]) => `## ${role}\n\n${content}`).join('\n\n');
/** More portions than any of these files can have. */
const MOST_PORTIONS = 100;

/** Reads histories that were changed at random: none may fail, go on for ever, or spoil what stands beside it. */
export const historyTarget: FuzzTarget = {
  name: 'histories',
  open: () => {
    const folder = temporaryFolder();
    return Promise.resolve({
      run: (seed) => {
        const random = new Random(seed);
        for (let n = 0; n < 20; n += 1) readOne(random, join(folder, 'history'));
        return Promise.resolve();
      },
      close: () => Promise.resolve(removeFolder(folder)),
    });
  },
};

function readOne(random: Random, path: string): void {
  const talk = random.pick(TALKS);
  const changed = random.chance(0.5)
    ? random.mutate(talk, random.pick([0.005, 0.02, 0.1]))
    : random.poison(talk, random.between(1, 3));
  const beside = chatGptConversation('beside', 'Moustache à part', LINES);
  const list = JSON.stringify([changed, beside]);
  const kind = random.pick(['list', 'spoilt', 'transcript'] as const);
  const text = kind === 'list' ? list : spoil(random, kind === 'spoilt' ? list : TRANSCRIPT);
  const portions = readAll(path, text, kind === 'transcript' ? 'talk.md' : 'conversations.json');
  const conversations = portions.flatMap((portion) => portion.conversations);
  for (const { id, title, turns } of conversations)
    for (const { messages, after, isShown } of turns) {
      const before = after === null ? undefined : turns[after];
      if (after !== null && (!before || before.messages.length === 0 || (isShown && !before.isShown)))
        throw new Error(`a turn follows nothing in ${text}`);
      for (const { createdAt, content, id: message } of messages)
        if (!isTime(createdAt) || ![id, title, content, message].every((one) => one.isWellFormed()))
          throw new Error(`a message that cannot be stored came of ${text}`);
    }
  const isThere = conversations.some(
    ({ title, turns }) =>
      title === 'Moustache à part' && turns.flatMap(({ messages }) => messages).length === 4,
  );
  if (kind === 'list' && !isThere) throw new Error(`what stands beside is lost in ${text}`);
}

function readAll(path: string, text: string, name: string): Portion[] {
  writeFileSync(path, text);
  const portions: Portion[] = [];
  for (let from: number | null = 0; from !== null; from = portions.at(-1)?.next ?? null) {
    if (portions.length > MOST_PORTIONS) throw new Error(`it is read for ever: ${text}`);
    portions.push(readPortion({ path, name, modifiedAt: 1_700_000_000_000, from, withTerms: true }));
  }
  return portions;
}
