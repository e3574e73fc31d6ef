import { readFileSync, statSync } from 'node:fs';
import type { ImportProblem } from '../../../shared/contract/imports.ts';
import { parseJson } from '../../../shared/json.ts';
import { textOfMessages } from '../../storage/conversations.ts';
import { UNTITLED } from '../../storage/forgottenTurns.ts';
import { termStream } from '../../support/text/tokenise.ts';
import { titleOf } from '../title.ts';
import { isChatGpt, readChatGpt } from './chatGpt.ts';
import { isClaude, readClaude } from './claude.ts';
import { Elements } from './elements.ts';
import { type History, isObject, type Problems } from './history.ts';
import { type HistoryTurn, turnsOf } from './historyTurns.ts';
import { readMarkdown } from './markdown.ts';
import { isOwn, readOwn } from './ownConversation.ts';

export interface PortionRequest {
  path: string;
  /** As the user knows it. */
  name: string;
  /** Date of messages without one, in milliseconds since 1970. */
  modifiedAt: number;
  /** Where to read on: 0, or `next` of the portion before. */
  from: number;
  /** Are the terms wanted by which turns are found? They take most of the time. */
  withTerms: boolean;
}

export interface ReadTurn extends HistoryTurn {
  bodyTerms: string;
}

/** A conversation as it is to be stored. */
export interface ReadConversation extends Omit<History, 'messages' | 'shown'> {
  titleTerms: string;
  turns: ReadTurn[];
  problems: Problems;
}

export interface Portion {
  conversations: ReadConversation[];
  /** Of what is no conversation at all. */
  problems: Problems;
  /** Null at the end of the file. */
  next: number | null;
}

/** Bytes of a portion, beyond its last conversation: what crosses threads and is stored before others have their turn again. */
const PORTION_BYTES = 256 * 1024;
/** A larger transcript is no talk. */
const LARGEST_MARKDOWN = 64 << 20;

/** Reads some conversations of a file, and says where to read on. @throws the file system's error */
export function readPortion(request: PortionRequest): Portion {
  return /\.(?:md|markdown|txt)$/i.test(request.name) ? readTranscript(request) : readJson(request);
}

function readTranscript(request: PortionRequest): Portion {
  const { path } = request;
  const problems: Problems = {};
  if (statSync(path).size > LARGEST_MARKDOWN) return only('too-large');
  const history = readMarkdown(readFileSync(path, 'utf8'), request, problems);
  if (!history) return only('not-a-conversation');
  return { conversations: [complete(history, problems, request)], problems: {}, next: null };
}

const only = (problem: ImportProblem): Portion => ({
  conversations: [],
  problems: { [problem]: 1 },
  next: null,
});

function readJson(request: PortionRequest): Portion {
  const elements = new Elements(request.path);
  try {
    const conversations: ReadConversation[] = [];
    const problems: Problems = {};
    const tell = (problem: ImportProblem) => {
      problems[problem] = (problems[problem] ?? 0) + 1;
    };
    for (let at = request.from; ; ) {
      const element = elements.read(at);
      if (!('next' in element)) {
        if (element.is !== 'end') tell(element.is);
        return { conversations, problems, next: null };
      }
      at = element.next;
      if (element.is === 'too-large') tell('too-large');
      else {
        const read = readElement(element.text, request);
        if (typeof read === 'string') tell(read);
        else conversations.push(read);
      }
      if (at - request.from >= PORTION_BYTES) return { conversations, problems, next: at };
    }
  } finally {
    elements.close();
  }
}

function readElement(text: string, request: PortionRequest): ReadConversation | ImportProblem {
  const value = parseJson(text);
  if (value === undefined) return 'not-json';
  if (!isObject(value)) return 'not-a-conversation';
  const kind = [
    { is: isChatGpt, read: readChatGpt },
    { is: isClaude, read: readClaude },
    { is: isOwn, read: readOwn },
  ].find(({ is }) => is(value));
  if (!kind) return 'not-a-conversation';
  const problems: Problems = {};
  return complete(kind.read(value, request.modifiedAt, problems), problems, request);
}

/** Divides a conversation into turns, with what follows from their text. */
function complete(
  { messages, shown, ...history }: History,
  problems: Problems,
  { withTerms }: PortionRequest,
): ReadConversation {
  const terms = (text: string) => (withTerms ? termStream(text) : '');
  const title = history.title || titleOf(messages[0]?.content ?? '') || UNTITLED;
  if (messages.length === 0) problems.empty = 1;
  return {
    ...history,
    title,
    titleTerms: terms(title),
    turns: turnsOf(history.id, { messages, shown }).map((turn) => ({
      ...turn,
      bodyTerms: terms(textOfMessages(turn.messages, '\n')),
    })),
    problems,
  };
}
