import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NoteRow } from '../../../shared/contract/notes.ts';
import { useAttempt, useSession } from '../../context.tsx';

/** Notes that are offered at once. */
const SHOWN = 6;
/** Pause in typing before notes are looked for. */
const REST_MS = 120;

/** What is being typed behind `[[`, up to the caret; null if nothing is. */
export function wantedNote(text: string, caret: number): string | null {
  return /\[\[([^[\]\n]{0,80})$/.exec(text.slice(0, caret))?.[1] ?? null;
}

/** A draft in which the name behind the last `[[` before the caret is that of a note. */
export function withNoteName(text: string, caret: number, title: string): string {
  const start = text.lastIndexOf('[[', caret - 1);
  return `${text.slice(0, start)}[[${title}]]${text.slice(caret).replace(/^\]\]/, '')}`;
}

const NONE: readonly NoteRow[] = [];

export interface NoteChoice {
  notes: readonly NoteRow[];
  at: number;
  move(by: number): void;
}

/** The notes whose name or path holds what is typed, and which of them is chosen. */
export function useNoteChoice(wanted: string | null): NoteChoice {
  const { client } = useSession().api;
  const attempt = useAttempt();
  const [found, setFound] = useState<readonly NoteRow[]>([]);
  const notes = wanted === null ? NONE : found;
  const [at, setAt] = useState(0);
  useEffect(() => {
    if (wanted === null) return;
    let isDropped = false;
    const timer = setTimeout(() => {
      void attempt(async () => {
        const listed = await client.notes.list({
          query: wanted,
          filter: 'indexed',
          bestFirst: true,
          limit: SHOWN,
        });
        if (isDropped) return;
        setFound(listed.notes);
        setAt(0);
      });
    }, REST_MS);
    return () => {
      isDropped = true;
      clearTimeout(timer);
    };
  }, [wanted, client, attempt]);
  const move = (by: number) => setAt((now) => (now + by + notes.length) % Math.max(1, notes.length));
  return { notes, at, move };
}

/** The notes that `[[` offers, above the composer. */
export function NotePicker({ choice, onPick }: { choice: NoteChoice; onPick(note: NoteRow): void }) {
  const { t } = useTranslation();
  if (choice.notes.length === 0) return null;
  return (
    <div className="note-picker" role="listbox" id="note-picker" aria-label={t('attachment.notes')}>
      {choice.notes.map((note, place) => (
        // The keyboard stays in the message, which names what is chosen.
        <div
          key={note.id}
          id={`note-choice-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === choice.at}
          onMouseDown={(event) => {
            event.preventDefault();
            onPick(note);
          }}
        >
          <span>{note.title}</span> <span className="muted">{note.path}</span>
        </div>
      ))}
    </div>
  );
}
