import type { Role } from '../../../shared/contract/chat.ts';
import type { ConversationId } from '../../../shared/ids.ts';
import { derivedId } from '../../support/ids.ts';
import { type History, type Problems, timeOf, toHistory } from './history.ts';

/** Who speaks, as programs that save talks as Markdown name them, in lower case. */
const SPEAKERS: Readonly<Record<string, Role>> = {
  ...named('user', 'user you me human prompt question utilisateur utilisatrice vous moi humain'),
  ...named('assistant', 'assistant chatgpt claude gemini copilot mistral ai ia bot model response answer'),
  ...named('assistant', 'assistante modèle réponse souvenir passages llama qwen deepseek grok perplexity'),
  ...named('system', 'system système'),
  ...named('tool', 'tool outil'),
};

function named(role: Role, words: string): Record<string, Role> {
  return Object.fromEntries(words.split(' ').map((word) => [word, role]));
}

const DATE = /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?/;
const NAME = String.raw`([\p{L}]+)(?:[ -][\w.-]{1,20})?`;
const SAID = '(?: said| a dit| dit)?';
/** A speaker's line: a heading, a name in bold, or a name before a colon. The rest of the line is said, or a date. */
const STYLES: readonly RegExp[] = [
  new RegExp(String.raw`^#{1,6} +(?:\*\*)?${NAME}${SAID} ?:?(?:\*\*)?:?(?: *[·—–(|-] *(.*))?$`, 'iu'),
  new RegExp(String.raw`^\*\*${NAME}${SAID} ?(?::\*\*|\*\* ?:|\*\*$) *(.*)$`, 'iu'),
  new RegExp(`^${NAME}${SAID} ?: *(.*)$`, 'iu'),
];

interface Said {
  role: Role;
  at: number | null;
  lines: string[];
}

/**
 * Reads a talk that was saved as Markdown: speakers as headings, in bold or before a colon, one style throughout. Its id follows from its
 * title and its first message, so that a file that was moved or has grown is known again.
 * @param file its name, and the date of messages without one, in milliseconds since 1970
 * @returns null if nobody speaks in it, or only one side
 */
export function readMarkdown(
  text: string,
  { name, modifiedAt }: { name: string; modifiedAt: number },
  problems: Problems,
): History | null {
  const { head, body } = frontMatter(text);
  const talks = STYLES.map((style) => readTalk(body, style));
  const talk = talks
    .filter((one) => ['user', 'assistant'].every((role) => one.said.some((said) => said.role === role)))
    .sort((one, other) => other.said.length - one.said.length)[0];
  if (!talk) return null;
  const title =
    head.get('title') ?? /^# +(.+)$/mu.exec(talk.before.join('\n'))?.[1]?.trim() ?? titleOfFile(name);
  let at = timeOf(head.get('created') ?? head.get('date')) ?? modifiedAt;
  const messages = talk.said.flatMap((said, index) => {
    at = said.at ?? at;
    const content = said.lines.join('\n').trim();
    return content === '' ? [] : [{ id: `${index} ${content}`, role: said.role, author: null, content, at }];
  });
  const id = derivedId('conv', 'markdown', head.get('souvenir') ?? `${title}\n${messages[0]?.content}`);
  return toHistory({ source: 'markdown', id: id as ConversationId, title, at, messages }, problems);
}

/** The simple fields of a note's front matter. */
function frontMatter(text: string): { head: Map<string, string>; body: string } {
  const found = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, 20_000));
  if (!found) return { head: new Map(), body: text };
  const fields = [...(found[1] ?? '').matchAll(/^([a-z]+): *(.*?) *\r?$/gm)].map(
    ([, key = '', value = '']) => [key, value.replace(/^(["'])(.*)\1$/, '$2')] as const,
  );
  return {
    head: new Map(fields.filter(([, value]) => value !== '')),
    body: text.slice(found[0].length),
  };
}

function readTalk(body: string, style: RegExp): { before: string[]; said: Said[] } {
  const before: string[] = [];
  const said: Said[] = [];
  let fence: string | null = null;
  for (const line of body.split(/\r?\n/)) {
    const ticks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    const found = fence === null && ticks === null ? speaker(line, style) : null;
    if (ticks !== null && fence === null) fence = ticks;
    else if (ticks !== null && fence !== null && ticks.startsWith(fence)) fence = null;
    if (found) said.push(found);
    else (said.at(-1)?.lines ?? before).push(line);
  }
  return { before, said };
}

function speaker(line: string, style: RegExp): Said | null {
  if (line.length > 10_000) return null;
  const [, name, rest = ''] = style.exec(line) ?? [];
  const word = name?.toLowerCase() ?? '';
  if (!Object.hasOwn(SPEAKERS, word)) return null;
  const date = DATE.exec(rest)?.[0];
  const isDate = date !== undefined && rest.replace(date, '').replace(/[()\s]/g, '') === '';
  return {
    role: SPEAKERS[word] as Role,
    at: isDate ? timeOf(date) : null,
    lines: isDate || rest === '' ? [] : [rest],
  };
}

const titleOfFile = (name: string): string =>
  (name.split(/[\\/]/).at(-1) ?? name).replace(/\.(?:md|markdown|txt)$/i, '');
