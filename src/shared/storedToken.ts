/** Where a tab keeps, in its session storage, the token that opens its next connection. */
export const STORED_TOKEN = 'souvenir.token';
