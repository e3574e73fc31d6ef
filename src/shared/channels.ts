/** The channel of what is said in the window and by `souvenir ask`, unless another one is named. */
export const DEFAULT_CHANNEL = 'chat';
