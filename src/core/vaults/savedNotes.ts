import { AppError, type Language } from '../../shared/errors.ts';
import { isNotePath } from '../../shared/factsNote.ts';
import { parseJson } from '../../shared/json.ts';
import { dailyName } from './obsidian/dailyName.ts';
import { inFolderOf } from './obsidian/vaultFolder.ts';
import { readOwnNote, writeOwnNote } from './ownNote.ts';

/** Folder of a vault for notes that the user has Souvenir save, beside the facts note. */
const FOLDER = 'Souvenir';
const LONGEST_NAME = 120;
const MOST_OF_A_NAME = 1_000;
/** How often a note that somebody else changes at the same moment is read again. */
const TRIES = 5;
const DAILY_SETTINGS = '.obsidian/daily-notes.json';
const MAX_SETTINGS_BYTES = 100_000;
const DEFAULT_FORMAT = 'YYYY-MM-DD';

/**
 * Saves a text as a note of its own, under a name that no note has.
 * @returns its path in the vault
 * @throws AppError VAULT_UNAVAILABLE, DISK_FULL, DISK_FAILED, FILE_UNWRITABLE
 */
export function saveNote(root: string, title: string, content: string): Promise<string> {
  return told(async () => {
    const name = nameOf(title);
    for (let number = 1; number <= MOST_OF_A_NAME; number += 1) {
      const path = `${FOLDER}/${name}${number === 1 ? '' : ` ${number}`}.md`;
      if (await writeOwnNote({ root, path }, Buffer.from(content), null)) return path;
    }
    throw new AppError('FILE_UNWRITABLE', { path: `${FOLDER}/${name}.md`, reason: 'EEXIST' });
  });
}

/**
 * Adds a text at the end of today's daily note, where Obsidian keeps it; makes the note, from its template, if there is none.
 * @param at milliseconds since 1970
 * @returns the note's path in the vault
 * @throws AppError VAULT_UNAVAILABLE, DAILY_NOTE_UNKNOWN, DISK_FULL, DISK_FAILED, FILE_UNWRITABLE, FILE_UNREADABLE
 */
export function addToDailyNote(
  root: string,
  content: string,
  { at, language }: { at: number; language: Language },
): Promise<string> {
  return told(async () => {
    const settings = await dailySettings(root);
    const name = dailyName(settings.format, at, language);
    const path = [settings.folder, `${name}.md`].filter((part) => part !== '').join('/');
    if (name === null || !isNotePath(path))
      throw new AppError('DAILY_NOTE_UNKNOWN', { format: settings.format });
    for (let tried = 0; tried < TRIES; tried += 1) {
      const before = await readOwnNote({ root, path });
      const present = before?.toString('utf8') ?? (await template(root, settings.template, name));
      const gap = present === '' ? '' : present.endsWith('\n') ? '\n' : '\n\n';
      if (await writeOwnNote({ root, path }, Buffer.from(`${present}${gap}${content}`), before)) return path;
    }
    throw new AppError('FILE_UNWRITABLE', { path, reason: 'EBUSY' });
  });
}

/** A name that a note may have on every system. */
function nameOf(title: string): string {
  const name = title
    .normalize('NFC')
    .replace(/[\p{Cc}\\/:*?"<>|#^[\]]/gu, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, LONGEST_NAME)
    .toWellFormed()
    .replace(/^[. ]+|[. ]+$/g, '');
  return isNotePath(`${name}.md`) ? name : 'Conversation';
}

async function dailySettings(root: string): Promise<{ folder: string; format: string; template: string }> {
  const settings = (await readText(root, DAILY_SETTINGS)) ?? '{}';
  const found = { ...(parseJson(settings) as Record<string, unknown> | null | undefined) };
  const textOf = (value: unknown) => (typeof value === 'string' ? value.trim() : '');
  const trimmed = (value: unknown) => textOf(value).replace(/^\/+|\/+$/g, '');
  return {
    folder: trimmed(found.folder),
    format: textOf(found.format) || DEFAULT_FORMAT,
    template: trimmed(found.template),
  };
}

/** What a new daily note begins with; its dates are today's name. */
async function template(root: string, path: string, name: string): Promise<string> {
  const file = path === '' ? '' : /\.md$/i.test(path) ? path : `${path}.md`;
  if (!isNotePath(file)) return '';
  const text = (await readText(root, file)) ?? '';
  const title = name.split('/').at(-1) ?? name;
  return text.replaceAll(/\{\{(?:title|date)\}\}/g, () => title);
}

/** Null if there is no such file, or it is none. */
async function readText(root: string, path: string): Promise<string | null> {
  try {
    const file = await inFolderOf(root, path, (folder, name) => folder.read(name, MAX_SETTINGS_BYTES));
    return file.kind === 'content' ? file.content.toString('utf8') : null;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** The words for the facts note are not those for other notes. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefused =
      error instanceof AppError && ['FACTS_NOTE_NO_FILE', 'FACTS_NOTE_TOO_LARGE'].includes(error.code);
    if (!isRefused) throw error;
    throw new AppError('NOTE_NOT_WRITTEN', { path: String(error.params.path) }, { cause: error });
  }
}
