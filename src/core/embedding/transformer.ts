import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LocalEmbedder } from './embedderWorker.ts';

/** The folder has no model that can be used; the message says why. */
export class UnusableModel extends Error {}

/** Names of transformers.js for the precision of weights, and their files, the smallest first. The first file that exists is used. */
const PRECISIONS = [
  ['q8', 'model_quantized.onnx'],
  ['int8', 'model_int8.onnx'],
  ['uint8', 'model_uint8.onnx'],
  ['fp16', 'model_fp16.onnx'],
  ['fp32', 'model.onnx'],
] as const;

/** With larger batches onnxruntime keeps hundreds of megabytes. */
const BATCH = 16;
/** Tokens of a text that are read at most, whatever the model could take. */
const LONGEST = 512;

/** The parts of transformers.js that are used here. */
interface Tensor {
  data: Float32Array | BigInt64Array;
  dims: number[];
}
type Tokenizer = (
  texts: string[],
  options: { padding: true; truncation: true; max_length: number },
) => Record<string, Tensor> & { attention_mask: Tensor };
interface Model {
  (inputs: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  dispose(): Promise<unknown>;
}

interface Recipe {
  pooling: 'mean' | 'cls' | 'max' | 'lasttoken';
  prefixes: { query: string; passage: string };
  maxTokens: number;
}

/**
 * Opens a sentence embedding model from a folder in the layout of transformers.js: `config.json`, `tokenizer.json`, and the weights
 * under `onnx/`. Nothing is downloaded.
 * @throws UnusableModel
 */
export async function openTransformer(folder: string): Promise<LocalEmbedder> {
  for (const file of ['config.json', 'tokenizer.json']) {
    if (!existsSync(join(folder, file))) throw new UnusableModel(`${file} is missing`);
  }
  const found = PRECISIONS.find(([, file]) => existsSync(join(folder, 'onnx', file)));
  if (!found) throw new UnusableModel('there are no weights under onnx/');
  const [dtype, file] = found;
  const recipe = readRecipe(folder);
  const { AutoModel, AutoTokenizer, env, LogLevel } = await import('@huggingface/transformers');
  env.allowRemoteModels = false;
  // With an error the library prints the tokens of the text to the console.
  env.logLevel = LogLevel.NONE;
  env.localModelPath = dirname(folder);
  const name = basename(folder);
  let tokenizer: Tokenizer;
  let model: Model;
  try {
    tokenizer = (await AutoTokenizer.from_pretrained(name, {
      local_files_only: true,
    })) as unknown as Tokenizer;
    model = (await AutoModel.from_pretrained(name, {
      local_files_only: true,
      dtype,
    })) as Model;
  } catch (error) {
    throw new UnusableModel((error as Error).message.slice(0, 200), { cause: error });
  }

  const embedBatch = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const inputs = tokenizer([...texts], { padding: true, truncation: true, max_length: recipe.maxTokens });
    const outputs = await model(inputs);
    const whole = outputs.sentence_embedding;
    const hidden = outputs.last_hidden_state ?? outputs.token_embeddings;
    const vectors = whole
      ? rowsOf(whole)
      : hidden
        ? pool(hidden, inputs.attention_mask, recipe.pooling)
        : undefined;
    if (!vectors) throw new UnusableModel('the model gives no embeddings');
    // Search uses dot products, so every vector has unit length, whether or not the model's recipe asks for it.
    for (const vector of vectors) toUnit(vector);
    return vectors;
  };

  let id: string;
  let dimensions: number;
  try {
    const [probe] = await embedBatch(['a']);
    if (!probe || probe.length === 0) throw new UnusableModel('the model gives no embeddings');
    dimensions = probe.length;
    id = `${name}-${await fingerprint(folder, file)}`;
  } catch (error) {
    await model.dispose();
    throw error;
  }
  return {
    id,
    dimensions,
    maxTokens: recipe.maxTokens,
    contextual: true,
    embed: async (kind, texts, signal) => {
      const result: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        signal?.throwIfAborted();
        const some = texts.slice(at, at + BATCH).map((text) => recipe.prefixes[kind] + text);
        result.push(...(await embedBatch(some)));
      }
      return result;
    },
    dispose: async () => {
      await model.dispose();
    },
  };
}

