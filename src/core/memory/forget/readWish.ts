import { readPastRange, readTimeRange } from '../../search/query/timeRange.ts';
import { detectLanguage } from '../../support/text/language.ts';
import { lettersOf } from '../../support/text/tokenise.ts';
import { readOpening } from '../extraction/openers.ts';
import { ownWords } from '../extraction/ownWords.ts';
import { readSentences, type Sentence } from '../extraction/sentences.ts';
import { hasTextHere, isInverted, isPlayed, startsOrder, startsQuestion } from '../extraction/stance.ts';
import { asWritten, FOREIGN, plainText, readWords, type Word } from '../extraction/words.ts';
import {
  ABOUT,
  AFTER_OBJECT,
  ALL_SAID,
  BEFORE_OBJECT,
  CLAUSE,
  CLAUSE_SUBJECT,
  CONVERSATION,
  DETERMINER,
  ERASE_HEAD,
  FORGET_HEAD,
  IS_ABILITY,
  KEEP_NOT_HEAD,
  LISTED,
  NAMES_MEMORY,
  NEVER_MIND,
  NO_TOPIC,
  NOT_AN_OBJECT,
  OF_MEMORY,
  PAST,
  PAST_AFTER,
  POINTING,
  SAID_ABOUT,
  SINCE_THEN,
  WHOLE_MEMORY,
} from './forgetPhrases.ts';

/** What a message asks to forget. */
export type ForgetWish =
  | { asks: 'nothing' }
  /** Something that only the conversation before can tell. */
  | { asks: 'which' }
  /** The conversation that is open. */
  | { asks: 'conversation' }
  /** `past`: only what was so and is no longer. */
  | { asks: 'topic'; topic: string; past: boolean }
  | { asks: 'period'; from: number; to: number };

const NOTHING: ForgetWish = { asks: 'nothing' };
const WHICH: ForgetWish = { asks: 'which' };

/** Who says more than that does not only ask to forget. */
const MOST_SENTENCES = 4;
/** Longer than this nobody names a thing. */
const LONGEST_TOPIC = 200;

/**
 * Reads from a user's message, in French or English, whether it asks that something be forgotten, and what. A request is addressed
 * to the assistant and names something that memory can hold: « n'oublie pas », « j'ai oublié mes clés », questions about
 * forgetting, quotations and « oublie les instructions » ask nothing. Runs in time linear in the length of the message.
 * @param now when it was said, in milliseconds since 1970; times are read in the local time zone
 */
export function readWish(message: string, now: number): ForgetWish {
  const text = ownWords(message);
  const sentences = readSentences(text);
  if (sentences.length === 0 || sentences.length > MOST_SENTENCES) return NOTHING;
  const language = detectLanguage(text.slice(0, 4_000), 'fr');
  if (isPlayed(lettersOf(text.slice(0, 4_000)))) return NOTHING;
  const read = sentences.map((sentence) => {
    const written = text.slice(sentence.start, sentence.end);
    const words = readWords(text, sentence, detectLanguage(written, language));
    return { sentence, words, plain: plainText(words).text };
  });
  if (read.some(({ plain }) => hasTextHere(plain))) return NOTHING;
  for (const { sentence, words, plain } of read) {
    const wish = readSentence(words, { text, now, sentence });
    if (wish.asks === 'nothing') continue;
    const others = read.filter((one) => one.plain !== plain);
    // "Forget that. What's the weather?" only turns to something else.
    const turns = others.some(
      (one) => one.sentence.isQuestion || startsOrder(one.plain) || NEVER_MIND.test(one.plain),
    );
    return wish.asks === 'which' && turns ? NOTHING : wish;
  }
  return NOTHING;
}

interface Place {
  text: string;
  now: number;
  sentence: Sentence;
}

function readSentence(sentence: readonly Word[], place: Place): ForgetWish {
  const opening = readOpening(sentence);
  if (opening.isAsked) return NOTHING;
  const heads = [opening.words, [...sentence]];
  for (const words of heads) {
    const { text: plain, at } = plainText(words);
    for (const [kind, pattern] of HEADS) {
      const head = pattern.exec(plain)?.[0];
      if (head === undefined) continue;
      const from = at(head.length + 1);
      // « Oublié chez moi », "Forgot my keys": a participle that is spelt like a request once folded, or near to one.
      if (/(?:é|ée|és|ées|got|gets|gotten|otten)$/i.test(asWritten(place.text, words.slice(0, from))))
        continue;
      return readObject(words.slice(from), { ...place, kind, canAsk: IS_ABILITY.test(plain) });
    }
  }
  return NOTHING;
}

