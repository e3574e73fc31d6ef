import type { FileProblem } from './attachmentContract.ts';

/** A file whose text cannot be had. */
export class FileRefused extends Error {
  readonly problem: FileProblem;

  constructor(problem: FileProblem) {
    super(problem);
    this.problem = problem;
  }
}
