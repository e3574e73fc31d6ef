import type { ToolCall } from './contract/tools.ts';
import type { Language } from './errors.ts';
import { withFrenchSpaces } from './frenchSpaces.ts';
import { parseJson } from './json.ts';
import { oneLine } from './oneLine.ts';

type Given = Readonly<Record<string, string>>;
type Words = Readonly<Record<string, (given: Given, call: ToolCall) => string>>;

/** Of an argument, in the one line that tells of a call. */
const SHOWN_CHARACTERS = 120;

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    search_memories: ({ query }) => `Searched memory: “${query}”`,
    get_recent_memories: () => 'Looked at recent memories',
    search_text: ({ query }) => `Searched for the words “${query}”`,
    search_notes: ({ query }) => `Searched the notes: “${query}”`,
    read_note: ({ path, heading }) => `Read the note “${path}${heading ? ` › ${heading}` : ''}”`,
    remember: ({ content }, { outcome }) =>
      outcome === 'waits'
        ? `Suggested remembering: “${content}”`
        : outcome === 'not-kept'
          ? `Did not remember: “${content}”`
          : `Remembered: “${content}”`,
    forget: ({ topic }) => `Asks you what to forget: “${topic}”`,
    other: (_, { name }) => `Called an unknown tool: ${name}`,
  },
  fr: {
    search_memories: ({ query }) => `A cherché dans la mémoire : « ${query} »`,
    get_recent_memories: () => 'A relu les souvenirs récents',
    search_text: ({ query }) => `A cherché les mots « ${query} »`,
    search_notes: ({ query }) => `A cherché dans les notes : « ${query} »`,
    read_note: ({ path, heading }) => `A lu la note « ${path}${heading ? ` › ${heading}` : ''} »`,
    remember: ({ content }, { outcome }) =>
      outcome === 'waits'
        ? `A proposé de retenir : « ${content} »`
        : outcome === 'not-kept'
          ? `N’a pas retenu : « ${content} »`
          : `A retenu : « ${content} »`,
    forget: ({ topic }) => `Vous demande quoi oublier : « ${topic} »`,
    other: (_, { name }) => `A appelé un outil inconnu : ${name}`,
  },
};

/** The arguments of a call that are texts, each on one line. */
function givenOf({ arguments: json }: ToolCall): Given {
  const value = parseJson(json);
  const texts = Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(
    ([key, text]: [string, unknown]) =>
      typeof text === 'string' ? [[key, oneLine(text, SHOWN_CHARACTERS)] as const] : [],
  );
  return { query: '…', path: '…', content: '…', topic: '…', ...Object.fromEntries(texts) };
}

/** What a call of a tool did, in one line. */
export function describeToolCall(call: ToolCall, language: Language): string {
  const words = WORDS[language];
  const describe = (Object.hasOwn(words, call.name) ? words[call.name] : undefined) ?? words.other;
  const said = describe?.(givenOf(call), call) ?? call.name;
  return language === 'fr' ? withFrenchSpaces(said) : said;
}

/** What a call would have the user forget; null if it asks for nothing of the kind. */
export function topicToForget(call: ToolCall): string | null {
  if (call.name !== 'forget' || call.outcome !== 'plan') return null;
  const { topic } = (parseJson(call.arguments) ?? {}) as { topic?: unknown };
  return typeof topic === 'string' && topic.trim() !== '' ? topic.trim() : null;
}
