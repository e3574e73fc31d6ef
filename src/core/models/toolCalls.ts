import { randomInt } from 'node:crypto';
import type { ToolCall } from './chatModel.ts';

interface Part {
  index: number | null;
  id: string;
  name: string;
  arguments: string;
}

/**
 * Puts together the tool calls that a reply streams in pieces. OpenAI's protocol names the call a piece belongs to by `index`; some
 * servers leave it out, give 0 to every call, send a whole call at once, repeat its name, or give no id.
 */
export class ToolCallAssembler {
  readonly #calls: Part[] = [];

  /** @param pieces the `tool_calls` of one delta, whatever it is */
  feed(pieces: unknown): void {
    if (!Array.isArray(pieces)) return;
    for (const piece of pieces) {
      const part = readPart(piece);
      if (part) this.#add(part);
    }
  }

  /** The calls in order, each with an id of its own. A call that was never given a name is left out. */
  take(): ToolCall[] {
    const used = new Set<string>();
    return this.#calls.splice(0).flatMap(({ id, name, arguments: json }) => {
      if (name === '') return [];
      const own = id === '' || used.has(id) ? newCallId() : id;
      used.add(own);
      return [{ id: own, name, arguments: json.trim() === '' ? '{}' : json }];
    });
  }

  #add(part: Part): void {
    const call = this.#calls.findLast(({ index }) => part.index === null || index === part.index);
    if (!call || startsAnother(call, part)) {
      this.#calls.push(part);
      return;
    }
    call.id ||= part.id;
    if (part.name !== call.name) call.name += part.name;
    call.arguments += part.arguments;
  }
}

/** Does `part` begin a new call, although it has the index of `call`, or none? */
function startsAnother(call: Part, part: Part): boolean {
  if (part.id !== '' && call.id !== '') return part.id !== call.id;
  return part.name !== '' && call.name !== '' && isComplete(call.arguments);
}

function isComplete(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function readPart(piece: unknown): Part | null {
  if (typeof piece !== 'object' || piece === null) return null;
  const { index, id, function: called } = piece as Record<string, unknown>;
  const { name, arguments: json } = (called ?? {}) as Record<string, unknown>;
  return {
    index: typeof index === 'number' ? index : null,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    arguments:
      typeof json === 'string' ? json : json === undefined || json === null ? '' : JSON.stringify(json),
  };
}

/** Nine letters and digits: the only ids that Mistral's chat templates accept. */
function newCallId(): string {
  return Array.from({ length: 9 }, () => randomInt(36).toString(36)).join('');
}
