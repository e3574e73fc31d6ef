import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import { ask, createTestApp, lastReply, type TestApp } from '../support/testApp.ts';

/** Sequences that are run; more with `BRANCH_RUNS=200`. */
const RUNS = Number(process.env.BRANCH_RUNS ?? 6);
const LONGEST = 12;

/** A turn as it should be. */
interface Node {
  id: TurnId;
  word: string;
  isFact: boolean;
  after: { node: Node; version: number } | null;
  versions: number;
  active: number;
  picked: number;
  /** When it was forgotten; null if it is not. */
  forgottenAt: number | null;
}

const byPreference = (all: readonly Node[]) => (one: Node, other: Node) =>
  other.picked - one.picked || all.indexOf(other) - all.indexOf(one);

let test: TestApp;
afterEach(() => test.dispose());

/** One conversation, and what should have become of it. */
class Talk {
  readonly nodes: Node[] = [];
  #id: ConversationId | undefined;
  #words = 0;
  /** What turns taught that were erased: it stays. */
  readonly #kept: string[] = [];

  get #inUse(): Node[] {
    return this.nodes.filter(({ forgottenAt }) => forgottenAt === null);
  }

  async operate(act: string, chosen: number): Promise<void> {
    const node = this.#inUse[chosen % Math.max(1, this.#inUse.length)];
    const { chat, forget } = test.app.client;
    if (act === 'ask' || !node) return this.#ask(chosen % 2 === 0);
    if (act === 'edit') return this.#edit(node, chosen % 2 === 0);
    if (act === 'regenerate') {
      await lastReply(await chat.regenerate({ turnId: node.id }));
      this.#show(node);
      node.versions += 1;
      node.active = node.versions;
    } else if (act === 'choose') {
      const version = 1 + (chosen % node.versions);
      await chat.chooseVersion({ turnId: node.id, version });
      this.#show(node);
      node.active = version;
    } else if (act === 'show') {
      await chat.showBranch({ turnId: node.id });
      this.#show(node);
    } else if (act === 'forget' && this.#inUse.length > 1) {
      const { at } = await forget.apply({ ticked: { turns: [node.id] } });
      node.forgottenAt = at;
    } else if (act === 'undo') {
      const forgotten = this.nodes.filter(({ forgottenAt }) => forgottenAt !== null);
      const one = forgotten[chosen % Math.max(1, forgotten.length)];
      if (!one) return;
      await forget.undo({ at: one.forgottenAt as number });
      one.forgottenAt = null;
    } else if (act === 'erase' && this.#inUse.length > 1) {
      await forget.apply({ ticked: { turns: [node.id] }, now: true });
      await test.app.services.jobs.settled();
      this.#erase(node);
    } else if (act === 'delete') {
      await chat.remove({ id: this.#id as ConversationId });
      await chat.restore({ id: this.#id as ConversationId });
    } else if (act === 'restart') await test.reopen();
  }

  async #ask(isFact: boolean): Promise<void> {
    const after = this.#end();
    const { word, text } = this.#say(isFact);
    const { turn } = await ask(test.app, text, this.#id);
    this.#id ??= turn.conversationId;
    // Every turn is found by the title.
    await test.app.client.chat.change({ id: this.#id, title: 'Essai' });
    this.#add({ id: turn.id, word, isFact, after });
  }

  async #edit(node: Node, isFact: boolean): Promise<void> {
    const { word, text } = this.#say(isFact);
    const { turn } = await lastReply(await test.app.client.chat.edit({ turnId: node.id, text }));
    this.#show(this.#add({ id: turn.id, word, isFact, after: node.after }));
  }

  #say(isFact: boolean): { word: string; text: string } {
    this.#words += 1;
    const word = `zq${String(this.#words).padStart(4, '0')}`;
    return { word, text: isFact ? `Souviens-toi que ${word} aime le thé.` : `Où est ${word} ?` };
  }

  #add(node: Pick<Node, 'id' | 'word' | 'isFact' | 'after'>): Node {
    const beside = this.#after(node.after?.node ?? null, node.after?.version ?? 0);
    const picked = Math.max(-1, ...beside.map((one) => one.picked)) + 1;
    const added = { ...node, versions: 1, active: 1, picked, forgottenAt: null };
    this.nodes.push(added);
    return added;
  }

  #after(parent: Node | null, version: number): Node[] {
    return this.nodes
      .filter(({ after }) => (after?.node ?? null) === parent && (after?.version ?? 0) === version)
      .sort(byPreference(this.nodes));
  }

  /** What is shown after a reply, or could be, first what is. */
  #seenAfter(parent: Node | null, version: number): Node[] {
    return this.#after(parent, version).flatMap((node) => {
      if (node.forgottenAt === null) return [node];
      const versions = Array.from({ length: node.versions }, (_, place) => node.versions - place);
      return [node.active, ...versions.filter((one) => one !== node.active)].flatMap((one) =>
        this.#seenAfter(node, one),
      );
    });
  }

  #end(): Node['after'] {
    let last: Node | null = this.path().at(-1) ?? null;
    for (let next = this.#after(last, last?.active ?? 0)[0]; next; next = this.#after(last, last.active)[0])
      last = next;
    return last && { node: last, version: last.active };
  }

  path(): Node[] {
    const path: Node[] = [];
    for (let next = this.#seenAfter(null, 0)[0]; next; next = this.#seenAfter(next, next.active)[0])
      path.push(next);
    return path;
  }

  #show(node: Node): void {
    const beside = this.#after(node.after?.node ?? null, node.after?.version ?? 0);
    const [first] = beside;
    if (first && first !== node) node.picked = first.picked + 1;
    if (!node.after) return;
    node.after.node.active = node.after.version;
    this.#show(node.after.node);
  }

  /** What was said after it follows what it followed, and is shown if it was. */
  #erase(node: Node): void {
    const shown = new Set(this.path());
    if (node.isFact) this.#kept.push(node.word);
    node.forgottenAt = 0;
    const path = new Set(this.path());
    this.nodes.splice(this.nodes.indexOf(node), 1);
    for (const child of this.nodes.filter(({ after }) => after?.node === node)) {
      child.after = node.after;
      child.picked = path.has(child) || shown.has(child) ? node.picked + 1 : -1;
    }
  }

  /** What only turns say in whose place others are shown. */
  isUnsaid(node: Node): boolean {
    if (node.forgottenAt !== null) return false;
    for (const parent of [null, ...this.#inUse])
      for (let version = parent ? 1 : 0; version <= (parent?.versions ?? 0); version += 1) {
        const group = this.#seenAfter(parent, version);
        if (group.includes(node)) return group[0] !== node;
      }
    return false;
  }

  /** Compares what a user sees, finds and is known by with what should be. */
  async check(): Promise<void> {
    const { client, services } = test.app;
    if (this.#id === undefined) return;
    const path = this.path();
    const { turns, conversation } = await client.chat.get({ id: this.#id, limit: 200 });
    expect(turns.map(({ id }) => id)).toEqual(path.map(({ id }) => id));
    expect(conversation.turns).toBe(path.length);
    const known = (await client.facts.list({})).facts.map(({ content }) => content.slice(0, 6).toLowerCase());
    const said = this.nodes.filter((node) => node.isFact && !this.isUnsaid(node)).map(({ word }) => word);
    expect(known.sort()).toEqual([...said, ...this.#kept].sort());
    for (const { word, id } of this.nodes) {
      const { results } = await client.retrieval.search({ text: word, mode: 'text', kinds: ['turn'] });
      expect([word, results.map((result) => result.id)]).toEqual([
        word,
        path.some((node) => node.id === id) ? [id] : [],
      ]);
    }
    await services.vectors.settled();
    expect((await client.app.doctor({})).findings).toEqual([]);
  }
}

const ACTS = [
  'ask',
  'ask',
  'edit',
  'edit',
  'regenerate',
  'choose',
  'show',
  'forget',
  'undo',
  'erase',
  'delete',
  'restart',
];

describe('any sequence of edits, branches, regenerations, forgetting and restarts', () => {
  it(
    'keeps text, vectors, lists and facts equal to what is shown, and so does an export',
    () =>
      fc.assert(
        fc
          .asyncProperty(
            fc.array(fc.tuple(fc.constantFrom(...ACTS), fc.nat(1_000)), { minLength: 4, maxLength: LONGEST }),
            async (acts) => {
              test = createTestApp();
              const talk = new Talk();
              await talk.operate('ask', 0);
              for (const [act, chosen] of acts) await talk.operate(act, chosen);
              await talk.check();
              const portions = [];
              for await (const portion of await test.app.client.data.export()) portions.push(portion);
              await test.dispose();
              test = createTestApp();
              for (const portion of portions) await test.app.client.data.import(portion);
              const again = await test.app.client.chat.list({});
              const { turns } = await test.app.client.chat.get({
                id: again[0]?.id as ConversationId,
                limit: 200,
              });
              expect(turns.map(({ id }) => id)).toEqual(talk.path().map(({ id }) => id));
              expect((await test.app.client.app.doctor({})).findings).toEqual([]);
            },
          )
          .afterEach(() => test.dispose()),
        { numRuns: RUNS },
      ),
    120_000,
  );
});