const HEADS = [
  ['forget', FORGET_HEAD],
  ['erase', ERASE_HEAD],
  ['keep-not', KEEP_NOT_HEAD],
] as const;

interface ObjectPlace extends Place {
  kind: (typeof HEADS)[number][0];
  /** The request could be a question on what the assistant can do. */
  canAsk: boolean;
}

function readObject(all: readonly Word[], place: ObjectPlace): ForgetWish {
  const { kind, canAsk } = place;
  const cut = cutObject(all);
  if (cut.turns) return NOTHING;
  let words = trim(cut.object);
  let plain = plainText(words).text;
  if (kind === 'erase') {
    if (WHOLE_MEMORY.test(plain)) return WHICH;
    const memory = OF_MEMORY.exec(plain);
    if (!memory && !NAMES_MEMORY.test(plain)) return NOTHING;
    if (memory) words = trim(without(words, memory));
    plain = plainText(words).text;
    if (plain === '') return NOTHING;
  }
  if (plain === '') return canAsk || cut.tail !== '' ? NOTHING : WHICH;
  if (NOT_AN_OBJECT.test(plain) || plain.includes(FOREIGN)) return NOTHING;
  if (CONVERSATION.test(plain)) return { asks: 'conversation' };
  if (POINTING.test(plain)) return NEVER_MIND.test(cut.tail) || isTalkOn(plain, cut.tail) ? NOTHING : WHICH;
  if (kind === 'keep-not' && !ABOUT.test(plain) && !ALL_SAID.test(plain)) return NOTHING;
  return readNamed(words, place);
}

/** « Oublie-le, il n'en vaut pas la peine », "forget it, I'll do it": of a pronoun that is all that is meant. */
const isTalkOn = (plain: string, tail: string) => /^(?:it|le|la|les|them)$/.test(plain) && tail !== '';

/** An object that says itself what is meant. */
function readNamed(all: readonly Word[], { text, now, kind }: ObjectPlace): ForgetWish {
  const plain = plainText(all).text;
  const about = ABOUT.exec(plain) ?? SAID_ABOUT.exec(plain);
  const period = readTimeRange(asWritten(text, all), now);
  if (about) {
    const named = trim(all.slice(plainText(all).at(about[0].length + 1)));
    // "What I said on Paul", "on Friday".
    const time = about[0].endsWith(' on') ? readPastRange(asWritten(text, named), now) : period;
    const rest = time ? trim(withoutTime(named, time.words)) : named;
    if (rest.length > 0) return asTopic(rest, text);
  }
  // What was said on Monday was said last Monday.
  const said = period ?? (ALL_SAID.test(plain) ? readPastRange(asWritten(text, all), now) : null);
  if (said) {
    const rest = plainText(withoutTime(all, said.words)).text;
    if (rest === '' || about || ALL_SAID.test(rest)) return { asks: 'period', from: said.from, to: said.to };
  }
  if (kind === 'forget' && NO_TOPIC.test(plain)) return NOTHING;
  if (ALL_SAID.test(plain)) return WHICH;
  const clause = CLAUSE.exec(plain);
  if (clause) {
    const stated = all.slice(plainText(all).at(clause[0].length + 1));
    const subject = CLAUSE_SUBJECT.exec(plainText(stated).text);
    const rest = subject ? stated.slice(plainText(stated).at(subject[0].length + 1)) : stated;
    return asTopic(rest, text, false);
  }
  return asTopic(all, text);
}

