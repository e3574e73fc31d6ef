import { evaluateFacts } from './facts/run.ts';

/**
 * Measures one part of the product: `facts`, what is learnt from dialogues; `ablate`, what each part of the ranking gains;
 * `calibration`, what relevance means for two embedders; `marks`, for which other questions a mark counts; `names`, how notes are
 * found by names written inexactly; without argument, retrieval.
 */
const [part, ...args] = process.argv.slice(2);
if (part === 'facts') await evaluateFacts(args);
else if (part === 'ablate') await (await import('./ablate.ts')).evaluateAblations();
else if (part === 'marks') await (await import('./marks.ts')).evaluateMarks();
else if (part === 'calibration') await (await import('./calibration.ts')).evaluateCalibration();
else if (part === 'names') await (await import('./names.ts')).evaluateNames();
else await import('./retrieval.ts');
