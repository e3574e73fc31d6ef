import { readFileSync, writeFileSync } from 'node:fs';
import loadWabt from 'wabt';

/** Makes `resources/scan.wasm` of `scripts/scan.wat`. */
const source = new URL('scan.wat', import.meta.url);
const wabt = await loadWabt();
const parsed = wabt.parseWat('scan.wat', readFileSync(source, 'utf8'), { simd: true });
try {
  writeFileSync(new URL('../resources/scan.wasm', import.meta.url), parsed.toBinary({}).buffer);
} finally {
  parsed.destroy();
}
