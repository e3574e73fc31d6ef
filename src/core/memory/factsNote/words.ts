import type { FactKind } from '../../../shared/contract/facts.ts';
import type { Language } from '../../../shared/errors.ts';

interface NoteWords {
  title: string;
  /** What the reader must know, line by line. */
  preamble: readonly string[];
  headings: Readonly<Record<FactKind, string>>;
  /** Before the wording of the note, where it was changed here and there. */
  conflict: string;
}

/** What Souvenir writes of its own in the facts note, in the language of the window. */
export const NOTE_WORDS: Readonly<Record<Language, NoteWords>> = {
  en: {
    title: 'What Souvenir remembers',
    preamble: [
      'Souvenir writes this note: a line for each fact in use. You can change, add or delete lines here; Souvenir takes it over.',
      'Leave the mark at the end of a line (^fact-…) as it is. A fact that is forgotten leaves this note.',
    ],
    headings: {
      identity: 'Identity',
      preference: 'Preferences',
      relation: 'Relations',
      event: 'Events',
      decision: 'Decisions',
      goal: 'Goals',
      task: 'Tasks',
      fact: 'Other facts',
    },
    conflict: 'Conflict; this note said',
  },
  fr: {
    title: 'Ce que Souvenir retient',
    preamble: [
      'Souvenir écrit cette note : une ligne par fait en usage. Vous pouvez y modifier, ajouter ou supprimer des lignes ; Souvenir en tient compte.',
      'Laissez telle quelle la marque en fin de ligne (^fact-…). Un fait oublié quitte cette note.',
    ],
    headings: {
      identity: 'Identité',
      preference: 'Préférences',
      relation: 'Relations',
      event: 'Événements',
      decision: 'Décisions',
      goal: 'Objectifs',
      task: 'Tâches',
      fact: 'Autres faits',
    },
    conflict: 'Conflit ; cette note disait',
  },
};

/** The kind of fact that a heading stands for, in either language; undefined for any other heading. */
export function kindOfHeading(heading: string): FactKind | undefined {
  const wanted = heading.trim().toLowerCase();
  for (const { headings } of Object.values(NOTE_WORDS))
    for (const [kind, text] of Object.entries(headings))
      if (text.toLowerCase() === wanted) return kind as FactKind;
  return undefined;
}
