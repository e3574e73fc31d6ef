import { RE2JS, RE2JSException } from 're2js';
import type { VaultProblem } from '../../../shared/contract/vaults.ts';
import { readVaultSettings } from './vaultSettings.ts';

export interface ObsidianFilters {
  /** Does one of them leave this path out? The path of a folder ends with `/`. */
  leavesOut(path: string): boolean;
  problems: VaultProblem[];
}

type Filter = (path: string) => boolean;

/** As many as the user may write in Souvenir itself. */
const MAX_FILTERS = 500;
/**
 * States of all expressions together. The time to test a path grows with their number; an expression of the greatest length that is
 * read, 300 characters, has about as many unless it repeats something hundreds of times.
 */
const MAX_STATES = 1_000;

/**
 * `userIgnoreFilters` in Obsidian's settings of a vault: each is the beginning of a path, or a regular expression between slashes.
 * Expressions run in time linear in the length of the path. What cannot be read is left out and told. Paths are asked about in the
 * composed Unicode form (NFC).
 */
export async function readObsidianFilters(root: string): Promise<ObsidianFilters> {
  const { settings, problems } = await readVaultSettings(root);
  const listed = settings?.userIgnoreFilters;
  const filters = (Array.isArray(listed) ? listed : []).filter(
    (one) => typeof one === 'string' && one !== '',
  );
  const compiled: Filter[] = [];
  let statesLeft = MAX_STATES;
  for (const written of filters.slice(0, MAX_FILTERS) as string[]) {
    const filter = written.normalize('NFC');
    const expression = /^\/(.+)\/$/s.exec(filter)?.[1];
    if (expression === undefined) {
      const prefix = filter.toLowerCase();
      compiled.push((path) => path.toLowerCase().startsWith(prefix));
      continue;
    }
    const { code, test, states } = compile(expression, statesLeft);
    if (code === null) {
      compiled.push(test);
      statesLeft -= states;
    } else problems.push({ code, what: filter.slice(0, 300) });
  }
  if (filters.length > MAX_FILTERS) problems.push({ code: 'filter-too-large', what: String(filters.length) });
  return { leavesOut: (path) => compiled.some((leavesOut) => leavesOut(path)), problems };
}

type Compiled =
  | { code: null; test: Filter; states: number }
  | { code: VaultProblem['code']; test?: undefined; states?: undefined };

function compile(expression: string, statesLeft: number): Compiled {
  if (expression.length > 300) return { code: 'filter-too-large' };
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(expression), RE2JS.CASE_INSENSITIVE);
    const states = pattern.programSize();
    if (states > statesLeft) return { code: 'filter-too-large' };
    return { code: null, test: (path) => pattern.test(path), states };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { code: isJavaScript(expression) ? 'filter-unsupported' : 'filter-invalid' };
  }
}

/** Is this an expression that Obsidian understands? It is only read, never run. */
function isJavaScript(expression: string): boolean {
  try {
    new RegExp(expression);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
