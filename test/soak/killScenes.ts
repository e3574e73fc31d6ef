/** What is under way when the core is killed: the acts, and within what time the kill comes, in milliseconds. */
export interface Scene {
  name: string;
  acts: readonly string[];
  withinMs: number;
  /** Rests between two acts, so that vectors are written and the table is optimised after each. */
  restMs?: number;
}

export const SCENES: readonly Scene[] = [
  {
    name: 'facts',
    acts: [
      'add a fact',
      'edit a fact',
      'forget facts',
      'bring facts back',
      'undo what was learnt',
      'change settings',
    ],
    withinMs: 250,
  },
  {
    name: 'chat',
    acts: [
      'ask',
      'answer again',
      'choose a version',
      'change a conversation',
      'delete a conversation',
      'import it again',
      'import a conversation',
      'import a history',
      'import a history again',
      'bring a conversation back',
      'choose what answers',
    ],
    withinMs: 700,
  },
  {
    name: 'summaries',
    acts: [
      'ask',
      'answer again',
      'edit a message',
      'show another branch',
      'import a history',
      'import a history again',
      'summarise',
      'correct a summary',
      'make a summary anew',
      'remove a summary',
      'have a removed summary made again',
    ],
    // An import, and then what is made of it.
    withinMs: 2_500,
  },
  {
    name: 'indexing',
    acts: [
      'write a note',
      'edit a note',
      'rename a note',
      'delete a note',
      'rename a folder',
      'index',
      'exclude by patterns',
    ],
    withinMs: 600,
  },
  { name: 'optimise', acts: ['add a fact', 'edit a fact', 'forget facts'], withinMs: 900, restMs: 90 },
  {
    name: 'purge',
    acts: ['let time pass', 'delete a conversation', 'forget facts', 'remove a vault', 'add a vault', 'ask'],
    withinMs: 500,
  },
  { name: 'backup', acts: ['back up', 'add a fact', 'ask'], withinMs: 300 },
];

export interface KillFigures {
  kills: number;
  /** Acts that were acknowledged. */
  acknowledged: number;
  /** How often each of them was. */
  acts: Record<string, number>;
  /** Kills that came during an act, and what had become of it. */
  inFlight: { whole: number; notAtAll: number };
  /** From each start of the process until every item had its vector and nothing else had one; milliseconds. */
  recoveriesMs: number[];
  scenes: Record<string, number>;
}

export const newFigures = (): KillFigures => ({
  kills: 0,
  acknowledged: 0,
  acts: {},
  inFlight: { whole: 0, notAtAll: 0 },
  recoveriesMs: [],
  scenes: {},
});
