import type { Notice, NoticeCode } from '../../shared/contract/app.ts';
import { parseJson } from '../../shared/json.ts';
import type { Db } from './database.ts';

/** What the user must be told until they say that they have read it. */
export class NoticeStore {
  readonly #db: Db;
  readonly #onChange: () => void;

  constructor(db: Db, onChange: () => void) {
    this.#db = db;
    this.#onChange = onChange;
  }

  list(): Notice[] {
    return this.#db
      .all<{ code: NoticeCode; params: string; at: number }>(
        'SELECT code, params, at FROM notices ORDER BY at',
      )
      .map(({ code, params, at }) => ({ code, params: (parseJson(params) ?? {}) as Notice['params'], at }));
  }

  /** Takes the place of an earlier notice of the same code. */
  add({ code, params, at }: Notice): void {
    this.#db.run('INSERT OR REPLACE INTO notices VALUES (?, ?, ?)', code, JSON.stringify(params), at);
    this.#onChange();
  }

  dismiss(code: NoticeCode): void {
    if (this.#db.run('DELETE FROM notices WHERE code = ?', code).changes > 0) this.#onChange();
  }
}
