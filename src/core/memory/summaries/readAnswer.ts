import { z } from 'zod';
import type { Language } from '../../../shared/errors.ts';
import { detectLanguage } from '../../support/text/language.ts';
import type { Translations } from '../../support/text/particulars.ts';
import { splitSentences } from '../../support/text/sentences.ts';
import { termOf } from '../../support/text/tokenise.ts';
import { readLooseJson } from '../learning/looseJson.ts';
import { holds, particularsOf, termsIn } from '../learning/particulars.ts';

/** What a model says of a summary's source, as far as it holds. */
export interface ReadSummary {
  text: string;
  findings: string[];
  topics: string[];
}

/** Why a model's answer is not used. */
export type Unusable = 'no-json' | 'empty' | 'too-long' | 'other-language' | 'invented' | 'elsewhere';

/** The share of its particulars that must stand in the source; what has less is about something else. As for memories. */
const LEAST_GIVEN = 0.5;
/** Beyond twice what was asked for, a model goes on without end. */
const EXCESS = 2;
const MOST_FINDINGS = 12;
const MOST_TOPICS = 8;
const LONGEST_FINDING = 240;
const LONGEST_TOPIC = 60;

const Line = z.string().transform((text) => text.replace(/\s+/g, ' ').trim());
const Lines = z.array(Line).catch([]);

/**
 * Reads what a model wrote of a source: it must say something, be shorter than the source and in its language, and hold no name and no
 * number that does not stand there. Findings and topics are kept one by one by the same rules.
 */
export function readSummary(
  answer: string,
  source: { text: string; language: Language },
  { longest, lexicon }: { longest: number; lexicon: Translations },
): ReadSummary | Unusable {
  const found = readLooseJson(answer).find(
    (one): one is Record<string, unknown> => typeof one === 'object' && one !== null && 'summary' in one,
  );
  if (!found) return 'no-json';
  const text = Line.safeParse(found.summary).data ?? '';
  if (!/\p{L}/u.test(text)) return 'empty';
  if (text.length > source.text.length || text.length > longest * EXCESS) return 'too-long';
  if (detectLanguage(text, source.language) !== source.language) return 'other-language';
  const given = termsIn(source.text);
  const judged = judge(text, given, lexicon);
  if (judged !== 'holds') return judged;
  const isGiven = (one: string, most: number) =>
    one !== '' && one.length <= most && judge(one, given, lexicon) === 'holds';
  return {
    text,
    findings: Lines.parse(found.findings)
      .filter((one) => isGiven(one, LONGEST_FINDING))
      .slice(0, MOST_FINDINGS),
    topics: Lines.parse(found.topics)
      .filter((one) => isGiven(one, LONGEST_TOPIC))
      .slice(0, MOST_TOPICS),
  };
}

function judge(
  text: string,
  given: ReadonlySet<string>,
  lexicon: Translations,
): 'holds' | 'invented' | 'elsewhere' {
  const sentences = splitSentences(text).map(({ start, end }) => text.slice(start, end));
  const particulars = sentences.flatMap((sentence) => {
    const first = sentence.search(/[\p{L}\p{N}]/u);
    // Any word may begin a sentence with a capital; one that no dictionary knows is a name there too.
    return particularsOf(sentence).map((one) =>
      one.isName && one.word.start === first && lexicon.translations(termOf(one.folded)).length > 0
        ? { ...one, isName: false }
        : one,
    );
  });
  const elsewhere = particulars.filter((one) => !holds(given, one));
  if (elsewhere.some(({ isName, isNumber }) => isName || isNumber)) return 'invented';
  return elsewhere.length > particulars.length * (1 - LEAST_GIVEN) ? 'elsewhere' : 'holds';
}
