import type { Sentence } from './sentences.ts';
import { startsOrder, startsQuestion } from './stance.ts';

/** What stands behind a sentence: of what kind the next one is, and whether any that follow tell what holds now. */
export interface Behind {
  next: 'none' | 'request' | 'statement';
  isChanged: boolean;
}

const HOLDS_NOW =
  /(?:^| )(?:now|these days|from now on|instead|maintenant|desormais|dorenavant|nouveau|nouvel|nouvelle|new|du coup|a la place)(?= |$)/;

/**
 * @param next the sentence that follows; undefined behind the last
 * @param plains the folded words of all that follow, joined by spaces
 */
export function behindOf(next: Sentence | undefined, plains: readonly string[]): Behind {
  const [first = ''] = plains;
  const isRequest = next?.isQuestion === true || startsOrder(first) || startsQuestion(first);
  return {
    next: next === undefined ? 'none' : isRequest ? 'request' : 'statement',
    isChanged: plains.some((plain) => HOLDS_NOW.test(plain)),
  };
}
