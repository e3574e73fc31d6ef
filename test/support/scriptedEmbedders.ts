import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embedder, StartEmbedder } from '../../src/core/embedding/embedder.ts';
import { AppError } from '../../src/shared/errors.ts';

/** What the embedder of one setting does. */
export interface Script {
  /** Part of the fingerprint; the setting's name by default. */
  id?: string;
  dimensions?: number;
  /** Runs before texts are embedded; if it throws, the call throws the same error. */
  before?(texts: readonly string[], embedder: Embedder): void | Promise<void>;
  /** The embedder fails to start. */
  isUnusable?: boolean;
}

/** Embedders without a thread, to test how the indexer handles embedders that fail, end or are slow. */
export class ScriptedEmbedders {
  /** Embedders that were started and have neither closed nor ended. */
  readonly live = new Set<Embedder>();
  /** Settings, in the order in which their embedders started. */
  readonly started: string[] = [];
  readonly #scripts = new Map<string, Script>();
  readonly #ends = new WeakMap<Embedder, AbortController>();

  /** Sets what the embedder of a setting does from now on. */
  script(setting: string, script: Script = {}): void {
    this.#scripts.set(setting, script);
  }

  /** Ends an embedder as a crash of its thread would. */
  kill(embedder: Embedder): void {
    this.live.delete(embedder);
    this.#ends.get(embedder)?.abort(new AppError('EMBEDDER_FAILED', { reason: 'killed' }));
  }

  readonly start: StartEmbedder = async (setting, _log, signal) => {
    this.started.push(setting);
    // Embedders start and close asynchronously, after other tasks have run, as threads do.
    await nextTurn();
    signal?.throwIfAborted();
    const script = this.#scripts.get(setting);
    if (!script || script.isUnusable) {
      throw new AppError('EMBEDDER_UNUSABLE', { path: setting, reason: 'scripted' });
    }
    const end = new AbortController();
    const dimensions = script.dimensions ?? 8;
    const embed = async (texts: readonly string[], stop?: AbortSignal): Promise<Float32Array[]> => {
      const signals = AbortSignal.any(stop ? [stop, end.signal] : [end.signal]);
      const aborted = new Promise<never>((_, reject) => {
        signals.addEventListener('abort', () => reject(signals.reason as Error), { once: true });
      });
      signals.throwIfAborted();
      const before = async () => this.#scripts.get(setting)?.before?.(texts, embedder);
      await Promise.race([before(), aborted]);
      signals.throwIfAborted();
      return texts.map((text) => vectorOf(text, dimensions));
    };
    const embedder: Embedder = {
      id: script.id ?? setting,
      dimensions,
      maxTokens: 100,
      contextual: false,
      embedQuery: async (text, stop) => (await embed([text], stop))[0] as Float32Array,
      embedPassages: embed,
      ended: end.signal,
      close: async () => {
        await nextTurn();
        this.kill(embedder);
      },
    };
    this.#ends.set(embedder, end);
    this.live.add(embedder);
    return embedder;
  };
}

/** A unit vector that depends on the text alone. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const bytes = createHash('sha256').update(text).digest();
  const values = Float32Array.from({ length: dimensions }, (_, d) => (bytes[d % 32] as number) - 127.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}
