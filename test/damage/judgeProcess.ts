import { join } from 'node:path';
import { removeFolder } from '../support/temporary.ts';
import type { DamageCase, Start } from './cases.ts';
import { judge, type Verdict } from './oracle.ts';
import { Scenes, type Truth } from './scene.ts';

/**
 * A process that judges one case after another, so that one which ends it, or never ends, stops nothing else. It is told where the
 * scenes are, and then each case; it answers each by its verdict.
 */
export type ToJudge = { root: string; truths: Map<Start, Truth> } | DamageCase;

let scenes: Scenes;
let dir = '';
process.on('message', (message: ToJudge) => {
  if ('root' in message) {
    scenes = new Scenes(message.root, message.truths);
    dir = join(message.root, `case-${process.pid}`);
  } else
    void judge(scenes, message, dir).then((verdict: Verdict) => {
      removeFolder(dir);
      process.send?.(verdict);
    });
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit());
