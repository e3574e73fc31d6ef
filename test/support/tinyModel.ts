import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each word has its own direction; words of one line have similar ones. */
const LINES = [
  'tomate tomates tomato tomatoes jardin garden planter plant',
  'chaudiere boiler chauffage heating entretien serviced',
  'bike bicycle pneu tyre roue wheel',
  'query passage',
];
const DIMENSIONS = 8;

export interface TinyModelRecipe {
  pooling?: 'mean' | 'cls';
  /** ONNX fails on every text with this word: its id is outside the table of vectors. */
  chokesOn?: string;
}

/**
 * Writes a sentence embedding model of a few kilobytes in the layout that transformers.js expects: an ONNX graph of one node
 * that looks up word vectors, a tokeniser of whole words, and the configuration in the form of sentence-transformers.
 */
export function writeTinyModel(folder: string, recipe: TinyModelRecipe = {}): void {
  const words = ['[PAD]', '[UNK]', ':', ...LINES.flatMap((line) => line.split(' '))];
  const vectors = words.map((word) => {
    const line = LINES.findIndex((some) => some.split(' ').includes(word));
    return Array.from(
      { length: DIMENSIONS },
      (_, d) => (d === line ? 1 : 0) + 0.02 * Math.sin(word.length + d),
    );
  });
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  mkdirSync(join(folder, '1_Pooling'), { recursive: true });
  const write = (file: string, content: unknown) =>
    writeFileSync(join(folder, file), JSON.stringify(content));
  writeFileSync(join(folder, 'onnx', 'model.onnx'), onnxLookup(vectors));
  write('config.json', { model_type: 'bert', hidden_size: DIMENSIONS, max_position_embeddings: 64 });
  write('tokenizer.json', {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: words.slice(0, 2).map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      unk_token: '[UNK]',
      vocab: Object.fromEntries(
        [...words, ...(recipe.chokesOn === undefined ? [] : [recipe.chokesOn])].map((word, id) => [word, id]),
      ),
    },
  });
  write('tokenizer_config.json', {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    model_max_length: 32,
  });
  write('1_Pooling/config.json', {
    pooling_mode_cls_token: recipe.pooling === 'cls',
    pooling_mode_mean_tokens: recipe.pooling !== 'cls',
  });
  write('config_sentence_transformers.json', { prompts: { query: 'query: ', document: 'passage: ' } });
}

/** Protocol buffers, as far as ONNX needs them: numbers, and length-delimited fields for everything else. */
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
const number = (field: number, value: number) => Buffer.from([...varint(field << 3), ...varint(value)]);
const bytes = (field: number, content: Buffer | string) => {
  const body = Buffer.from(content as string);
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(body.length)]), body]);
};
const message = (field: number, ...parts: Buffer[]) => bytes(field, Buffer.concat(parts));

const FLOAT = 1;
const INT64 = 7;

/** ONNX: last_hidden_state = Gather(table, input_ids). */
function onnxLookup(table: number[][]): Buffer {
  const value = (field: number, name: string, type: number, dims: string[]) =>
    message(
      field,
      bytes(1, name),
      message(2, message(1, number(1, type), message(2, ...dims.map((dim) => message(1, bytes(2, dim)))))),
    );
  const graph = message(
    7,
    message(1, bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather')),
    bytes(2, 'lookup'),
    message(
      5,
      number(1, table.length),
      number(1, DIMENSIONS),
      number(2, FLOAT),
      bytes(8, 'table'),
      bytes(9, Buffer.from(Float32Array.from(table.flat()).buffer)),
    ),
    value(11, 'input_ids', INT64, ['batch', 'sequence']),
    value(11, 'attention_mask', INT64, ['batch', 'sequence']),
    value(12, 'last_hidden_state', FLOAT, ['batch', 'sequence', 'width']),
  );
  return Buffer.concat([number(1, 8), message(8, bytes(1, ''), number(2, 13)), graph]);
}
