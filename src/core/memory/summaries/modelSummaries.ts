import type { Source } from '../../../shared/contract/prompt.ts';
import { AppError, type Language } from '../../../shared/errors.ts';
import type { Settings } from '../../../shared/settings.ts';
import { withoutQuoted } from '../../items/quotedStretches.ts';
import type { ChatModel } from '../../models/chatModel.ts';
import type { ChatModels } from '../../models/chatModels.ts';
import { PASSAGES } from '../../models/passages.ts';
import type { SummaryContent } from '../../storage/summaries.ts';
import { newMarker } from '../../support/ids.ts';
import type { Logger } from '../../support/logger.ts';
import { detectLanguage } from '../../support/text/language.ts';
import type { Translations } from '../../support/text/particulars.ts';
import { answerOf, cut } from '../learning/askModel.ts';
import { LONGEST_OF_MANY, LONGEST_OF_TURN } from './extract.ts';
import { SUMMARY_FORMAT, type SummaryMaterial, summaryPrompt } from './prompt.ts';
import { type ReadSummary, readSummary } from './readAnswer.ts';
import type { TurnSource } from './source.ts';

export interface ModelSummariesPorts {
  models: Pick<ChatModels, 'current' | 'name'>;
  settings(): Settings;
  lexicon: Translations;
  /** Language of a prompt if that of the material does not show. */
  language(): Language;
  log: Logger;
}

/** Tokens of what is read in one call: a longer message is a text that somebody pasted. */
const MOST_TOKENS = 6_000;
/** Of the served context, the share that is kept for the answer, up to so many tokens: a model may think before it writes. */
const ANSWER_SHARE = 0.25;
const MOST_ANSWER_TOKENS = 2_000;

type Part = SummaryMaterial['parts'][number];

/** Has the chat model write summaries, and keeps of its answers what holds. */
export class ModelSummaries {
  readonly #ports: ModelSummariesPorts;

  constructor(ports: ModelSummariesPorts) {
    this.#ports = ports;
  }

  /** Is there a model that may be asked? */
  isWanted(): boolean {
    const { settings, models } = this.#ports;
    return settings().summariseWithModel && models.name() !== PASSAGES;
  }

  /**
   * Null if the turn is so short that it is its own summary, or nobody is to be asked.
   * @throws AppError SUMMARY_UNUSABLE for an answer that does not hold, and as `ChatModel.reply`; the signal's reason
   */
  async summariseTurn(
    { said, quoted, madeFrom }: TurnSource,
    signal: AbortSignal,
  ): Promise<ReadSummary | null> {
    const own = said.filter(({ role }) => role === 'user').map(({ text }) => text);
    const parts = said.map(({ role, text }): Part & { madeFrom: readonly Source[] } =>
      role === 'user'
        ? { label: 'user', text, madeFrom: [] }
        : { label: 'assistant', text: withoutQuoted(text, quoted, own), madeFrom },
    );
    return await this.#summarise({ of: 'turn', parts, longest: LONGEST_OF_TURN }, signal);
  }

  /** As `summariseTurn`. */
  async summariseSummaries(
    { children, madeFrom }: { children: readonly SummaryContent[]; madeFrom: readonly Source[] },
    signal: AbortSignal,
  ): Promise<ReadSummary | null> {
    const parts = children.map(({ text, findings }): Part & { madeFrom: readonly Source[] } => ({
      label: 'summary',
      text: [text, ...findings.filter((finding) => !text.includes(finding))].join('\n'),
      madeFrom,
    }));
    return await this.#summarise({ of: 'summaries', parts, longest: LONGEST_OF_MANY }, signal);
  }

  async #summarise(
    {
      of,
      parts,
      longest,
    }: Pick<SummaryMaterial, 'of' | 'longest'> & {
      parts: readonly (Part & { madeFrom: readonly Source[] })[];
    },
    signal: AbortSignal,
  ): Promise<ReadSummary | null> {
    const { models, lexicon, language: otherwise, log } = this.#ports;
    const length = parts.reduce((sum, { text }) => sum + text.length, 0);
    if (!this.isWanted() || length <= longest) return null;
    const model = await models.current(signal);
    if (!model.readsPrompt) return null;
    const free = parts.filter(({ madeFrom }) => this.#isFree(model, madeFrom));
    const text = free.map((part) => part.text).join('\n');
    if (text.length <= longest) return null;
    const language = detectLanguage(text, otherwise());
    const contextTokens = await model.contextTokens(signal);
    const answerTokens = Math.min(MOST_ANSWER_TOKENS, Math.floor(contextTokens * ANSWER_SHARE));
    const material = { language, of, longest, marker: newMarker() };
    const tokensOf = (one: string) => model.countTokens(one);
    const taken = summaryPrompt({ ...material, parts: [] }).reduce(
      (sum, { content }) => sum + tokensOf(content),
      0,
    );
    const room = Math.max(0, Math.min(MOST_TOKENS, contextTokens - answerTokens - taken));
    const messages = summaryPrompt({
      ...material,
      parts: free.map((part) => ({
        label: part.label,
        text: cut(part.text, (room * part.text.length) / text.length, tokensOf),
      })),
    });
    const answer = await answerOf(
      model,
      {
        messages,
        items: [],
        responseFormat: SUMMARY_FORMAT,
        parameters: { temperature: 0, maxTokens: answerTokens },
      },
      signal,
    );
    const read = readSummary(answer, { text, language }, { longest, lexicon });
    if (typeof read !== 'string') return read;
    log.info({ of, unusable: read, characters: answer.length }, 'summary of a model is not used');
    throw new AppError('SUMMARY_UNUSABLE');
  }

  /** A model elsewhere gets nothing that the chat would not send it. */
  #isFree(model: ChatModel, madeFrom: readonly Source[]): boolean {
    const settings = this.#ports.settings();
    return (
      model.isLocal ||
      madeFrom.every((source) => settings[source === 'notes' ? 'chat.sendNotes' : 'chat.sendMemory'])
    );
  }
}
