import { evaluateFacts } from './facts/run.ts';

/** Measures one part of the product: `facts`, what is learnt from dialogues; without argument, retrieval. */
const [part, ...args] = process.argv.slice(2);
if (part === 'facts') await evaluateFacts(args);
else await import('./retrieval.ts');
