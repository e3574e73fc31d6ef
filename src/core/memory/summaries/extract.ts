import { withoutQuoted } from '../../items/quotedStretches.ts';
import type { SummaryContent } from '../../storage/summaries.ts';
import { toPlainText } from '../../support/text/plainText.ts';
import { splitSentences } from '../../support/text/sentences.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { type Token, tokenise } from '../../support/text/tokenise.ts';
import { filesIn, namesIn, topicsOf } from './mentioned.ts';

/** What somebody said in a turn. */
export interface Utterance {
  role: 'user' | 'assistant' | 'other';
  text: string;
}

/** Characters of a summary: a short paragraph for one turn, a longer one for many. */
export const LONGEST_OF_TURN = 400;
export const LONGEST_OF_MANY = 1_000;
/** Findings that are kept of one turn, and of many. */
export const FINDINGS_OF_TURN = 5;
export const FINDINGS_OF_MANY = 12;
const MOST_TOPICS = 8;
const MOST_FILES = 20;

/** A sentence longer than this is a list or a paste; its beginning stands for it. */
const LONGEST_SENTENCE = 240;
/** What is longer is a pasted text, of which the beginning and the end say what it is about. */
const READ_CHARACTERS = 20_000;
/** Sentences with fewer content words are greetings and thanks. */
const LEAST_WORDS = 2;
/** A sentence of which so much stands in one that was taken already says the same. */
const SAME_WORDS = 0.6;

/** Signs of a decision, of something to be done, and of mere politeness, on folded words joined by spaces. */
const DECIDES =
  /\b(?:(?:on a|nous avons|j ai|ils ont|elle a|il a|c est|avons) (?:\S+ ){0,2}(?:decide|choisi|retenu|opte|convenu|tranche|valide)e?s?|decidons|decision|on part sur|on garde|on prend|d accord pour|decided|agreed|chose|chosen|settled on|(?:go|going) with|let s use|we ll use|picked)\b/;
const IS_TASK =
  /\b(?:il faut|il faudra|faut que|a faire|dois|doit|devons|devez|doivent|n oublie|rappelle moi|pense a|prevoir|avant (?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|le \d+)|todo|to do|needs? to|must|have to|has to|should|don t forget|remember to|remind me|deadline|due (?:on|by))\b/;
const IS_POLITE =
  /^(?:bonjour|salut|bonsoir|merci|hello|hi|hey|thanks|thank you|sure|of course|certainly|bien sur|avec plaisir|tres bien|d accord|entendu|parfait|great|n hesite|n hesitez|feel free|let me know|happy to|glad to|i m happy|dites moi|dis moi si|bon courage|bonne question|good question|bien note|c est note|noted|got it|de rien|you re welcome)\b/;
/** A sentence that begins politely and says more than so many words says something. */
const POLITE_WORDS = 6;

interface Sentence {
  text: string;
  role: Utterance['role'];
  terms: Set<string>;
  /** Its numbers: two sentences that differ in one say two things, however alike they are. */
  numbers: Set<string>;
  isQuestion: boolean;
  decides: boolean;
  isTask: boolean;
  particulars: number;
  place: number;
}

/**
 * A summary by rules alone: the sentences that say most of a talk, in their order and language; what was decided or is to be done; names,
 * files and notes. Nothing in it is not in the talk.
 * @param quoted texts that the talk was given: what was copied from them was not said
 * @param files names of what was attached, which belong to the files mentioned
 */
export function extractFromTurn({
  said,
  quoted,
  tools,
  files,
}: {
  said: readonly Utterance[];
  quoted: readonly string[];
  tools: readonly string[];
  files: readonly string[];
}): SummaryContent {
  const own = said.filter(({ role }) => role === 'user').map(({ text }) => text);
  const sentences = said.flatMap((one) => sentencesOf(one, one.role === 'user' ? [] : quoted, own));
  const extracted = condense(
    sentences.map((sentence, place) => ({ ...sentence, place })),
    {
      longest: LONGEST_OF_TURN,
      findings: FINDINGS_OF_TURN,
      // What somebody pasted is not all theirs; of notes and files, whoever names them.
      mentions: said.map(({ text }) => text.slice(0, READ_CHARACTERS)).join('\n'),
    },
  );
  const made = { ...extracted, tools, files: distinct([...files, ...extracted.files]).slice(0, MOST_FILES) };
  if (made.text !== '') return made;
  // Thanks and greetings alone: they are all there is to tell.
  const all = (own.length > 0 ? own : said.map(({ text }) => text)).map((text) =>
    split(toPlainText(shortened(text))).join(' '),
  );
  return { ...made, text: cutAtWord(all.join(' '), LONGEST_OF_TURN) };
}

/** A summary of summaries: what they have in common, and what was found out, in their order. */
export function extractFromSummaries(children: readonly SummaryContent[]): SummaryContent {
  const sentences = children.flatMap(({ text }) => sentencesOf({ role: 'user', text }, [], []));
  const made = condense(
    sentences.map((sentence, place) => ({ ...sentence, place })),
    { longest: LONGEST_OF_MANY, findings: FINDINGS_OF_MANY, mentions: '' },
  );
  const findings = distinct(children.flatMap((child) => child.findings));
  return {
    text: made.text,
    // Of many, the latest hold.
    findings: findings.slice(-FINDINGS_OF_MANY),
    files: distinct(children.flatMap((child) => child.files)).slice(-MOST_FILES),
    tools: distinct(children.flatMap((child) => child.tools)),
    topics: mostFrequent(children.flatMap((child) => child.topics)).slice(0, MOST_TOPICS),
  };
}

