import { functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, tokenise } from '../../support/text/tokenise.ts';
import { isNameIn } from './capitals.ts';

/** Whoever begins so goes on with what was asked before: « Et Nadia ? », "What about May?". Folded. */
const GOES_ON =
  /^(?:et|and|ou bien|or|mais|but|alors|so|sinon|what about|how about|quid d|meme (?:chose|question)|same (?:thing|question)|d autres|qui d autre|anything else|who else|what else)(?= |$)/;
/** Words that stand for somebody or something named before. */
const STANDS_FOR =
  /(?:^| )(?:il|elle|ils|elles|lui|leur|leurs|eux|celui|celle|ceux|celles|la bas|he|she|him|her|hers|his|it|its|they|them|their|theirs)(?= |$)/;
/** « Faut-il…? », "how long does it take to…": nobody and nothing is meant. */
const NOBODY =
  /(?:^| )(?:il (?:y|faut|fallait|faudra|faudrait|pleut|pleuvait|neige|fait (?:beau|chaud|froid|nuit|jour)|est (?:possible|tard|temps|vrai|normal|interdit|permis|important|utile|difficile|facile|mieux)|s agit|reste|existe|manque|suffit|semble|parait)|(?:faut|y a t|y aurait t|vaut|existe t|s agit|reste t|est|etait|suffit) il|(?:is|was|does|will|would|can|did) it (?:\S+ ){1,3}to|it (?:is|was|'s|takes|took|rains|rained|seems))(?= |$)/g;
/** « Depuis quand ? », "What breed?": so few words ask for nothing by themselves. */
const MOST_WORDS = 6;
const MOST_CONTENT_WORDS = 1;
/** A longer message says enough by itself. */
const LONGEST = 300;

/** Is a message understood only with what was asked before it? */
export function isFollowUp(text: string): boolean {
  if (text.length > LONGEST) return false;
  const tokens = tokenise(text);
  const plain = tokens.map(({ word }) => word).join(' ');
  if (GOES_ON.test(plain)) return true;
  // What is named is no follow-up: the pronoun stands for it.
  if (tokens.some((token) => isNameIn(text, token))) return false;
  const content = tokens.filter(({ word }) => !functionWords.has(word));
  if (tokens.length <= MOST_WORDS && content.length <= MOST_CONTENT_WORDS && text.includes('?'))
    return tokens.length > 0;
  return meansSomebody(plain);
}

/** Does it hold a pronoun that stands for nothing in the message itself? */
function meansSomebody(plain: string): boolean {
  const meant = STANDS_FOR.exec(plain.replace(NOBODY, ' '));
  return meant !== null && !hasSubject(meant.input.slice(0, meant.index));
}

/** « Depuis quand ? », "why?". */
const BARE_QUESTION =
  /^(?:(?:et|and|mais|but|alors|so|oui|yes) )*(?:(?:depuis|pour|par|avec|de|d|a|chez|since|for|with|from|by|until|jusqu a) )?(?:pourquoi|quand|ou|combien|qui|quoi|lequel|laquelle|lesquels|lesquelles|why|when|where|which|who|whom|whose|how (?:much|many|long|often|old))(?: (?:ca|cela|exactement|exactly|that|then|not|pas|deja|d autre|else|one|ones|there|la|de plus))*$/;

/** Does a follow-up ask for something, though all its words are those of small talk? « Où ça ? », "how did they get it in?". */
export function asksOn(text: string): boolean {
  const plain = foldedWords(text);
  return text.includes('?') && (BARE_QUESTION.test(plain) || meansSomebody(plain));
}

const DETERMINER =
  /(?:^| )(?:le|la|les|l(?! (?:a|as|ai|ont|avait|avaient|aura|aurait)(?= |$))|un|une|des|du|ce|cet|cette|ces|au|aux|the|an|this|that|these|those)(?= )/;

/** « Les femmes peuvent-elles… », "when did the band say that they…": the pronoun stands for what is named before it. */
function hasSubject(before: string): boolean {
  const [first = ''] = before.trim().split(' ');
  return DETERMINER.test(`${before} `) || (first !== '' && !functionWords.has(first));
}
