import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface PiafQuestion {
  text: string;
  /** Path of the note and heading of the section that answer it. */
  path: string;
  heading: string;
  /** One of two halves, fixed by a hash of the question's id: what is fitted on one is reported on the other. */
  half: 0 | 1;
}

export interface PiafPassage {
  path: string;
  title: string;
  heading: string;
  text: string;
}

export interface Piaf {
  /** Path → Markdown: an article a note, a paragraph a section. */
  notes: Record<string, string>;
  passages: PiafPassage[];
  questions: PiafQuestion[];
}

interface PiafFile {
  data: { title: string; paragraphs: { context: string; qas: { id: string; question: string }[] }[] }[];
}

/** Reads the PIAF development set (SQuAD layout) as a vault with questions. */
export function readPiaf(file: string): Piaf {
  const { data } = JSON.parse(readFileSync(file, 'utf8')) as PiafFile;
  const piaf: Piaf = { notes: {}, passages: [], questions: [] };
  for (const [number, article] of data.entries()) {
    const path = `${String(number).padStart(3, '0')} ${article.title.replace(/[/\\:*?"<>|#^[\]]/g, ' ')}.md`;
    const sections = article.paragraphs.map((paragraph, index) => ({
      heading: `§${index + 1}`,
      ...paragraph,
    }));
    piaf.notes[path] = `---\ntitle: ${JSON.stringify(article.title)}\n---\n\n${sections
      .map((section) => `# ${section.heading}\n\n${section.context}\n`)
      .join('\n')}`;
    for (const { heading, context, qas } of sections) {
      piaf.passages.push({ path, title: article.title, heading, text: context });
      for (const { id, question } of qas)
        piaf.questions.push({ text: question, path, heading, half: halfOf(id) });
    }
  }
  return piaf;
}

function halfOf(id: string): 0 | 1 {
  return (createHash('sha256').update(id).digest()[0] ?? 0) & 1 ? 1 : 0;
}
