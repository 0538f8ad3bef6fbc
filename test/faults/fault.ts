/** One mistake that a store could make: its name and the edits that plant it. */
export type Fault = readonly [name: string, ...edits: Edit[]];

/** In a file of `src/store/sqlite`, a text that must be there once, and what replaces it. */
export type Edit = readonly [file: string, find: string, replace: string];
