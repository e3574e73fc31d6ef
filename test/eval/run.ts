import { evaluateFacts } from './facts/run.ts';

/**
 * Measures one part of the product: `facts`, what is learnt from dialogues; `ablate`, what each part of the ranking gains; without
 * argument, retrieval.
 */
const [part, ...args] = process.argv.slice(2);
if (part === 'facts') await evaluateFacts(args);
else if (part === 'ablate') await (await import('./ablate.ts')).evaluateAblations();
else await import('./retrieval.ts');
