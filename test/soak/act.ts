/** Something that a run may do. */
export interface Act {
  name: string;
  /** How often it happens beside the others. */
  weight: number;
  /** Does it to the core and to the model. @returns what it did, in a few words; null if nothing of the kind could be done */
  run(): Promise<string | null>;
}
