import { detectLanguage } from '../../support/text/language.ts';
import { ownWords } from './ownWords.ts';
import { readSentences } from './sentences.ts';
import { endsPlay, isFiction, isPlayed, opensGame } from './stance.ts';
import { plainText, readWords } from './words.ts';

/** What earlier messages leave open: a game in which nobody speaks as themselves, or a story whose people go on. */
export type Frame = 'play' | 'story' | null;

/** A message of the user, and when it was sent, in milliseconds since 1970. */
export interface Sent {
  content: string;
  createdAt: number;
}

/** Who writes nothing for so long comes back as themselves, in milliseconds: a sitting seldom has a longer pause. */
const LONGEST_PAUSE = 60 * 60_000;
/** A game or a story is proposed near the beginning of a message, within so many UTF-16 code units. */
const LONGEST = 4_000;
/** Messages in which nothing more of a story is told before it is over. */
const STORY_LASTS = 3;

/** Of earlier messages, the latest last, those of one sitting with a message that was sent at `at`, in milliseconds since 1970. */
export function ofOneSitting(before: readonly Sent[], at: number): string[] {
  let later = at;
  const pause = before.toReversed().findIndex(({ createdAt }) => {
    const isPause = later - createdAt > LONGEST_PAUSE;
    later = createdAt;
    return isPause;
  });
  return before.slice(pause === -1 ? 0 : before.length - pause).map(({ content }) => content);
}

/**
 * What the earlier messages of a sitting leave open for the message that comes next. A game lasts until the user ends it or speaks of
 * something else in so many words.
 * @param before the user's own messages, the latest last
 */
export function openFrame(before: readonly string[], message: string): Frame {
  let isGame = false;
  let storyAgo = Number.POSITIVE_INFINITY;
  for (const one of before) {
    const sentences = plainSentences(one);
    if (sentences.some(endsPlay)) [isGame, storyAgo] = [false, Number.POSITIVE_INFINITY];
    if (sentences.some((plain) => opensGame(plain) || isPlayed(plain))) isGame = true;
    storyAgo = sentences.some(isFiction) ? 1 : storyAgo + 1;
  }
  if (!isGame && storyAgo > STORY_LASTS) return null;
  if (plainSentences(message).some(endsPlay)) return null;
  return isGame ? 'play' : 'story';
}

function plainSentences(message: string): string[] {
  const text = ownWords(message.slice(0, LONGEST));
  const language = detectLanguage(text, 'fr');
  return readSentences(text).map((sentence) => plainText(readWords(text, sentence, language)).text);
}
