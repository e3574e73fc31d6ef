import { z } from 'zod';
import type { Source } from '../../../shared/contract/prompt.ts';
import type { Settings } from '../../../shared/settings.ts';
import type { Logger } from '../../support/logger.ts';
import { readArguments } from './arguments.ts';
import { forgetTool, type MemoryToolPorts, rememberTool } from './memoryTools.ts';
import { type ReadNotePorts, readNoteTool } from './readNote.ts';
import { type SearchToolPorts, searchTools } from './searchTools.ts';
import type { Given, Tool, ToolCaller } from './tool.ts';

export interface ToolboxPorts {
  settings(): Settings;
  log: Logger;
}

/** Every tool there is. */
export const allTools = (ports: SearchToolPorts & ReadNotePorts & MemoryToolPorts): Tool[] => [
  ...searchTools(ports),
  readNoteTool(ports),
  rememberTool(ports),
  forgetTool,
];

/** The tools that read notes, and nothing else. */
export const noteTools = (ports: SearchToolPorts & ReadNotePorts): Tool[] => [
  ...searchTools(ports).filter(({ name }) => name === 'search_notes'),
  readNoteTool(ports),
];

/** A tool as it is told to who may call it. */
export interface ToolOffer {
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  parameters: Readonly<Record<string, unknown>>;
}

/** The tools, whoever calls them: a chat model while it answers, or a program over a protocol. */
export class Toolbox {
  readonly #settings: () => Settings;
  readonly #log: Logger;
  readonly #tools: readonly Tool[];
  readonly #offers = new Map<string, ToolOffer>();

  constructor({ settings, log }: ToolboxPorts, tools: readonly Tool[]) {
    this.#settings = settings;
    this.#log = log;
    this.#tools = tools;
  }

  /** The tools for a caller who may be told so much; always the same ones in the same order, for the same settings. */
  offered(maySee: ReadonlySet<Source>): ToolOffer[] {
    return this.#open(maySee).map((tool) => this.#offer(tool));
  }

  /**
   * Runs one call. It never throws, but for the reason of the caller's signal: what goes wrong is an outcome that the caller can use.
   * @param json arguments as the caller wrote them
   */
  async run(name: string, json: string, caller: ToolCaller): Promise<Given> {
    const open = this.#open(caller.maySee);
    const tool = open.find((one) => one.name === name);
    if (!tool) return { outcome: 'unknown-tool', params: { tools: open.map((one) => one.name).join(', ') } };
    const read = readArguments(json, tool.input);
    if (!read.ok) return { outcome: 'bad-arguments', params: { problem: read.problem } };
    try {
      return await tool.run(read.value, caller);
    } catch (error) {
      caller.signal.throwIfAborted();
      this.#log.error({ tool: tool.name, err: error }, 'a tool failed');
      return { outcome: 'failed' };
    }
  }

  #open(maySee: ReadonlySet<Source>): Tool[] {
    const { learnFacts } = this.#settings();
    return this.#tools.filter(
      ({ name, reads }) =>
        (reads.length === 0 || reads.some((source) => maySee.has(source))) &&
        (name !== 'remember' || learnFacts),
    );
  }

  #offer({ name, description, input }: Tool): ToolOffer {
    const known = this.#offers.get(name);
    if (known) return known;
    const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: 'input' });
    const offer = { name, description, parameters };
    this.#offers.set(name, offer);
    return offer;
  }
}
