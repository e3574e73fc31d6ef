import { setImmediate } from 'node:timers/promises';
import { implement } from '@orpc/server';
import { codeOf } from '../../shared/errors.ts';
import { traceOf } from '../../shared/errorTrace.ts';
import { type ItemVector, VectorMatrices } from '../embedding/vectorMatrix.ts';
import { InProcessMirror, type MirroredIndex } from '../embedding/vectorMirror.ts';
import { type Db, openForReading } from '../storage/database.ts';
import { drawPairs } from './calibration/pairs.ts';
import { openEngine, type SearchEngine } from './engine.ts';
import { LoadedNames } from './lexical/loadedNames.ts';
import { TermIndex } from './lexical/termIndex.ts';
import { packFindings } from './packFindings.ts';
import { type PackedVectors, searchContract } from './searchContract.ts';

/** What the search thread answers, and what closes its database. */
export function createSearchRouter() {
  const mirror = new InProcessMirror();
  let staged: MirroredIndex | null = null;
  let opened: { db: Db; terms: TermIndex; names: LoadedNames; engine: SearchEngine } | null = null;

  const use = () => {
    if (!opened) throw new Error('a question came before the database was opened');
    return opened;
  };
  const engine = (): SearchEngine => use().engine;

  let isReading = false;
  /** Reads terms again that failed, a portion at a time; FTS5 answers meanwhile. A thread that cannot read them ends, and is replaced. */
  const readDropped = async () => {
    const { terms } = use();
    if (isReading || !terms.wasDropped) return;
    isReading = true;
    while (!terms.load()) await setImmediate();
    isReading = false;
  };

  return {
    router: {
      open: procedures.open.handler(({ input: { databasePath } }) => {
        const db = openForReading(databasePath);
        const terms = new TermIndex(db);
        const names = new LoadedNames(db);
        opened = { db, terms, names, engine: openEngine(db, () => mirror.index(), { terms, names }) };
        opened.engine.warmUp();
      }),
      find: procedures.find.handler(async function* ({ input, signal }) {
        yield { context: engine().context(input) };
        for (const found of engine().find(input)) {
          yield { found: packFindings(found) };
          // Lets what the core sent meanwhile arrive: it may have given up.
          await setImmediate();
          if (signal?.aborted) break;
        }
        void readDropped();
      }),
      search: procedures.search.handler(({ input }) => {
        try {
          return { results: engine().search(input), fingerprint: mirror.index()?.space.fingerprint ?? null };
        } catch (error) {
          return { problem: { ...codeOf(error), trace: traceOf(error) } };
        } finally {
          void readDropped();
        }
      }),
      nearest: procedures.nearest.handler(({ input }) => engine().nearest(input)),
      calibration: {
        use: procedures.calibration.use.handler(({ input }) => engine().calibrate(input)),
        draw: procedures.calibration.draw.handler(({ input: { limit, now } }) =>
          drawPairs(use().db, limit, now),
        ),
        measure: procedures.calibration.measure.handler(({ input: { query, ...task } }) =>
          engine().measurePair(task, query),
        ),
        measureMark: procedures.calibration.measureMark.handler(({ input: { query, ...task } }) =>
          engine().measureMark(task, query),
        ),
      },
      ping: procedures.ping.handler(() => undefined),
      terms: {
        load: procedures.terms.load.handler(() => use().terms.load()),
        update: procedures.terms.update.handler(({ input }) => {
          for (const { kind, rowids } of input) {
            use().terms.update(kind, rowids);
            if (kind === 'note') use().names.update(rowids);
          }
        }),
      },
      names: {
        load: procedures.names.load.handler(() => use().names.load()),
        like: procedures.names.like.handler(({ input }) => engine().notesNamedLike(input)),
      },
      mirror: {
        begin: procedures.mirror.begin.handler(({ input: space }) => {
          staged = { space, matrices: new VectorMatrices(space.dimensions) };
        }),
        stage: procedures.mirror.stage.handler(({ input }) => staged?.matrices.put([...unpack(input)])),
        commit: procedures.mirror.commit.handler(() => {
          if (staged) mirror.adopt(staged);
          staged = null;
        }),
        put: procedures.mirror.put.handler(({ input }) => {
          // A write that was on its way to a thread that failed: the whole index follows.
          if (mirror.index()) mirror.put([...unpack(input)]);
        }),
        remove: procedures.mirror.remove.handler(({ input: { kind, ids } }) => mirror.remove(kind, ids)),
        clear: procedures.mirror.clear.handler(() => {
          staged = null;
          mirror.clear();
        }),
      },
    },
    close: () => opened?.db.close(),
  };
}

const procedures = implement(searchContract);
function* unpack({ kinds, ids, values }: PackedVectors): Generator<ItemVector> {
  const dimensions = values.length / Math.max(1, ids.length);
  for (const [row, id] of ids.entries()) {
    const vector = values.subarray(row * dimensions, (row + 1) * dimensions);
    yield { kind: kinds[row] as ItemVector['kind'], id, vector };
  }
}
