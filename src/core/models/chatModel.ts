/** What is assumed where a server does not tell how many tokens it serves. */
export const UNKNOWN_CONTEXT_TOKENS = 4_096;

/**
 * What answers a turn: the built-in Passages, a server that speaks OpenAI's protocol, or a model file in a process of its own.
 * Callers plan a prompt from `isLocal`, `readsPrompt`, `contextTokens` and `countTokens`, and then read the events of `reply`.
 */
export interface ChatModel {
  /** As stored with replies: `passages`, or the model's name on its server. */
  readonly name: string;
  /** False if notes and memory may not go there: another computer's address, or a server on this one that only forwards. */
  readonly isLocal: boolean;
  /** Does it read `messages`? One that does not answers with `items` themselves, so that no item is ever held back from it. */
  readonly readsPrompt: boolean;
  /** Can it call tools? False from when its server refused them, for a while. */
  readonly takesTools: boolean;
  /** Tokens that prompt and reply may have together; Infinity for a model that reads no prompt, 4,096 if the server does not tell. */
  contextTokens(signal?: AbortSignal): Promise<number>;
  /** Tokens of a text for this model: an estimate, unless the model's own tokeniser is at hand. */
  countTokens(text: string): number;
  /**
   * Writes one reply. It ends early, without an error, once `signal` is aborted; what was yielded before a failure stands.
   * @throws AppError MODEL_REFUSED (nobody listens), MODEL_KEY (401, 403), MODEL_UNKNOWN (404), MODEL_FAILED (another status, or an
   *   error in the stream), MODEL_SLOW (no byte in time), MODEL_CUT (the stream ended before the reply did), MODEL_GARBAGE (not the protocol),
   *   REPLY_CUT (the reply is too long)
   */
  reply(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent>;
}

export interface ModelRequest {
  messages: readonly ModelMessage[];
  /** What the reply may cite, in order of citation number. */
  items: readonly ModelItem[];
  tools?: readonly ToolDefinition[];
  /** The reply is to be JSON that fits `schema`. The caller checks it all the same. */
  responseFormat?: { name: string; schema: JsonSchema };
  parameters?: ModelParameters;
}

export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[] }
  | { role: 'tool'; content: string; toolCallId: string };

export interface ModelItem {
  /** As the reply cites it: [4]. */
  number: number;
  id: string;
  /** Relevance, 0 to 1. */
  score: number;
}

/** A JSON Schema, sent as it is. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonSchema;
}

export interface ToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it: it may not parse. */
  arguments: string;
}

/** Sent only where set: a server keeps its own defaults for the others. */
export interface ModelParameters {
  temperature?: number;
  topP?: number;
  /** Tokens of the reply. */
  maxTokens?: number;
  stop?: readonly string[];
  seed?: number;
}

export type ModelEvent =
  | { type: 'text'; delta: string }
  /** Thoughts: shown folded, never part of the reply, never sent again. */
  | { type: 'reasoning'; delta: string }
  /** The thoughts had no opening tag: every `text` so far was reasoning, and the reply begins here. */
  | { type: 'text-was-reasoning' }
  | { type: 'tool-call'; call: ToolCall }
  /** The reply cites the item of this number; only a model that does not write says so. */
  | { type: 'cite'; number: number }
  /** The server refused this part of the request, which was sent again without it. */
  | { type: 'refused'; part: 'response-format' | 'tools' }
  | ModelUsage;

/** Tokens as the server counted them, whole and not negative; null if it did not tell. */
export interface ModelUsage {
  type: 'usage';
  promptTokens: number | null;
  completionTokens: number | null;
  /** Tokens of the prompt as estimated and as counted, if the server counted far fewer: it cut the prompt without saying so. */
  promptCut: { sent: number; reported: number } | null;
}
