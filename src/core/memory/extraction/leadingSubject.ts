import { FULL_WEEKDAYS, MONTHS } from '../../support/text/calendar.ts';
import { readSubject, type Subject } from './subjects.ts';
import { isVerb } from './verbs.ts';
import type { Word } from './words.ts';

const LEAD = new RegExp(
  `^(?:en|depuis|le|la|cette|ce|cet|l|a|au|from|since|in|on|next|last|this|the|tomorrow|demain|after|before|apres|avant|pendant|durant|during|chez|at|avec|with|for|pour|until|till|jusqu|by|every|chaque|tous|toutes|dans|des|starting|desormais|maintenant|now|currently|actuellement|bientot|soon|dernierement|recemment|recently|lately|once|twice|aujourdhui|today|tonight|il|later|fin|debut|mi|early|late|two|three|deux|trois|as|both|${FULL_WEEKDAYS.join('|')}|${MONTHS.join('|')})$`,
);

const TIME = new RegExp(
  `^(?:semaine|mois|jour|week|month|year|day|days|end|weekend|matin|soir|annee|an|ans|ete|hiver|automne|printemps|summer|winter|spring|autumn|fall|morning|evening|night|nuit|moment|past|last|next|\\d.*|${FULL_WEEKDAYS.join('|')})$`,
);

/** The subject of a clause, also behind a time or a place: "Next month my sister…", « cette semaine, je… ». */
export function leadingSubject(words: readonly Word[], text: string): Subject | null {
  const first = readSubject(words, 0, text);
  const isTime = TIME.test(words[1]?.plain ?? '') || TIME.test(words[2]?.plain ?? '');
  if (first && !(first.type === 'thing' && LEAD.test(words[0]?.plain ?? '') && isTime)) return first;
  const isLed = LEAD.test(words[0]?.plain ?? '');
  let behind: Subject | null = null;
  for (let index = 1; index < Math.min(words.length, 9); index += 1) {
    const plain = words[index]?.plain ?? '';
    if (isVerb(plain) && !/^(?:a|passe|s|n|m)$/.test(plain)) break;
    const subject = readSubject(words, index, text);
    if (!subject || subject.type === 'it') continue;
    if (subject.type === 'self' || subject.type === 'we') return subject;
    if (!isLed && words[index - 1]?.plain !== ',') continue;
    const next = words[subject.next]?.plain ?? '';
    const hasVerb = isVerb(next) || /^(?:c|'s)$/.test(next);
    if (subject.type === 'thing') behind ??= subject;
    else if (
      subject.type === 'person' &&
      subject.isBare &&
      (words[index - 1]?.plain !== ',' || /^(?:dans|in|d|selon|chez|on|sur)$/.test(words[0]?.plain ?? ''))
    )
      continue;
    else if (hasVerb || subject.type === 'generic' || subject.type === 'pronoun') return subject;
  }
  return first ?? behind;
}

/** The subject behind a time or a place that begins at a word: "since the wedding I…", « depuis le mariage je… ». */
export function ledSubject(words: readonly Word[], index: number, text: string): Subject | null {
  const comma = words.findIndex(({ plain }, at) => at > index && /^[,;:]$/.test(plain));
  const led = words.slice(index, Math.min(index + 9, comma === -1 ? words.length : comma));
  if (!LEAD.test(led[0]?.plain ?? '')) return null;
  const subject = leadingSubject(led, text);
  return subject && { ...subject, next: index + subject.next };
}