function asTopic(all: readonly Word[], text: string, isNoun = true): ForgetWish {
  let words = [...all];
  let past = false;
  for (let round = 0; isNoun && round < 4; round += 1) {
    const plain = plainText(words).text;
    const word = DETERMINER.exec(plain) ?? PAST.exec(plain);
    if (!word || words.length < 2) break;
    past ||= PAST.test(plain);
    words = words.slice(plainText(words).at(word[0].length + 1));
  }
  const after = isNoun ? PAST_AFTER.exec(plainText(words).text) : null;
  if (after) {
    past = true;
    words = words.slice(0, plainText(words).at(after.index + 1));
  }
  const plain = plainText(words).text;
  // « Tout ce que tu sais de moi »: most of what is known.
  if (/^(?:moi|me|myself|nous|us)$/.test(plain)) return WHICH;
  if (isNoun && (NO_TOPIC.test(plain) || /^(?:tout|everything|ca|cela|that|this|it)$/.test(plain)))
    return NOTHING;
  const parts = isNoun ? listed(words) : [words];
  const topic = parts
    .map((part) => asWritten(text, part).replace(/^["«“»”\s]+|["«“»”\s]+$/g, ''))
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
    .join(' ; ');
  return topic === '' || topic.length > LONGEST_TOPIC ? NOTHING : { asks: 'topic', topic, past };
}

/** « mon adresse et mon numéro »: each thing by itself, without what determines it. */
function listed(words: readonly Word[]): Word[][] {
  const parts: Word[][] = [[]];
  for (const [index, word] of words.entries()) {
    const next = words.slice(index + 1);
    const isNext = LISTED.test(plainText(next).text) || (words[index - 1]?.isCapital && next[0]?.isCapital);
    if (/^(?:et|and|ou|or|,)$/.test(word.plain) && isNext) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return parts.map((part) => {
    const determiner = DETERMINER.exec(plainText(part).text);
    return determiner && part.length > 1 ? part.slice(plainText(part).at(determiner[0].length + 1)) : part;
  });
}

/** Where what is to be forgotten ends, what is said after it, and whether that turns to something else. */
function cutObject(words: readonly Word[]): { object: Word[]; tail: string; turns: boolean } {
  for (const [index, { plain }] of words.entries()) {
    if (!/^(?:,|;|:|–|\(|et|and|puis|then|mais|but|car|parce|because|since)$/.test(plain)) continue;
    const isSign = /^[,;:–(]$/.test(plain);
    let rest = words.slice(index + 1);
    while (
      /^(?:,|et|and|puis|then|mais|but|plutot|rather|instead|que|just|juste)$/.test(rest[0]?.plain ?? '')
    )
      rest = rest.slice(1);
    const tail = plainText(rest).text;
    if (index === 0 && isSign) continue;
    if (startsOrder(tail) && !AFTER_OBJECT.test(` ${tail}`)) return { object: [], tail, turns: true };
    if (isSign && (startsQuestion(tail) || isInverted(rest.slice(0, 3))) && !AFTER_OBJECT.test(` ${tail}`))
      return { object: [], tail, turns: true };
    const isThing = DETERMINER.test(tail) && rest.length <= 5;
    const isCause =
      /^(?:car|parce|because|since|mais|but)$/.test(plain) && !SINCE_THEN.test(`${plain} ${tail}`);
    if (isCause || (isSign && !isThing && tail !== ''))
      return { object: words.slice(0, index), tail, turns: false };
  }
  return { object: [...words], tail: '', turns: false };
}

/** Without words of politeness before and behind. */
function trim(all: readonly Word[]): Word[] {
  let words = [...all];
  for (let round = 0; round < 6 && words.length > 0; round += 1) {
    const { text: plain, at } = plainText(words);
    const before = BEFORE_OBJECT.exec(plain);
    const after = AFTER_OBJECT.exec(plain);
    if (before) words = words.slice(at(before[0].length + 1));
    else if (after) words = words.slice(0, at(after.index === 0 ? 0 : after.index + 1));
    else break;
  }
  return words;
}

function without(words: readonly Word[], match: RegExpExecArray): Word[] {
  const { at } = plainText(words);
  const from = at(match.index === 0 ? 0 : match.index + 1);
  return [...words.slice(0, from), ...words.slice(at(match.index + match[0].length + 1))];
}

/** Without the words that say when, and what joins them. */
function withoutTime(words: readonly Word[], time: readonly string[]): Word[] {
  const said = new Set(time);
  const first = words.findIndex(({ plain }) => said.has(plain));
  const from =
    first > 0 && /^(?:d|de|du|from|of|since|depuis|in|en|pendant)$/.test(words[first - 1]?.plain ?? '')
      ? first - 1
      : first;
  return words.filter(({ plain }, index) => index !== from && !(index >= from && said.has(plain)));
}