function condense(
  sentences: readonly Sentence[],
  { longest, findings, mentions }: { longest: number; findings: number; mentions: string },
): SummaryContent {
  const weights = weighTerms(sentences);
  const best = [...sentences].sort(
    (one, other) => scoreOf(other, weights) - scoreOf(one, weights) || one.place - other.place,
  );
  const taken: Sentence[] = [];
  let length = 0;
  for (const sentence of best) {
    if (taken.some((other) => isSaidBy(sentence, other))) continue;
    if (length > 0 && length + sentence.text.length + 1 > longest) continue;
    taken.push(sentence);
    length += sentence.text.length + 1;
  }
  const inOrder = taken.sort((one, other) => one.place - other.place);
  const found = sentences.filter(
    (sentence) =>
      !sentence.isQuestion &&
      (sentence.decides || sentence.isTask || (sentence.role === 'user' && sentence.particulars > 0)),
  );
  return {
    text: inOrder.map(({ text }) => text).join(' '),
    findings: distinct(
      [...found]
        .sort((one, other) => weightOfFinding(other) - weightOfFinding(one))
        .slice(0, findings)
        .sort((one, other) => one.place - other.place)
        .map(({ text }) => text),
    ),
    files: filesIn(mentions).slice(0, MOST_FILES),
    tools: [],
    topics: topicsOf(sentences.map(({ text }) => text)).slice(0, MOST_TOPICS),
  };
}

const weightOfFinding = ({ decides, isTask, particulars }: Sentence): number =>
  (decides ? 2 : 0) + (isTask ? 1 : 0) + Math.min(particulars, 3) / 4;

/** Sentences that say something, without those of which a part was copied. */
function sentencesOf(
  { role, text }: Utterance,
  quoted: readonly string[],
  own: readonly string[],
): Omit<Sentence, 'place'>[] {
  const plain = toPlainText(shortened(text)).replace(/\s*\[\d+(?:,\s*\d+)*\]/g, '');
  const whole = split(plain);
  const left = quoted.length === 0 ? plain : withoutQuoted(plain, quoted, own);
  const kept = left === plain ? null : new Set(split(left));
  return whole.flatMap((sentence) => {
    if (kept && !kept.has(sentence)) return [];
    const words = tokenise(sentence).filter(isContent);
    if (words.length < LEAST_WORDS) return [];
    const folded = tokenise(sentence)
      .map(({ word }) => word)
      .join(' ');
    if (words.length <= POLITE_WORDS && IS_POLITE.test(folded)) return [];
    const { names, numbers } = namesIn(sentence);
    return [
      {
        text: sentence.length <= LONGEST_SENTENCE ? sentence : cutAtWord(sentence, LONGEST_SENTENCE),
        role,
        terms: new Set(words.map(({ term }) => term)),
        numbers: new Set(words.flatMap(({ word }) => (/\d/.test(word) ? [word] : []))),
        isQuestion: sentence.endsWith('?'),
        decides: DECIDES.test(folded),
        isTask: IS_TASK.test(folded),
        particulars: names.length + numbers,
      },
    ];
  });
}

const isContent = ({ word }: Token): boolean => !functionWords.has(word);

const split = (text: string): string[] =>
  splitSentences(text)
    .map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '');

/** The beginning and the end of a text that is longer than can be read in passing, both of whole sentences. */
function shortened(text: string): string {
  if (text.length <= READ_CHARACTERS) return text;
  const whole = (
    part: string,
    at: (spans: readonly { start: number; end: number }[]) => [number, number],
  ) => {
    const spans = splitSentences(part);
    return spans.length < 2 ? part : part.slice(...at(spans));
  };
  const head = whole(text.slice(0, READ_CHARACTERS / 2), (spans) => [0, spans.at(-1)?.start ?? 0]);
  const tail = whole(text.slice(-READ_CHARACTERS / 2), (spans) => [spans[1]?.start ?? 0, READ_CHARACTERS]);
  return `${head}\n${tail}`;
}

export function cutAtWord(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const cut = text.slice(0, longest - 2);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > longest / 2 ? space : cut.length).replace(/[\uD800-\uDBFF]$/, '')} …`;
}

/** How often each term stands in the talk: what it is about comes again. */
function weighTerms(sentences: readonly Sentence[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { terms } of sentences) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/**
 * What a sentence is worth: how much of what the talk is about it holds (SumBasic: Nenkova and Vanderwende, 2005, with the square root of the
 * length, so that long sentences do not always win), then what makes it worth reading: a decision, a task, names and numbers, the user's own
 * statement rather than a question.
 */
function scoreOf(sentence: Sentence, weights: ReadonlyMap<string, number>): number {
  const { terms, role, isQuestion, decides, isTask, particulars, place } = sentence;
  const common = [...terms].reduce((sum, term) => sum + Math.log1p(weights.get(term) ?? 0), 0);
  return (
    common / Math.sqrt(terms.size + 1) +
    (decides ? 2 : 0) +
    (isTask ? 1 : 0) +
    Math.min(particulars, 4) / 4 +
    (role === 'user' ? 0.5 : 0) -
    (isQuestion ? 0.5 : 0) -
    Math.min(place, 20) / 100
  );
}

function isSaidBy({ terms, numbers }: Sentence, { terms: other, numbers: others }: Sentence): boolean {
  if ([...numbers].some((number) => !others.has(number))) return false;
  const shared = [...terms].filter((term) => other.has(term)).length;
  return shared >= terms.size * SAME_WORDS;
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

function mostFrequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1]).map(([text]) => text);
}
