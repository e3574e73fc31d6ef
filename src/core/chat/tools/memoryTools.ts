import { z } from 'zod';
import { Ttl } from '../../../shared/contract/facts.ts';
import type { Learning } from '../../memory/learning/learning.ts';
import { defineTool, type Tool } from './tool.ts';

export interface MemoryToolPorts {
  learning: Pick<Learning, 'remember'>;
}

/** Keeps what the user said; what they did not say themselves waits for their word. */
export function rememberTool({ learning }: MemoryToolPorts): Tool {
  return defineTool({
    name: 'remember',
    description:
      "Keep one fact about the user or the people and things around them, as one sentence in the user's own words. Only what they state themselves.",
    input: z.object({
      content: z.string().trim().min(1).max(2_000).describe('The fact, one sentence.'),
      subjects: z
        .array(z.string().trim().min(1).max(100))
        .max(20)
        .default([])
        .describe('Names and things that it is about.'),
      ttl: Ttl.optional().describe('How long it holds: "1h", "7d", "2w"; leave it out if for good.'),
    }),
    reads: [],
    run: async ({ content, subjects, ttl }, { turnId }) => ({
      outcome:
        turnId === null ? 'not-kept' : learning.remember(turnId, { content, subjects, ttl: ttl ?? null }),
    }),
  });
}

/** Forgets nothing by itself: whoever shows the call shows the plan, and the user decides. */
export const forgetTool: Tool = defineTool({
  name: 'forget',
  description:
    'Show the user what would be forgotten about a topic, when they ask to forget something. They decide; it returns at once.',
  input: z.object({
    topic: z.string().trim().min(1).max(500).describe('What to forget: a name, a word, a thing.'),
  }),
  reads: [],
  run: async () => ({ outcome: 'plan' }),
});
