import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedData } from '../support/sharedData.ts';

export interface EvalQuestion {
  text: string;
  /** Path of the note and the last heading of the section that answer it. */
  path: string;
  heading: string;
  /** One of two halves, fixed by a hash of the question's id: what is fitted on one is reported on the other. */
  half: 0 | 1;
}

export interface EvalPassage {
  path: string;
  title: string;
  heading: string;
  text: string;
}

/** A vault with questions that each have one right passage. */
export interface EvalSet {
  name: string;
  /** Path → Markdown. */
  notes: Record<string, string>;
  passages: EvalPassage[];
  questions: EvalQuestion[];
}

interface PiafFile {
  data: { title: string; paragraphs: { context: string; qas: { id: string; question: string }[] }[] }[];
}

/** PIAF's development set (SQuAD layout): an article a note, a paragraph a section. Null where it is not here. */
export function piaf(): EvalSet | null {
  const file = sharedData('piaf/piaf-dev.json');
  if (!file) return null;
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as PiafFile;
  const set: EvalSet = { name: 'piaf', notes: {}, passages: [], questions: [] };
  for (const [number, article] of data.entries()) {
    const path = `${String(number).padStart(3, '0')} ${article.title.replace(/[/\\:*?"<>|#^[\]]/g, ' ')}.md`;
    const sections = article.paragraphs.map((paragraph, index) => ({
      heading: `§${index + 1}`,
      ...paragraph,
    }));
    addNote(
      set,
      path,
      article.title,
      sections.map(({ heading, context }) => ({ heading, text: context })),
    );
    for (const { heading, qas } of sections) {
      for (const { id, question } of qas)
        set.questions.push({ text: question, path, heading, half: halfOf(id) });
    }
  }
  return set;
}

/** Sentence pairs kept out of training: the question in one language, the section in the other. */
export function acrossLanguages(from: 'en' | 'fr'): EvalSet | null {
  const file = sharedData('tatoeba/fra-eng.tsv');
  if (!file) return null;
  const set: EvalSet = {
    name: `tatoeba.${from}-${from === 'en' ? 'fr' : 'en'}`,
    notes: {},
    passages: [],
    questions: [],
  };
  const seen = new Set<string>();
  const lines = readFileSync(file, 'utf8').split('\n');
  const sections: { heading: string; text: string }[] = [];
  for (let number = 0; number < lines.length; number += TATOEBA_HELD_OUT) {
    const [english = '', french = ''] = (lines[number] ?? '').split('\t');
    const [question, text] = from === 'en' ? [english, french] : [french, english];
    // Short sentences repeat: "Go." would have many right answers.
    if (question.length < 20 || seen.has(question) || seen.has(text)) continue;
    seen.add(question).add(text);
    const heading = `n${number}`;
    sections.push({ heading, text });
    set.questions.push({
      text: question,
      path: pathOf(sections.length - 1),
      heading,
      half: halfOf(String(number)),
    });
  }
  for (let start = 0; start < sections.length; start += SECTIONS_PER_NOTE) {
    addNote(set, pathOf(start), `t${start}`, sections.slice(start, start + SECTIONS_PER_NOTE));
  }
  return set;
}

/** Headings of a real vault as questions for the text below them, headings themselves taken out of the notes. */
export function headings(vault: 'etalab-guides' | 'foam-docs'): EvalSet | null {
  const root = sharedData(`vaults/${vault}`);
  if (!root) return null;
  const set: EvalSet = { name: `headings.${vault}`, notes: {}, passages: [], questions: [] };
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.md')) continue;
    const sections: { heading: string; text: string }[] = [];
    const parts = readFileSync(join(root, name), 'utf8').split(/^#{2,6}\s+(.+)$/m);
    for (let index = 1; index + 1 < parts.length; index += 2) {
      const [title = '', text = ''] = [parts[index], parts[index + 1]?.trim()];
      if (text.length < 80 || title.split(/\s+/).length < 2) continue;
      const heading = `s${index}`;
      sections.push({ heading, text: text.replace(/^#+.*$/gm, '') });
      set.questions.push({ text: title, path: name, heading, half: halfOf(`${name}${index}`) });
    }
    if (sections.length > 0) addNote(set, name, '', sections);
  }
  return set;
}

/** Sentence pairs whose number this divides are kept out of training (scripts/train/pairs.ts). */
export const TATOEBA_HELD_OUT = 50;
const SECTIONS_PER_NOTE = 40;
const pathOf = (section: number) => `t${Math.floor(section / SECTIONS_PER_NOTE)}.md`;

function addNote(
  set: EvalSet,
  path: string,
  title: string,
  sections: readonly { heading: string; text: string }[],
): void {
  set.notes[path] = `---\ntitle: ${JSON.stringify(title)}\n---\n\n${sections
    .map((section) => `# ${section.heading}\n\n${section.text}\n`)
    .join('\n')}`;
  for (const { heading, text } of sections) set.passages.push({ path, title, heading, text });
}

function halfOf(id: string): 0 | 1 {
  return (createHash('sha256').update(id).digest()[0] ?? 0) & 1 ? 1 : 0;
}
