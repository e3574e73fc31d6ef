import { openDatabase } from '../../src/core/storage/database.ts';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';
import { type ConversationCounts, noCounts, runPromptConversation } from './promptConversation.ts';

/** Random conversations through the plan of the prompt, each checked prompt by prompt. */
export async function soakPrompts(conversations: number, firstSeed: number): Promise<void> {
  const total = noCounts();
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
