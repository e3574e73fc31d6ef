import type { Citation } from '../../../shared/contract/chat.ts';
import type { ToolCall } from '../../../shared/contract/tools.ts';
import type { TurnId } from '../../../shared/ids.ts';

/** What has come of a reply so far. */
export interface Stream {
  /** Number of the call that brings it. When several calls follow one turn, only the latest writes here. */
  call: number;
  citations: readonly Citation[];
  /** What the model thinks aloud before it answers. */
  reasoning: string;
  text: string;
  /** The tools that the model called. */
  tools: readonly ToolCall[];
}

export type Streams = ReadonlyMap<TurnId, Stream>;

/** Replies under way. Deltas are gathered and shown once a frame; a beginning and an end are shown at once. */
export class ReplyStreams {
  readonly #streams = new Map<TurnId, Stream>();
  readonly #show: (streams: Streams) => void;
  readonly #nextFrame: (work: () => void) => void;
  #calls = 0;
  #scheduled = false;

  constructor(show: (streams: Streams) => void, nextFrame: (work: () => void) => void) {
    this.#show = show;
    this.#nextFrame = nextFrame;
  }

  /** Opens the stream of a turn, in the place of an earlier call's; returns the call's number. */
  begin(turnId: TurnId): number {
    this.#calls += 1;
    this.#streams.set(turnId, { call: this.#calls, citations: [], reasoning: '', text: '', tools: [] });
    this.#showNow();
    return this.#calls;
  }

  addText(turnId: TurnId, call: number, delta: string): void {
    this.#update(turnId, call, (stream) => ({ ...stream, text: stream.text + delta }));
  }

  addReasoning(turnId: TurnId, call: number, delta: string): void {
    this.#update(turnId, call, (stream) => ({ ...stream, reasoning: stream.reasoning + delta }));
  }

  /** What looked like the reply so far was thought aloud. */
  takeTextAsReasoning(turnId: TurnId, call: number): void {
    this.#update(turnId, call, (stream) => ({
      ...stream,
      reasoning: stream.reasoning + stream.text,
      text: '',
    }));
  }

  addCitation(turnId: TurnId, call: number, citation: Citation): void {
    this.#update(turnId, call, (stream) => ({ ...stream, citations: [...stream.citations, citation] }));
  }

  /** A tool was called, or has answered. */
  addTool(turnId: TurnId, call: number, tool: ToolCall): void {
    this.#update(turnId, call, (stream) => ({
      ...stream,
      tools: [...stream.tools.filter(({ ordinal }) => ordinal !== tool.ordinal), tool].sort(
        (one, other) => one.ordinal - other.ordinal,
      ),
    }));
  }

  /** Does no later call bring this turn's stream? */
  isLatest(turnId: TurnId, call: number): boolean {
    return (this.#streams.get(turnId)?.call ?? call) === call;
  }

  /** Ends the stream that a call brought; the stream of a later call goes on. */
  end(turnId: TurnId, call: number): void {
    if (this.#streams.get(turnId)?.call === call) this.drop(turnId);
  }

  /** Ends the stream of a turn, whichever call brought it. */
  drop(turnId: TurnId): void {
    if (this.#streams.delete(turnId)) this.#showNow();
  }

  #update(turnId: TurnId, call: number, change: (stream: Stream) => Stream): void {
    const stream = this.#streams.get(turnId);
    if (stream?.call !== call) return;
    this.#streams.set(turnId, change(stream));
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#nextFrame(() => {
      if (this.#scheduled) this.#showNow();
    });
  }

  #showNow(): void {
    this.#scheduled = false;
    this.#show(new Map(this.#streams));
  }
}
