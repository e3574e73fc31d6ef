import { readExpiry } from './expiry.ts';
import { kinshipAt } from './kinship.ts';
import { namesIn } from './names.ts';
import { peopleIn } from './people.ts';
import type { Reading } from './reading.ts';
import type { Mention, Statement } from './statement.ts';
import { asWritten, plainText, type Word } from './words.ts';

const MOST_SUBJECTS = 6;
/** Importance of what the user asks to be remembered, whatever it is. */
export const ASKED_IMPORTANCE = 0.7;

/** A clause, or several that belong together, with what it says. */
export interface Found {
  words: Word[];
  reading: Reading;
  isAsked: boolean;
}

/** The statement that a reading of some words makes. */
export function toStatement({ words, reading, isAsked }: Found, message: string, at: number): Statement {
  const { text: plain } = plainText(words);
  const people = uniqueMentions([...reading.about, ...peopleIn(words, message)]);
  return {
    content: contentOf(words, reading, message),
    kind: reading.kind,
    importance: isAsked ? Math.max(ASKED_IMPORTANCE, reading.importance) : reading.importance,
    subjects: subjectsOf(words, people, { reading, message }),
    mentions: people,
    states: reading.states,
    alias: reading.alias,
    isAsked,
    expiresAt: readExpiry(plain, at, reading.isPast),
  };
}

/** The words as they stand; where a subject is taken from before, its words and those of the clause. */
function contentOf(words: readonly Word[], reading: Reading, message: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let index = 1; index <= words.length; index += 1) {
    const [before, word] = [words[index - 1], words[index]];
    const isGap = !before || !word || word.start < before.start;
    const isJump =
      before && word && message.slice(before.end, word.start).split(/\s+/).filter(Boolean).length > 3;
    if (index < words.length && !isGap && !isJump) continue;
    parts.push(asWritten(message, words.slice(from, index)));
    from = index;
  }
  let content = parts.join(' ');
  const { replaces } = reading;
  const [first] = words;
  if (replaces && first && replaces.word.start === first.start)
    content = replaces.by + content.slice(first.end - first.start);
  const sign = /^[#*%°€$£]/.exec(message.slice(words.at(-1)?.end ?? 0))?.[0];
  if (sign) content += sign;
  const closing = message.slice(words.at(-1)?.end ?? 0, (words.at(-1)?.end ?? 0) + 2);
  if (/^ ?[»”]/.test(closing) && /[«“]/.test(content)) content += closing.trimEnd();
  else if (
    /^["')]/.test(closing) &&
    content.split(closing[0] === ')' ? '(' : (closing[0] as string)).length % 2 === 0
  )
    content += closing[0];
  content = content.replace(/\s+/g, ' ').trim();
  return content.charAt(0).toLocaleUpperCase() + content.slice(1);
}

function uniqueMentions(mentions: readonly Mention[]): Mention[] {
  const seen = new Set<string>();
  return mentions.filter((one) => {
    const key = one.entity === 'user' ? 'user' : `${one.name ?? ''}/${one.kinship ?? ''}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** People by name, or by their kinship as written; what the relation names; other names of the clause. */
function subjectsOf(
  words: readonly Word[],
  people: readonly Mention[],
  from: { reading: Reading; message: string },
): string[] {
  const found = people.flatMap((one) =>
    one.entity === 'person' ? [one.name ?? kinAsWritten(words, one, from.message)] : [],
  );
  const names = namesIn(words, true).map(([start, end]) => asWritten(from.message, words.slice(start, end)));
  const all = [...found, ...from.reading.things, ...names].filter((one) => one !== '');
  return [...new Set(all)]
    .filter((one) => !all.some((other) => other !== one && ` ${other} `.includes(` ${one} `)))
    .slice(0, MOST_SUBJECTS);
}

function kinAsWritten(
  words: readonly Word[],
  person: Mention & { entity: 'person' },
  message: string,
): string {
  for (let index = 0; index < words.length; index += 1) {
    const kin = kinshipAt(words, index);
    if (kin?.kinship === person.kinship) return asWritten(message, words.slice(index, kin.next));
  }
  return '';
}
