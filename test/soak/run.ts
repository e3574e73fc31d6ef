import { openDatabase } from '../../src/core/storage/database.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { type ConversationCounts, runPromptConversation } from './promptConversation.ts';

/**
 * Long runs that `npm test` does a short part of. A line of JSON for each; a seed replays it:
 * `npm run soak -- prompts 10000 [first seed]`.
 */
const [what = 'prompts', count = '10000', first = '1'] = process.argv.slice(2);
if (what !== 'prompts') throw new Error(`there is no soak called ${what}: prompts`);
await soakPrompts(Number(count), Number(first));

/** Random conversations through the plan of the prompt, each checked prompt by prompt. */
async function soakPrompts(conversations: number, firstSeed: number): Promise<void> {
  const total: ConversationCounts = {
    prompts: 0,
    steps: {},
    withheld: 0,
    injected: 0,
    heldBack: 0,
    otherParts: 0,
  };
  const perDatabase = 200;
  for (let done = 0; done < conversations; done += perDatabase) {
    const dir = temporaryFolder();
    const db = openDatabase(dir);
    try {
      for (
        let seed = firstSeed + done;
        seed < firstSeed + Math.min(done + perDatabase, conversations);
        seed += 1
      ) {
        add(total, await runPromptConversation(db, seed));
      }
    } finally {
      db.close();
      removeFolder(dir);
    }
  }
  console.log(JSON.stringify({ soak: 'prompts', conversations, firstSeed, broken: 0, ...total }));
}

function add(total: ConversationCounts, part: ConversationCounts): void {
  for (const name of ['prompts', 'withheld', 'injected', 'heldBack', 'otherParts'] as const) {
    total[name] += part[name];
  }
  for (const [code, times] of Object.entries(part.steps))
    total.steps[code] = (total.steps[code] ?? 0) + times;
}