/** Reads the files in which sentence-transformers describes a model. The default is mean pooling without prefixes. */
function readRecipe(folder: string): Recipe {
  const read = (file: string): Record<string, unknown> => {
    const path = join(folder, file);
    if (!existsSync(path)) return {};
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    } catch (error) {
      throw new UnusableModel(`${file} is not valid JSON`, { cause: error });
    }
  };
  const config = read('config.json');
  const pooling = read('1_Pooling/config.json');
  const prompts = (read('config_sentence_transformers.json').prompts ?? {}) as Record<string, string>;
  // Models of the E5 family were trained with these prefixes, which older exports do not mention.
  const isE5 = /(^|[-_/])e5([-_/]|$)/i.test(
    `${typeof config._name_or_path === 'string' ? config._name_or_path : ''} ${basename(folder)}`,
  );
  const limits = [
    read('sentence_bert_config.json').max_seq_length,
    read('tokenizer_config.json').model_max_length,
    config.max_position_embeddings,
  ].filter((limit): limit is number => typeof limit === 'number' && limit > 0);
  return {
    pooling:
      pooling.pooling_mode_cls_token === true
        ? 'cls'
        : pooling.pooling_mode_max_tokens === true
          ? 'max'
          : pooling.pooling_mode_lasttoken === true
            ? 'lasttoken'
            : 'mean',
    prefixes: {
      query: prompts.query ?? (isE5 ? 'query: ' : ''),
      passage: prompts.passage ?? prompts.document ?? (isE5 ? 'passage: ' : ''),
    },
    maxTokens: Math.min(LONGEST, ...limits),
  };
}

function rowsOf({ data, dims }: Tensor): Float32Array[] {
  const width = dims.at(-1) ?? 0;
  return Array.from({ length: dims[0] ?? 0 }, (_, row) =>
    (data as Float32Array).slice(row * width, (row + 1) * width),
  );
}

/** Makes one vector for each text out of those of its tokens, without padding. `hidden` has the shape texts × tokens × dimensions. */
function pool(hidden: Tensor, mask: Tensor, how: Recipe['pooling']): Float32Array[] {
  const [texts = 0, tokens = 0, width = 0] = hidden.dims;
  const data = hidden.data as Float32Array;
  return Array.from({ length: texts }, (_, text) => {
    const real = Array.from({ length: tokens }, (_unused, token) => token).filter(
      (token) => Number(mask.data[text * tokens + token]) > 0,
    );
    const used = how === 'cls' ? real.slice(0, 1) : how === 'lasttoken' ? real.slice(-1) : real;
    const vector = new Float32Array(width).fill(how === 'max' ? Number.NEGATIVE_INFINITY : 0);
    for (const token of used) {
      const from = (text * tokens + token) * width;
      for (let d = 0; d < width; d += 1) {
        const value = data[from + d] as number;
        vector[d] = how === 'max' ? Math.max(vector[d] as number, value) : (vector[d] as number) + value;
      }
    }
    return vector;
  });
}

function toUnit(vector: Float32Array): void {
  const length = Math.hypot(...vector);
  for (let d = 0; d < vector.length; d += 1) vector[d] = length > 0 ? (vector[d] as number) / length : 0;
}

/** Hash of everything that vectors depend on: weights, vocabulary and recipe. */
async function fingerprint(folder: string, weights: string): Promise<string> {
  const hash = createHash('sha256');
  const small = [
    'config.json',
    'tokenizer.json',
    '1_Pooling/config.json',
    'config_sentence_transformers.json',
  ];
  for (const file of small.map((name) => join(folder, name))) {
    if (existsSync(file)) hash.update(readFileSync(file));
  }
  for await (const piece of createReadStream(join(folder, 'onnx', weights))) hash.update(piece as Buffer);
  return hash.digest('hex').slice(0, 12);
}
