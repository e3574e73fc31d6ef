import type { ImportPreview, ImportProblem, ImportSource } from '../../../shared/contract/imports.ts';
import type { Portion, ReadConversation } from './readPortion.ts';
import type { StorePorts } from './storeTurns.ts';
import { identified } from './turnsToStore.ts';

const EXAMPLES = 3;

/** Counts what an import would bring. */
export class Preview {
  readonly #ports: StorePorts;
  readonly #sources = new Map<ImportSource, number>();
  readonly #problems = new Map<ImportProblem, { count: number; examples: string[] }>();
  readonly #counts = {
    conversations: 0,
    messages: 0,
    onOtherBranches: 0,
    known: 0,
    deleted: 0,
    forgotten: 0,
  };
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;

  constructor(ports: StorePorts) {
    this.#ports = ports;
  }

  add({ conversations, problems }: Portion): void {
    this.#addProblems(problems, null);
    for (const conversation of conversations) {
      this.#addProblems(conversation.problems, conversation.title);
      if (conversation.turns.length > 0) this.#addConversation(conversation);
    }
  }

  result(): ImportPreview {
    return {
      ...this.#counts,
      sources: [...this.#sources].map(([source, conversations]) => ({ source, conversations })),
      period: this.#from <= this.#to ? { from: this.#from, to: this.#to } : null,
      problems: [...this.#problems].map(([problem, told]) => ({ problem, ...told })),
    };
  }

  #addConversation({ id, source, turns }: ReadConversation): void {
    const { conversations, tombstones } = this.#ports;
    this.#sources.set(source, (this.#sources.get(source) ?? 0) + 1);
    this.#counts.conversations += 1;
    const isStored = conversations.exists(id);
    if (isStored && !conversations.get(id)) this.#counts.deleted += 1;
    const shown = new Set(
      turns.flatMap(({ isShown, messages }) => (isShown ? messages.map((message) => message.id) : [])),
    );
    for (const turn of identified(this.#ports, id, turns)) {
      const own = turn.messages.slice(turn.repeated);
      this.#counts.messages += own.length;
      this.#counts.onOtherBranches += own.filter((message) => !shown.has(message.id)).length;
      for (const { createdAt } of own) {
        this.#from = Math.min(this.#from, createdAt);
        this.#to = Math.max(this.#to, createdAt);
      }
      if (tombstones.has({ kind: 'turn', id: turn.id })) this.#counts.forgotten += 1;
      else if (isStored) {
        const stored = new Set(conversations.messages(turn.id).map((message) => message.id));
        this.#counts.known += own.filter((message) => stored.has(message.id)).length;
      }
    }
  }

  #addProblems(problems: Portion['problems'], title: string | null): void {
    for (const [problem, count] of Object.entries(problems) as [ImportProblem, number][]) {
      const told = this.#problems.get(problem) ?? { count: 0, examples: [] };
      told.count += count;
      if (title !== null && told.examples.length < EXAMPLES) told.examples.push(title);
      this.#problems.set(problem, told);
    }
  }
}
