import { plainText, type Word } from './words.ts';

const ADVERBS = new Set(
  `toujours encore maintenant actuellement desormais vraiment bien enfin aussi deja justement finalement officiellement juste
   recemment surtout seulement egalement completement totalement absolument tres trop super hyper assez plutot tout simplement
   beaucoup particulierement franchement carrement normalement generalement souvent parfois dorenavant ok voila donc
   principalement notamment definitivement probablement still now currently really just also already finally actually
   officially recently only always usually completely totally absolutely very so pretty quite mostly mainly both generally
   often sometimes newly presently definitely truly simply nowadays soon bientot lately severely highly extremely terribly
   slightly legerement gravement fortement tremendously deathly mortellement violemment ever once again nouveau personally
   personnellement kinda literally basically temporarily temporairement permanently`.split(/\s+/),
);
const NEGATION = new Set('ne n pas jamais not never guere aucun aucune no neither nor'.split(' '));

/** What is said of a subject, ready for patterns. */
export interface Predicate {
  /** Folded words joined by spaces, without adverbs and negations. */
  text: string;
  /** The words of which the text is made. */
  words: Word[];
  /** The index in `words` of the word at an offset of the text. */
  at(offset: number): number;
  isNegated: boolean;
  /** It was so, and nothing says that it still is: an imperfect, "lived", "used to". */
  isOver: boolean;
  /** It happened; what follows tells when. */
  isPast: boolean;
  /** It is to come. */
  isFuture: boolean;
}

/** « Est né » is no negation. */
const isBorn = (words: readonly Word[], index: number) =>
  words[index]?.plain === 'ne' &&
  /^(?:est|suis|es|sont|sommes|etait|etais)$/.test(words[index - 1]?.plain ?? '');

const AGREEING = new Set(['do', 'does', 'did']);

/** Reads the words behind a subject. */
export function readPredicate(words: readonly Word[]): Predicate {
  const all = plainText(words).text;
  const head = words.slice(0, 7).map(({ plain }) => plain);
  const isNegated =
    head.some(
      (word, index) =>
        /^(?:pas|jamais|not|never|guere|aucun|aucune)$/.test(word) ||
        (/^(?:ne|n)$/.test(word) && index < 2 && !isBorn(words, index)),
    ) ||
    /(?:^| )(?:no longer|any ?more|n \S+ plus|ne \S+ plus)(?= |$)/.test(all) ||
    /^(?:\S+ )?(?:mange|habite|travaille|aime|bois|vis|fume|supporte|suis|est|vit|ai|a) plus(?! (?:de|que|d) \d)(?= |$)/.test(
      all,
    );
  const kept = words.filter(({ plain }, index) => {
    if (isBorn(words, index)) return true;
    if (plain === 'de' && words[index + 1]?.plain === 'nouveau') return false;
    if (ADVERBS.has(plain) || NEGATION.has(plain)) return false;
    if (plain === 'plus' && isNegated) return false;
    if (plain === 'longer' && words[index - 1]?.plain === 'no') return false;
    if (plain === 'anymore') return false;
    return !(AGREEING.has(plain) && NEGATION.has(words[index + 1]?.plain ?? ''));
  });
  const { text, at } = plainText(kept);
  const first = kept.slice(0, 4).map(({ plain }) => plain);
  return {
    text,
    words: kept,
    at,
    isNegated,
    isOver:
      /^(?:\w+ ){0,2}?(?:lived|worked|was|were|used to|studied|habitais|habitait|habitions|vivais|vivait|vivions|travaillais|travaillait|bossais|bossait|etais|etait|avais|avait|had|habite|vecu|travaille|bosse)(?= |$)/.test(
        text,
      )
        ? isOver(first)
        : false,
    isPast:
      /^(?:(?:m|me|s|se|t|l|y|nous|en|les|le|la) )?(?:(?:ai|a|avons|ont|as|suis|est|sommes|sont|have|has) (?:\w+ )?\w+(?:e|ee|es|ees|i|ie|is|it|u|ue|us|ed|en|ught|ne|t)(?= |$)|viens de|vient de|was|were|did|had|got|\w+ed(?= |$)|went|began|gave|came|became|took|fell|put|found|ran|drove|wrote|made|broke|bought|sold|met|lost|won|left|quit|took)/.test(
        text,
      ),
    isFuture:
      /^(?:(?:m|me|s|se|l|y|nous) )?(?:(?:vais|va|allons|vont|vas) \w+(?:r|re|oir)|will|going to|am going|are going|is going|(?:am|are|is|'s) (?!(?:living|working|staying|residing|renting|lodging|studying|learning|teaching)(?= |$))\w+ing|\w+(?:rai|ra|rons|ront)(?= |$)|compte|prevois|plan|hope|want|veux|dois|have to|need)/.test(
        text,
      ),
  };
}

/** The imperfect and the simple past of a state; in a compound tense, « a habité » but not « a travaillé » alone. */
function isOver(first: readonly string[]): boolean {
  const [one = '', two = '', three = ''] = first;
  if (/^(?:habite|travaille|bosse)$/.test(one)) return false;
  // "I have lived in Norwich since…" holds still.
  if (/^(?:have|has)$/.test(one) && /^(?:lived|worked|been)$/.test(two)) return false;
  if (/^(?:habite|vecu|travaille|bosse)$/.test(two)) return /^(?:ai|a|avons|ont)$/.test(one);
  if (/^(?:habite|vecu|travaille|bosse)$/.test(three)) return false;
  return true;
}
